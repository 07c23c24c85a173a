"""The trees of a program as expressions of SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.export.code.nested import CodeSets, Syntax, node_tests
from treewright.export.code.sql_dialects import Dialect
from treewright.program import Program, Steps, Substitute
from treewright.program.steps import EVERY_WAY, NO_WAY

__all__ = ["SqlTrees", "looked_up"]


def looked_up(column: str, keys: Sequence[int], values: Sequence[str], depth: int = 8) -> str:
    """Return the value of the key that a column holds, by bisection; keys rise."""
    most = 2**depth
    if len(keys) > most:  # a flat list of parts: nested tests have a limit
        parts = [(keys[i : i + most], values[i : i + most]) for i in range(0, len(keys), most)]
        written = [f"WHEN {column} <= {k[-1]} THEN {looked_up(column, k, v, depth)}" for k, v in parts[:-1]]
        return f"(CASE {' '.join(written)} ELSE {looked_up(column, *parts[-1], depth)} END)"
    if len(set(values)) == 1:
        return values[0]
    half = len(keys) // 2
    low = looked_up(column, keys[:half], values[:half], depth)
    high = looked_up(column, keys[half:], values[half:], depth)
    return f"(CASE WHEN {column} <= {keys[half - 1]} THEN {low} ELSE {high} END)"


class SqlTrees:
    """Writes tests and trees for one database.

    Parameters
    ----------
    program : Program
        The program.
    dialect : Dialect
        The database.
    column : callable
        The helping column that holds a feature.
    """

    def __init__(self, program: Program, dialect: Dialect, column: Callable[[int], str]) -> None:
        self.program, self.dialect, self.column = program, dialect, column
        self._sets = CodeSets()
        self._syntax = Syntax(
            at_most=self._at_most,
            not_above=lambda f, t: f"({column(f)} IS NULL OR {self._at_most(f, t)})",
            has=lambda f, number: self._in(f, list(self._sets.sets)[number][1]),
            is_missing=lambda f: f"{column(f)} IS NULL",
            test="", close="", leave="",
        )  # fmt: skip

    def _at_most(self, feature: int, threshold: float) -> str:
        if threshold == np.inf:
            return f"{self.column(feature)} IS NOT NULL"
        number = (
            f"{threshold:g}" if self.program.columns[feature].categories else self.dialect.number(threshold)
        )
        return f"{self.column(feature)} <= {number}"

    def _in(self, feature: int, codes: Sequence[int]) -> str:
        if not codes:
            return "1 = 0"
        return f"{self.column(feature)} IN ({', '.join(map(str, codes))})"

    # --- trees whose rows end at one node
    # ------------------------------------------------------------------------------------------------------

    def value(self, tree: Steps, texts: Sequence[str], root: int = 0, depth: int | None = None) -> str:
        """Return what a row gets: `texts` by the node where it ends, or where `depth` tests were asked."""
        found: dict[int, str] = {}
        order, waiting = [], [(root, 0)]
        while waiting:
            node, level = waiting.pop()
            order.append((node, level))
            if tree.feature[node] >= 0 and level != depth:
                waiting.extend((child, level + 1) for child in tree.children(node))
        for node, level in reversed(order):
            if tree.feature[node] < 0 or level == depth:
                found[node] = texts[node]
            else:
                found[node] = self._chosen(tree, node, found, texts[node])
        return found[root]

    def _chosen(self, tree: Steps, node: int, found: dict[int, str], here: str) -> str:
        if node in tree.substitutes:
            tests = [(f"{self._branch(tree, node)} = 0", int(tree.first_child[node]))]
            rest: int | None = int(tree.first_child[node]) + 1
        else:
            tests, rest = node_tests(tree, node, self._sets, self._syntax)  # type: ignore[assignment]
        last = here if rest is None else found[rest]
        written = [(condition, here if child is None else found[child]) for condition, child in tests]
        if all(value == last for _, value in written):
            return last
        cases = " ".join(f"WHEN {condition} THEN {value}" for condition, value in written)
        return f"(CASE {cases} ELSE {last} END)"

    def _branch(self, tree: Steps, node: int) -> str:
        """Return the branch of a node with substitutes as a number."""
        feature = int(tree.feature[node])
        own = Substitute(feature, float(tree.threshold[node]), None)
        if node in tree.ways:
            own = Substitute(feature, float("nan"), tree.ways[node])
        cases = [self._says(own, with_unseen=True)]
        cases += [self._says(test) for test in tree.substitutes[node]]
        return f"(CASE {' '.join(cases)} ELSE {tree.missing[node]} END)"

    def _says(self, test: Substitute, with_unseen: bool = False) -> str:
        column = self.column(test.feature)
        if test.ways is None:
            low = self._at_most(test.feature, test.threshold)
            branch = f"(CASE WHEN {low} THEN {test.below} ELSE {test.above} END)"
            return f"WHEN {column} IS NOT NULL THEN {branch}"
        codes = (np.flatnonzero(test.ways == 1) + 1).tolist()
        branch = f"(CASE WHEN {self._in(test.feature, codes)} THEN 1 ELSE 0 END)"
        known = f"{column} IS NOT NULL" if with_unseen else f"{column} <= {len(test.ways)}"
        return f"WHEN {known} THEN {branch}"

    def fragments(self, tree: Steps, depth: int) -> list[list[int]]:
        """Return the nodes that a deep tree is cut at: those at depth 0, `depth`, 2 * `depth` … that test."""
        inner = tree.feature >= 0
        levels = range(0, int(tree.depths.max()) + 1, depth)
        found = [np.flatnonzero(inner & (tree.depths == level)).tolist() for level in levels]
        return [nodes for nodes in found if nodes]

    # --- trees that share rows among branches
    # ------------------------------------------------------------------------------------------------------

    def leaf_shares(self, tree: Steps) -> list[tuple[int, str]]:
        """Return for each node where rows end, in branch order, the share of a row that ends there."""
        found: list[tuple[int, str]] = []
        waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        ends = set(tree.ends.tolist())
        while waiting:
            node, factors = waiting.pop()
            if tree.feature[node] < 0:
                found.append((node, _product(factors)))
                continue
            if node in ends:
                found.append((node, _product((*factors, self._share_here(tree, node)))))
            below = [
                (child, (*factors, self._share(tree, node, k))) for k, child in enumerate(tree.children(node))
            ]
            waiting.extend(reversed(below))
        return found

    def _share_here(self, tree: Steps, node: int) -> str:
        """Return 1 for a row that ends at an inner node, else 0."""
        feature, missing = int(tree.feature[node]), int(tree.missing[node])
        stays = {NO_WAY}
        if node in tree.shares and not (tree.shares[node] > 0).any():
            stays.add(EVERY_WAY)
        ways = tree.ways.get(node)
        codes = [] if ways is None else (np.flatnonzero(np.isin(ways, list(stays))) + 1).tolist()
        column = self.column(feature)
        return (
            f"(CASE WHEN {column} IS NULL THEN {int(missing in stays)} "
            f"WHEN {self._in(feature, codes)} THEN 1 ELSE 0 END)"
        )

    def _share(self, tree: Steps, node: int, branch: int) -> str:
        """Return the share of a row that goes down a branch: 1, 0, or that of the training rows."""
        feature, missing = int(tree.feature[node]), int(tree.missing[node])
        column = self.column(feature)
        part = float(tree.shares[node][branch]) if node in tree.shares else 0.0
        share = {branch: "1", EVERY_WAY: self.dialect.number(part)}
        cases = [f"WHEN {column} IS NULL THEN {share.get(missing, '0')}"]
        ways: NDArray[np.int64] | None = tree.ways.get(node)
        if ways is None:
            below = self._at_most(feature, float(tree.threshold[node]))
            last = f"WHEN {below} THEN {1 - branch} ELSE {branch}"
            return f"(CASE {cases[0]} {last} END)"
        for way, value in share.items():
            codes = (np.flatnonzero(ways == way) + 1).tolist()
            if codes:
                cases.append(f"WHEN {self._in(feature, codes)} THEN {value}")
        return f"(CASE {' '.join(cases)} ELSE 0 END)"


def _product(factors: Sequence[str]) -> str:
    """Return a product in order; in brackets where it would get too deep."""
    while len(factors) > 100:
        factors = [f"({' * '.join(factors[i : i + 100])})" for i in range(0, len(factors), 100)]
    return " * ".join(factors) or "1"
