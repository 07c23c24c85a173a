"""One round of histogram boosting in plain NumPy: fixed-point sums, gains, level-wise or best-first growth.

Every histogram is filled from the rows of its node: nothing is subtracted, so it can judge what subtracts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Quantised:
    """Gradients and hessians as whole steps; a real number is its steps times the unit."""

    g: Ints
    h: Ints
    g_unit: float
    h_unit: float

    @classmethod
    def of(cls, g: Floats, h: Floats, g_unit: float, h_unit: float) -> Quantised:
        """Round to the nearest step."""
        return cls(np.rint(g / g_unit).astype(np.int64), np.rint(h / h_unit).astype(np.int64), g_unit, h_unit)

    @classmethod
    def packed(cls, g: Floats, h: Floats) -> Quantised:
        """Choose the units so that no sum over all rows leaves 32 bits."""
        steps = min((2**31 - 1) // len(g), 65536)
        return cls.of(g, h, float(np.abs(g).max()) / steps, float(h.max()) / steps)


@dataclass(frozen=True)
class Limits:
    """What limits the growth of one round's tree."""

    reg_lambda: float = 1.0
    min_gain: float = 0.0
    min_rows_leaf: int = 1
    min_hessian_leaf: float = 0.0
    max_depth: int | None = None
    max_leaves: int | None = None
    level_wise: bool = False


@dataclass(frozen=True)
class Cut:
    """Codes up to `code` go left; code 0 (missing) goes where `missing_left` says."""

    feature: int
    code: int
    missing_left: bool
    gain: float


@dataclass
class Node:
    """A node with its rows; `value` is what the round adds to the prediction of a row."""

    rows: Ints
    depth: int
    value: float
    cut: Cut | None = None
    children: list[Node] = field(default_factory=list)


def cells(codes: Ints, rows: Ints, sample: Quantised, n_codes: int) -> Ints:
    """Histogram of one column: sum of g, sum of h and number of rows for every code."""
    result = np.zeros((n_codes + 1, 3), dtype=np.int64)
    for column, amounts in enumerate((sample.g, sample.h, np.ones(len(codes), dtype=np.int64))):
        np.add.at(result[:, column], codes[rows], amounts[rows])
    return result


def score(total: Ints, sample: Quantised, reg_lambda: float) -> float:
    """Half of G² / (H + lambda)."""
    g, h = total[0] * sample.g_unit, total[1] * sample.h_unit
    return 0.5 * float(g * g / (h + reg_lambda)) if h + reg_lambda > 0 else 0.0


def leaf_value(total: Ints, sample: Quantised, reg_lambda: float) -> float:
    """Return the Newton step -G / (H + lambda)."""
    g, h = total[0] * sample.g_unit, total[1] * sample.h_unit
    return float(-g / (h + reg_lambda)) if h + reg_lambda > 0 else 0.0


def best_cut(codes: Ints, n_codes: list[int], rows: Ints, sample: Quantised, limits: Limits) -> Cut | None:
    """Try every cut of every column, missing rows right and left; the first of equal ones wins."""
    best: Cut | None = None
    for feature in range(codes.shape[1]):
        filled = cells(codes[:, feature], rows, sample, n_codes[feature])
        total, gap = filled.sum(axis=0), filled[0]
        for missing_left in (False, True) if gap[2] else (False,):
            left = gap.copy() if missing_left else np.zeros(3, dtype=np.int64)
            # Without missing rows the cut after the last code separates nothing.
            for code in range(1, n_codes[feature] + (0 if missing_left or not gap[2] else 1)):
                left = left + filled[code]
                right = total - left
                if min(left[2], right[2]) < max(limits.min_rows_leaf, 1) or filled[code][2] == 0:
                    continue
                if min(left[1], right[1]) * sample.h_unit < limits.min_hessian_leaf:
                    continue
                parts = score(left, sample, limits.reg_lambda) + score(right, sample, limits.reg_lambda)
                gain = parts - score(total, sample, limits.reg_lambda)
                if gain > limits.min_gain and (best is None or gain > best.gain):
                    best = Cut(feature, code, missing_left, gain)
    return best


def grow(codes: Ints, n_codes: list[int], sample: Quantised, limits: Limits) -> Node:
    """Grow the tree of one round."""

    def make(rows: Ints, depth: int) -> Node:
        total = np.array([sample.g[rows].sum(), sample.h[rows].sum(), len(rows)])
        return Node(rows, depth, leaf_value(total, sample, limits.reg_lambda))

    def consider(node: Node) -> None:
        if limits.max_depth is None or node.depth < limits.max_depth:
            cut = best_cut(codes, n_codes, node.rows, sample, limits)
            if cut is not None:
                frontier.append((cut, node))

    root = make(np.arange(len(codes)), 0)
    frontier: list[tuple[Cut, Node]] = []
    leaves = 1
    consider(root)
    while frontier and leaves < (limits.max_leaves or np.inf):
        position = 0 if limits.level_wise else int(np.argmax([cut.gain for cut, _ in frontier]))
        cut, node = frontier.pop(position)
        column = codes[node.rows, cut.feature]
        left = (column > 0) & (column <= cut.code) | (column == 0) & cut.missing_left
        node.cut = cut
        node.children = [make(node.rows[side], node.depth + 1) for side in (left, ~left)]
        leaves += 1
        for child in node.children:
            consider(child)
    return root


def predictions(root: Node, n_rows: int) -> Floats:
    """Value of the leaf of every training row."""
    result = np.empty(n_rows)
    stack = [root]
    while stack:
        node = stack.pop()
        stack += node.children
        if not node.children:
            result[node.rows] = node.value
    return result
