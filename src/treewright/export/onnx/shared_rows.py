"""SharedRows: a tree whose rows may go down several branches (C4.5), as products of shares level by level."""

from __future__ import annotations

import numpy as np

from treewright.export.onnx.decisions import Decisions, every_way, no_way
from treewright.export.onnx.graph import Graph
from treewright.program import Steps

__all__ = ["SharedRows"]

TOGETHER = 64  # ends whose values are added at once


class SharedRows:
    """A tree that says the mean of its ends by shares. Every node is looked at for every row.

    Parameters
    ----------
    tree : Steps
        The tree.
    decisions : Decisions
        Columns of branches, filled here.
    """

    def __init__(self, tree: Steps, decisions: Decisions) -> None:
        self._tree = tree
        self._places = {
            node: decisions.place(tree, node) for node in np.flatnonzero(tree.feature >= 0).tolist()
        }

    @property
    def n_values(self) -> int:
        """Numbers per row."""
        return self._tree.n_values

    def written(self, graph: Graph, matrix: str) -> str:
        """Return the values of each row."""
        shares, nodes = self._ends(graph, matrix)
        place = {node: i for i, node in enumerate(nodes)}
        ordered = self._walked(set(nodes))
        shares = graph.taken(shares, [place[node] for node in ordered])
        by_end = graph.add("Transpose", shares, perm=[1, 0])
        found = ""
        for begin in range(0, len(ordered), TOGETHER):
            mine = ordered[begin : begin + TOGETHER]
            part = graph.taken(by_end, range(begin, begin + len(mine)), axis=0)
            part = graph.add("Unsqueeze", part, graph.constant(np.array([2])))
            part = graph.add("Mul", part, graph.constant(self._tree.values[mine][:, np.newaxis, :]))
            found = graph.total(graph.add("Concat", found, part, axis=0) if found else part, 0)
        return graph.squeezed(found, 0)

    def _ends(self, graph: Graph, matrix: str) -> tuple[str, list[int]]:
        """Return the share of each row at the nodes where rows end, and these nodes."""
        tree = self._tree
        stops = set(tree.ends.tolist())
        level = [0]
        # A row is at the root as a whole; the column is taken from the matrix for its number of rows.
        any_column = graph.taken(matrix, [0])
        ones = graph.constant(np.float64(1.0))
        share = graph.chosen(graph.add("Equal", any_column, any_column), ones, ones)
        parts: list[str] = []
        ends: list[int] = []
        while level:
            here = {node: i for i, node in enumerate(level)}
            leaves = [node for node in level if tree.feature[node] < 0]
            if leaves:
                parts.append(graph.taken(share, [here[node] for node in leaves]))
                ends += leaves
            inner = [node for node in level if tree.feature[node] >= 0]
            stopping = [node for node in inner if node in stops]
            if stopping:
                outcome = graph.taken(matrix, [self._places[node] for node in stopping])
                stop = graph.constant(np.array([[no_way(int(tree.n_children[node])) for node in stopping]]))
                whole = graph.taken(share, [here[node] for node in stopping])
                none = graph.constant(np.float64(0.0))
                parts.append(graph.chosen(graph.add("Equal", outcome, stop), whole, none))
                ends += stopping
            if not inner:
                break
            pairs = [(node, b) for node in inner for b in range(int(tree.n_children[node]))]
            outcome = graph.taken(matrix, [self._places[node] for node, _ in pairs])
            factor = self._factor(graph, outcome, pairs)
            share = graph.add("Mul", graph.taken(share, [here[node] for node, _ in pairs]), factor)
            level = [int(tree.first_child[node]) + b for node, b in pairs]
        return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1), ends

    def _factor(self, graph: Graph, outcome: str, pairs: list[tuple[int, int]]) -> str:
        """Return what a row's share at a node is multiplied with on its way into each branch."""
        tree = self._tree
        branch = graph.constant(np.array([[float(b) for _, b in pairs]]))
        all_of_it = graph.add("Equal", outcome, branch)
        every = graph.constant(np.array([[every_way(int(tree.n_children[node])) for node, _ in pairs]]))
        parts = [float(tree.shares[node][b]) if node in tree.shares else 0.0 for node, b in pairs]
        some_of_it = graph.chosen(
            graph.add("Equal", outcome, every),
            graph.constant(np.array([parts])),
            graph.constant(np.float64(0.0)),
        )
        return graph.chosen(all_of_it, graph.constant(np.float64(1.0)), some_of_it)

    def _walked(self, ends: set[int]) -> list[int]:
        """Return the ends in the order of a walk, by branch."""
        waiting, found = [0], []
        while waiting:
            node = waiting.pop()
            if node in ends:
                found.append(node)
            if self._tree.feature[node] >= 0:
                waiting.extend(reversed(self._tree.children(node)))
        return found
