"""A plain J48 (WEKA 3.9): doubles, comparisons that forgive 1e-6, collapse and pruning as own passes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.stats import norm

from tests.oracle.reference_c45 import VALUE_GAP, Branches, Ints, Table
from tests.oracle.reference_c45_arithmetic import EPSILON, Arithmetic, Floats

SMALL = 1e-6
NUMBERS = Arithmetic()


@dataclass(frozen=True)
class J48Settings:
    """Options: `-M`, `-C`, `-U`, `-S`, `-O`, `-J`, `-B`, `-A`."""

    min_objects: float = 2.0
    confidence: float = 0.25
    unpruned: bool = False
    raising: bool = True
    collapse: bool = True
    mdl: bool = True
    binary: bool = False
    laplace: bool = False


@dataclass(frozen=True)
class J48Test:
    """The best test of one column."""

    feature: int
    gain: float
    ratio: float
    cut: float = np.nan
    branches: Branches = ()


@dataclass
class J48Node:
    """A node with its rows, since pruning sends them down again; `feature` is -1 for a leaf."""

    rows: Ints
    weights: Floats
    dist: Floats
    feature: int = -1
    cut: float = np.nan
    branches: Branches = ()
    children: list[J48Node] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """Weight of the rows."""
        return float(self.dist.sum())

    @property
    def errors(self) -> float:
        """Training errors of the node as a leaf."""
        return self.weight - float(self.dist[majority(self.dist)])

    def become_leaf(self) -> None:
        """Forget the test."""
        self.feature, self.cut, self.branches, self.children = -1, np.nan, (), []


def larger(left: float, right: float) -> bool:
    """Whether the left number is larger by more than the tolerance."""
    return left - right > SMALL


def majority(dist: Floats) -> int:
    """Return the first class that is larger than the ones before it by more than the tolerance."""
    best, most = 0, 0.0
    for label, amount in enumerate(dist):
        if larger(amount, most):
            best, most = label, float(amount)
    return best


def build_table(x: Floats, y: Floats, n_values: list[int], n_classes: int) -> Table:
    """Keep all digits of the numeric columns."""
    return Table(x.astype(np.float64), y.astype(np.int64), tuple(n_values), n_classes)


def node_of(table: Table, rows: Ints, weights: Floats) -> J48Node:
    """Return a leaf with these rows."""
    return J48Node(rows, weights, NUMBERS.count(table.y[rows], weights, table.n_classes))


# --------------------------------------------------------------------------- tests


def gain_and_ratio(parts: Floats, total: float, before: float | None = None) -> tuple[float, float]:
    """Return gain and gain ratio of a partition; `parts` is (branches, classes) of the known rows."""
    known = float(parts.sum())
    if before is None:
        before = float(NUMBERS.info(list(parts.sum(axis=0))))
    saved = known / total * (before - float(np.sum(NUMBERS.info(list(parts.T)))))
    gain = 0.0 if abs(saved) < SMALL else saved / known
    return gain, ratio_of(gain, parts, total)


def ratio_of(gain: float, parts: Floats, total: float) -> float:
    """Divide by the entropy of the outcome; missing is one more outcome."""
    unknown = max(total - float(parts.sum()), 0.0)
    outcome = float(NUMBERS.info([unknown, *parts.sum(axis=1)]))
    return 0.0 if abs(outcome) < SMALL else gain / (outcome / total)


def counts_of(table: Table, feature: int, rows: Ints, weights: Floats) -> Floats:
    """Class weights of every value, (values, classes)."""
    codes = np.nan_to_num(table.x[rows, feature], nan=0.0).astype(np.int64)
    shape = (table.n_values[feature] + 1, table.n_classes)
    places = codes * table.n_classes + table.y[rows]
    return NUMBERS.count(places, weights, shape[0] * shape[1]).reshape(shape)[1:]


def is_enough(parts: Floats, min_objects: float) -> bool:
    """Whether at least two branches weigh the minimum."""
    return int(np.count_nonzero(parts.sum(axis=1) > min_objects - SMALL)) >= 2


def nominal_test(
    table: Table, feature: int, rows: Ints, weights: Floats, settings: J48Settings
) -> J48Test | None:
    """One branch per declared value."""
    parts = counts_of(table, feature, rows, weights)
    if not is_enough(parts, settings.min_objects):
        return None
    gain, ratio = gain_and_ratio(parts, float(weights.sum()))
    return J48Test(
        feature, gain, ratio, branches=tuple((value,) for value in range(1, table.n_values[feature] + 1))
    )


def binary_test(
    table: Table, feature: int, rows: Ints, weights: Floats, settings: J48Settings
) -> J48Test | None:
    """One value against the rest, the best by gain ratio."""
    counts, best = counts_of(table, feature, rows, weights), None
    n_values = table.n_values[feature]
    for value in range(1, n_values + 1):
        own = counts[value - 1]
        parts = np.array([own, counts.sum(axis=0) - own])
        if own.sum() <= settings.min_objects - SMALL or not is_enough(parts, settings.min_objects):
            continue
        gain, ratio = gain_and_ratio(parts, float(weights.sum()))
        if best is None or larger(ratio, best.ratio):
            rest = tuple(other for other in range(1, n_values + 1) if other != value)
            best = J48Test(feature, gain, ratio, branches=((value,), rest))
    return best


def numeric_test(
    table: Table, feature: int, rows: Ints, weights: Floats, settings: J48Settings
) -> J48Test | None:
    """Return the first cut with the largest gain, which then pays for the number of cuts tried."""
    total = float(weights.sum())
    present = np.flatnonzero(~np.isnan(table.x[rows, feature]))
    order = present[np.argsort(table.x[rows[present], feature], kind="stable")]
    values, amounts, labels = table.x[rows[order], feature], weights[order], table.y[rows[order]]
    smallest = 0.1 * float(amounts.sum()) / table.n_classes
    if smallest - settings.min_objects < SMALL:
        smallest = settings.min_objects
    elif larger(smallest, 25):
        smallest = 25.0
    if 2 * smallest - len(order) > SMALL:
        return None
    one_hot = np.zeros((len(order), table.n_classes))
    one_hot[np.arange(len(order)), labels] = amounts
    below = np.cumsum(one_hot, axis=0)
    low, high = np.cumsum(amounts), amounts.sum() - np.cumsum(amounts)
    enough = (low > smallest - SMALL) & (high > smallest - SMALL)
    tried = np.flatnonzero(enough[:-1] & (values[:-1] + VALUE_GAP < values[1:]))
    if not len(tried):
        return None
    before = float(NUMBERS.info(list(below[-1])))
    after = NUMBERS.info(list(below[tried].T)) + NUMBERS.info(list((below[-1] - below[tried]).T))
    saved = amounts.sum() / total * (before - after)
    gains = np.where(np.abs(saved) < SMALL, 0.0, saved / amounts.sum())
    best, gain = -1, 0.0
    for place, own in zip(tried, gains, strict=True):
        if larger(own, gain):
            best, gain = int(place), float(own)
    if settings.mdl or settings.binary:
        gain -= float(np.log2(len(tried))) / total
    if best < 0 or gain < SMALL:
        return None
    middle = (values[best] + values[best + 1]) / 2
    if middle == values[best + 1]:
        middle = values[best]
    everywhere = table.x[:, feature]
    cut = float(np.max(everywhere[everywhere <= middle]))
    parts = np.array([below[best], below[-1] - below[best]])
    return J48Test(feature, gain, ratio_of(gain, parts, total), cut)


def ranked_tests(
    table: Table, rows: Ints, weights: Floats, settings: J48Settings
) -> list[tuple[float, J48Test]]:
    """Return the best test of every column with its ratio, -inf when its gain is below the average."""
    nominal = binary_test if settings.binary else nominal_test
    found = []
    for feature, n_values in enumerate(table.n_values):
        search = nominal if n_values else numeric_test
        test = search(table, feature, rows, weights, settings)
        if test is not None:
            found.append(test)
    many = [n_values - 0.3 * len(table.y) > -SMALL for n_values in table.n_values]
    counted = [test.gain for test in found if all(many) or not many[test.feature]]
    if not counted:
        return []
    average = sum(counted) / len(counted)
    return [(test.ratio if test.gain >= average - EPSILON else -np.inf, test) for test in found]


def choose(table: Table, rows: Ints, weights: Floats, settings: J48Settings) -> J48Test | None:
    """Return the first test whose ratio is larger than the ones before it."""
    best, best_ratio = None, 0.0
    for ratio, test in ranked_tests(table, rows, weights, settings):
        if larger(ratio, best_ratio):
            best, best_ratio = test, ratio
    return best


# --------------------------------------------------------------------------- growing


def distribute(
    table: Table, test: J48Test | J48Node, rows: Ints, weights: Floats
) -> list[tuple[Ints, Floats]]:
    """Rows and weights of every branch; without any known value all branches share alike."""
    column = table.x[rows, test.feature]
    if test.branches:
        masks = [np.isin(column, values) for values in test.branches]
    else:
        masks = [column <= test.cut, column > test.cut]
    gap = np.isnan(column)
    known = float(weights[~gap].sum())
    result = []
    for mask in masks:
        share = float(weights[mask].sum()) / known if known > SMALL else 1 / len(masks)
        taken = mask | gap if share > SMALL else mask
        result.append((rows[taken], np.where(mask, weights, weights * share)[taken]))
    return result


def grow(table: Table, settings: J48Settings, rows: Ints, weights: Floats) -> J48Node:
    """Grow without collapse."""
    node = node_of(table, rows, weights)
    pure = node.weight - float(node.dist[majority(node.dist)]) < SMALL
    if pure or 2 * settings.min_objects - node.weight > SMALL:
        return node
    test = choose(table, rows, weights, settings)
    if test is not None:
        node.feature, node.cut, node.branches = test.feature, test.cut, test.branches
        node.children = [
            grow(table, settings, part, share) for part, share in distribute(table, test, rows, weights)
        ]
    return node


def training_errors(node: J48Node) -> float:
    """Errors of the leaves below."""
    return sum(map(training_errors, node.children)) if node.children else node.errors


def collapse(node: J48Node) -> None:
    """From the top: a subtree that saves no training error becomes a leaf."""
    if node.children and training_errors(node) >= node.errors - EPSILON:
        node.become_leaf()
    for child in node.children:
        collapse(child)


# --------------------------------------------------------------------------- pruning


def extra_errors(total: float, errors: float, confidence: float) -> float:
    """Return how many errors more than those seen a pessimist expects."""
    if confidence > 0.5:
        return 0.0
    if errors < 1:
        none = float(total * (1 - confidence ** (1 / total)))
        return none if errors == 0 else none + errors * (extra_errors(total, 1.0, confidence) - none)
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    z = float(norm.ppf(1 - confidence))
    share = (errors + 0.5) / total
    root = np.sqrt(share / total - share**2 / total + z**2 / (4 * total**2))
    return float((share + z**2 / (2 * total) + z * root) / (1 + z**2 / total) * total - errors)


def estimate(dist: Floats, confidence: float) -> float:
    """Return the pessimistic errors of a leaf."""
    total = float(dist.sum())
    if total < SMALL:
        return 0.0
    errors = total - float(dist[majority(dist)])
    return errors + extra_errors(total, errors, confidence)


def estimated_errors(node: J48Node, confidence: float) -> float:
    """Return the pessimistic errors of the leaves below."""
    if not node.children:
        return estimate(node.dist, confidence)
    return sum(estimated_errors(child, confidence) for child in node.children)


def estimate_with(table: Table, node: J48Node, rows: Ints, weights: Floats, confidence: float) -> float:
    """Return the pessimistic errors of a subtree for other rows."""
    if not node.children:
        return estimate(NUMBERS.count(table.y[rows], weights, table.n_classes), confidence)
    parts = distribute(table, node, rows, weights)
    return sum(
        estimate_with(table, child, part, share, confidence)
        for child, (part, share) in zip(node.children, parts, strict=True)
    )


def refill(table: Table, node: J48Node, rows: Ints, weights: Floats) -> None:
    """Send other rows through a subtree."""
    node.rows, node.weights = rows, weights
    node.dist = NUMBERS.count(table.y[rows], weights, table.n_classes)
    if node.children:
        parts = distribute(table, node, rows, weights)
        for child, (part, share) in zip(node.children, parts, strict=True):
            refill(table, child, part, share)


def prune(table: Table, node: J48Node, settings: J48Settings) -> None:
    """Prune bottom-up; a raised subtree is pruned again."""
    if not node.children:
        return
    for child in node.children:
        prune(table, child, settings)
    largest, most = 0, 0.0
    for number, child in enumerate(node.children):
        if child.weight > most - SMALL:
            largest, most = number, child.weight
    branch, confidence = node.children[largest], settings.confidence
    raised = estimate_with(table, branch, node.rows, node.weights, confidence) if settings.raising else np.inf
    as_leaf, as_tree = estimate(node.dist, confidence), estimated_errors(node, confidence)
    if as_leaf - (as_tree + 0.1) < SMALL and as_leaf - (raised + 0.1) < SMALL:
        node.become_leaf()
    elif raised - (as_tree + 0.1) < SMALL:
        node.feature, node.cut, node.branches = branch.feature, branch.cut, branch.branches
        node.children = branch.children
        refill(table, node, node.rows, node.weights)
        prune(table, node, settings)


def fit(table: Table, settings: J48Settings, weights: Floats | None = None) -> J48Node:
    """Grow, collapse and prune as the options say."""
    rows = np.arange(len(table.y))
    root = grow(table, settings, rows, np.ones(len(rows)) if weights is None else weights)
    if settings.collapse:
        collapse(root)
    if not settings.unpruned:
        prune(table, root, settings)
    return root


def probabilities(table: Table, root: J48Node, row: Floats, settings: J48Settings) -> Floats:
    """Return the class probabilities of one row; an empty branch answers for its parent."""

    def answer(dist: Floats) -> Floats:
        extra = 1.0 if settings.laplace else 0.0
        smoothed: Floats = (dist + extra) / (dist.sum() + extra * len(dist))
        return smoothed

    result, stack = np.zeros(table.n_classes), [(root, 1.0)]
    while stack:
        node, weight = stack.pop()
        if not node.children:
            result += weight * answer(node.dist)
            continue
        value = row[node.feature]
        if np.isnan(value):
            for child in node.children:
                if child.weight > 0:
                    stack.append((child, weight * child.weight / node.weight))
            continue
        if node.branches:
            child = next(c for c, v in zip(node.children, node.branches, strict=True) if value in v)
        else:
            child = node.children[0 if value <= node.cut else 1]
        if child.weight > 0:
            stack.append((child, weight))
        else:
            result += weight * answer(node.dist)
    return result
