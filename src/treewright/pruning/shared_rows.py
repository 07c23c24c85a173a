"""Losses of rows that several branches share: their prediction is a mixture, so they do not add up by node.

The prediction of such a row changes only where one of the nodes that it passes begins or ceases to answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model import Tree
from treewright.pruning.risk import predicted_class
from treewright.pruning.row_leaves import RowLeaves
from treewright.pruning.sweep import answer_intervals

__all__ = ["shared_losses"]

# Parts of rows that are worked on at a time; each takes two lines of class probabilities.
BLOCK = 1 << 17
# Digits that a mixture is good for: beyond them classes are tied.
DIGITS = 10


def shared_losses(
    tree: Tree,
    row_leaves: RowLeaves,
    key: NDArray[np.float64],
    probes: NDArray[np.float64],
    target: NDArray[Any],
    weights: NDArray[np.float64],
    *,
    classes: bool,
    class_order: NDArray[np.int64] | None,
) -> NDArray[np.float64]:
    """Return w·l, w²·l and w²·l² of the shared rows, summed for each probe, shape (n_probes, 3)."""
    begin, end = answer_intervals(tree, key, probes)
    starts = np.searchsorted(row_leaves.part_row, np.arange(len(row_leaves.shared) + 1))
    total = np.zeros((len(probes) + 1, 3))
    first = 0
    while first < len(row_leaves.shared):
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + BLOCK, side="right")) - 1)
        parts = slice(starts[first], starts[last])
        nodes = row_leaves.part_node[parts]
        # A part that ends at a node is answered by it as soon as it comes there.
        since = np.where(row_leaves.part_ends[parts], 0, begin[nodes])
        row, probe, mixture = _mixtures(
            row_leaves.part_row[parts],
            since,
            end[nodes],
            row_leaves.part_share[parts, np.newaxis] * tree.value[nodes, 0],
        )
        if classes:
            answer = predicted_class(np.round(mixture, DIGITS), class_order)
            loss = (answer != target[row]).astype(np.float64)
        else:
            loss = (target[row] - mixture[:, 0]) ** 2
        weight = weights[row]
        _add_segments(
            total, row, probe, np.column_stack([weight * loss, weight**2 * loss, (weight * loss) ** 2])
        )
        first = last
    return np.cumsum(total[:-1], axis=0)


def _mixtures(
    row: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return each row's prediction from each probe on at which it changes: row, probe, prediction."""
    answers = begin < end
    row, begin, end, values = row[answers], begin[answers], end[answers], values[answers]
    rows, probes = np.concatenate([row, row]), np.concatenate([begin, end])
    order = np.lexsort((probes, rows))
    rows, probes = rows[order], probes[order]
    running = np.cumsum(np.concatenate([values, -values])[order], axis=0)
    # The last change at each probe counts; what a row adds, it takes away again at its end.
    last = np.append((rows[1:] != rows[:-1]) | (probes[1:] != probes[:-1]), True)
    return rows[last], probes[last], running[last]


def _add_segments(
    total: NDArray[np.float64], row: NDArray[np.int64], probe: NDArray[np.int64], amounts: NDArray[np.float64]
) -> None:
    """Add each amount from its probe on until the next one of the same row."""
    goes_on = np.append(row[1:] == row[:-1], False)
    until = np.where(goes_on, np.append(probe[1:], 0), len(total) - 1)
    for column in range(amounts.shape[1]):
        total[:, column] += np.bincount(probe, amounts[:, column], len(total))
        total[:, column] -= np.bincount(until, amounts[:, column], len(total))
