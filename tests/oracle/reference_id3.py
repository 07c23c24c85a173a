"""Plain ID3 and the textbook's C4.5: the recurrent algorithm as books print it, without refinements."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tests.oracle.reference_c45 import Ints, Table
from tests.oracle.reference_c45_arithmetic import Arithmetic, Floats

NUMBERS = Arithmetic()
#: A gain below this counts as none.
NO_GAIN = 1e-6
#: Share of the node's entropy within which two gains are equal: the first column and the lowest cut win.
TIE = 1e-10
ROUNDING = 1e-9
LIGHTEST_SHARE = 0.01


@dataclass(frozen=True)
class BookSettings:
    """`ratio`: C4.5 instead of ID3. `min_gain` is the books' epsilon, for gain or ratio.

    `least`: what two branches of a test must weigh; where rows are shared out, `grow` makes it that of a row.
    """

    ratio: bool = False
    min_gain: float = 0.0
    least: float = 5e-324


@dataclass(frozen=True)
class BookTest:
    """The best test of one column; `rank` is what columns compete on."""

    feature: int
    rank: float
    gain: float
    cut: float = np.nan


@dataclass
class BookNode:
    """A node; `feature` is -1 for a leaf. An empty branch has no weight and its parent's class weights."""

    dist: Floats
    weight: float
    feature: int = -1
    cut: float = np.nan
    gain: float = 0.0
    children: list[BookNode] = field(default_factory=list)


def entropy(counts: Floats) -> float:
    """Total entropy in bits of class weights."""
    return float(NUMBERS.info(list(counts)))


def branch_of(table: Table, feature: int, cut: float, rows: Ints, settings: BookSettings) -> Ints:
    """Branch of every row; -1 where the value is missing and has no branch of its own."""
    column = table.x[rows, feature]
    gap = np.isnan(column)
    if not table.n_values[feature]:
        return np.where(gap, -1, column > cut).astype(np.int64)
    codes = np.nan_to_num(column, nan=0.0).astype(np.int64) - 1
    return codes if settings.ratio else np.where(gap, table.n_values[feature], codes)


def n_branches(table: Table, feature: int, settings: BookSettings) -> int:
    """Branches of a column: its declared values, for ID3 missing too if any row of the table lacks it."""
    if not table.n_values[feature]:
        return 2
    lacking = bool(np.isnan(table.x[:, feature]).any()) and not settings.ratio
    return table.n_values[feature] + int(lacking)


def gain_of(table: Table, rows: Ints, weight: Floats, branch: Ints) -> tuple[float, float]:
    """Return total gain (from the rows with a branch) and total entropy of the outcome."""
    known = branch >= 0
    size, classes = int(branch.max(initial=0)) + 1, table.n_classes
    places = branch[known] * classes + table.y[rows[known]]
    counts = NUMBERS.count(places, weight[known], size * classes).reshape(size, classes)
    unknown = float(weight[~known].sum())
    outcome = entropy(np.array([unknown, *counts.sum(axis=1)]))
    return entropy(counts.sum(axis=0)) - sum(entropy(part) for part in counts), outcome


def best_test(
    table: Table, feature: int, rows: Ints, weight: Floats, settings: BookSettings
) -> BookTest | None:
    """Return the column's test; a numeric column is cut half-way between two values, chosen by gain."""
    cuts = [np.nan]
    if not table.n_values[feature]:
        values = np.unique(table.x[rows, feature])
        values = values[~np.isnan(values)]
        cuts = list((values[:-1] + values[1:]) / 2)
    tie = TIE * entropy(NUMBERS.count(table.y[rows], weight, table.n_classes))
    best: BookTest | None = None
    for cut in cuts:
        branch = branch_of(table, feature, cut, rows, settings)
        if np.count_nonzero(np.bincount(branch[branch >= 0], weight[branch >= 0]) >= settings.least) < 2:
            continue
        gain, outcome = gain_of(table, rows, weight, branch)
        if best is None or gain > best.gain + tie:
            best = BookTest(feature, gain / outcome if settings.ratio else gain / weight.sum(), gain, cut)
    return best


def ranked_tests(table: Table, rows: Ints, weight: Floats, settings: BookSettings) -> list[BookTest]:
    """Return the best test of every column."""
    tests = (best_test(table, feature, rows, weight, settings) for feature in range(len(table.n_values)))
    return [test for test in tests if test is not None]


def grow(
    table: Table, settings: BookSettings, rows: Ints | None = None, weight: Floats | None = None
) -> BookNode:
    """Grow until no test exceeds epsilon."""
    if rows is None:
        rows = np.arange(len(table.y))
        weight = np.ones(len(rows)) if weight is None else weight
        counted = weight[weight > 0]
        if settings.ratio and np.isnan(table.x[weight > 0]).any():
            lightest = max(float(counted.min()), LIGHTEST_SHARE * float(counted.mean()))
            settings = replace(settings, least=lightest * (1 - ROUNDING))
    assert weight is not None
    dist = NUMBERS.count(table.y[rows], weight, table.n_classes)
    node = BookNode(dist, float(weight.sum()))
    if np.count_nonzero(dist) < 2:
        return node
    tie = TIE * entropy(dist) / (1 if settings.ratio else node.weight)
    best: BookTest | None = None
    for test in ranked_tests(table, rows, weight, settings):
        if best is None or test.rank > best.rank + tie:
            best = test
    if best is None or best.rank <= settings.min_gain or best.rank < NO_GAIN:
        return node
    node.feature, node.cut, node.gain = best.feature, best.cut, best.gain
    branch = branch_of(table, best.feature, best.cut, rows, settings)
    known = branch >= 0
    for number in range(n_branches(table, best.feature, settings)):
        amount = float(weight[branch == number].sum())
        if amount <= 0:
            node.children.append(BookNode(dist.copy(), 0.0))
            continue
        taken = (branch == number) | ~known
        share = np.where(known, weight, weight * amount / weight[known].sum())
        node.children.append(grow(table, settings, rows[taken], share[taken]))
    return node


def class_shares(table: Table, root: BookNode, row: Floats, settings: BookSettings) -> Floats:
    """Return the class shares of one row; in ID3 a value without a branch ends at the node."""
    result, stack = np.zeros(table.n_classes), [(root, 1.0)]
    while stack:
        node, weight = stack.pop()
        value = row[node.feature] if node.feature >= 0 else np.nan
        gap = bool(np.isnan(value))
        if node.feature >= 0 and gap and settings.ratio:
            stack += [(child, weight * child.weight / node.weight) for child in node.children if child.weight]
        elif node.feature >= 0 and not gap:
            number = int(value) - 1 if table.n_values[node.feature] else int(value > node.cut)
            stack.append((node.children[number], weight))
        elif node.feature >= 0 and len(node.children) > table.n_values[node.feature]:
            stack.append((node.children[-1], weight))
        else:
            result += weight * node.dist / node.dist.sum()
    return result
