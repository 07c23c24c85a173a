"""What a text line tells about a node: its answer, and the cells in the columns to the right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from treewright.model.model import Model
from treewright.model.node import Node, TreeView
from treewright.model.number import format_threshold

__all__ = ["NodeFacts", "format_count"]

SHOWN = ("n", "value", "impurity", "gain", "id")
# ID3 and C4.5 name what features compete on; the loss behind it is the entropy.
LOSS_OF_GAIN = {"gain": "entropy", "gain_ratio": "entropy"}
MAX_CLASSES = 4  # classes listed per node; the rest is counted


def format_count(weight: float) -> str:
    """Write a weight: whole when it is whole, else with four digits."""
    whole = round(weight)
    return str(whole) if abs(weight - whole) < 1e-9 * max(1.0, abs(weight)) else format_threshold(weight, 4)


class NodeFacts:
    """Answers questions about nodes of one tree, in words.

    Parameters
    ----------
    model : Model
        The model; gives classes and the name of the criterion.
    view : TreeView
        The tree.
    show : sequence of str
        Which cells, in this order.
    """

    def __init__(self, model: Model, view: TreeView, show: Sequence[str]) -> None:
        unknown = [name for name in show if name not in SHOWN]
        if unknown:
            raise ValueError(f"show knows {', '.join(map(repr, SHOWN))}, not {unknown[0]!r}.")
        self.classes = None if model.classes is None else [str(label) for label in model.classes.tolist()]
        self.criterion = LOSS_OF_GAIN.get(model.criterion, model.criterion)
        self.view = view
        self.show = tuple(show)

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
        return f"n={node.rows}"

    def _id(self, node: Node) -> str:
        return f"#{node.id}"

    def _value(self, node: Node) -> str:
        if self.classes is None:
            return "" if node.is_leaf else f"{self._value_words} {self.answer(node)}"
        weights = node.value * node.weight
        # Rounded, because the mean of children is a little off: equal classes keep their order.
        order = np.argsort(-np.round(node.value, 9), kind="stable")
        present = [k for k in order if weights[k] > 0]
        listed = [f"{self.classes[k]} {format_count(float(weights[k]))}" for k in present[:MAX_CLASSES]]
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

    @property
    def _value_words(self) -> str:
        return "median" if self.criterion == "absolute_error" else "mean"

    @property
    def _criterion_words(self) -> str:
        return self.criterion.replace("_", " ")

    def _number(self, impurity: float) -> str:
        # Gini and entropy are small numbers: fixed decimals line up. Other losses have the target's unit.
        return f"{impurity:.3f}" if self.classes is not None else format_threshold(impurity, 4)
