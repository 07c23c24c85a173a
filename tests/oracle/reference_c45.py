"""A plain C4.5 Release 8: growing with multiway categories and fractional rows, collapse, pruning.

Doubles everywhere but for numeric values and the middle between two of them, which are float32 there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EPSILON = 1e-3
VALUE_GAP = 1e-5


@dataclass(frozen=True)
class Settings:
    """Options of the program: `-m`, `-c`, `-g`."""

    min_objects: float = 2.0
    confidence: float = 0.25
    use_ratio: bool = True


@dataclass(frozen=True)
class Table:
    """Training rows: categories are 1, 2, ...; missing is NaN; `n_values` is 0 for a numeric column."""

    x: Floats
    y: Ints
    n_values: tuple[int, ...]
    n_classes: int

    @classmethod
    def build(cls, x: Floats, y: Floats, n_values: list[int], n_classes: int) -> Table:
        """Round the numeric columns to float32, as the program stores them."""
        return cls(x.astype(np.float32).astype(np.float64), y.astype(np.int64), tuple(n_values), n_classes)


@dataclass(frozen=True)
class Test:
    """The best test of one column: what it gains, what it costs to tell its outcome, and its cut."""

    feature: int
    gain: float
    split_info: float
    cut: float = np.nan


@dataclass
class Node:
    """A node of the grown tree; `feature` is -1 for a leaf."""

    label: int
    dist: Floats
    weight: float
    errors: float
    feature: int = -1
    cut: float = np.nan
    children: list[Node] = field(default_factory=list)

    def become_leaf(self) -> None:
        """Forget the test."""
        self.feature, self.cut, self.children = -1, np.nan, []


def info(*amounts: float) -> float:
    """Total (not averaged) entropy in bits of these amounts."""
    values = np.array([amount for amount in amounts if amount > 0])
    return (
        float(values.sum() * np.log2(values.sum()) - np.sum(values * np.log2(values))) if values.size else 0.0
    )


def class_weights(table: Table, rows: Ints, weight: Floats) -> Floats:
    """Weight of every declared class."""
    return np.bincount(table.y[rows], weight, table.n_classes)


# --------------------------------------------------------------------------- tests


def nominal_test(table: Table, feature: int, rows: Ints, weight: Floats, settings: Settings) -> Test | None:
    """One branch per declared value, if at least two of them weigh `min_objects`."""
    codes, total = table.x[rows, feature], weight.sum()
    parts = [np.flatnonzero(codes == value) for value in range(1, table.n_values[feature] + 1)]
    amounts = [float(weight[part].sum()) for part in parts]
    known = sum(amounts)
    if known <= 0 or sum(amount >= settings.min_objects for amount in amounts) < 2:
        return None
    present = ~np.isnan(codes)
    before = info(*class_weights(table, rows[present], weight[present]))
    after = sum(info(*class_weights(table, rows[part], weight[part])) for part in parts)
    return Test(feature, (before - after) / total, info(total - known, *amounts) / total)


def numeric_test(table: Table, feature: int, rows: Ints, weight: Floats, settings: Settings) -> Test | None:
    """Return the cut with the largest gain, which pays for the number of cuts that were tried."""
    present = np.flatnonzero(~np.isnan(table.x[rows, feature]))
    total, known = float(weight.sum()), float(weight[present].sum())
    if known < 2 * settings.min_objects:
        return None
    order = present[np.argsort(table.x[rows[present], feature], kind="stable")]
    values, amounts, labels = table.x[rows[order], feature], weight[order], table.y[rows[order]]
    smallest = min(max(0.1 * known / table.n_classes, settings.min_objects), 25.0)
    one_hot = np.zeros((len(order), table.n_classes))
    one_hot[np.arange(len(order)), labels] = amounts
    below = np.cumsum(one_hot, axis=0)
    low = np.cumsum(amounts)
    tried = [
        i
        for i in range(len(order) - 1)
        if smallest <= low[i] <= known - smallest and values[i] < values[i + 1] - VALUE_GAP
    ]
    if not tried:
        return None
    before = info(*below[-1])
    gains = [(before - info(*below[i]) - info(*(below[-1] - below[i]))) / total for i in tried]
    best = int(np.argmax(gains))
    gain = gains[best] - np.log2(len(tried)) / total
    if gain <= 0:
        return None
    i = tried[best]
    middle = np.float64(np.float32((values[i] + values[i + 1]) / 2))
    everywhere = table.x[:, feature]
    cut = float(np.max(everywhere[everywhere <= middle]))
    return Test(feature, gain, info(total - known, low[i], known - low[i]) / total, cut)


def ranked_tests(
    table: Table, rows: Ints, weight: Floats, used: frozenset[int], settings: Settings
) -> list[tuple[float, Test]]:
    """Return the best test of every column with the value it competes on, -inf when it may not win."""
    tests = []
    for feature, n_values in enumerate(table.n_values):
        if n_values == 0:
            test = numeric_test(table, feature, rows, weight, settings)
        else:
            test = None if feature in used else nominal_test(table, feature, rows, weight, settings)
        if test is not None:
            tests.append(test)
    if not settings.use_ratio:
        return [(test.gain if test.split_info > 0 else -np.inf, test) for test in tests]
    many = [n_values >= 0.3 * len(table.y) for n_values in table.n_values]
    counted = [test.gain for test in tests if all(many) or not many[test.feature]]
    average = sum(counted) / len(counted) if counted else 1e6
    return [
        (test.gain / test.split_info, test)
        if test.gain >= average - EPSILON and test.split_info > EPSILON
        else (-np.inf, test)
        for test in tests
    ]


def choose(table: Table, rows: Ints, weight: Floats, used: frozenset[int], settings: Settings) -> Test | None:
    """Return the first of the tests with the largest value; a gain of 0 can win."""
    best, best_value = None, -EPSILON
    for value, test in ranked_tests(table, rows, weight, used, settings):
        if value > best_value:
            best, best_value = test, value
    return best


# --------------------------------------------------------------------------- growing


def distribute(
    table: Table, feature: int, cut: float, rows: Ints, weight: Floats
) -> list[tuple[Ints, Floats, float]]:
    """Rows, weights and known weight of every branch: a missing value goes everywhere with a share."""
    column = table.x[rows, feature]
    gap = np.isnan(column)
    if table.n_values[feature]:
        masks = [column == value for value in range(1, table.n_values[feature] + 1)]
    else:
        masks = [column <= cut, column > cut]
    known = float(weight[~gap].sum())
    result = []
    for mask in masks:
        amount = float(weight[mask].sum())
        share = np.where(mask, weight, weight * amount / known)
        taken = mask | gap if amount > 0 else np.zeros(len(rows), dtype=bool)
        result.append((rows[taken], share[taken], amount))
    return result


def grow(
    table: Table,
    settings: Settings,
    rows: Ints | None = None,
    weight: Floats | None = None,
    used: frozenset[int] = frozenset(),
    *,
    collapse: bool = True,
) -> Node:
    """Grow the "unpruned" tree: a split that saves no training error is taken back on the way up."""
    if rows is None or weight is None:
        rows, weight = np.arange(len(table.y)), np.ones(len(table.y))
    dist, total = class_weights(table, rows, weight), float(weight.sum())
    label = int(np.argmax(dist))
    node = Node(label, dist, total, total - float(dist[label]))
    # Sums of shares are not exact: a whole number that was lost in the last digits is meant.
    if np.isclose(dist[label], total, rtol=1e-9, atol=0) or total < 2 * settings.min_objects:
        return node
    test = choose(table, rows, weight, used, settings)
    if test is None:
        return node
    node.feature, node.cut = test.feature, test.cut
    below = used | {test.feature} if table.n_values[test.feature] else used
    for part, share, amount in distribute(table, test.feature, test.cut, rows, weight):
        if amount > 0:
            node.children.append(grow(table, settings, part, share, below, collapse=collapse))
        else:
            node.children.append(Node(label, dist.copy(), 0.0, 0.0))
    errors = sum(child.errors for child in node.children)
    if collapse and errors >= node.errors - EPSILON:
        node.become_leaf()
    node.errors = errors
    return node


# --------------------------------------------------------------------------- pruning


def deviate(confidence: float) -> float:
    """Return the normal deviate of the program's table, interpolated."""
    levels = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0]
    return float(np.interp(confidence, levels, [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0]))


def extra_errors(total: float, errors: float, confidence: float) -> float:
    """Return how many errors more than those seen a pessimist expects."""
    none = total * (1 - confidence ** (1 / total))
    if errors < 1e-6:
        return none
    if errors < 0.9999:
        return none + errors * (extra_errors(total, 1.0, confidence) - none)
    if errors + 0.5 >= total:
        return 0.67 * (total - errors)
    square = deviate(confidence) ** 2
    middle = errors + 0.5
    root = np.sqrt(square * (middle * (1 - middle / total) + square / 4))
    return float(total * (middle + square / 2 + root) / (total + square) - errors)


def prune(
    table: Table, node: Node, settings: Settings, rows: Ints, weight: Floats, *, update: bool = True
) -> float:
    """Prune bottom-up with subtree raising; return the estimated errors of what remains."""
    dist, total = class_weights(table, rows, weight), float(weight.sum())
    label = node.label
    for other in range(table.n_classes):
        if dist[other] > dist[label]:
            label = other
    seen = total - float(dist[label])
    as_leaf = seen + extra_errors(total, seen, settings.confidence)
    if update:
        node.label, node.dist, node.weight = label, dist, total
    if node.feature < 0:
        if update:
            node.errors = as_leaf
        return as_leaf
    as_tree, largest, most = 0.0, 0, -1.0
    for number, (part, share, amount) in enumerate(distribute(table, node.feature, node.cut, rows, weight)):
        if amount > 0:
            as_tree += prune(table, node.children[number], settings, part, share, update=update)
            if amount >= most:
                largest, most = number, amount
    if not update:
        return as_tree
    branch = node.children[largest]
    raised = prune(table, branch, settings, rows, weight, update=False)
    if as_leaf <= raised + 0.1 and as_leaf <= as_tree + 0.1:
        node.become_leaf()
        node.errors = as_leaf
    elif raised <= as_tree + 0.1:
        node.errors = prune(table, branch, settings, rows, weight)
        node.feature, node.cut, node.children = branch.feature, branch.cut, branch.children
        node.label, node.dist, node.weight = branch.label, branch.dist, branch.weight
    else:
        node.errors = as_tree
    return node.errors
