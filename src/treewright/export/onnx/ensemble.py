"""Ensemble: trees of any kind as binary tests, in the arrays of ONNX's tree operators."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.export.onnx.decisions import Decisions, missing_code, no_way
from treewright.export.onnx.graph import ML, Graph
from treewright.program import Steps
from treewright.program.steps import NO_WAY

__all__ = ["Ensemble"]

AT_MOST: Final = 0
ABOVE: Final = 3
EQUAL: Final = 4
MEMBER: Final = 6
WORDS: Final = {AT_MOST: "BRANCH_LEQ", ABOVE: "BRANCH_GT", EQUAL: "BRANCH_EQ"}

# A test: place in the matrix, mode, split, members, whether a missing value passes, and where what passes
# goes: to a node, or to the end at node ~way.
Test = tuple[int, int, float, tuple[float, ...], bool, int]


class Ensemble:
    """Trees under construction. Nodes stand in the order in which they are walked, what passes first.

    Parameters
    ----------
    decisions : Decisions
        Columns for what a test cannot say.
    with_sets : bool
        Whether a test may ask for a set of categories.
    """

    def __init__(self, decisions: Decisions, *, with_sets: bool) -> None:
        self._decisions = decisions
        self._columns = decisions.columns
        self._places = decisions.places
        self._with_sets = with_sets
        self._feature: list[int] = []
        self._mode: list[int] = []
        self._split: list[float] = []
        self._members: list[float] = []
        self._missing: list[int] = []
        self._ways: tuple[list[int], list[int]] = ([], [])
        self._leafs: tuple[list[int], list[int]] = ([], [])
        self._roots: list[int] = []
        self._first_leaf: list[int] = []
        self._weights: list[float] = []
        self._targets: list[int] = []

    @property
    def n_leaves(self) -> int:
        """Leaves so far."""
        return len(self._weights)

    def add(self, tree: Steps, target: int, weights: NDArray[np.float64] | None = None) -> list[int]:
        """Add a tree and return at which of its nodes each new leaf ends.

        Parameters
        ----------
        tree : Steps
            The tree; it must not mix.
        target : int
            What its leaves add to.
        weights : ndarray, optional
            What each node adds; by default the number of the leaf.
        """
        ends: list[int] = []
        self._roots.append(len(self._feature))
        self._first_leaf.append(self.n_leaves)
        feature, threshold, missing = tree.feature, tree.threshold, tree.missing
        first_child, places = tree.first_child, self._places
        # A way, the tests that are still to come before it (behind a chain), and who leads here.
        waiting: list[tuple[int, list[Test], int, int]] = [(0, [], -1, 0)]
        while waiting:
            way, tests, parent, side = waiting.pop()
            if not tests and way >= 0 and feature[way] >= 0:
                node = way
                column = int(feature[node])
                if (
                    node not in tree.ways
                    and missing[node] >= 0
                    and node not in tree.substitutes
                    and self._columns[column].kind != "nominal"
                ):
                    first = int(first_child[node])
                    passes = missing[node] == 0
                    tests = [(places[column], AT_MOST, float(threshold[node]), (), bool(passes), first)]
                    way = first + 1
                else:
                    tests, way = self._chain(tree, node)
                    if not tests:
                        waiting.append((way, [], parent, side))
                        continue
            if not tests:
                end = ~way if way < 0 else way
                if parent < 0:  # a tree that is one leaf is a test whose ways are alike
                    parent, side = self._test((0, AT_MOST, 0.0, (), False, 0)), 0
                    waiting.append((way, [], parent, 1))
                self._ways[side][parent], self._leafs[side][parent] = self.n_leaves, 1
                self._weights.append(float(self.n_leaves) if weights is None else float(weights[end]))
                self._targets.append(target)
                ends.append(end)
                continue
            here = self._test(tests[0])
            if parent >= 0:
                self._ways[side][parent], self._leafs[side][parent] = here, 0
            waiting.append((way, tests[1:], here, 1))
            waiting.append((tests[0][5], [], here, 0))
        return ends

    def _test(self, test: Test) -> int:
        place, mode, split, members, passes, _ = test
        self._feature.append(place)
        self._mode.append(mode)
        self._split.append(split)
        self._missing.append(int(passes))
        if mode == MEMBER:
            self._members += [*members, np.nan]
        for side in (0, 1):
            self._ways[side].append(0)
            self._leafs[side].append(0)
        return len(self._feature) - 1

    def _chain(self, tree: Steps, node: int) -> tuple[list[Test], int]:
        """Return the tests of a node, one after the other, and where a row goes that passes none."""
        column = self._columns[int(tree.feature[node])]
        place = self._places[int(tree.feature[node])]
        ways = tree.ways.get(node)
        is_number = ways is None and column.kind != "nominal"
        if tree.substitutes.get(node) or not (is_number or self._with_sets):
            return self._decided(tree, node)
        if is_number:  # a missing value ends here
            first, split = int(tree.first_child[node]), float(tree.threshold[node])
            below: Test = (place, AT_MOST, split, (), False, first)
            return [below, (place, ABOVE, split, (), False, first + 1)], ~node
        codes = np.arange(1, len(column.categories) + 2)
        if ways is None:
            goes = (codes > tree.threshold[node]).astype(np.int64)
        else:
            goes = np.asarray(ways)[np.minimum(codes, len(ways)) - 1]
        missing, nan_way = int(tree.missing[node]), None
        if column.kind == "nominal":
            codes = np.append(codes, int(missing_code(column)))
            goes = np.append(goes, missing)
        else:
            codes, goes, nan_way = codes[:-1], goes[:-1], missing
        goes = np.where(goes < 0, NO_WAY, goes)
        groups = {int(way): codes[goes == way] for way in np.unique(goes)}
        if nan_way is not None:
            nan_way = NO_WAY if nan_way < 0 else nan_way
            groups.setdefault(nan_way, codes[:0])
        # The most frequent way needs no test.
        *asked, last = sorted(groups, key=lambda way: (len(groups[way]), way))
        tests: list[Test] = []
        left = codes
        for way in asked:
            target = self._target(tree, node, way)
            tests.append(_membership(place, groups[way], left, way == nan_way, target))
            left = left[~np.isin(left, groups[way])]
        return tests, self._target(tree, node, last)

    def _decided(self, tree: Steps, node: int) -> tuple[list[Test], int]:
        """Return tests of the column that holds the outcome of a node."""
        place, n_children = self._decisions.place(tree, node), int(tree.n_children[node])
        outcomes = range(n_children + 1) if node in self._stops(tree) else range(n_children)
        *asked, last = outcomes
        tests: list[Test] = [
            (place, AT_MOST, float(outcome), (), False, self._target(tree, node, outcome))
            for outcome in asked
        ]
        return tests, self._target(tree, node, last)

    @staticmethod
    def _stops(tree: Steps) -> set[int]:
        return set(tree.ends[tree.feature[tree.ends] >= 0].tolist())

    @staticmethod
    def _target(tree: Steps, node: int, way: int) -> int:
        if way < 0 or way == no_way(int(tree.n_children[node])):
            return ~node
        return int(tree.first_child[node]) + way

    # --- as nodes of a graph
    # --------------------------------------------------------------------------------------------------

    def written(self, graph: Graph, matrix: str, n_targets: int, dtype: Any = np.float64) -> str:
        """Add the operator and return what it computes: a column per target."""
        if graph.ml_version < 5:
            return self._written_3(graph, matrix, n_targets)
        attributes: dict[str, Any] = {
            "aggregate_function": 1,
            "post_transform": 0,
            "n_targets": n_targets,
            "tree_roots": self._roots,
            "nodes_featureids": self._feature,
            "nodes_modes": np.array(self._mode, dtype=np.uint8),
            "nodes_splits": np.array(self._split, dtype=dtype),
            "nodes_truenodeids": self._ways[0],
            "nodes_falsenodeids": self._ways[1],
            "nodes_trueleafs": self._leafs[0],
            "nodes_falseleafs": self._leafs[1],
            "leaf_targetids": self._targets,
            "leaf_weights": np.array(self._weights, dtype=dtype),
        }
        if any(self._missing):
            attributes["nodes_missing_value_tracks_true"] = self._missing
        if self._members:
            attributes["membership_values"] = np.array(self._members, dtype=dtype)
        return graph.add("TreeEnsemble", matrix, domain=ML, **attributes)

    def _written_3(self, graph: Graph, matrix: str, n_targets: int) -> str:
        """Add the operator of older versions, in which leaves are nodes and answers are singles."""
        tree_ids: list[int] = []
        node_ids: list[int] = []
        features: list[int] = []
        modes: list[str] = []
        splits: list[float] = []
        ways: tuple[list[int], list[int]] = ([], [])
        missing: list[int] = []
        leaf_tree: list[int] = []
        leaf_node: list[int] = []
        for number, root in enumerate(self._roots):
            is_last = number + 1 == len(self._roots)
            end = len(self._feature) if is_last else self._roots[number + 1]
            leaves = range(
                self._first_leaf[number], self.n_leaves if is_last else self._first_leaf[number + 1]
            )
            count = end - root + len(leaves)
            tree_ids += [number] * count
            node_ids += range(count)
            features += self._feature[root:end] + [0] * len(leaves)
            modes += [WORDS[mode] for mode in self._mode[root:end]] + ["LEAF"] * len(leaves)
            splits += self._split[root:end] + [0.0] * len(leaves)
            missing += self._missing[root:end] + [0] * len(leaves)
            for side in (0, 1):
                targets = zip(self._ways[side][root:end], self._leafs[side][root:end], strict=True)
                ways[side].extend(
                    end - root + way - leaves.start if is_leaf else way - root for way, is_leaf in targets
                )
                ways[side].extend([0] * len(leaves))
            leaf_tree += [number] * len(leaves)
            leaf_node += range(end - root, count)
        return graph.add(
            "TreeEnsembleRegressor",
            matrix,
            domain=ML,
            n_targets=n_targets,
            aggregate_function="SUM",
            post_transform="NONE",
            nodes_treeids=tree_ids,
            nodes_nodeids=node_ids,
            nodes_featureids=features,
            nodes_modes=modes,
            nodes_values_as_tensor=np.array(splits),
            nodes_truenodeids=ways[0],
            nodes_falsenodeids=ways[1],
            nodes_missing_value_tracks_true=missing,
            target_treeids=leaf_tree,
            target_nodeids=leaf_node,
            target_ids=self._targets,
            target_weights_as_tensor=np.array(self._weights),
        )


def _membership(
    place: int, wanted: NDArray[np.int64], left: NDArray[np.int64], takes_missing: bool, target: int
) -> Test:
    """Return the simplest test of codes that takes the wanted ones among those that are left."""
    if not len(wanted):
        return (place, EQUAL, 0.0, (), True, target)  # no code is 0: missing values alone pass
    if len(wanted) == 1:
        return (place, EQUAL, float(wanted[0]), (), takes_missing, target)
    if wanted[-1] < np.setdiff1d(left, wanted).min(initial=np.iinfo(np.int64).max):
        return (place, AT_MOST, float(wanted[-1]), (), takes_missing, target)
    if wanted[0] > np.setdiff1d(left, wanted).max(initial=-1):
        return (place, ABOVE, float(wanted[0]) - 0.5, (), takes_missing, target)
    return (place, MEMBER, 0.0, tuple(wanted.astype(np.float64).tolist()), takes_missing, target)
