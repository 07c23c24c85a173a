"""A plain NumPy tree learner: direct formulas, every candidate tried, no shortcut.

It exists to be read and believed; `test_reference.py` checks it against scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import CRITERIA

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: A candidate replaces the best one only if its gain is larger by more than this share of the node's loss.
TIE = 1e-10


@dataclass(frozen=True)
class Settings:
    """What limits the growth of a tree, in scikit-learn's words."""

    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    min_gain: float | None = None
    max_leaf_nodes: int | None = None
    monotonic_cst: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Table:
    """Rows to learn from: a category is its code (1, 2, ...) as a float, a missing value is NaN."""

    x: Floats
    y: Floats
    weight: Floats
    nominal: tuple[bool, ...]
    n_classes: int = 0  # 0: regression

    @classmethod
    def build(
        cls,
        x: Floats,
        y: Floats,
        weight: Floats | None = None,
        *,
        nominal: tuple[bool, ...] = (),
        n_classes: int = 0,
    ) -> Table:
        """Fill in unit weights and numeric kinds where nothing was said."""
        x = np.asarray(x, dtype=np.float64)
        return cls(
            x,
            np.asarray(y, dtype=np.float64),
            np.ones(len(x)) if weight is None else np.asarray(weight, dtype=np.float64),
            nominal or (False,) * x.shape[1],
            n_classes,
        )

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Return the table of these rows only."""
        return replace(self, x=self.x[rows], y=self.y[rows], weight=self.weight[rows])


@dataclass(frozen=True)
class Split:
    """One candidate: which rows of the node go to branch 0, and how the test reads."""

    feature: int
    left: Mask
    threshold: float = np.nan
    missing_left: bool = False
    gain: float = 0.0


@dataclass
class Node:
    """A node with the rows that reached it."""

    rows: NDArray[np.int64]
    depth: int
    loss: float
    weight: float
    value: Floats
    bounds: tuple[float, float] = (-np.inf, np.inf)
    split: Split | None = None
    children: list[Node] = field(default_factory=list)


# --------------------------------------------------------------------------- losses


def class_weights(table: Table) -> Floats:
    """Weight of every class."""
    return np.bincount(table.y.astype(np.int64), table.weight, table.n_classes)


def weighted_median(y: Floats, weight: Floats) -> float:
    """Value at which half of the weight is reached; the middle of two when it falls between them."""
    order = np.argsort(y, kind="stable")
    y, cumulated = y[order], np.cumsum(weight[order])
    half = cumulated[-1] / 2
    upper = y[np.searchsorted(cumulated, half, side="right")]
    at_half = np.flatnonzero(cumulated == half)
    return float((y[at_half[0]] + upper) / 2 if at_half.size else upper)


def leaf_value(table: Table, criterion: str) -> Floats:
    """What a leaf with these rows predicts: class shares, mean or median."""
    if table.n_classes:
        return class_weights(table) / table.weight.sum()
    if criterion == "absolute_error":
        return np.array([weighted_median(table.y, table.weight)])
    return np.array([np.average(table.y, weights=table.weight)])


def loss_of(table: Table, criterion: str) -> float:
    """Total loss of the rows as one leaf; infinite when the criterion does not admit the leaf."""
    total, value = table.weight.sum(), leaf_value(table, criterion)
    if criterion == "gini":
        return float(total * (1.0 - np.sum(value**2)))
    if criterion == "entropy":
        present = value[value > 0]
        return float(total * -np.sum(present * np.log2(present)))
    y, weight = table.y, table.weight
    if criterion == "squared_error":
        return float(np.sum(weight * (y - value[0]) ** 2))
    if criterion == "absolute_error":
        return float(np.sum(weight * np.abs(y - value[0])))
    if criterion == "poisson":
        if value[0] <= 0:
            return float("inf")
        positive = y > 0
        logs = np.zeros_like(y)
        logs[positive] = y[positive] * np.log(y[positive] / value[0])
        return float(np.sum(weight * (logs - y + value[0])))
    # Criteria that are not written down here are measured as the public functions do.
    measure = CRITERIA[criterion].measure
    return float(total * measure(counts=value)) if table.n_classes else measure(y, weight)


# --------------------------------------------------------------------------- candidates


def midpoint(below: float, above: float) -> float:
    """Threshold between two neighbouring values; the lower one when the middle is not between them."""
    middle = below / 2 + above / 2
    return middle if below <= middle < above and np.isfinite(middle) else below


def tests_of_known(known: Floats, nominal: bool) -> Iterator[tuple[Mask, float]]:
    """Every test of the known values of a column: mask of branch 0, and the threshold (NaN for a subset)."""
    values = np.unique(known)
    if not nominal:
        for below, above in pairwise(values):
            yield known <= below, midpoint(below, above)
        return
    # The first category stays in branch 0, so that no partition is listed twice.
    for size in range(len(values) - 1):
        for others in combinations(values[1:], size):
            yield np.isin(known, (values[0], *others)), np.nan


def tests_of(column: Floats, nominal: bool) -> Iterator[tuple[Mask, float, bool]]:
    """Every test of a column in the order of ties: missing right, missing left, missing alone."""
    gap = np.isnan(column)
    known_tests = list(tests_of_known(column[~gap], nominal))
    for missing_left in (False, True) if gap.any() else (False,):
        for known_left, threshold in known_tests:
            left = np.full(len(column), missing_left)
            left[~gap] = known_left
            # Without a missing value in the node the larger child takes those of the future.
            yield left, threshold, missing_left if gap.any() else left.sum() > (~left).sum()
    if gap.any() and not gap.all():
        yield ~gap, np.nan if nominal else np.inf, False


def signal(value: Floats) -> float:
    """Return the number that constraints speak of: the prediction, or the share of the second class."""
    return float(value[-1])


def obeys(table: Table, left: Mask, sign: int, bounds: tuple[float, float], criterion: str) -> bool:
    """Whether both children keep the order that the constraint asks for, and the bounds of the node."""
    low, high = (signal(leaf_value(table.take(np.flatnonzero(side)), criterion)) for side in (left, ~left))
    inside = all(bounds[0] <= value <= bounds[1] for value in (low, high))
    return inside and (low - high) * sign <= 0


def candidates(
    table: Table, settings: Settings, bounds: tuple[float, float], floor: float
) -> Iterator[Split]:
    """Every admissible split of these rows, in the order in which ties are decided."""
    whole = loss_of(table, settings.criterion)
    for feature, nominal in enumerate(table.nominal):
        sign = settings.monotonic_cst[feature] if settings.monotonic_cst else 0
        for left, threshold, missing_left in tests_of(table.x[:, feature], nominal):
            sides = [table.take(np.flatnonzero(side)) for side in (left, ~left)]
            if any(len(side.y) < settings.min_samples_leaf or side.weight.sum() < floor for side in sides):
                continue
            losses = [loss_of(side, settings.criterion) for side in sides]
            if np.isinf(losses).any():
                continue
            if sign and not obeys(table, left, sign, bounds, settings.criterion):
                continue
            yield Split(feature, left, threshold, missing_left, whole - sum(losses))


def best_split(
    table: Table, settings: Settings, bounds: tuple[float, float] = (-np.inf, np.inf), floor: float = 0.0
) -> Split | None:
    """Return the first candidate that no other beats by more than the tie tolerance."""
    best: Split | None = None
    tolerance = TIE * loss_of(table, settings.criterion)
    for split in candidates(table, settings, bounds, floor):
        if best is None or split.gain > best.gain + tolerance:
            best = split
    return best


# --------------------------------------------------------------------------- growing


def is_pure(table: Table) -> bool:
    """Whether all rows have the same target."""
    return bool(np.all(table.y == table.y[0]))


def may_split(table: Table, depth: int, settings: Settings, floor: float) -> bool:
    """Whether the limits allow to look for a split at all."""
    deep = settings.max_depth is not None and depth >= settings.max_depth
    few = len(table.y) < max(settings.min_samples_split, 2 * settings.min_samples_leaf)
    return not (deep or few or table.weight.sum() < 2 * floor or is_pure(table))


def gain_suffices(gain: float, table: Table, settings: Settings, total_weight: float) -> bool:
    """Apply the two thresholds on the gain: scikit-learn's share of all rows, and the books' epsilon."""
    if gain / total_weight + 1e-15 < settings.min_impurity_decrease:
        return False
    own = gain / table.weight.sum() if table.n_classes else gain
    return settings.min_gain is None or own > settings.min_gain


def child_bounds(node: Node, children: list[Node], sign: int) -> list[tuple[float, float]]:
    """Bounds of both children: a constraint on the split's column puts a wall between their values."""
    low, high = node.bounds
    if sign == 0:
        return [(low, high), (low, high)]
    middle = sum(signal(child.value) for child in children) / 2
    below, above = (low, middle), (middle, high)
    return [below, above] if sign > 0 else [above, below]


def clip(node: Node) -> None:
    """Move the value of a node into its bounds."""
    share = float(np.clip(signal(node.value), *node.bounds))
    node.value = np.array([share]) if len(node.value) == 1 else np.array([1 - share, share])


def grow(table: Table, settings: Settings) -> Node:
    """Grow a tree, best gain first (the order matters only with `max_leaf_nodes`)."""
    total = float(table.weight.sum())
    floor = settings.min_weight_fraction_leaf * total

    def make(rows: NDArray[np.int64], depth: int) -> Node:
        part = table.take(rows)
        return Node(
            rows,
            depth,
            loss_of(part, settings.criterion),
            float(part.weight.sum()),
            leaf_value(part, settings.criterion),
        )

    def consider(node: Node) -> None:
        part = table.take(node.rows)
        if may_split(part, node.depth, settings, floor):
            split = best_split(part, settings, node.bounds, floor)
            if split is not None and gain_suffices(split.gain, part, settings, total):
                frontier.append((split, node))

    root = make(np.arange(len(table.y)), 0)
    frontier: list[tuple[Split, Node]] = []
    leaves = 1
    consider(root)
    while frontier and leaves < (settings.max_leaf_nodes or np.inf):
        position = int(np.argmax([split.gain for split, _ in frontier]))
        split, node = frontier.pop(position)
        node.split = split
        node.children = [make(node.rows[side], node.depth + 1) for side in (split.left, ~split.left)]
        if settings.monotonic_cst:
            bounds = child_bounds(node, node.children, settings.monotonic_cst[split.feature])
            for child, limits in zip(node.children, bounds, strict=True):
                child.bounds = limits
                clip(child)
        leaves += 1
        for child in node.children:
            consider(child)
    return root
