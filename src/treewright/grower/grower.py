"""Grower: a tree grown by hand. Each action can be taken back and printed as code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier

from treewright.data import encode_labels
from treewright.explain import SplitReport
from treewright.explain.frame import frame_library
from treewright.explain.reasons import leaf_reason
from treewright.explain.recompute import recomputed_report
from treewright.export import export_text
from treewright.grower.arrays import tree_arrays
from treewright.grower.growing import Growing
from treewright.grower.node import GrownNode, Test
from treewright.model import Model, Tree
from treewright.trees._base import SingleTree
from treewright.trees._settings import feature_count
from treewright.trees._training import read_training

__all__ = ["Grower"]

Nodes = dict[int, GrownNode]


@dataclass(frozen=True)
class _State:
    """The tree after an action, the code of all actions so far, and the next free number."""

    nodes: Nodes
    code: tuple[str, ...]
    next_id: int


class Grower:
    """Grow a tree by hand: look at candidates, split, take back, go on.

    A split without a feature is the one that the algorithm makes, found by its own engine: grown to the end
    without a hand, the tree is that of `fit` before pruning. Nodes are numbered as they come into being.

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
    g = treewright.Grower(C45Classifier(), X, y)
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
            raise TypeError(f"Grower takes a single tree of Treewright, not {type(estimator).__name__}.")
        self.estimator = clone(estimator)
        self.estimator._validate_params()
        training = read_training(self.estimator, X, y, sample_weight)
        self._growing = Growing(training)
        self._labels = None
        if is_classifier(estimator):
            self._labels = encode_labels(y, len(y), estimator_name=type(estimator).__name__)
        own = [feature.name for feature in training.schema.features]
        self.feature_names = own if feature_names is None else [str(name) for name in feature_names]
        if len(self.feature_names) != len(own):
            raise ValueError(
                f"feature_names has {len(self.feature_names)} names, but X has {len(own)} columns."
            )
        self._library = frame_library(X)
        self._weighted = sample_weight is not None
        rows = training.all_rows()
        weight, loss, value = self._growing.sums(rows)
        self._state = _State({0: GrownNode(0, -1, 0, (), rows, weight, loss, value)}, (), 1)
        self._before: list[_State] = []
        self._after: list[_State] = []

    # --- looking
    # ----------------------------------------------------------------------------------------------------

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

    def candidates(self, node: int, *, top: int | None = None, cuts: bool = False) -> SplitReport:
        """Return the best test of every feature at a node.

        Parameters
        ----------
        node : int
            Number of the node.
        top : int, optional
            How many the text shows.
        cuts : bool, default=False
            Whether the report holds the gain of every cut of numeric features.
        """
        place = self._node(node)
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
            test = self._automatic(place)
            if test is None:
                raise ValueError(f"Node {node} is not split by the algorithm. {self._reason(place)}")
            return self._act(self._split(self._draft(), place, test, by_hand=False), f"g.split({node})")
        column = self._column(feature)
        categories = None if categories is None else list(categories)
        test = self._manual(place, column, threshold, categories)
        words = f"feature={feature!r}"
        if threshold is not None:
            words += f", threshold={float(threshold)!r}"
        elif categories is not None:
            words += f", categories={categories!r}"
        return self._act(self._split(self._draft(), place, test, by_hand=True), f"g.split({node}, {words})")

    def grow(self, levels: int | None = None) -> Self:
        """Let the algorithm go on.

        Parameters
        ----------
        levels : int, optional
            How many levels; by default to the end.
        """
        state = self._draft()
        if levels is None and "max_leaves" in self._growing.training.settings:
            state = self._best_first(state)
        else:
            state = self._levels(state, levels)
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
        nodes[node] = replace(place, test=None, children=(), by_hand=False)
        return self._act(replace(self._state, nodes=nodes), f"g.prune_node({node})")

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

    def to_estimator(self) -> SingleTree:
        """Return a fitted estimator with the tree as it is now, not pruned; ``is_edited_`` tells of hands."""
        training, estimator = self._growing.training, self.estimator
        arrays = tree_arrays(self._state.nodes)
        outputs: dict[str, Any] = {"task": "regression"}
        if self._labels is not None:
            order = estimator._class_codes(self._labels)
            if order is not None:
                arrays["value"] = arrays["value"][:, np.argsort(order)]
            classes, declared = self._labels.classes, self._labels.class_order
            outputs = {"task": "classification", "classes": classes, "class_order": declared}
        n_features = len(training.schema.features)
        splits = sum(node.test is not None for node in self._state.nodes.values())
        facts: dict[str, Any] = {"max_features": feature_count(estimator.max_features, n_features)}
        if self.is_edited:
            facts["edited"] = f"{sum(node.by_hand for node in self._state.nodes.values())} of {splits} splits"
        model = Model(
            algorithm=type(estimator).__name__,
            params=training.params,
            schema=training.schema,
            trees=(Tree(arrays, training.schema.n_codes),),
            facts=facts,
            **outputs,
        )
        fitted: SingleTree = type(estimator).from_model(model)
        return fitted

    def to_code(self) -> str:
        """Return the actions as Python code that repeats them."""
        weights = ", sample_weight" if self._weighted else ""
        start = f"g = treewright.Grower({' '.join(repr(self.estimator).split())}, X, y{weights})"
        return "\n".join([start, *self._state.code, "est = g.to_estimator()"])

    def __str__(self) -> str:
        return export_text(self.to_estimator().model_, feature_names=self.feature_names)

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

    def _draft(self) -> _State:
        return replace(self._state, nodes=dict(self._state.nodes))

    def _act(self, state: _State, code: str) -> Self:
        self._before.append(self._state)
        self._after.clear()
        self._state = replace(state, code=(*self._state.code, code))
        return self

    def _automatic(self, place: GrownNode) -> Test | None:
        if len(place.rows.rows) == 0:
            return None
        answer = self._growing.answer(place.rows, place.depth)
        return self._growing.test_of(answer["features"][answer["winner"]]) if answer["accepted"] else None

    def _reason(self, place: GrownNode) -> str:
        if len(place.rows.rows) == 0:
            return "It has no rows."
        answer = self._growing.answer(place.rows, place.depth)
        return leaf_reason(self._growing.training, answer, place.depth, "")

    def _manual(
        self, place: GrownNode, column: int, threshold: float | None, categories: Iterable[Any] | None
    ) -> Test:
        kind = self._growing.training.schema.features[column].kind
        name = self.feature_names[column]
        if threshold is None and categories is None:
            return self._best_of(place, column)
        if threshold is not None:
            if kind != "numeric":
                raise ValueError(f"{name!r} has no numbers: pass categories= instead of threshold=.")
            test = self._growing.threshold_test(place.rows, column, float(threshold))
        else:
            if kind != "nominal":
                raise ValueError(f"{name!r} is not nominal: pass threshold= instead of categories=.")
            index = self._growing.training.schema.features[column].index
            unknown = [category for category in categories or () if category not in index]
            if unknown:
                raise ValueError(f"{name!r} has no category {unknown[0]!r}.")
            codes = [index[category] for category in categories or ()]
            test = self._growing.subset_test(place.rows, column, codes)
        if any(len(child.rows) == 0 for child in self._growing.children(place.rows, test)):
            raise ValueError(f"This test of {name!r} leaves one branch of node {place.id} without rows.")
        return test

    def _best_of(self, place: GrownNode, column: int) -> Test:
        facts = self._growing.training.candidates(place.rows, features=[column])["features"][0]
        if facts["kind"] == 0:
            candidate = next(c for c in self.candidates(place.id).candidates if c.index == column)
            raise ValueError(f"{candidate.feature!r} offers no test at node {place.id}: {candidate.reason}.")
        return self._growing.test_of(facts)

    def _split(self, state: _State, place: GrownNode, test: Test, *, by_hand: bool) -> _State:
        """Split a node of a draft; the draft's nodes are changed."""
        nodes, number = state.nodes, state.next_id
        words = self._conditions(test)
        ids = []
        for branch, rows in enumerate(self._growing.children(place.rows, test)):
            if len(rows.rows):
                weight, loss, value = self._growing.sums(rows)
            else:
                weight, loss, value = 0.0, 0.0, self._empty_value(place)
            condition = (*place.condition, words[branch])
            nodes[number] = GrownNode(number, place.id, place.depth + 1, condition, rows, weight, loss, value)
            ids.append(number)
            number += 1
        nodes[place.id] = replace(place, test=test, children=tuple(ids), by_hand=by_hand)
        return _State(nodes, state.code, number)

    def _empty_value(self, place: GrownNode) -> Any:
        if self._growing.training.recipe.empty_leaf == "distribution":
            return place.value
        value = np.zeros_like(place.value)
        value[int(np.argmax(place.value))] = 1.0
        return value

    def _conditions(self, test: Test) -> list[str]:
        # The words of the tree's own view, so that a hand-made test reads like any other.
        stump = {
            0: GrownNode(0, -1, 0, (), self._state.nodes[0].rows, 1.0, 0.0, np.zeros(1), test,
                         tuple(range(1, test.n_children + 1)))
        }  # fmt: skip
        for branch in range(1, test.n_children + 1):
            stump[branch] = replace(stump[0], id=branch, test=None, children=())
        schema = self._growing.training.schema
        features = tuple(replace(f, name=n) for f, n in zip(schema.features, self.feature_names, strict=True))
        view = Model(
            "",
            {},
            "regression",
            replace(schema, features=features),
            (Tree(tree_arrays(stump), schema.n_codes),),
        ).view()
        return [child.condition for child in view.root.children]

    def _levels(self, state: _State, levels: int | None) -> _State:
        open_ones = [node.id for node in state.nodes.values() if node.test is None]
        while open_ones and levels != 0:
            grown: list[int] = []
            for key in open_ones:
                test = self._automatic(state.nodes[key])
                if test is not None:
                    state = self._split(state, state.nodes[key], test, by_hand=False)
                    grown += state.nodes[key].children
            open_ones = grown
            levels = None if levels is None else levels - 1
        return state

    def _best_first(self, state: _State) -> _State:
        most = int(self._growing.training.settings["max_leaves"])
        waiting: dict[int, tuple[float, Test]] = {}

        def offer(key: int) -> None:
            place = state.nodes[key]
            if len(place.rows.rows) == 0:
                return
            answer = self._growing.answer(place.rows, place.depth)
            if answer["accepted"]:
                facts = answer["features"][answer["winner"]]
                waiting[key] = (float(facts["gain"]), self._growing.test_of(facts))

        leaves = [node.id for node in state.nodes.values() if node.test is None]
        count = len(leaves)
        for key in leaves:
            offer(key)
        while waiting and count < most:
            key = max(waiting, key=lambda k: (waiting[k][0], -k))
            _, test = waiting.pop(key)
            if test.n_children - 1 > most - count:
                continue
            count += test.n_children - 1
            state = self._split(state, state.nodes[key], test, by_hand=False)
            for child in state.nodes[key].children:
                offer(child)
        return state

    # --- finding
    # ----------------------------------------------------------------------------------------------------

    def _node(self, node: int) -> GrownNode:
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
                raise ValueError(f"There is no feature {feature!r}.")
            return self.feature_names.index(feature)
        if not 0 <= feature < len(self.feature_names):
            raise ValueError(f"There is no column {feature}; X has {len(self.feature_names)}.")
        return feature
