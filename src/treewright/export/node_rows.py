"""The user's rows in the nodes of a tree: sent down by the engine as in growing, and drawn as strips."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.draw.strip import Columns, Points, Strip
from treewright.export.excerpt import Excerpt
from treewright.model.arrays import EVERY_BRANCH, STOP_HERE
from treewright.model.encoded import encoded_rows, encoded_target
from treewright.model.model import Model
from treewright.model.node import Node, TreeView
from treewright.model.split import Split
from treewright.model.text import printable

__all__ = ["NodeRows", "nodes_of_row"]

BINS = 24
MOST_POINTS = 150
MOST_COLUMNS = 24

Floats = NDArray[np.float64]


def nodes_of_row(model: Model, view: TreeView, row: Any) -> tuple[frozenset[int], Floats]:
    """Return the nodes that one row passes, several per level where it is shared out, and its values."""
    matrix = encoded_rows(model, row)
    if len(matrix) != 1:
        raise ValueError(f"highlight takes one row, got {len(matrix)}: pass X[[0]] or X.iloc[[0]].")
    tree = _core.TreeRows(view.tree.to_arrays(), model.schema.n_codes)
    found, waiting = set(), [view.root]
    while waiting:
        node = waiting.pop()
        found.add(node.id)
        if node.is_leaf:
            continue
        branch = int(tree.branches(node.id, matrix)[0])
        if branch == EVERY_BRANCH:
            waiting.extend(child for child in node.children if child.weight > 0)
        elif branch != STOP_HERE:
            waiting.append(node.children[branch])
    return frozenset(found), np.asarray(matrix[0], dtype=np.float64)


class NodeRows:
    """Rows and target, by node of an excerpt.

    Parameters
    ----------
    model : Model
        The model.
    excerpt : Excerpt
        The part of the tree that is drawn.
    X, y : table and target
        The rows, as `fit` takes them.
    colours : list of str
        One per class; not used for numbers.
    """

    def __init__(self, model: Model, excerpt: Excerpt, X: Any, y: Any, colours: list[str]) -> None:
        self._matrix = encoded_rows(model, X)
        self._colours = colours
        self._is_of_classes = model.classes is not None
        self._target = encoded_target(model, y, len(self._matrix))
        self._at: dict[int, tuple[NDArray[np.uint32], Floats | None]] = {}
        tree = _core.TreeRows(excerpt.view.tree.to_arrays(), model.schema.n_codes)
        self._at[0] = np.arange(len(self._matrix), dtype=np.uint32), None
        for item in excerpt.items[1:]:
            node = item.node
            if node is not None and node.parent is not None and node.branch is not None:
                rows, weights = self._at[node.parent.id]
                self._at[node.id] = tree.down(node.parent.id, node.branch, self._matrix, rows, weights)

    def strip(self, node: Node) -> Strip | None:
        """Return the rows of an inner node as a chart; None where none of them has a value of the feature."""
        split = node.split
        assert split is not None, "leaves have no chart"
        rows, given = self._at[node.id]
        values = np.asarray(self._matrix[rows, int(node.view.tree.feature[node.id])], dtype=np.float64)
        weights = np.ones(len(rows)) if given is None else np.asarray(given)
        known = ~np.isnan(values)
        values, weights, target = values[known], weights[known], self._target[rows][known]
        if not len(values):
            return None
        if split.feature.kind == "numeric" and split.kind == "threshold":
            return self._over_numbers(split, values, weights, target)
        return self._over_categories(split, values, weights, target)

    def n_drawn(self, node: Node) -> str:
        """Say how many rows a chart of points shows, where it is not all of them."""
        count = len(self._at[node.id][0])
        return "" if self._is_of_classes or count <= MOST_POINTS else f"{MOST_POINTS} of {count} rows drawn"

    def _over_numbers(
        self, split: Split, values: Floats, weights: Floats, target: NDArray[Any]
    ) -> Strip | None:
        finite = values[np.isfinite(values)]
        if not np.isfinite(split.threshold) or not len(finite):
            return None
        low = min(float(finite.min()), split.threshold)
        high = max(float(finite.max()), split.threshold)
        with np.errstate(over="ignore"):
            step = np.float64(high) / BINS - np.float64(low) / BINS
            if not step > 0 or not np.isfinite(step * BINS * 2):
                return None
            # Bins meet at the threshold, so that no column stands on both sides of it.
            left = max(1, int(np.ceil((split.threshold - low) / step)))
            right = max(1, int(np.ceil((high - split.threshold) / step)))
        if not self._is_of_classes:
            inside = np.clip(values, low, high)
            shares = (inside - low) / (high - low)
            cut = (split.threshold - low) / (high - low)
            return _points(shares, target, weights, [(0.0, cut), (cut, 1.0)], values > split.threshold, cut)
        # Clipped before the cast: infinite numbers stand in the outermost bins.
        raw = np.ceil((np.clip(values, low, high) - split.threshold) / step) + left - 1
        bins = np.clip(raw, 0, left + right - 1).astype(np.int64)
        bins = np.where(values <= split.threshold, np.minimum(bins, left - 1), np.maximum(bins, left))
        counts = np.zeros((left + right, len(self._colours)))
        np.add.at(counts, (bins, target), weights)
        return Columns([counts.tolist()], self._colours, left / (left + right))

    def _over_categories(
        self, split: Split, values: Floats, weights: Floats, target: NDArray[Any]
    ) -> Strip | None:
        index = split.feature.index
        codes = values.astype(np.int64)
        total = np.bincount(codes, weights, minlength=split.feature.n_codes + 2)
        heaviest = set(np.argsort(-total, kind="stable")[:MOST_COLUMNS].tolist())
        groups = []
        for branch in range(split.n_branches):
            of_branch = [index[category] for category in split.categories(branch)]
            kept = [code for code in of_branch if code in heaviest and total[code] > 0]
            if kept:
                groups.append(kept)
        if not groups:
            return None
        if self._is_of_classes:
            counts = np.zeros((len(total), len(self._colours)))
            np.add.at(counts, (codes, target), weights)
            columns = [[counts[code].tolist() for code in group] for group in groups]
            names = [printable(str((split.feature.categories or ())[c - 1])) for g in groups for c in g]
            return Columns(columns, self._colours, names=names)
        order = [code for group in groups for code in group]
        place = np.full(len(total), -1)
        place[order] = np.arange(len(order))
        drawn = place[codes] >= 0
        codes, weights, target = codes[drawn], weights[drawn], target[drawn]
        jitter = 0.2 + 0.6 * ((np.arange(len(codes)) * 0.6180339887) % 1)
        side = np.zeros(len(total), dtype=np.int64)
        bounds, begin = [], 0
        for number, group in enumerate(groups):
            side[group] = number
            bounds.append((begin / len(order), (begin + len(group)) / len(order)))
            begin += len(group)
        return _points((place[codes] + jitter) / len(order), target, weights, bounds, side[codes], None)


def _points(
    shares: Floats,
    target: Floats,
    weights: Floats,
    bounds: list[tuple[float, float]],
    side: NDArray[Any],
    cut: float | None,
) -> Strip:
    low, high = float(target.min()), float(target.max())
    room = high - low if 0 < high - low < np.inf else 1.0
    high_at = (target - low) / room if high > low else np.full(len(target), 0.5)
    means = []
    for number, (begin, end) in enumerate(bounds):
        own = side.astype(np.int64) == number
        if weights[own].sum() > 0:
            means.append((begin, end, float(np.average(high_at[own], weights=weights[own]))))
    picked = np.linspace(0, len(shares) - 1, min(len(shares), MOST_POINTS)).astype(np.int64)
    return Points(list(zip(shares[picked].tolist(), high_at[picked].tolist(), strict=True)), means, cut)
