"""What goes to the engine: rows, and what the parameters mean for them; what comes back is a grown tree.

`grow` is asked by fit and by the trees of folds, `training_of` by reports and by growing by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from treewright import _core
from treewright.exceptions import SingleLeafWarning
from treewright.explain import Training
from treewright.fitting.rows import TrainingRows
from treewright.model import Model, Tree
from treewright.warn_at_caller import warn_at_caller

if TYPE_CHECKING:
    from treewright.trees.single_tree import SingleTree

__all__ = [
    "Arrays",
    "Grown",
    "class_codes",
    "class_order",
    "grow",
    "read_training",
    "tie_order",
    "training_of",
]

Arrays: TypeAlias = dict[str, NDArray[Any]]

# Parameters that can be the reason why nothing is split at all.
LIMITS = (
    "min_samples_split",
    "min_samples_leaf",
    "min_samples_branch",
    "min_weight_fraction_leaf",
    "min_gain",
    "min_impurity_decrease",
)


# Reports use several threads from so many cells on, but not too many of them.
MANY_CELLS = 1_000_000
MOST_THREADS = 4


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree and the rows that it was grown on.

    Attributes
    ----------
    arrays : dict of str to ndarray
        The tree as the engine has it, with its classes in the order of `order`.
    leaves_before : int
        Its leaves before any pruning.
    rows : TrainingRows
        The rows.
    order : ndarray of int32 or None
        The classes in the order in which ties are broken, by their position in ``rows.classes``; None: as
        they are.
    dataset : Dataset or None
        The features as codes, for pruning that looks at the training rows again.
    """

    arrays: Arrays
    leaves_before: int
    rows: TrainingRows
    order: NDArray[np.int32] | None = None
    dataset: _core.Dataset | None = None

    @cached_property
    def tree(self) -> Tree:
        """The tree, with its classes in the order of ``rows.classes``."""
        arrays = self.arrays
        if self.order is not None:
            arrays = {**arrays, "value": arrays["value"][:, _inverse(self.order)]}
        return Tree(arrays, self.rows.schema.n_codes)

    def with_arrays(self, arrays: Arrays) -> Self:
        """Return the same with the arrays of a smaller tree."""
        return replace(self, arrays=arrays)

    def with_tree(self, tree: Tree) -> Self:
        """Return the same with a smaller tree, whose arrays are those of the full one no longer."""
        smaller = replace(self)
        smaller.__dict__["tree"] = tree
        return smaller

    def columns_of(self, classes: NDArray[Any], codes: NDArray[Any]) -> NDArray[np.int64]:
        """Return the column of each row's class in the tree's values, -1 for a class that it does not know.

        Parameters
        ----------
        classes : ndarray
            Labels.
        codes : ndarray of int
            Position of each row's class among them.
        """
        own = [] if self.rows.classes is None else self.rows.classes.tolist()
        place = {label: position for position, label in enumerate(own)}
        columns = np.array([place.get(label, -1) for label in classes.tolist()], dtype=np.int64)
        found: NDArray[np.int64] = columns[codes]
        return found


def grow(estimator: SingleTree, rows: TrainingRows, *, keep: bool = False, warn: bool = True) -> Grown:
    """Grow the tree of an estimator, which is not changed.

    Parameters
    ----------
    estimator : SingleTree
        With valid parameters.
    rows : TrainingRows
        The rows; their table is let go of, because while the tree grows its columns only take up memory.
    keep : bool, default=False
        Whether the features are kept as codes.
    warn : bool, default=True
        Whether to warn of data that do not suit the algorithm and of limits that do not suit the data.
    """
    estimator._check_target(rows)
    estimator._prepare(rows, warn=warn)
    settings = estimator._settings(rows)
    n_threads = int(effective_n_jobs(estimator.n_jobs))
    dataset = rows.encode(estimator.recipe.max_bins, n_threads)
    plan = estimator.recipe.plan(**settings)
    order = None
    if plan.random_cuts:
        arrays = _random_tree(rows, dataset, plan)
    elif rows.n_classes is None:
        arrays = _core.grow_means(dataset, rows.target, rows.weights, plan, n_threads)
    else:
        order = class_order(estimator, rows)
        codes = class_codes(rows, order)
        arrays = _core.grow_classes(dataset, codes, rows.n_classes, rows.weights, plan, n_threads)
    if warn and len(arrays["kind"]) == 1 and arrays["loss"][0] > 0:
        _warn_of_limits(estimator, int(arrays["rows"][0]), settings["min_rows_leaf"])
    leaves = int(np.count_nonzero(arrays["n_children"] == 0))
    arrays = estimator._collapsed(arrays, rows.schema.n_codes)
    return Grown(arrays, leaves, rows, order, dataset if keep else None)


def _random_tree(rows: TrainingRows, dataset: _core.Dataset, plan: _core.GrowPlan) -> Arrays:
    """Return a tree whose cuts are drawn: the grower of forests draws them, here for a forest of one tree."""
    rule = _core.BagRule()
    rule.seed = plan.seed
    plan.keep_trees = True
    if rows.n_classes is None:
        found = _core.grow_mean_forest(dataset, rows.target, rows.weights, plan, rule, 0, 1)
    else:
        found = _core.grow_class_forest(dataset, rows.target, rows.n_classes, rows.weights, plan, rule, 0, 1)
    arrays: Arrays = found["trees"][0]
    return arrays


def read_training(
    estimator: SingleTree,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    model: Model | None = None,
    rows: NDArray[np.intp] | None = None,
) -> Training:
    """Read X, y and weights as the estimator's `fit` does.

    Parameters
    ----------
    estimator : SingleTree
        The estimator, with the parameters of its fit.
    X, y, sample_weight : object
        The rows.
    model : Model or None
        The model that was fitted on them, whose columns and classes they must have; None: they are learned.
    rows : ndarray of int or None
        Which of them; None: all.
    """
    read = estimator._read(X, y, sample_weight, rows=rows, model=model)
    if model is None:
        estimator._prepare(read, warn=False)
    return training_of(estimator, read)


def training_of(estimator: SingleTree, rows: TrainingRows) -> Training:
    """Return what the engine needs to search these rows, which are prepared.

    Parameters
    ----------
    estimator : SingleTree
        The estimator, with the parameters of its fit.
    rows : TrainingRows
        The rows, as the algorithm sees them.
    """
    settings = estimator._settings(rows)
    draws = "max_features" in settings
    known = not draws or isinstance(estimator.random_state, Integral)
    if not known:
        settings = {name: value for name, value in settings.items() if name not in ("max_features", "seed")}
    target, class_names = rows.target, None
    if rows.classes is not None:
        order = class_order(estimator, rows)
        target = class_codes(rows, order)
        names = rows.classes if order is None else rows.classes[order]
        class_names = tuple(str(label) for label in names.tolist())
    return Training(
        algorithm=type(estimator).__name__,
        params={name: getattr(estimator, name) for name in estimator._defaults},
        table=rows.whole_table,
        target=target,
        class_names=class_names,
        weights=rows.weights,
        recipe=estimator.recipe,
        settings=settings,
        n_threads=_report_threads(estimator, rows),
        draw_is_known=known,
        draws_ties=draws,
    )


def _report_threads(estimator: SingleTree, rows: TrainingRows) -> int:
    # Somebody waits for a report, and its numbers do not depend on threads: use them unless told otherwise.
    if estimator.n_jobs is not None or rows.n_rows * len(rows.schema.features) < MANY_CELLS:
        return int(effective_n_jobs(estimator.n_jobs))
    return min(MOST_THREADS, int(effective_n_jobs(-1)))


def class_order(estimator: SingleTree, rows: TrainingRows) -> NDArray[np.int32] | None:
    """Return the classes in the order in which ties are broken, by position; None: as they are."""
    if not estimator._declared or rows.classes is None or rows.declared_classes is None:
        return None
    return tie_order(rows.classes, rows.declared_classes)


def tie_order(classes: NDArray[Any], declared: NDArray[Any]) -> NDArray[np.int32] | None:
    """Return for each declared class that has rows its place in `classes`; None when they are in order."""
    position = {label: place for place, label in enumerate(declared.tolist())}
    try:
        ranks = [position[label] for label in classes.tolist()]
    except KeyError:
        raise ValueError("a class is not among the declared ones") from None
    order = np.argsort(ranks).astype(np.int32)
    return None if np.array_equal(order, np.arange(len(order))) else order


def class_codes(rows: TrainingRows, order: NDArray[np.int32] | None) -> NDArray[np.int32]:
    """Return the class of each row as its place in the order in which ties are broken."""
    codes: NDArray[np.int32] = rows.target if order is None else _inverse(order)[rows.target]
    return codes


def _inverse(order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the permutation that undoes another one."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order), dtype=order.dtype)
    return places


def _warn_of_limits(estimator: SingleTree, n_rows: int, min_rows_leaf: int) -> None:
    """Warn when a limit that the user set can be the reason why nothing was split."""
    defaults = estimator._defaults
    limits = [name for name in LIMITS if name in defaults and getattr(estimator, name) != defaults[name]]
    if not limits:
        return
    half = n_rows // 2
    if min_rows_leaf > half:
        reason = (
            f"no split left at least min_samples_leaf={estimator.min_samples_leaf} rows on both sides "
            f"(largest possible {half})"
        )
    else:
        reason = "no split was within " + ", ".join(f"{name}={getattr(estimator, name)}" for name in limits)
    warn_at_caller(f"The tree is a single leaf: {reason}.", SingleLeafWarning)
