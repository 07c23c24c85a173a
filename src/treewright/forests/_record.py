"""The record of a fit: what a forest's model keeps besides its trees, and the check of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.forests._bags import Bags, are_weights
from treewright.forests._growing import GrownTrees
from treewright.forests._interval_levels import IntervalLevels
from treewright.model import Forest, Model
from treewright.model.facts import ForestFacts
from treewright.model.forest_arrays import FOREST_LEAF
from treewright.model.level_means import LevelMeans

__all__ = ["bag_arrays", "bag_facts", "check_record", "grown_of", "model_bags"]

# Names in `Model.arrays`.
IMPORTANCES = "importances"
LEAF_BEGIN = "leaf_begin"
LEAF_ROWS = "leaf_rows"
TARGET = "target"
WEIGHTS = "weights"
OOB = "oob_values"
BAG_ARRAYS = ("probabilities", "kept")
# What sums of shares may differ from 1 by rounding.
SHARE_TOLERANCE = 1e-6
# Weights are kept in single precision.
WEIGHT_TOLERANCE = 1e-4
# A member that sets rows aside for pruning keeps at least one of so many.
MOST_SET_ASIDE = 1000


def bag_facts(bags: Sequence[Bags]) -> list[dict[str, Any]]:
    """Return what facts say about bags."""
    return [some.to_facts() for some in bags]


def bag_arrays(bags: Sequence[Bags]) -> dict[str, NDArray[Any]]:
    """Return the arrays of bags, by name."""
    return {
        f"bag{number}_{name}": getattr(some, name)
        for number, some in enumerate(bags)
        for name in BAG_ARRAYS
        if getattr(some, name) is not None
    }


def model_bags(model: Model) -> tuple[Bags, ...]:
    """Return the bags of a model; ValueError when a file says something that cannot be."""
    stored = ForestFacts.of(model).bags
    bags = tuple(
        Bags.from_facts(some, **{name: model.arrays.get(f"bag{number}_{name}") for name in BAG_ARRAYS})
        for number, some in enumerate(stored)
    )
    ends = [0, *(some.last for some in bags)]
    if [some.first for some in bags] != ends[:-1] or ends[-1] != len(model.trees):
        raise ValueError("its bags are not those of its trees")
    return bags


def grown_of(model: Model) -> GrownTrees:
    """Return the trees of a model with what belongs to them, for more trees to follow."""
    arrays = model.arrays
    return GrownTrees(model.trees, arrays[IMPORTANCES], arrays.get(LEAF_BEGIN), arrays.get(LEAF_ROWS))


def check_record(model: Model, bags: Sequence[Bags]) -> None:
    """Raise ValueError when the arrays do not fit the trees: the model may come from a file."""
    importances = model.arrays.get(IMPORTANCES)
    if importances is None or importances.shape != (len(model.trees), model.n_features):
        raise ValueError("it lacks importances for each tree and feature")
    if importances.dtype != np.float64:
        raise ValueError("its importances are not float64")
    # NaN fails both comparisons.
    most = 1.0 + SHARE_TOLERANCE
    in_range = ((importances >= 0) & (importances <= most)).all()
    if not in_range or not (importances.sum(axis=1) <= most).all():
        raise ValueError("its importances are not shares of the gain of each tree")
    oob = model.arrays.get(OOB)
    if oob is not None:
        if oob.dtype != np.float64 or oob.shape != (bags[-1].n_rows, model.n_outputs):
            raise ValueError("its out-of-bag predictions do not fit its rows")
        if np.isinf(oob).any():  # NaN: a row that is in all bags
            raise ValueError("an out-of-bag prediction is infinite")
    _check_draws(model, bags)
    _check_leaf_rows(model, bags)
    IntervalLevels.from_arrays(model.arrays)
    LevelMeans.of(model)


def _check_draws(model: Model, bags: Sequence[Bags]) -> None:
    """Raise ValueError unless the roots of trees have the rows and the weight that their bags drew.

    Whoever asks for a bag draws it again, which takes as long as the draws that a file claims.
    """
    last = bags[-1]
    if model.params.get("max_samples") is None and last.draws not in (0, last.n_kept):
        raise ValueError(f"its bags have {last.draws} draws from {last.n_kept} rows, not as many as rows")
    for some in bags:
        for tree in range(some.first, some.last):
            rows, weight = _root(model, tree)
            if rows > some.n_kept or (some.draws and rows > some.draws):
                raise ValueError(f"tree {tree} has more rows than its bag")
            if some.draws == 0:
                continue
            if isinstance(model.trees, Forest):  # the engine weighs a row as often as it was drawn
                fits = abs(weight - some.draws) <= WEIGHT_TOLERANCE * some.draws
            else:  # members may weigh classes, and set rows aside
                fits = some.draws * _least_class_weight(model) <= MOST_SET_ASIDE * weight
            if not fits:
                raise ValueError(f"tree {tree} weighs {weight:g}, but its bag has {some.draws} draws")
            _check_different(some, rows, tree, whole=isinstance(model.trees, Forest))


def _check_different(bags: Bags, rows: int, tree: int, *, whole: bool) -> None:
    """Raise ValueError unless a tree has as many different rows as so many draws give."""
    if not whole or bags.probabilities is not None:
        return
    mean, margin = float(bags.draws), 0.0
    if bags.replace:
        mean = -bags.n_kept * math.expm1(-bags.draws / bags.n_kept)
        margin = 10.0 * math.sqrt(bags.draws) + 10.0  # never met by chance
    if abs(rows - mean) > margin:
        raise ValueError(f"tree {tree} has {rows} different rows, which its bag cannot have drawn")


def _root(model: Model, tree: int) -> tuple[int, float]:
    """Return rows and weight of the root of a tree, without unpacking the tree."""
    if isinstance(model.trees, Forest):
        arrays = model.trees.arrays
        first = int(arrays["begin"][tree])
        return int(arrays["rows"][first]), float(arrays["weight"][first])
    arrays = model.trees[tree].to_arrays()
    return int(arrays["rows"][0]), float(arrays["weight"][0])


def _least_class_weight(model: Model) -> float:
    """Return the least factor by which members weigh rows."""
    template = model.params.get("estimator")
    params = template.get("params") if isinstance(template, Mapping) else None
    given = params.get("class_weight") if isinstance(params, Mapping) else None
    weights = [float(w) for w in given.values()] if isinstance(given, Mapping) else []
    return min([1.0, *(weight for weight in weights if weight > 0)])


def _check_leaf_rows(model: Model, bags: Sequence[Bags]) -> None:
    """Raise ValueError unless what quantiles need is there as a whole, or not at all."""
    begin, rows, target = (model.arrays.get(name) for name in (LEAF_BEGIN, LEAF_ROWS, TARGET))
    if begin is None and rows is None and target is None:
        if model.params.get("quantiles"):
            raise ValueError("it lacks what quantiles need")
        return
    if begin is None or rows is None or target is None:
        raise ValueError("it lacks a part of what quantiles need")
    if begin.dtype != np.int64 or rows.dtype != np.uint32 or target.dtype != np.float64:
        raise ValueError("its rows of leaves have another type")
    if (
        begin.ndim != 1
        or rows.ndim != 1
        or len(begin) < 2
        or begin[0] != 0
        or begin[-1] != len(rows)
        or (np.diff(begin) <= 0).any()
        or len(begin) != _n_leaves(model) + 1
    ):
        raise ValueError("its rows are not divided among its leaves")
    if target.shape != (bags[-1].n_kept,) or (len(rows) and int(rows.max()) >= len(target)):
        raise ValueError("its leaves have rows that do not exist")
    if not np.isfinite(target).all():
        raise ValueError("the target of a training row is not a finite number")
    weights = model.arrays.get(WEIGHTS)
    if weights is None:
        return
    if weights.dtype != np.float64 or weights.shape != target.shape:
        raise ValueError("its weights do not fit its rows")
    if not are_weights(weights):
        raise ValueError("the weight of a training row is not a finite number above 0")


def _n_leaves(model: Model) -> int:
    if isinstance(model.trees, Forest):
        return int(np.count_nonzero(model.trees.arrays["feature"] == FOREST_LEAF))
    return sum(tree.n_leaves for tree in model.trees)
