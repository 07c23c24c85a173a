"""The folds of a cross-validation inside `fit`: what the parameter `cv` means for the rows at hand."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.trees._grown import Grown
from treewright.trees._row_subset import row_subset

__all__ = ["Fold", "make_folds", "model_selection", "read_groups"]

Places = NDArray[np.int64]
Fold = tuple[Places, Places]


def make_folds(cv: Any, grown: Grown, X: Any, groups: NDArray[Any] | None, seed: int) -> list[Fold]:
    """Return train and test of each fold, as places among the rows that the tree was grown on.

    Parameters
    ----------
    cv : int, splitter or list of (train, test)
        The parameter. A number: shuffled folds, stratified by class, groups kept together.
    grown : Grown
        The full tree with its rows.
    X : object
        All rows, for splitters that look at them.
    groups : ndarray or None
        Group of each row of X.
    seed : int
        What shuffles.
    """
    own_groups = groups if groups is None or grown.rows is None else groups[grown.rows]
    if isinstance(cv, Integral):
        folds = _numbered(int(cv), grown, own_groups, seed)
    elif hasattr(cv, "split"):
        folds = cv.split(row_subset(X, grown.rows), grown.target, own_groups)
    else:
        folds = [_listed(pair, number, grown, len(cv)) for number, pair in enumerate(cv, start=1)]
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


def _numbered(cv: int, grown: Grown, groups: NDArray[Any] | None, seed: int) -> Iterable[Fold]:
    n_rows = len(grown.target)
    if n_rows < cv:
        raise ValueError(
            f"cv={cv} folds need at least {cv} rows of positive weight, but there are {n_rows}: pass a "
            "smaller cv or leave cross-validation out."
        )
    rows = np.zeros((n_rows, 1))
    folds: Iterable[Fold]
    splitters = model_selection()
    rarest = None if grown.classes is None else int(np.bincount(grown.target).min())
    if groups is not None:
        n_groups = len(np.unique(groups))
        if n_groups < cv:
            raise ValueError(
                f"cv={cv} folds need at least {cv} groups, but there are {n_groups}: pass a smaller cv, or "
                "no groups if the rows do not depend on each other."
            )
        name = "StratifiedGroupKFold" if rarest is not None and rarest >= cv else "GroupKFold"
        folds = getattr(splitters, name)(cv, shuffle=True, random_state=seed).split(
            rows, grown.target, groups
        )
    elif rarest is None:
        folds = splitters.KFold(cv, shuffle=True, random_state=seed).split(rows)
    elif rarest >= cv:
        folds = splitters.StratifiedKFold(cv, shuffle=True, random_state=seed).split(rows, grown.target)
    else:
        folds = _dealt(cv, grown.target, seed)
    return folds


def _dealt(cv: int, codes: NDArray[Any], seed: int) -> list[Fold]:
    """Deal the shuffled rows out class by class, like cards: rare classes go to as many folds as they can."""
    shuffled = np.random.RandomState(seed).permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[by_class] = np.arange(len(codes)) % cv
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(cv)]


def _listed(pair: Any, number: int, grown: Grown, n_folds: int) -> Fold:
    try:
        train, test = (_row_numbers(side) for side in pair)
    except (TypeError, ValueError):
        raise ValueError(
            f"Each entry of cv must be a pair of arrays with the row numbers of train and test; entry "
            f"{number} of {n_folds} is not."
        ) from None
    named = np.concatenate([train, test])
    if named.min(initial=0) < 0 or named.max(initial=0) >= grown.n_rows_read:
        raise ValueError(f"Entry {number} of cv names rows that X does not have: it has {grown.n_rows_read}.")
    if grown.rows is None:
        return train, test
    # Rows of weight 0 are left out.
    place = np.full(grown.n_rows_read, -1, dtype=np.int64)
    place[grown.rows] = np.arange(len(grown.rows))
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
