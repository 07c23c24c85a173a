"""Check a grown tree node by node: on its own rows, is every node what the reference learner would do there?

The walk follows the tree's own partitions, so one tie does not hide what comes below it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.oracle.reference import (
    TIE,
    Node,
    Settings,
    Split,
    Table,
    best_split,
    candidates,
    child_bounds,
    clip,
    gain_suffices,
    leaf_value,
    loss_of,
    may_split,
)
from tests.oracle.tree_view import SUBSET, TreeView


@dataclass
class Verification:
    """Problems in words, ties decided otherwise, and the gains of the leaves that could be split."""

    problems: list[str] = field(default_factory=list)
    ties: list[str] = field(default_factory=list)
    open_gains: dict[int, float] = field(default_factory=dict)


def verify(tree: TreeView, table: Table, settings: Settings, *, optimal: bool = True) -> Verification:
    """Walk a tree and compare every node with the reference learner's choice on the node's rows.

    With `optimal=False` a split need not be the best, but must be admissible and carry the right numbers:
    that is all that holds for categories put in order of their means while a limit forbids some subsets.
    """
    result = Verification()
    total = float(table.weight.sum())
    floor = settings.min_weight_fraction_leaf * total
    stack = [(0, make_node(table, np.arange(len(table.y)), 0, settings))]
    while stack:
        number, node = stack.pop()
        part = table.take(node.rows)
        check_numbers(tree, number, node, result)
        expected = None
        if may_split(part, node.depth, settings, floor):
            expected = best_split(part, settings, node.bounds, floor)
            if expected is not None and not gain_suffices(expected.gain, part, settings, total):
                expected = None
        if tree.is_leaf(number):
            if expected is not None:
                result.open_gains[number] = expected.gain
            continue
        branch = tree.branches(number, part.x)
        if expected is None:
            result.problems.append(f"node {number} should be a leaf")
            continue
        check_split(tree, number, part, branch == 0, expected, node, settings, floor, result, optimal)
        children = [make_node(table, node.rows[branch == way], node.depth + 1, settings) for way in (0, 1)]
        if settings.monotonic_cst:
            sign = settings.monotonic_cst[int(tree.feature[number])]
            for child, bounds in zip(children, child_bounds(node, children, sign), strict=True):
                child.bounds = bounds
            for child in children:
                clip(child)
        stack += list(zip(tree.children(number), children, strict=True))
    if not optimal:
        return result
    if settings.max_leaf_nodes is None:
        result.problems += [f"node {number} should be split" for number in result.open_gains]
    else:
        check_best_first(tree, settings.max_leaf_nodes, result)
    return result


def make_node(table: Table, rows: NDArray[np.int64], depth: int, settings: Settings) -> Node:
    """Compute a node from its rows."""
    part = table.take(rows)
    return Node(
        rows,
        depth,
        loss_of(part, settings.criterion),
        float(part.weight.sum()),
        leaf_value(part, settings.criterion),
    )


def check_numbers(tree: TreeView, number: int, node: Node, result: Verification) -> None:
    """Rows, weight, loss and value of a node."""
    if tree.rows[number] != len(node.rows):
        result.problems.append(f"node {number}: {tree.rows[number]} rows, {len(node.rows)} reach it")
    slack = 1e-12 * max(1.0, float(tree.loss[0]), float(tree.weight[0]))
    for name, wanted in (("weight", node.weight), ("loss", node.loss)):
        if not np.isclose(getattr(tree, name)[number], wanted, rtol=1e-9, atol=slack):
            result.problems.append(f"node {number}: {name} {getattr(tree, name)[number]}, expected {wanted}")
    if not np.allclose(tree.value[number], node.value, rtol=1e-9, atol=1e-12):
        result.problems.append(f"node {number}: value {tree.value[number]}, expected {node.value}")


def check_split(
    tree: TreeView,
    number: int,
    part: Table,
    left: NDArray[np.bool_],
    expected: Split,
    node: Node,
    settings: Settings,
    floor: float,
    result: Verification,
    optimal: bool,
) -> None:
    """The test of a node must be the expected one, or tie with it where the order of ties is open."""
    feature, subset = int(tree.feature[number]), tree.kind[number] == SUBSET
    match = None
    for split in candidates(part, settings, node.bounds, floor):
        same = np.array_equal(split.left, left) or (subset and np.array_equal(split.left, ~left))
        if split.feature == feature and same:
            match = split
            break
    if match is None:
        result.problems.append(f"node {number}: its test of column {feature} is no admissible candidate")
        return
    loss = node.loss
    if tree.gain is not None and not np.isclose(
        tree.gain[number], match.gain, rtol=1e-9, atol=1e-12 + TIE * loss
    ):
        result.problems.append(f"node {number}: gain {tree.gain[number]}, expected {match.gain}")
    check_missing(tree, number, part, left, match, subset, result)
    if not optimal:
        return
    if match.gain < expected.gain - 2 * TIE * loss:
        result.problems.append(
            f"node {number}: gain {match.gain}, but {expected.gain} by column {expected.feature}"
        )
    if not np.array_equal(match.left, expected.left) or feature != expected.feature:
        result.ties.append(f"node {number}: columns {feature} and {expected.feature}, gain {match.gain}")
    gap = np.isnan(part.x[:, expected.feature]).any()
    if feature != expected.feature:
        result.problems.append(f"node {number}: a tie went to column {feature}, not to {expected.feature}")
    elif not subset and not gap and tree.threshold[number] != expected.threshold:
        result.problems.append(
            f"node {number}: threshold {tree.threshold[number]}, expected {expected.threshold}"
        )


def check_missing(
    tree: TreeView,
    number: int,
    part: Table,
    left: NDArray[np.bool_],
    match: Split,
    subset: bool,
    result: Verification,
) -> None:
    """Without missing values in the node, those of the future follow the larger child (right when equal)."""
    branch = int(tree.missing[number])
    if not np.isnan(part.x[:, match.feature]).any():
        larger = 0 if left.sum() > (~left).sum() else 1
        even = left.sum() == (~left).sum()
        if branch != larger and not (subset and even):
            result.problems.append(
                f"node {number}: missing goes to branch {branch}, the larger child is {larger}"
            )
    elif not subset and np.isfinite(match.threshold) and tree.threshold[number] != match.threshold:
        result.problems.append(
            f"node {number}: threshold {tree.threshold[number]}, expected {match.threshold}"
        )


def check_best_first(tree: TreeView, max_leaves: int, result: Verification) -> None:
    """Replay best-first growth with the tree's own gains: what was split must have been the best then."""
    assert tree.gain is not None
    leaves = int(np.sum(tree.kind == 0))
    if leaves > max_leaves:
        result.problems.append(f"{leaves} leaves, {max_leaves} allowed")
    if leaves < max_leaves and result.open_gains:
        result.problems.append(
            f"{leaves} leaves of {max_leaves}, though {list(result.open_gains)} could be split"
        )
    frontier = {0}
    for _ in range(leaves - 1):
        gains = {
            node: result.open_gains.get(node, -np.inf) if tree.is_leaf(node) else float(tree.gain[node])
            for node in frontier
        }
        best = max(gains.values())
        able = [
            node
            for node in frontier
            if not tree.is_leaf(node) and gains[node] >= best - 1e-9 * abs(best) - 1e-12
        ]
        if not able:
            result.problems.append(f"a leaf with gain {best} was passed over")
            return
        taken = min(able)
        frontier.remove(taken)
        frontier.update(tree.children(taken))
