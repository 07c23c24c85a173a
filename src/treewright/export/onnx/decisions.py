"""Decisions: nodes whose way standard operators work out, because no single test of a tree can say it.

Each becomes one more column of the matrix, with the number of the branch: substitutes of missing values,
shares among branches and, where trees have no sets, tables of categories.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.export.onnx.graph import Graph
from treewright.program import Column, Steps, Substitute
from treewright.program.steps import EVERY_WAY, NO_WAY

__all__ = ["Decisions", "every_way", "missing_code", "no_way"]

Floats = NDArray[np.float64]
Test = tuple[str, int]  # "number" or "table", and which

# The outcome of a test that says nothing.
SILENT = -1.0


def missing_code(column: Column) -> float:
    """Return the code of a missing category; 1 … n are categories, n + 1 is one that was never seen."""
    return len(column.categories) + 2.0


def no_way(n_children: int) -> float:
    """Return the outcome of a row that ends at a node."""
    return float(n_children)


def every_way(n_children: int) -> float:
    """Return the outcome of a row that goes down every branch."""
    return n_children + 1.0


@dataclass
class Decisions:
    """Columns behind those of the table.

    Attributes
    ----------
    columns : tuple of Column
        The columns of the table.
    places : dict of int to int
        Where the matrix holds each column.
    """

    columns: tuple[Column, ...]
    places: dict[int, int]
    _known: dict[Any, int] = field(default_factory=dict)
    _numbers: list[tuple[int, float, float, float]] = field(default_factory=list)
    _tables: list[tuple[int, Floats]] = field(default_factory=list)
    _tests: list[list[Test]] = field(default_factory=list)
    _missing: list[float] = field(default_factory=list)

    def place(self, tree: Steps, node: int) -> int:
        """Return where the matrix holds the outcome of a node: a branch, `no_way` or `every_way`."""
        ways, substitutes = tree.ways.get(node), tree.substitutes.get(node, ())
        n_children = int(tree.n_children[node])
        shared = node in tree.shares and bool((tree.shares[node] > 0).any())
        key: Any = (
            int(tree.feature[node]), None if ways is None else ways.tobytes(), float(tree.threshold[node]),
            int(tree.missing[node]), n_children, shared,
        )  # fmt: skip
        if ways is not None:
            key = (*key[:2], *key[3:])  # NaN is no key
        if substitutes or key not in self._known:
            first = self._test(int(tree.feature[node]), float(tree.threshold[node]), ways, n_children, shared)
            self._tests.append([first, *(self._substitute(one) for one in substitutes)])
            self._missing.append(_outcome(int(tree.missing[node]), n_children, shared))
            number = len(self._tests) - 1
            if substitutes:
                return len(self.places) + number
            self._known[key] = number
        return len(self.places) + self._known[key]

    def _test(
        self, feature: int, threshold: float, ways: NDArray[np.int64] | None, n_children: int, shared: bool
    ) -> Test:
        column = self.columns[feature]
        if ways is None and column.kind != "nominal":
            return self._number(feature, threshold, 0.0, 1.0)
        table = np.full(int(missing_code(column)) + 1, SILENT)
        if ways is None:
            table[1:-1] = np.arange(1, len(table) - 1) > threshold
        else:
            known = [_outcome(int(way), n_children, shared) for way in ways]
            known += [known[-1]] * (len(table) - 2 - len(known))
            table[1:-1] = known[: len(table) - 2]
        return self._table(feature, table)

    def _substitute(self, test: Substitute) -> Test:
        column = self.columns[test.feature]
        if test.ways is None and column.kind != "nominal":
            return self._number(test.feature, test.threshold, float(test.below), float(test.above))
        table = np.full(int(missing_code(column)) + 1, SILENT)
        if test.ways is None:
            table[1:-1] = np.where(np.arange(1, len(table) - 1) > test.threshold, test.above, test.below)
        else:
            table[1 : 1 + len(test.ways)] = test.ways
        return self._table(test.feature, table)

    def _number(self, feature: int, threshold: float, below: float, above: float) -> Test:
        self._numbers.append((self.places[feature], threshold, below, above))
        return "number", len(self._numbers) - 1

    def _table(self, feature: int, table: Floats) -> Test:
        self._tables.append((self.places[feature], table))
        return "table", len(self._tables) - 1

    def appended(self, graph: Graph, matrix: str) -> str:
        """Return the matrix with the columns of all decisions behind its own."""
        if not self._tests:
            return matrix
        parts = [self._by_number(graph, matrix), self._by_table(graph, matrix)]
        found = [name for name in parts if name is not None]
        tests = found[0] if len(found) == 1 else graph.add("Concat", *found, axis=1)
        begin = {"number": 0, "table": len(self._numbers)}
        places = [[begin[kind] + number for kind, number in tests] for tests in self._tests]
        outcome = graph.taken(tests, [mine[0] for mine in places])
        zero = graph.constant(np.float64(0.0))
        for rank in range(1, max(map(len, places))):
            # Nodes without so many substitutes are asked again, which changes nothing.
            other = graph.taken(tests, [mine[rank] if rank < len(mine) else mine[0] for mine in places])
            outcome = graph.chosen(graph.add("Less", outcome, zero), other, outcome)
        missing = graph.constant(np.array([self._missing]))
        outcome = graph.chosen(graph.add("Less", outcome, zero), missing, outcome)
        return graph.add("Concat", matrix, outcome, axis=1)

    def _by_number(self, graph: Graph, matrix: str) -> str | None:
        if not self._numbers:
            return None
        places, thresholds, below, above = zip(*self._numbers, strict=True)
        x = graph.taken(matrix, places)
        is_above = graph.add("Greater", x, graph.constant(np.array([thresholds])))
        branch = graph.chosen(is_above, graph.constant(np.array([above])), graph.constant(np.array([below])))
        return graph.chosen(graph.add("IsNaN", x), graph.constant(np.float64(SILENT)), branch)

    def _by_table(self, graph: Graph, matrix: str) -> str | None:
        if not self._tables:
            return None
        tables = [table for _, table in self._tables]
        begin = np.concatenate([[0.0], np.cumsum([len(table) for table in tables])[:-1]])
        code = graph.taken(matrix, [place for place, _ in self._tables])
        last = graph.constant(np.array([[len(table) - 1.0 for table in tables]]))
        code = graph.chosen(graph.add("IsNaN", code), last, code)
        entry = graph.cast(graph.add("Add", code, graph.constant(begin[np.newaxis])), np.int64)
        return graph.add("Gather", graph.constant(np.concatenate(tables)), entry, axis=0)


def _outcome(way: int, n_children: int, shared: bool) -> float:
    if way == NO_WAY or (way == EVERY_WAY and not shared):
        return no_way(n_children)
    return every_way(n_children) if way == EVERY_WAY else float(way)
