"""What trees add up to: inside one operator where it can add, otherwise leaf by leaf in the model's order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.export.onnx.decisions import Decisions
from treewright.export.onnx.ensemble import Ensemble
from treewright.export.onnx.graph import Graph
from treewright.export.onnx.shared_rows import SharedRows
from treewright.export.onnx.votes import counted
from treewright.program import Program, Steps, Voice
from treewright.program.floats import at_most_single, single_at_most

__all__ = ["Sums"]

TOGETHER = 32  # trees whose leaves are looked up at once: so many numbers a row are held


@dataclass
class _Group:
    """Trees whose leaves have numbers: the values are looked up in one table."""

    ensemble: Ensemble
    table: list[NDArray[np.float64]]
    n_trees: int = 0

    def written(self, graph: Graph, matrix: str, single: bool) -> str:
        """Return values by tree, row and sum."""
        leaf = self.ensemble.written(graph, matrix, self.n_trees)
        leaf = graph.cast(graph.add("Transpose", leaf, perm=[1, 0]), np.int64)
        table = np.concatenate(self.table).astype(np.float32 if single else np.float64)
        return graph.add("Gather", graph.constant(table), leaf, axis=0)


@dataclass
class _Mixed:
    """A tree whose rows may be shared, and how it counts."""

    rows: SharedRows
    voice: Voice | None
    place: slice
    n_sums: int

    def written(self, graph: Graph, matrix: str, single: bool) -> str:
        """Return values by tree, row and sum."""
        found = self.rows.written(graph, matrix)
        if self.voice is not None:
            found = counted(graph, found, self.voice, self.rows.n_values)
        if (self.place.start, self.place.stop) != (0, self.n_sums):
            spread = np.zeros((self.rows.n_values, self.n_sums))
            spread[:, self.place] = np.eye(self.rows.n_values)
            found = graph.add("MatMul", found, graph.constant(spread))
        found = graph.cast(found, np.float32) if single else found
        return graph.add("Unsqueeze", found, graph.constant(np.array([0])))


class Sums:
    """What the trees of a program add up to.

    Parameters
    ----------
    program : Program
        The program.
    decisions : Decisions
        Columns for what a test cannot say; filled here.
    ml_version : int
        Of the graph that is written.
    in_order : bool
        Whether trees are added one after the other whatever the runtime does.
    """

    def __init__(self, program: Program, decisions: Decisions, *, ml_version: int, in_order: bool) -> None:
        self._program = program
        self._decisions = decisions
        self._with_sets = ml_version >= 5
        self._start = _leaf(program.start) if program.start.any() or not program.trees else None
        self._in_operator = (
            self._with_sets
            and not in_order
            and program.median_weights is None
            and all(tree.n_values == 1 and not tree.mixes for tree in program.trees)
            and (not program.single_sums or _fits_single(program))
        )
        self._whole = self._summing() if self._in_operator else None
        self._parts = [] if self._in_operator else list(self._blocks())

    def written(self, graph: Graph, matrix: str) -> str:
        """Return the sums, a column each, in double precision; also where they were added in single."""
        program = self._program
        single = program.single_sums
        if self._whole is not None:
            x = graph.cast(matrix, np.float32) if single else matrix
            found = self._whole.written(graph, x, program.n_sums, np.float32 if single else np.float64)
        elif program.median_weights is not None:
            return self._median(graph, matrix, program.median_weights)
        else:
            found = ""
            for part in self._parts:
                block = part.written(graph, matrix, single)
                block = graph.add("Concat", found, block, axis=0) if found else block
                # Along the first axis rows are added to rows, one after the other.
                found = graph.total(block, 0)
            found = graph.squeezed(found, 0)
        if single:
            found = graph.cast(found, np.float64)
        if program.divisor != 1.0:
            found = graph.add("Div", found, graph.constant(np.float64(program.divisor)))
        return found

    def _summing(self) -> Ensemble:
        """Return one ensemble whose leaves hold what they add."""
        program = self._program
        ensemble = Ensemble(self._decisions, with_sets=True)
        for number, value in enumerate(program.start):
            if value or not program.trees:
                ensemble.add(_leaf(program.start), number, np.array([value]))
        for tree, first in zip(program.trees, program.first_sum, strict=True):
            if program.single_sums:
                tree = _in_single(tree)
            ensemble.add(tree, first, tree.values[:, 0])
        return ensemble

    def _blocks(self) -> Iterator[_Group | _Mixed]:
        """Yield trees in order: many plain ones together, one that shares rows alone."""
        program, group = self._program, None
        n_sums = 1 if program.median_weights is not None else program.n_sums
        trees = list(zip(program.trees, program.voices, program.first_sum, strict=True))
        if self._start is not None:
            trees.insert(0, (self._start, None, 0))
        for tree, voice, first in trees:
            place = slice(first, first + tree.n_values)
            if tree.mixes:
                if group is not None:
                    yield group
                    group = None
                yield _Mixed(SharedRows(tree, self._decisions), voice, place, n_sums)
                continue
            if group is not None and (
                group.n_trees == TOGETHER or group.ensemble.n_leaves + len(tree) > 2**24
            ):
                yield group
                group = None
            if group is None:
                group = _Group(Ensemble(self._decisions, with_sets=self._with_sets), [])
            ends = group.ensemble.add(tree, group.n_trees)
            rows = np.zeros((len(ends), n_sums))
            rows[:, place] = tree.values[ends]
            group.table.append(rows)
            group.n_trees += 1
        if group is not None:
            yield group

    def _median(self, graph: Graph, matrix: str, tree_weights: NDArray[np.float64]) -> str:
        """Return the weighted median of what the trees say."""
        blocks = [part.written(graph, matrix, False) for part in self._parts]
        said = blocks[0] if len(blocks) == 1 else graph.add("Concat", *blocks, axis=0)
        said = graph.add("Transpose", graph.squeezed(said, 2), perm=[1, 0])
        count = graph.constant(np.array([len(self._program.trees)]))
        values, order = graph.fresh("sorted"), graph.fresh("order")
        graph.put("TopK", [said, count], [values, order], "", {"axis": 1, "largest": 0, "sorted": 1})
        weights = graph.add("Gather", graph.constant(tree_weights), order, axis=0)
        so_far = graph.add("CumSum", weights, graph.constant(np.int64(1)))
        half = graph.add("Mul", graph.taken(so_far, [-1]), graph.constant(np.float64(0.5)))
        reached = graph.cast(graph.add("GreaterOrEqual", so_far, half), np.int64)
        place = graph.add("ArgMax", reached, axis=1, keepdims=1)
        return graph.add("GatherElements", values, place, axis=1)


def _leaf(values: NDArray[np.float64]) -> Steps:
    """Return a tree that is one leaf."""
    none = np.zeros(1, dtype=np.int64)
    return Steps(
        feature=none - 1,
        threshold=np.full(1, np.nan),
        first_child=none,
        n_children=none,
        missing=none,
        ways={},
        shares={},
        substitutes={},
        values=np.array(values, dtype=np.float64).reshape(1, -1),
    )


def _fits_single(program: Program) -> bool:
    """Whether every comparison in double precision is one of singles, so that an operator of singles does."""
    for tree in program.trees:
        own = tree.threshold[tree.feature >= 0]
        own = own[~np.isnan(own)]
        if (at_most_single(single_at_most(own).astype(np.float64)) != own).any() or tree.substitutes:
            return False
    return all(len(column.categories) < 2**24 for column in program.columns)


def _in_single(tree: Steps) -> Steps:
    """Return a tree with the thresholds that singles are compared with."""
    return Steps(
        feature=tree.feature,
        threshold=single_at_most(tree.threshold).astype(np.float64),
        first_child=tree.first_child,
        n_children=tree.n_children,
        missing=tree.missing,
        ways=tree.ways,
        shares=tree.shares,
        substitutes=tree.substitutes,
        values=tree.values,
    )
