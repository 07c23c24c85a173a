"""Grower: a tree grown by hand. Each action can be taken back and printed as code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from treewright.argument import check_count, check_list
from treewright.explain import SplitReport
from treewright.explain.split_reasons import leaf_reason
from treewright.explain.split_search import recomputed_report
from treewright.export import export_text
from treewright.grower.arrays import tree_arrays
from treewright.grower.growing import Growing
from treewright.grower.hand_made import conditions, hand_made_test
from treewright.grower.node import GrownNode, Test
from treewright.grower.state import PRUNING, Memory, State
from treewright.reports.frame import frame_library
from treewright.trees.growing import Grown, class_order, training_of
from treewright.trees.pruning_plan import FitData, PruningPlan
from treewright.trees.single_tree import SingleTree

__all__ = ["Grower"]


class Grower:
    """Grow a tree by hand: look at candidates, split, take back, go on.

    A split without a feature is the one that the algorithm makes, found by its own engine: grown to the end
    without a hand, the estimator is that of `fit`, pruned as its parameters say. Nodes are numbered as they
    come into being.

    Parameters
    ----------
    estimator : estimator
        A single tree of Treewright with the parameters to grow by; it is not changed.
    X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their target.
    sample_weight : array-like of shape (n_rows,), optional
        Their weights.
    feature_names : sequence of str, optional
        Names to show and to accept instead of those of X.

    Examples
    --------
    >>> import treewright
    >>> from treewright.datasets import load_tennis
    >>> X, y, names, _ = load_tennis()
    >>> g = treewright.Grower(treewright.C45Classifier(), X, y, feature_names=names)
    >>> g.split(0).split(1, feature="wind")
    <Grower: C45Classifier, 6 nodes, 4 leaves, 1 of 2 splits by hand>
    >>> g.undo().grow().to_estimator().predict([["sunny", "mild", "normal", "weak"]])
    array(['yes'], dtype=object)
    >>> print(g.to_code())
    g = treewright.Grower(C45Classifier(), X, y, feature_names=['outlook', 'temperature', 'humidity', 'wind'])
    g.split(0)
    g.grow()
    est = g.to_estimator()
    """

    def __init__(
        self,
        estimator: SingleTree,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(estimator, SingleTree):
            raise TypeError(
                "Grower takes a single tree of Treewright, such as C45Classifier(), "
                f"not {getattr(estimator, '__name__', type(estimator).__name__)}."
            )
        self.estimator = clone(estimator)
        self.estimator._validate_params()
        if self.estimator.splitter == "random":
            raise ValueError(
                "Grower shows the best test of each feature, and splitter='random' draws one instead: use "
                "splitter='best'."
            )
        self._data = FitData(X, y, sample_weight)
        self._plan = PruningPlan(self.estimator, self._data)  # sets rows aside when pruning needs some
        self._rows = self.estimator._read(X, y, sample_weight, rows=self._plan.rows)
        self.estimator._prepare(self._rows, warn=False)
        training = training_of(self.estimator, self._rows)
        self._growing = Growing(training)
        own = [feature.name for feature in training.schema.features]
        if feature_names is not None:
            check_list("feature_names", feature_names, "names")
        self.feature_names = own if feature_names is None else [str(name) for name in feature_names]
        self._renamed = self.feature_names != own
        if len(self.feature_names) != len(own):
            raise ValueError(
                f"feature_names has {len(self.feature_names)} names, but X has {len(own)} columns."
            )
        self._library = frame_library(X)
        self._weighted = sample_weight is not None
        rows = training.all_rows()
        weight, loss, value = self._growing.sums(rows)
        self._state = State({0: GrownNode(0, -1, 0, (), rows, weight, loss, value)}, (), 1)
        self._watch: Callable[[int], None] | None = None
        self._before: list[State] = []
        self._after: list[State] = []

    # --- looking
    # ----------------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> Mapping[int, GrownNode]:
        """The nodes by their numbers, to be read."""
        return MappingProxyType(self._state.nodes)

    @property
    def log(self) -> tuple[str, ...]:
        """The actions so far, each as a line of Python."""
        return self._state.code

    @property
    def n_undo(self) -> int:
        """How many actions can be taken back."""
        return len(self._before)

    @property
    def n_redo(self) -> int:
        """How many actions that were taken back can be done again."""
        return len(self._after)

    @property
    def leaves(self) -> tuple[int, ...]:
        """Numbers of the nodes that are not split."""
        return tuple(node.id for node in self._state.nodes.values() if node.test is None)

    @property
    def is_edited(self) -> bool:
        """Whether a split was chosen or taken away by hand."""
        return self._edits() > 0

    def _edits(self) -> int:
        pruned = sum(line.startswith("g.prune_node") for line in self._state.code)
        return pruned + sum(node.by_hand for node in self._state.nodes.values())

    def candidates(self, node: int, *, top: int | None = 20, cuts: bool = False) -> SplitReport:
        """Return the best test of every feature at a node.

        Parameters
        ----------
        node : int
            Number of the node.
        top : int or None, default=20
            How many the text shows; None: all.
        cuts : bool, default=False
            Whether the report holds the gain of every cut of numeric features.
        """
        place = self._node(node)
        check_count("top", top, 1, optional=True)
        report = recomputed_report(
            self._growing.training,
            place.rows,
            self.feature_names,
            depth=place.depth,
            node_id=place.id,
            condition=place.condition,
            cuts=cuts,
        )
        return replace(report, top=top, _frame=self._library)

    # --- actions
    # ----------------------------------------------------------------------------------------------------

    def split(
        self,
        node: int,
        *,
        feature: str | int | None = None,
        threshold: float | None = None,
        categories: Iterable[Any] | None = None,
    ) -> Self:
        """Split a leaf.

        Parameters
        ----------
        node : int
            Number of the leaf.
        feature : str or int, optional
            The feature to test, by name or column; by default the one that the algorithm chooses.
        threshold : float, optional
            For a numeric feature: the largest number of the first branch; by default the best one.
        categories : iterable, optional
            For a nominal feature: the categories of the first branch; by default the algorithm groups them.
        """
        place = self._leaf(node)
        if feature is None:
            if threshold is not None or categories is not None:
                raise ValueError("threshold and categories need a feature.")
            found = self._automatic(place)
            if found is None:
                raise ValueError(f"Node {node} is not split by the algorithm. {self._reason(place)}")
            return self._act(self._split(self._draft(), place, *found), f"g.split({node})")
        column = self._column(feature)
        if categories is not None:
            check_list("categories", categories, "categories")
            categories = list(categories)
        test = self._manual(place, column, threshold, categories)
        words = f"feature={feature!r}"
        if threshold is not None:
            words += f", threshold={float(threshold)!r}"
        elif categories is not None:
            words += f", categories={categories!r}"
        memory = self._growing.memory(self._growing.answer(place.rows, place.depth))
        state = self._split(self._draft(), place, test, memory, by_hand=True)
        return self._act(state, f"g.split({node}, {words})")

    def grow(self, levels: int | None = None, *, watch: Callable[[int], None] | None = None) -> Self:
        """Let the algorithm go on.

        Parameters
        ----------
        levels : int, optional
            How many levels; by default to the end.
        watch : callable, optional
            Told the number of nodes after every split. What it raises stops the growth, and the tree stays as
            it was.
        """
        check_count("levels", levels, 1, optional=True, more=", or None for all")
        self._watch, state = watch, self._draft()
        try:
            best_first = levels is None and "max_leaves" in self._growing.training.settings
            state = self._best_first(state) if best_first else self._levels(state, levels)
        finally:
            self._watch = None
        state = replace(state, finished=levels is None)
        return self._act(state, f"g.grow({'' if levels is None else f'levels={levels}'})")

    def prune_node(self, node: int) -> Self:
        """Make a node a leaf again.

        Parameters
        ----------
        node : int
            Number of the node.
        """
        place = self._node(node)
        if place.test is None:
            raise ValueError(f"Node {node} is a leaf already.")
        gone = set(place.children)
        for other in self._state.nodes.values():  # children come after their parents
            if other.parent in gone:
                gone.add(other.id)
        nodes = {key: one for key, one in self._state.nodes.items() if key not in gone}
        nodes[node] = replace(place, test=None, children=(), by_hand=False, memory=None)
        state = replace(self._state, nodes=nodes, finished=False)
        return self._act(state, f"g.prune_node({node})")

    def undo(self) -> Self:
        """Take back the last action."""
        if not self._before:
            raise ValueError("There is nothing to undo.")
        self._after.append(self._state)
        self._state = self._before.pop()
        return self

    def redo(self) -> Self:
        """Do again what was undone."""
        if not self._after:
            raise ValueError("There is nothing to redo.")
        self._before.append(self._state)
        self._state = self._after.pop()
        return self

    # --- results
    # ----------------------------------------------------------------------------------------------------

    def to_estimator(self, **pruning: Any) -> SingleTree:
        """Return a fitted estimator with the tree.

        A tree that the algorithm grew to the end by itself is pruned as `fit` does it, so the estimator is
        the one that `fit` makes. A tree that is not finished, or that a hand has changed, stays as it is,
        unless parameters say how to prune it; ``is_edited_`` tells of hands.

        Parameters
        ----------
        **pruning : object
            Parameters of pruning, instead of the estimator's own, e.g. ``confidence_factor=0.1``.
        """
        if not pruning and (self.is_edited or not self._is_finished()):
            return self._as_it_is()
        fitted: SingleTree = clone(self.estimator).set_params(**pruning)
        fitted._validate_params()
        unknown = [name for name in pruning if name not in PRUNING]
        if unknown or fitted.prune == "reduced_error" != self.estimator.prune:
            raise ValueError(
                f"{unknown[0] if unknown else 'prune'!r} decides how a tree grows: make another Grower. "
                f"to_estimator takes {', '.join(PRUNING)}."
            )
        plan = PruningPlan(fitted, self._data) if pruning else self._plan
        grown = self._grown()
        grown = grown.with_arrays(fitted._collapsed(grown.arrays, self._rows.schema.n_codes))
        tree, facts = plan.prune(grown)
        return fitted._finish(grown, tree, facts | self._edited())

    def _as_it_is(self) -> SingleTree:
        grown = self._grown()
        fitted: SingleTree = clone(self.estimator)
        return fitted._finish(grown, grown.tree, self._edited())

    def _edited(self) -> dict[str, str]:
        splits = sum(node.test is not None for node in self._state.nodes.values())
        hand = sum(node.by_hand for node in self._state.nodes.values())
        return {"edited": f"{hand} of {splits} splits"} if self.is_edited else {}

    def _grown(self) -> Grown:
        """Return the tree as growing in `fit` would have given it."""
        arrays = tree_arrays(self._state.nodes, self._growing.training.matrix)
        leaves = int(np.count_nonzero(arrays["n_children"] == 0))
        order = class_order(self.estimator, self._rows)
        return Grown(arrays, leaves, self._rows, order, self._growing.training.dataset)

    def to_code(self) -> str:
        """Return the actions as Python code that repeats them."""
        more = ", sample_weight" if self._weighted else ""
        if self._renamed:
            more += f", feature_names={self.feature_names!r}"
        start = f"g = treewright.Grower({' '.join(repr(self.estimator).split())}, X, y{more})"
        return "\n".join([start, *self._state.code, "est = g.to_estimator()"])

    def __str__(self) -> str:
        return export_text(self._as_it_is().model_, feature_names=self.feature_names)

    def __repr__(self) -> str:
        nodes = self._state.nodes.values()
        splits = sum(node.test is not None for node in nodes)
        hand = sum(node.by_hand for node in nodes)
        return (
            f"<Grower: {type(self.estimator).__name__}, {len(nodes)} nodes, {len(self.leaves)} leaves, "
            f"{hand} of {splits} splits by hand>"
        )

    # --- growing
    # ----------------------------------------------------------------------------------------------------

    def _draft(self) -> State:
        return replace(self._state, nodes=dict(self._state.nodes))

    def _act(self, state: State, code: str) -> Self:
        self._before.append(self._state)
        self._after.clear()
        self._state = replace(state, code=(*self._state.code, code))
        return self

    def _automatic(self, place: GrownNode) -> tuple[Test, Memory] | None:
        """Return the algorithm's own test and what the tree remembers of the search; None for a leaf."""
        if len(place.rows.rows) == 0:
            return None
        answer = self._growing.answer(place.rows, place.depth)
        if not answer["accepted"]:
            return None
        test = self._growing.test_of(answer["features"][answer["winner"]])
        return test, self._growing.memory(answer)

    def _is_finished(self) -> bool:
        """Tell whether the algorithm itself would split no leaf any more."""
        if self._state.finished:
            return True
        most = self._growing.training.settings.get("max_leaves")
        for key in self.leaves:
            found = self._automatic(self._state.nodes[key])
            if found is not None and (most is None or len(self.leaves) + found[0].n_children - 1 <= most):
                return False
        return True

    def _reason(self, place: GrownNode) -> str:
        if len(place.rows.rows) == 0:
            return "It has no rows."
        answer = self._growing.answer(place.rows, place.depth)
        return leaf_reason(self._growing.training, answer, place.depth, "")

    def _manual(
        self, place: GrownNode, column: int, threshold: float | None, categories: Iterable[Any] | None
    ) -> Test:
        if threshold is None and categories is None:
            return self._best_of(place, column)
        return hand_made_test(self._growing, place, column, self.feature_names[column], threshold, categories)

    def _best_of(self, place: GrownNode, column: int) -> Test:
        facts = self._growing.training.candidates(place.rows, features=[column])["features"][0]
        if facts["kind"] == 0:
            candidate = next(c for c in self.candidates(place.id).candidates if c.index == column)
            raise ValueError(f"{candidate.feature!r} offers no test at node {place.id}: {candidate.reason}.")
        return self._growing.test_of(facts)

    def _split(
        self, state: State, place: GrownNode, test: Test, memory: Memory, *, by_hand: bool = False
    ) -> State:
        """Split a node of a draft; the draft's nodes are changed."""
        nodes, number = state.nodes, state.next_id
        words = conditions(self._growing.training, self.feature_names, test)
        ids = []
        for branch, rows in enumerate(self._growing.children(place.rows, test)):
            if len(rows.rows):
                weight, loss, value = self._growing.sums(rows)
            else:
                weight, loss, value = 0.0, 0.0, self._growing.empty_value(place.value)
            condition = (*place.condition, words[branch])
            nodes[number] = GrownNode(number, place.id, place.depth + 1, condition, rows, weight, loss, value)
            ids.append(number)
            number += 1
        nodes[place.id] = replace(place, test=test, children=tuple(ids), by_hand=by_hand, memory=memory)
        if self._watch is not None:
            self._watch(len(nodes))
        return State(nodes, state.code, number)

    def _levels(self, state: State, levels: int | None) -> State:
        open_ones = [node.id for node in state.nodes.values() if node.test is None]
        while open_ones and levels != 0:
            grown: list[int] = []
            for key in open_ones:
                found = self._automatic(state.nodes[key])
                if found is not None:
                    state = self._split(state, state.nodes[key], *found)
                    grown += state.nodes[key].children
            open_ones = grown
            levels = None if levels is None else levels - 1
        return state

    def _best_first(self, state: State) -> State:
        most = int(self._growing.training.settings["max_leaves"])
        waiting: dict[int, tuple[float, Test, Memory]] = {}

        def offer(key: int) -> None:
            place = state.nodes[key]
            if len(place.rows.rows) == 0:
                return
            answer = self._growing.answer(place.rows, place.depth)
            if answer["accepted"]:
                facts = answer["features"][answer["winner"]]
                test, memory = self._growing.test_of(facts), self._growing.memory(answer)
                waiting[key] = (float(facts["gain"]), test, memory)

        leaves = [node.id for node in state.nodes.values() if node.test is None]
        count = len(leaves)
        for key in leaves:
            offer(key)
        while waiting and count < most:
            key = max(waiting, key=lambda k: (waiting[k][0], -k))
            _, test, memory = waiting.pop(key)
            if test.n_children - 1 > most - count:
                continue
            count += test.n_children - 1
            state = self._split(state, state.nodes[key], test, memory)
            for child in state.nodes[key].children:
                offer(child)
        return state

    # --- finding
    # ----------------------------------------------------------------------------------------------------

    def _node(self, node: int) -> GrownNode:
        if isinstance(node, bool) or not hasattr(node, "__index__"):
            raise TypeError(f"node must be the number of a node, got {node!r}.")
        if node not in self._state.nodes:
            known = ", ".join(map(str, sorted(self._state.nodes)[:12]))
            raise IndexError(f"node {node} does not exist; the tree has the nodes {known}")
        return self._state.nodes[node]

    def _leaf(self, node: int) -> GrownNode:
        place = self._node(node)
        if place.test is not None:
            raise ValueError(f"Node {node} is split already: take that back with g.prune_node({node}) first.")
        if len(place.rows.rows) == 0:
            raise ValueError(f"Node {node} has no rows.")
        return place

    def _column(self, feature: str | int) -> int:
        if isinstance(feature, str):
            if feature not in self.feature_names:
                near = get_close_matches(feature, self.feature_names, 1)
                hint = (
                    f"Did you mean {near[0]!r}?"
                    if near
                    else f"There are {', '.join(self.feature_names[:12])}."
                )
                raise ValueError(f"There is no feature {feature!r}. {hint}")
            return self.feature_names.index(feature)
        if isinstance(feature, bool) or not hasattr(feature, "__index__"):
            raise TypeError(f"feature must be a name or the number of a column, got {feature!r}.")
        if not 0 <= feature < len(self.feature_names):
            raise ValueError(f"There is no column {feature}; X has {len(self.feature_names)}.")
        return feature
