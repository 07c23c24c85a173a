"""One round of histogram boosting in plain NumPy: fixed-point sums, gains, level-wise or best-first growth.

Every histogram is filled from the rows of its node: nothing is subtracted, so it can judge what subtracts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

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
    def fine(cls, g: Floats, h: Floats) -> Quantised:
        """Give the largest gradient and the largest hessian 30 bits."""
        steps = 2**30 - 1
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
    # Categories.
    one_against_rest: int = 4
    few_categories: int = 8
    smoothing: float = 10.0
    category_lambda: float = 10.0
    max_categories_side: int = 32
    min_rows_category: int = 100


@dataclass(frozen=True)
class Cut:
    """These codes go left, missing values (code 0) among them or not."""

    feature: int
    left: frozenset[int]
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


def gain(
    left: Ints, total: Ints, sample: Quantised, limits: Limits, more_lambda: float = 0.0
) -> float | None:
    """Return what a split of the sums takes off the loss; None when a side is too small."""
    right = total - left
    if min(left[2], right[2]) < max(limits.min_rows_leaf, 1):
        return None
    if min(left[1], right[1]) * sample.h_unit < limits.min_hessian_leaf:
        return None
    sides = [score(side, sample, limits.reg_lambda + more_lambda) for side in (left, right)]
    return sum(sides) - score(total, sample, limits.reg_lambda)


def threshold_cuts(filled: Ints) -> list[frozenset[int]]:
    """Every cut between two codes, missing values right (last: they are alone), then left."""
    n_codes, has_missing = len(filled) - 1, bool(filled[0][2])
    below = [frozenset(range(1, code + 1)) for code in range(1, n_codes + 1)]
    if not has_missing:
        return below[:-1]
    return below + [cut | {0} for cut in below[:-1]]


def subset_cuts(filled: Ints, total: Ints, sample: Quantised, limits: Limits) -> list[frozenset[int]]:
    """Very few categories: each alone. Few: all subsets. Many: by G / (H + smoothing), from either end."""
    present = [code for code in range(len(filled)) if filled[code][2]]
    if len(filled) - 1 <= limits.one_against_rest:
        return [frozenset([code]) for code in present]
    if len(filled) - 1 <= limits.few_categories:
        sizes = range(1, (len(present) + 1) // 2 + 1)
        subsets = [frozenset(subset) for size in sizes for subset in combinations(present, size)]
        # Of two sides that are one cut the engine names the one with the smaller gradients.
        return sorted(subsets, key=lambda subset: filled[sorted(subset)].sum(axis=0)[0])
    # The engine does not count the rows of a category: its share of the hessian stands for that of rows.
    per_step = total[2] / max(total[1], 1)
    present = [code for code in present if filled[code][1] * per_step >= limits.min_rows_category]
    step = limits.smoothing / sample.h_unit
    ordered = sorted(present, key=lambda code: filled[code][0] / (filled[code][1] + step))
    most = min(limits.max_categories_side, (len(ordered) + 1) // 2)
    ends = (ordered, ordered[::-1])
    return [frozenset(end[:size]) for end in ends for size in range(1, most + 1)]


def best_cut(
    codes: Ints, n_codes: list[int], rows: Ints, sample: Quantised, limits: Limits, nominal: frozenset[int]
) -> Cut | None:
    """Try every cut of every column; the first of equal ones wins."""
    best: Cut | None = None
    for feature in range(codes.shape[1]):
        filled = cells(codes[:, feature], rows, sample, n_codes[feature])
        total = filled.sum(axis=0)
        is_subset = feature in nominal
        cuts = subset_cuts(filled, total, sample, limits) if is_subset else threshold_cuts(filled)
        penalised = is_subset and n_codes[feature] > limits.few_categories
        for left in cuts:
            sums = filled[sorted(left)].sum(axis=0)
            found = gain(sums, total, sample, limits, limits.category_lambda if penalised else 0.0)
            if found is None or 2 * found <= limits.min_gain:
                continue
            if best is None or found > best.gain * (1 + 1e-12):
                best = Cut(feature, left, found)
    return best


def grow(
    codes: Ints,
    n_codes: list[int],
    sample: Quantised,
    limits: Limits,
    nominal: frozenset[int] = frozenset(),
) -> Node:
    """Grow the tree of one round."""

    def make(rows: Ints, depth: int) -> Node:
        total = np.array([sample.g[rows].sum(), sample.h[rows].sum(), len(rows)])
        return Node(rows, depth, leaf_value(total, sample, limits.reg_lambda))

    def consider(node: Node) -> None:
        if limits.max_depth is None or node.depth < limits.max_depth:
            cut = best_cut(codes, n_codes, node.rows, sample, limits, nominal)
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
        left = np.isin(column, sorted(cut.left))
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
