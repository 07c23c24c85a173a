"""Walk two trees together; wherever they part, prove that it is a tie, or report it as a difference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.oracle.reference import Mask, Table, is_pure, loss_of
from tests.oracle.tree_view import TreeView

#: Two gains closer than this share of the node's loss are a tie.
TIE = 1e-10

#: scikit-learn compares squares that are not centred: below this share of them lies its rounding error.
ROUNDING = 1e-13

#: scikit-learn calls a node pure when its impurity is at most this, whatever the unit of the target; rounding
#: may keep the impurity of a node with one target value above it, and then it splits that node for nothing.
PURE = 2.3e-15


@dataclass(frozen=True)
class Finding:
    """One place where the trees part, with the numbers that explain it (or do not)."""

    kind: str
    ours: int
    theirs: int
    text: str


@dataclass
class Comparison:
    """What a walk found: nodes that agree, partings that are ties, and differences."""

    identical: int = 0
    ties: list[Finding] = field(default_factory=list)
    differences: list[Finding] = field(default_factory=list)

    def add(self, kind: str, ours: int, theirs: int, text: str) -> None:
        """File a finding: a kind that explains goes to the ties."""
        finding = Finding(kind, ours, theirs, text)
        (self.differences if kind == "difference" else self.ties).append(finding)

    def kinds(self) -> Counter[str]:
        """Number of explained partings of each kind."""
        return Counter(finding.kind for finding in self.ties)


def gain_of(table: Table, left: Mask, criterion: str) -> float:
    """Gain of a partition of these rows, by the plain formulas."""
    sides = (np.flatnonzero(left), np.flatnonzero(~left))
    return loss_of(table, criterion) - sum(loss_of(table.take(side), criterion) for side in sides)


def explain(table: Table, criterion: str, first: float, second: float) -> str:
    """Name the reason why two gains on these rows cannot be told apart, or "difference"."""
    apart, loss = abs(first - second), loss_of(table, criterion)
    if apart <= TIE * loss:
        return "tie"
    if not table.n_classes and apart <= ROUNDING * float(np.sum(table.weight * table.y**2)):
        return "rounding"
    return "difference"


def compare(
    ours: TreeView,
    theirs: TreeView,
    table: Table,
    criterion: str,
    *,
    follow_ties: bool = True,
    best_first: bool = False,
) -> Comparison:
    """Compare two binary trees node by node on their training rows.

    Two tests with the same partition are followed further, unless constraints give the children of each other
    bounds (`follow_ties=False`).
    """
    result = Comparison()
    only_ours: list[tuple[float, Finding]] = []
    only_theirs: list[tuple[float, Finding]] = []
    stack: list[tuple[int, int, NDArray[np.int64]]] = [(0, 0, np.arange(len(table.y)))]
    while stack:
        a, b, rows = stack.pop()
        compare_numbers(ours, theirs, a, b, result)
        if ours.is_leaf(a) and theirs.is_leaf(b):
            result.identical += 1
            continue
        part = table.take(rows)
        if ours.is_leaf(a) or theirs.is_leaf(b):
            split = theirs.branches(b, part.x) == 0 if ours.is_leaf(a) else ours.branches(a, part.x) == 0
            gain = gain_of(part, split, criterion)
            kind = explain(part, criterion, gain, 0.0)
            if is_pure(part) or (theirs.is_leaf(b) and loss_of(part, criterion) <= PURE * part.weight.sum()):
                kind = "purity"
            text = f"only {'theirs' if ours.is_leaf(a) else 'ours'} splits, gain {gain!r}, {len(rows)} rows"
            if kind == "difference":
                (only_theirs if ours.is_leaf(a) else only_ours).append((gain, Finding(kind, a, b, text)))
            else:
                result.add(kind, a, b, text)
            continue
        left, other = ours.branches(a, part.x) == 0, theirs.branches(b, part.x) == 0
        if np.array_equal(left, other) or np.array_equal(left, ~other):
            turned = not np.array_equal(left, other)
            compare_tests(ours, theirs, a, b, turned, result)
            if not follow_ties and ours.feature[a] != theirs.feature[b]:
                continue
            pair = theirs.children(b)[::-1] if turned else theirs.children(b)
            stack += [
                (child, mate, rows[side])
                for child, mate, side in zip(ours.children(a), pair, (left, ~left), strict=True)
            ]
            continue
        gains = gain_of(part, left, criterion), gain_of(part, other, criterion)
        kind = explain(part, criterion, *gains)
        result.add(kind, a, b, f"gains {gains[0]!r} and {gains[1]!r} on {len(rows)} rows")
    settle_frontier(only_ours, only_theirs, best_first, result)
    return result


def compare_numbers(ours: TreeView, theirs: TreeView, a: int, b: int, result: Comparison) -> None:
    """Rows, weight, loss and value of two nodes that hold the same rows."""
    weight = float(theirs.weight[b])
    same = (
        ours.rows[a] == theirs.rows[b]
        and np.isclose(ours.weight[a], weight, rtol=1e-9, atol=0)
        and np.allclose(ours.value[a], theirs.value[b], rtol=1e-7, atol=1e-9)
        and np.isclose(
            ours.loss[a], theirs.loss[b], rtol=1e-6, atol=1e-9 * max(abs(float(ours.loss[0])), weight)
        )
    )
    if not same:
        text = "; ".join(
            f"{name} {getattr(ours, name)[a]} / {getattr(theirs, name)[b]}"
            for name in ("rows", "weight", "loss", "value")
        )
        result.add("difference", a, b, text)


def compare_tests(ours: TreeView, theirs: TreeView, a: int, b: int, turned: bool, result: Comparison) -> None:
    """The tests of two nodes with the same partition: another column is a tie, another threshold is not."""
    if ours.feature[a] != theirs.feature[b] or turned:
        result.add("tie", a, b, f"same partition by columns {ours.feature[a]} and {theirs.feature[b]}")
    elif ours.threshold[a] != theirs.threshold[b]:
        result.add("difference", a, b, f"thresholds {ours.threshold[a]!r} and {theirs.threshold[b]!r}")
    elif ours.missing[a] != theirs.missing[b] and np.isfinite(ours.threshold[a]):
        result.add("difference", a, b, f"missing goes to {ours.missing[a]} and {theirs.missing[b]}")
    else:
        result.identical += 1


def settle_frontier(
    only_ours: list[tuple[float, Finding]],
    only_theirs: list[tuple[float, Finding]],
    best_first: bool,
    result: Comparison,
) -> None:
    """Judge nodes that one tree splits and the other does not.

    Best-first growth stops in the middle: two nodes of equal gain may be taken in either order, and below
    a tie with another partition each tree spends another part of its leaves.
    """
    gains = [sorted(gain for gain, _ in only) for only in (only_ours, only_theirs)]
    kind = "difference"
    if best_first and len(gains[0]) == len(gains[1]) and np.allclose(*gains, rtol=1e-9, atol=0):
        kind = "frontier tie"
    elif best_first and any(finding.text.startswith("gains") for finding in result.ties):
        kind = "frontier after a tie"
    for _, finding in only_ours + only_theirs:
        result.add(kind, finding.ours, finding.theirs, finding.text)
