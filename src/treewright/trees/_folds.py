"""The folds of a cross-validation inside `fit`, and the tree of each, grown as a separate fit would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treewright.data import read_table
from treewright.fitting.rows import TrainingRows, row_subset
from treewright.pruning import HeldOut, find_row_leaves
from treewright.trees.growing import Grown

if TYPE_CHECKING:
    from treewright.trees.pruning_plan import FitData
    from treewright.trees.single_tree import SingleTree

__all__ = ["FoldTrees", "held_out_rows", "integer_seed", "make_folds", "model_selection", "read_groups"]

Places = NDArray[np.int64]
Fold = tuple[Places, Places]


def make_folds(cv: Any, rows: TrainingRows, X: Any, groups: NDArray[Any] | None, seed: int) -> list[Fold]:
    """Return train and test of each fold, as places among the rows that the tree was grown on.

    Parameters
    ----------
    cv : int, splitter or list of (train, test)
        The parameter. A number: shuffled folds, stratified by class, groups kept together.
    rows : TrainingRows
        The rows that the full tree is grown on.
    X : object
        All rows, for splitters that look at them.
    groups : ndarray or None
        Group of each row of X.
    seed : int
        What shuffles.
    """
    own_groups = groups if groups is None or rows.kept is None else groups[rows.kept]
    if isinstance(cv, Integral):
        folds = _numbered(int(cv), rows, own_groups, seed)
    elif hasattr(cv, "split"):
        folds = cv.split(row_subset(X, rows.kept), rows.target, own_groups)
    else:
        folds = [_listed(pair, number, rows, len(cv)) for number, pair in enumerate(cv, start=1)]
    return _checked(folds)


def read_groups(groups: Any, n_rows: int) -> NDArray[Any] | None:
    """Return the group of each row as an array; None when there are none."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n_rows,):
        raise ValueError(
            f"groups must hold one group per row of X. Got shape {found.shape} for {n_rows} rows."
        )
    return found


def model_selection() -> Any:
    """Return scikit-learn's splitters; loaded when needed, since they double the time of our own import."""
    return import_module("sklearn.model_selection")


def _numbered(cv: int, rows: TrainingRows, groups: NDArray[Any] | None, seed: int) -> Iterable[Fold]:
    n_rows = rows.n_rows
    if n_rows < cv:
        raise ValueError(
            f"cv={cv} folds need at least {cv} rows of positive weight, but there are {n_rows}: pass a "
            "smaller cv or leave cross-validation out."
        )
    table = np.zeros((n_rows, 1))
    folds: Iterable[Fold]
    splitters = model_selection()
    rarest = None if rows.classes is None else int(np.bincount(rows.target).min())
    if groups is not None:
        n_groups = len(np.unique(groups))
        if n_groups < cv:
            raise ValueError(
                f"cv={cv} folds need at least {cv} groups, but there are {n_groups}: pass a smaller cv, or "
                "no groups if the rows do not depend on each other."
            )
        name = "StratifiedGroupKFold" if rarest is not None and rarest >= cv else "GroupKFold"
        folds = getattr(splitters, name)(cv, shuffle=True, random_state=seed).split(
            table, rows.target, groups
        )
    elif rarest is None:
        folds = splitters.KFold(cv, shuffle=True, random_state=seed).split(table)
    elif rarest >= cv:
        folds = splitters.StratifiedKFold(cv, shuffle=True, random_state=seed).split(table, rows.target)
    else:
        folds = _dealt(cv, rows.target, seed)
    return folds


def _dealt(cv: int, codes: NDArray[Any], seed: int) -> list[Fold]:
    """Deal the shuffled rows out class by class, like cards: rare classes go to as many folds as they can."""
    shuffled = np.random.RandomState(seed).permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[by_class] = np.arange(len(codes)) % cv
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(cv)]


def _listed(pair: Any, number: int, rows: TrainingRows, n_folds: int) -> Fold:
    try:
        train, test = (_row_numbers(side) for side in pair)
    except (TypeError, ValueError):
        raise ValueError(
            f"Each entry of cv must be a pair of arrays with the row numbers of train and test; entry "
            f"{number} of {n_folds} is not."
        ) from None
    named = np.concatenate([train, test])
    if named.min(initial=0) < 0 or named.max(initial=0) >= rows.n_rows_read:
        raise ValueError(f"Entry {number} of cv names rows that X does not have: it has {rows.n_rows_read}.")
    if rows.kept is None:
        return train, test
    # Rows of weight 0 are left out.
    place = np.full(rows.n_rows_read, -1, dtype=np.int64)
    place[rows.kept] = np.arange(len(rows.kept))
    train, test = place[train], place[test]
    return train[train >= 0], test[test >= 0]


def _row_numbers(values: Any) -> Places:
    array = np.asarray(values)
    if array.dtype == np.bool_:
        array = np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError("not a list of row numbers")
    return array.astype(np.int64)


def _checked(folds: Iterable[Fold]) -> list[Fold]:
    found = [(np.asarray(train), np.asarray(test)) for train, test in folds]
    if not found:
        raise ValueError("cv has no folds: pass a number of folds, a splitter or a list of (train, test).")
    for number, (train, _) in enumerate(found, start=1):
        if len(train) == 0:
            raise ValueError(f"Fold {number} of {len(found)} of cv has no rows to train on.")
    return [(train, test) for train, test in found if len(test)]


def integer_seed(random_state: Any) -> int:
    """Return the seed itself if it is one, otherwise a number drawn from it."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def held_out_rows(
    grown: Grown,
    matrix: NDArray[Any],
    target: NDArray[Any],
    weights: NDArray[np.float64] | None,
    n_threads: int,
) -> HeldOut:
    """Send rows that the tree has not seen down; the target is in the columns of its values."""
    return HeldOut(
        grown.tree,
        find_row_leaves(grown.tree, matrix, n_threads),
        target,
        weights,
        classes=grown.rows.classes is not None,
        class_order=None if grown.order is None else grown.order.astype(np.int64),
    )


class FoldTrees:
    """Called with the places of train and test among the rows of the full tree.

    Parameters
    ----------
    estimator : SingleTree
        With the parameters of the fit.
    grow : callable
        Grows the tree of an estimator on rows, and prunes it if that belongs to the tree.
    changed : dict
        Parameters that the trees of folds have instead: those of pruning.
    seed : int
        Seed of every fold's tree.
    rows : TrainingRows
        The rows of the full tree.
    data : FitData
        What fit was given.
    """

    def __init__(
        self,
        estimator: SingleTree,
        grow: Callable[[SingleTree, TrainingRows], Grown],
        changed: dict[str, Any],
        seed: int,
        rows: TrainingRows,
        data: FitData,
    ) -> None:
        # Folds run side by side, so each of them has one thread.
        self._learner = estimator._changed(**changed, n_candidates=0, n_jobs=1, random_state=seed)
        self._grow = grow
        self._full = rows
        self._data = data

    def __call__(self, train: NDArray[np.int64], test: NDArray[np.int64]) -> HeldOut:
        """Return the fold's tree with its test rows."""
        full, data = self._full, self._data
        rows, test_rows = (part if full.kept is None else full.kept[part] for part in (train, test))
        learner = self._learner_for(train)
        fold = self._grow(learner, learner._read(data.X, data.y, data.sample_weight, rows=rows, warn=False))
        table = read_table(data.X, estimator_name=type(learner).__name__, schema=fold.rows.schema)
        target = full.target[test]
        if full.classes is not None:
            target = fold.columns_of(full.classes, target)
        weights = None if full.weights is None else full.weights[test]
        return held_out_rows(fold, table.take(test_rows).to_matrix(), target, weights, 1)

    def _learner_for(self, train: NDArray[np.int64]) -> SingleTree:
        """Return the learner without weights of classes that none of these rows has."""
        if self._full.classes is None:
            return self._learner
        weights, priors = (getattr(self._learner, name, None) for name in ("class_weight", "priors"))
        present = np.bincount(self._full.target[train], minlength=len(self._full.classes)) > 0
        if present.all() or not (isinstance(weights, Mapping) or priors is not None):
            return self._learner
        labels = self._full.classes[present].tolist()
        changed: dict[str, Any] = {}
        if isinstance(weights, Mapping):
            changed["class_weight"] = {label: weights.get(label, 1.0) for label in labels}
        if priors is not None:
            shares = (
                [priors[label] for label in labels]
                if isinstance(priors, Mapping)
                else np.asarray(priors)[present].tolist()
            )
            changed["priors"] = [share / sum(shares) for share in shares]
        return self._learner._changed(**changed)
