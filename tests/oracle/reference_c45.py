"""A plain C4.5 Release 8: growing with multiway categories and fractional rows, collapse, pruning.

Doubles everywhere but for numeric values and the middle between two of them, which are float32 there;
with `Settings(single=True)` weights, sums and gains are rounded to float32 where the program rounds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.oracle.reference_c45_arithmetic import EPSILON, Arithmetic, Floats
from tests.oracle.reference_c45_groups import GroupingNode, group_values

Ints = NDArray[np.int64]
Branches = tuple[tuple[int, ...], ...]

VALUE_GAP = 1e-5


@dataclass
class Leak:
    """A bug of the program (`-s`): a column without known values makes it forget `-m` for the whole run."""

    happened: bool = False


@dataclass(frozen=True)
class Settings:
    """Options of the program: `-m`, `-c`, `-g`, `-s`; and how to compute."""

    minimum: float = 2.0
    confidence: float = 0.25
    use_ratio: bool = True
    group: bool = False
    single: bool = False
    leak: Leak | None = None  # given: the bug is repeated

    @property
    def min_objects(self) -> float:
        """Return the smallest weight of two branches, as far as the program remembers it."""
        return 1.0 if self.leak is not None and self.leak.happened else self.minimum

    @property
    def numbers(self) -> Arithmetic:
        """Return the arithmetic."""
        return Arithmetic(self.single)


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
class ColumnTest:
    """The best test of one column: its gain, the entropy of its outcome, its cut or its branches."""

    feature: int
    gain: float
    split_info: float
    cut: float = np.nan
    branches: Branches = ()


@dataclass
class Node:
    """A node of the grown tree; `feature` is -1 for a leaf. `branches` are the values of each branch."""

    label: int
    dist: Floats
    weight: float
    errors: float
    feature: int = -1
    cut: float = np.nan
    branches: Branches = ()
    children: list[Node] = field(default_factory=list)

    def become_leaf(self) -> None:
        """Forget the test."""
        self.feature, self.cut, self.branches, self.children = -1, np.nan, (), []


def class_weights(table: Table, rows: Ints, weight: Floats) -> Floats:
    """Weight of every declared class."""
    return Arithmetic().count(table.y[rows], weight, table.n_classes)


# --------------------------------------------------------------------------- tests


def nominal_test(
    table: Table, feature: int, rows: Ints, weight: Floats, settings: Settings
) -> ColumnTest | None:
    """One branch per declared value, if at least two of them weigh `min_objects`; or groups of values."""
    numbers, n_values = settings.numbers, table.n_values[feature]
    codes = np.nan_to_num(table.x[rows, feature], nan=0.0).astype(np.int64)
    places = codes * table.n_classes + table.y[rows]
    counts = numbers.count(places, weight, (n_values + 1) * table.n_classes).reshape(-1, table.n_classes)
    sizes = np.zeros(n_values + 1)
    for column in counts.T:
        sizes = numbers.store(sizes + column)
    total, unknown = numbers.total(weight), float(sizes[0])
    known = float(numbers.store(total - unknown)) if settings.single else float(sizes[1:].sum())
    if settings.group and n_values > 2 and known < EPSILON and settings.leak is not None:
        settings.leak.happened = True
    if known <= 0:
        return None
    rate = float(numbers.store(unknown / total))
    before = numbers.known_info(counts[1:], known)
    if settings.group and n_values > 2:
        found = group_values(
            GroupingNode(
                counts[1:], sizes[1:], unknown, total, known, before, rate,
                settings.min_objects, settings.use_ratio, numbers,
            )
        )  # fmt: skip
        return None if found is None else ColumnTest(feature, found[0], found[1], branches=found[2])
    if np.count_nonzero(sizes[1:] >= settings.min_objects) < 2:
        return None
    infos = numbers.info(list(counts[1:].T))
    gain = float(numbers.gain(before, rate, list(infos), known))
    branches = tuple((value,) for value in range(1, n_values + 1))
    return ColumnTest(
        feature, gain, float(numbers.split_info(unknown, list(sizes[1:]), total)), branches=branches
    )


def numeric_test(
    table: Table, feature: int, rows: Ints, weight: Floats, settings: Settings
) -> ColumnTest | None:
    """Return the cut with the largest gain, which pays for the number of cuts that were tried."""
    numbers = settings.numbers
    missing = np.isnan(table.x[rows, feature])
    present = np.flatnonzero(~missing)
    total, unknown = numbers.total(weight), numbers.total(weight[missing])
    known = float(numbers.store(total - unknown)) if settings.single else float(weight[present].sum())
    if known < 2 * settings.min_objects:
        return None
    order = present[np.argsort(table.x[rows[present], feature], kind="stable")]
    values, amounts, labels = table.x[rows[order], feature], weight[order], table.y[rows[order]]
    smallest = float(numbers.store(0.1 * known / table.n_classes))
    smallest = settings.min_objects if smallest <= settings.min_objects else min(smallest, 25.0)
    one_hot = np.zeros((len(order), table.n_classes), dtype=np.float32 if settings.single else np.float64)
    one_hot[np.arange(len(order)), labels] = amounts
    below = np.cumsum(one_hot, axis=0, dtype=one_hot.dtype).astype(np.float64)
    low = np.cumsum(amounts, dtype=one_hot.dtype).astype(np.float64)
    enough = (low >= smallest) & (low <= numbers.store(known - smallest))
    tried = np.flatnonzero(enough[:-1] & (values[:-1] < values[1:] - VALUE_GAP))
    if not len(tried):
        return None
    before = float(numbers.store(numbers.info(list(below[-1])) / known))
    rate = float(numbers.store(1 - numbers.store(known / total)))
    above = numbers.store(below[-1] - below)
    sides = [numbers.info(list(below[tried].T)), numbers.info(list(above[tried].T))]
    cost = float(numbers.store(np.log(len(tried)) / np.log(2) / total))
    gains = numbers.store(numbers.gain(before, rate, sides, known) - cost)
    best = int(np.argmax(gains))
    if gains[best] <= 0:
        return None
    i = int(tried[best])
    middle = np.float64(np.float32((values[i] + values[i + 1]) / 2))
    everywhere = table.x[:, feature]
    cut = float(np.max(everywhere[everywhere <= middle]))
    split_info = numbers.split_info(unknown, [low[i], numbers.store(known - low[i])], total)
    return ColumnTest(feature, float(gains[best]), float(split_info), cut)


def ranked_tests(
    table: Table, rows: Ints, weight: Floats, used: frozenset[int], settings: Settings
) -> list[tuple[float, ColumnTest]]:
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
    numbers = settings.numbers
    many = [n_values >= 0.3 * len(table.y) for n_values in table.n_values]
    counted = [test.gain for test in tests if settings.group or all(many) or not many[test.feature]]
    average = np.float64(0.0)
    for gain in counted:
        average = numbers.store(average + gain)
    average = numbers.store(average / len(counted)) if counted else np.float64(1e6)
    return [
        (float(numbers.store(test.gain / test.split_info)), test)
        if test.gain >= average - EPSILON and test.split_info > EPSILON
        else (-np.inf, test)
        for test in tests
    ]


def choose(
    table: Table, rows: Ints, weight: Floats, used: frozenset[int], settings: Settings
) -> ColumnTest | None:
    """Return the first of the tests with the largest value; a gain of 0 can win."""
    best, best_value = None, -EPSILON
    for value, test in ranked_tests(table, rows, weight, used, settings):
        if value > best_value:
            best, best_value = test, value
    return best


def used_below(table: Table, feature: int, used: frozenset[int], settings: Settings) -> frozenset[int]:
    """Return the columns that may not be tested again below: nominal ones, but not groups of values."""
    n_values = table.n_values[feature]
    return used | {feature} if n_values and not (settings.group and n_values > 2) else used


# --------------------------------------------------------------------------- growing


def distribute(
    table: Table, test: ColumnTest | Node, rows: Ints, weight: Floats, numbers: Arithmetic | None = None
) -> list[tuple[Ints, Floats, float]]:
    """Rows, weights and known weight of every branch: a missing value goes everywhere with a share."""
    numbers = numbers or Arithmetic()
    column = table.x[rows, test.feature]
    if table.n_values[test.feature]:
        masks = [np.isin(column, values) for values in test.branches]
    else:
        masks = [column <= test.cut, column > test.cut]
    # A value without a branch (a narrowed group) is as good as missing.
    gap = ~np.any(masks, axis=0)
    known = numbers.total(weight[~gap])
    result = []
    for mask in masks:
        amount = numbers.total(weight[mask])
        factor = numbers.store(amount / known) if known > 0 else 0.0
        share = np.where(mask, weight, numbers.store(weight * factor))
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
    numbers = settings.numbers
    rows = np.arange(len(table.y)) if rows is None else rows
    weight = np.ones(len(rows)) if weight is None else weight
    dist, total = numbers.count(table.y[rows], weight, table.n_classes), numbers.total(weight)
    label = int(np.argmax(dist))
    node = Node(label, dist, total, float(numbers.store(total - dist[label])))
    # Sums of shares are not exact: a whole number that was lost in the last digits is meant.
    pure = dist[label] == total if settings.single else np.isclose(dist[label], total, rtol=1e-9, atol=0)
    if pure or total < 2 * settings.min_objects:
        return node
    test = choose(table, rows, weight, used, settings)
    if test is None:
        return node
    node.feature, node.cut, node.branches = test.feature, test.cut, test.branches
    below = used_below(table, test.feature, used, settings)
    errors = 0.0
    for part, share, amount in distribute(table, test, rows, weight, numbers):
        if amount > 0:
            child = grow(table, settings, part, share, below, collapse=collapse)
        else:
            child = Node(label, dist.copy(), 0.0, 0.0)
        node.children.append(child)
        errors = float(numbers.store(errors + child.errors))
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
    none = float(total * (1 - confidence ** (1 / total)))
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
    for number, (part, share, amount) in enumerate(distribute(table, node, rows, weight)):
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
        node.feature, node.cut, node.branches = branch.feature, branch.cut, branch.branches
        node.children = branch.children
        node.label, node.dist, node.weight = branch.label, branch.dist, branch.weight
    else:
        node.errors = as_tree
    return node.errors


def narrow(table: Table, node: Node, possible: dict[int, frozenset[int]] | None = None) -> None:
    """After pruning, take values that cannot arrive out of the last group; drop it when none is left."""
    if node.feature < 0:
        return
    possible = dict(possible or {})
    n_values = table.n_values[node.feature]
    if n_values > 2:
        here = possible.get(node.feature, frozenset(range(1, n_values + 1)))
        last = tuple(value for value in node.branches[-1] if value in here)
        node.branches = (*node.branches[:-1], last) if last else node.branches[:-1]
        node.children = node.children[: len(node.branches)]
        for values, child in zip(node.branches, node.children, strict=True):
            narrow(table, child, {**possible, node.feature: frozenset(values)})
        return
    for child in node.children:
        narrow(table, child, possible)


# --------------------------------------------------------------------------- classifying


def class_shares(table: Table, root: Node, row: Floats) -> Floats:
    """Return the class weights of one row: without a branch for its value it goes down all of them."""
    result, stack = np.zeros(table.n_classes), [(root, 1.0)]
    while stack:
        node, weight = stack.pop()
        if node.feature < 0:
            if node.weight > 0:
                result += weight * node.dist / node.weight
            else:
                result[node.label] += weight
            continue
        value = row[node.feature]
        if table.n_values[node.feature]:
            reached = [number for number, values in enumerate(node.branches) if value in values]
        else:
            reached = [] if np.isnan(value) else [int(value > node.cut)]
        for number in reached:
            stack.append((node.children[number], weight))
        if not reached:
            stack += [(child, weight * child.weight / node.weight) for child in node.children if child.weight]
    return result
