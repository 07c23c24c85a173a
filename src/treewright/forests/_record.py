"""The record of a fit: what a forest's model keeps besides its trees, and the check of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.forests._bags import Bags, are_weights
from treewright.forests._growing import GrownTrees
from treewright.model import Model
from treewright.model.facts import ForestFacts

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
    if not ((importances >= 0).all() and (importances.sum(axis=1) <= 1.0 + SHARE_TOLERANCE).all()):
        raise ValueError("its importances are not shares of the gain of each tree")
    oob = model.arrays.get(OOB)
    if oob is not None:
        if oob.dtype != np.float64 or oob.shape != (bags[-1].n_rows, model.n_outputs):
            raise ValueError("its out-of-bag predictions do not fit its rows")
        if np.isinf(oob).any():  # NaN: a row that is in all bags
            raise ValueError("an out-of-bag prediction is infinite")
    _check_leaf_rows(model, bags)


def _check_leaf_rows(model: Model, bags: Sequence[Bags]) -> None:
    """Raise ValueError unless what quantiles need is there as a whole, or not at all."""
    begin, rows, target = (model.arrays.get(name) for name in (LEAF_BEGIN, LEAF_ROWS, TARGET))
    if begin is None and rows is None and target is None:
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
        or (np.diff(begin) < 0).any()
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
