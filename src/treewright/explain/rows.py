"""Which training rows reach a node, and with which share of their weight."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.training import NodeRows, Training
from treewright.model.arrays import EVERY_BRANCH, KIND_THRESHOLD, STOP_HERE
from treewright.model.model import Model
from treewright.model.node import Node
from treewright.model.split import branches_of_codes

__all__ = ["branch_entries", "rows_at", "send_down"]


def rows_at(model: Model, place: Node, training: Training) -> NodeRows:
    """Return the rows of a node: the training rows, sent down the tree as in growing."""
    view = place.view
    way = place.path
    arrays = view.tree.to_arrays()
    node = training.all_rows()
    signs = training.settings.get("monotone")
    lower, upper = -np.inf, np.inf
    surrogates = len(arrays["surrogate_feature"]) > 0
    for above, below in pairwise(way):
        branch = below.id - int(arrays["first_child"][above.id])
        feature = int(arrays["feature"][above.id])
        entries = (
            _landing_branches(model, training, node.rows, above)
            if surrogates
            else branch_entries(arrays, above.id, training.matrix[node.rows, feature])
        )
        direction = 0 if signs is None else signs[feature]
        if direction:
            values = [_value(training, node, entries == side) for side in (0, 1)]
            middle = (values[0] + values[1]) / 2
            if (direction > 0) == (branch == 0):
                upper = middle
            else:
                lower = middle
        node = send_down(node, entries, branch, training.recipe.arithmetic == "single")
    path = tuple(int(n.branch or 0) for n in way[1:])
    return NodeRows(node.rows, node.weights, path, lower, upper)


def branch_entries(arrays: dict[str, NDArray[Any]], node: int, column: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the branch that each value of the tested column takes, or EVERY_BRANCH or STOP_HERE."""
    missing = np.isnan(column)
    if arrays["kind"][node] == KIND_THRESHOLD:
        # A NumPy scalar, so that float32 values are compared in float64.
        entries = (column > np.float64(arrays["threshold"][node])).astype(np.uint32)
    else:
        codes = np.where(missing, 0, column).astype(np.int64)
        entries = branches_of_codes(arrays["tables"], int(arrays["table"][node]), codes)
    return np.where(missing, arrays["missing"][node], entries).astype(np.uint32)


def send_down(node: NodeRows, entries: NDArray[np.uint32], branch: int, single: bool) -> NodeRows:
    """Return the rows of one branch; those that go down every branch come with their share."""
    here = entries == branch
    shared = entries == EVERY_BRANCH
    if not shared.any() or not here.any():  # nobody shares a branch without known rows
        return NodeRows(node.rows[here], None if node.weights is None else node.weights[here])
    weights = np.ones(len(node.rows)) if node.weights is None else node.weights.copy()
    known = entries < STOP_HERE
    # Added up one by one, as in growing; Release 8 multiplies in single precision.
    part = np.cumsum(weights[here])[-1] / np.cumsum(weights[known])[-1]
    if single:
        weights[shared] = (weights[shared].astype(np.float32) * np.float32(part)).astype(np.float64)
    else:
        weights[shared] *= part
    kept = here | shared
    return NodeRows(node.rows[kept], weights[kept])


def _landing_branches(
    model: Model, training: Training, rows: NDArray[np.uint32], above: Node
) -> NDArray[np.uint32]:
    """Return branches where substitutes are asked: by the nodes that the predictor passes."""
    indptr, indices = model.predictor.decision_path(np.ascontiguousarray(training.matrix[rows]))
    first = int(above.view.tree.first_child[above.id])
    entries = np.full(len(rows), STOP_HERE, dtype=np.uint32)
    owner = np.repeat(np.arange(len(rows)), np.diff(indptr))
    for branch in range(2):
        entries[owner[indices == first + branch]] = branch
    return entries


def _value(training: Training, node: NodeRows, side: NDArray[np.bool_]) -> float:
    """Return what one side of a split would predict: the mean, or the share of the second class."""
    values = training.target[node.rows[side]]
    weights = None if node.weights is None else node.weights[side]
    if training.class_names is not None:
        values = values == 1
    elif training.settings["criterion"] == "absolute_error":
        return _median(values, np.ones(len(values)) if weights is None else weights)
    return float(np.average(values, weights=weights))


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return the middle of the lower and the upper weighted median."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(weights[order])
    half, slack = 0.5 * running[-1], 1e-12 * running[-1]
    lower = int(np.searchsorted(running, half - slack))
    upper = lower + int(running[lower] <= half + slack and lower + 1 < len(values))
    return float(values[order[lower]] / 2 + values[order[upper]] / 2)
