"""What exporters tell about a node: its answer, the cells beside it, and what is left out below it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_list
from treewright.criteria import center_of
from treewright.model.arrays import EVERY_BRANCH
from treewright.model.forest import Forest
from treewright.model.model import Model
from treewright.model.node import Node, TreeView
from treewright.model.number import format_count, format_threshold
from treewright.model.text import before_amount

__all__ = [
    "Hidden",
    "NodeFacts",
    "depth_that_fits",
    "usual_facts",
]

SHOWN = ("n", "value", "impurity", "gain", "id", "sums")
# ID3 and C4.5 name what features compete on; the loss behind it is the entropy.
LOSS_OF_GAIN = {"gain": "entropy", "gain_ratio": "entropy"}
MAX_CLASSES = 4  # classes listed per node; the rest is counted
MAX_LABEL = 32  # characters of a class


def usual_facts(model: Model) -> tuple[str, ...]:
    """Return what is told about nodes unless somebody asks for something else.

    Parameters
    ----------
    model : Model
        The model. Trees of boosters have sums of gradients; those that other libraries have grown do not.
    """
    if model.aggregation != "sum":
        return ("n", "value", "impurity")
    has_sums = isinstance(model.trees, Forest) and "gradient" in model.trees.arrays
    return ("n", "value", "sums") if has_sums else ("n", "value")


class NodeFacts:
    """Answers questions about nodes of one tree, in words.

    Parameters
    ----------
    model : Model
        The model; gives classes and the name of the criterion.
    view : TreeView
        The tree.
    show : sequence of str or None
        Which cells, in this order; None: what is usual for such a tree.
    tree : int, optional
        Number of the tree, where there are several.
    """

    def __init__(
        self, model: Model, view: TreeView, show: Sequence[str] | None = None, tree: int | None = None
    ) -> None:
        # Trees of boosters hold steps of a raw score, whatever is predicted.
        boosted = model.aggregation == "sum"
        has_sums = "sums" in usual_facts(model)
        if show is None:
            show = usual_facts(model)
        check_list("show", show, "facts")
        unknown = [name for name in show if name not in SHOWN]
        if unknown:
            raise ValueError(f"show knows {', '.join(map(repr, SHOWN))}, not {unknown[0]!r}.")
        if "sums" in show and not has_sums:
            raise ValueError("show='sums' is for boosters of gradients: other trees have no such sums.")
        classes = None if boosted else model.classes
        self.classes = None if classes is None else short_labels([str(label) for label in classes.tolist()])
        self.criterion = LOSS_OF_GAIN.get(model.criterion, model.criterion)
        self.view = view
        self.show = tuple(show)
        self._is_boosted = boosted
        self._has_bags = bool(model.params.get("bootstrap", False))
        self._sums_of: tuple[NDArray[np.float64], NDArray[np.float32]] | None = None
        self._of_weights = "reg_lambda" not in model.params
        if has_sums and isinstance(model.trees, Forest):
            first, last = model.trees.arrays["begin"][model.tree_number(tree) :][:2]
            nodes = slice(int(first), int(last))
            self._sums_of = (model.trees.arrays["gradient"][nodes], model.trees.arrays["weight"][nodes])

    def answer(self, node: Node) -> str:
        """Return what a leaf predicts."""
        if self.classes is None:
            return format_threshold(float(node.value[0]), 4)
        return self.classes[int(np.argmax(node.value))]

    def error(self, node: Node) -> float:
        """Return the weight of rows the node would get wrong as a leaf; for regression its loss."""
        return node.loss if self.classes is None else node.weight * (1.0 - float(node.value.max()))

    def cells(self, node: Node) -> tuple[str, ...]:
        """Return one text per shown fact, empty where a fact does not apply."""
        return tuple(getattr(self, f"_{name}")(node) for name in self.show)

    def _n(self, node: Node) -> str:
        note = node.missing_note
        return f"{self.count(node)} ({note})" if note else self.count(node)

    def count(self, node: Node) -> str:
        """Return the rows of a node, and their weight where the two differ.

        Rows weigh what the user says, in a forest as often as they were drawn; rows that C4.5 shares among
        branches count in each of them and weigh their share.
        """
        if node.rows == 0 and node.weight > 0:  # some libraries keep the weight of rows and not their number
            return f"weight={format_threshold(node.weight, 4)}"
        weight = format_count(node.weight)
        # The sums of boosters tell the weight.
        return (
            f"n={node.rows}"
            if self._is_boosted or weight == str(node.rows)
            else f"n={node.rows}, weight {weight}"
        )

    def weight_note(self) -> str:
        """Say what makes weights differ from numbers of rows, where the fit did it; else nothing."""
        if self._is_boosted or "n" not in self.show:
            return ""
        tree = self.view.tree
        is_leaf = tree.n_children == 0
        shares = bool((tree.to_arrays()["missing"][~is_leaf] == EVERY_BRANCH).any())
        if shares and int(tree.n_node_samples[is_leaf].sum()) > int(tree.n_node_samples[0]):
            return "n counts a row that branches share in each of them, weight only its share."
        root = self.view.root
        if self._has_bags and format_count(root.weight) != str(root.rows):
            return "weight counts a row as often as it was drawn."
        return ""

    def _id(self, node: Node) -> str:
        return f"#{node.id}"

    def _value(self, node: Node) -> str:
        if self.classes is None:
            return "" if node.is_leaf else f"{self._value_words} {self.answer(node)}"
        weights = node.value * node.weight
        # Rounded, because the mean of children is a little off: equal classes keep their order.
        order = np.argsort(-np.round(node.value, 9), kind="stable")
        present = [k for k in order if weights[k] > 0]
        sign = before_amount(self.classes)
        listed = [f"{self.classes[k]}{sign}{format_count(float(weights[k]))}" for k in present[:MAX_CLASSES]]
        if len(present) > MAX_CLASSES:
            listed.append(f"{len(present) - MAX_CLASSES} more")
        return " · ".join(listed)

    def _impurity(self, node: Node) -> str:
        if node.is_leaf or math.isnan(node.impurity):  # a forest does not keep the loss of numbers
            return ""
        return f"{self._criterion_words} {self._number(node.impurity)}"

    def _gain(self, node: Node) -> str:
        if node.is_leaf or math.isnan(node.gain):
            return ""
        return f"gain {self._number(node.gain / node.weight if node.weight > 0 else 0.0)}"

    def _sums(self, node: Node) -> str:
        assert self._sums_of is not None, "boosters have sums"
        gradient, weight = (format_threshold(float(array[node.id]), 4) for array in self._sums_of)
        return f"G {gradient} · {'weight' if self._of_weights else 'H'} {weight}"

    @property
    def _value_words(self) -> str:
        return center_of(self.criterion)

    @property
    def _criterion_words(self) -> str:
        return self.criterion.replace("_", " ")

    def _number(self, impurity: float) -> str:
        # Gini and entropy are small numbers: fixed decimals line up. Other losses have the target's unit.
        return f"{impurity:.3f}" if self.classes is not None else format_threshold(impurity, 4)


def short_labels(labels: Sequence[str], most: int = MAX_LABEL) -> list[str]:
    """Return labels cut to so many characters; all in full where cutting would make two of them equal.

    Examples
    --------
    >>> from treewright.export.node_facts import short_labels
    >>> short_labels(["no", "accepted after consideration"], 12)
    ['no', 'accepted af…']
    """
    cut = [label if len(label) <= most else f"{label[: most - 1]}…" for label in labels]
    return cut if len(set(cut)) == len(set(labels)) else list(labels)


def depth_that_fits(node_depths: NDArray[np.int64], max_nodes: int) -> int:
    """Return the deepest level for which the levels down to it hold at most `max_nodes` nodes, 0 at least."""
    nodes_down_to = np.cumsum(np.bincount(node_depths))
    return max(0, int(np.searchsorted(nodes_down_to, max_nodes, side="right")) - 1)


class Hidden:
    """Sums over everything that is not shown, for the last shown node above it.

    Parameters
    ----------
    view : TreeView
        The tree.
    facts : NodeFacts
        Says what an error is.
    shown : ndarray of bool
        Which nodes are shown, the parents of shown nodes among them; e.g. some levels.
    """

    def __init__(self, view: TreeView, facts: NodeFacts, shown: NDArray[np.bool_]) -> None:
        tree = view.tree
        self._facts = facts
        depths = tree.node_depths
        # Each pass doubles the distance that a node looks up, until it has found an ancestor that is shown.
        above = np.where(shown, np.arange(len(view)), view.parents)
        while not shown[above].all():
            above = above[above]
        hidden = ~shown
        weight = tree.weighted_n_node_samples
        loss = tree.loss if facts.classes is None else weight * (1.0 - tree.value[:, 0, :].max(axis=1))
        leaves = hidden & (tree.n_children == 0)
        n = len(view)
        self._below = np.bincount(above[hidden], minlength=n)
        self._error = np.bincount(above[leaves], weights=loss[leaves], minlength=n)
        self._deepest = np.zeros(n, dtype=np.int64)
        np.maximum.at(self._deepest, above[hidden], depths[hidden])

    def short(self, node: Node) -> str:
        """Say how much is below a node, e.g. ``… + 14 nodes``, where there is little room."""
        return f"… + {self._below[node.id]} nodes"

    def describe(self, node: Node) -> str:
        """Say what is below a node, e.g. ``… 14 more nodes, depth 5, errors 3/41``."""
        error = float(self._error[node.id])
        words = f"… {self._below[node.id]} more nodes, depth {self._deepest[node.id]}"
        if math.isnan(error):  # a forest does not keep the loss of numbers
            return words
        if self._facts.classes is None:
            return f"{words}, loss {format_count(error)}"
        return f"{words}, errors {format_count(error)}/{format_count(node.weight)}"
