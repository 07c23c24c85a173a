"""What class shares count, and which class is chosen, as standard operators."""

from __future__ import annotations

import numpy as np

from treewright.export.onnx.graph import Graph
from treewright.program import Voice

__all__ = ["counted", "place_of_largest"]


def place_of_largest(graph: Graph, scores: str, *, single: bool = False, order: tuple[int, ...] = ()) -> str:
    """Return the place of the largest score of each row, the first in `order` among equals."""
    compared = graph.cast(scores, np.float32) if single else scores
    if not order:
        return graph.add("ArgMax", compared, axis=1, keepdims=0)
    best = graph.add("ArgMax", graph.taken(compared, order), axis=1, keepdims=0)
    return graph.add("Gather", graph.constant(np.array(order, dtype=np.int64)), best, axis=0)


def counted(graph: Graph, shares: str, voice: Voice, n_classes: int) -> str:
    """Return what the class shares of a tree count."""
    if voice.kind == "shares":
        return graph.add("Div", shares, graph.total(shares, 1))
    if voice.kind == "choice":
        table = np.full((n_classes, n_classes), voice.wrong)
        np.fill_diagonal(table, voice.right)
        place = place_of_largest(graph, shares, single=voice.single, order=voice.order)
        return graph.add("Gather", graph.constant(table), place, axis=0)
    logs = graph.add("Log", graph.add("Max", shares, graph.constant(np.finfo(np.float64).eps)))
    mean = graph.add("Div", graph.total(logs, 1), graph.constant(np.float64(n_classes)))
    others = max(1, n_classes - 1)
    weight = graph.constant(np.float64(voice.right / others * others))
    return graph.add("Mul", weight, graph.add("Sub", logs, mean))
