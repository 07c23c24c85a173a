"""From sums to what a model answers, as standard operators; formulas are those of `program.Answer`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.export.onnx.graph import Graph
from treewright.export.onnx.votes import place_of_largest
from treewright.program import Answer, Calibration

__all__ = ["label_values", "labels_of", "numbers_of"]


def numbers_of(graph: Graph, sums: str, answer: Answer, n_sums: int) -> str:
    """Return probabilities, or the predicted number in one column."""
    found = sums if not answer.begin else graph.taken(sums, range(answer.begin, n_sums))
    name, factor = answer.named_link
    if factor != 1.0:
        found = graph.add("Mul", found, graph.constant(np.float64(factor)))
    if name == "votes":
        others = graph.constant(np.float64(max(1, n_sums - answer.begin - 1)))
        found = _shares(graph, graph.add("Exp", graph.add("Div", found, others)))
    elif name != "identity":
        found = _LINKS[name](graph, found)
    if answer.calibration is not None and answer.calibration.curves:
        found = _calibrated(graph, found, answer.calibration, answer.n_outputs)
    return found


def labels_of(graph: Graph, sums: str, numbers: str, answer: Answer, n_sums: int) -> str:
    """Return the predicted class of each row."""
    if answer.choice == "sign":
        above = graph.add("Greater", sums, graph.constant(np.float64(0.0)))
        place = graph.squeezed(graph.cast(above, np.int64), 1)
    else:
        scores = numbers
        if answer.choice == "sums":
            scores = sums if answer.n_outputs == n_sums else graph.taken(sums, range(answer.n_outputs))
        place = place_of_largest(graph, scores, single=answer.single, order=answer.order)
    return graph.add("Gather", graph.constant(label_values(answer)), place, axis=0)


def label_values(answer: Answer) -> Any:
    """Return the classes as an array of texts, integers, booleans or doubles."""
    classes = answer.classes or ()
    kinds = {type(one) for one in classes}
    if kinds == {bool}:
        return np.array(classes, dtype=np.bool_)
    if kinds == {int}:
        return np.array(classes, dtype=np.int64)
    if kinds <= {int, float}:
        return np.array(classes, dtype=np.float64)
    return np.array([str(one) for one in classes], dtype=object)


# --- links
# ----------------------------------------------------------------------------------------------------------


def _sigmoid(graph: Graph, x: str) -> str:
    """Return 1 / (1 + e^−x), without overflow."""
    one = graph.constant(np.float64(1.0))
    small = graph.add("Exp", graph.add("Neg", graph.add("Abs", x)))
    smaller = graph.add("Div", small, graph.add("Add", one, small))
    above = graph.add("Greater", x, graph.constant(np.float64(0.0)))
    return graph.chosen(above, graph.add("Sub", one, smaller), smaller)


def _two_classes(graph: Graph, x: str) -> str:
    return _with_other(graph, _sigmoid(graph, x))


def _with_other(graph: Graph, second: str) -> str:
    first = graph.add("Sub", graph.constant(np.float64(1.0)), second)
    return graph.add("Concat", first, second, axis=1)


def _shares(graph: Graph, x: str) -> str:
    return graph.add("Div", x, graph.total(x, 1))


def _softmax(graph: Graph, x: str) -> str:
    # The largest as an operand of its own: runtimes reduce maxima under different versions of the operator.
    values, places = graph.fresh("largest"), graph.fresh("place")
    graph.put("TopK", [x, graph.constant(np.array([1]))], [values, places], "", {"axis": 1})
    return _shares(graph, graph.add("Exp", graph.add("Sub", x, values)))


def _square(graph: Graph, x: str) -> str:
    return graph.add("Mul", graph.add("Mul", graph.add("Sign", x), x), x)


def _softplus(graph: Graph, x: str) -> str:
    """Return log(1 + e^x) = max(x, 0) + log(1 + e^−|x|), exact for small powers."""
    one, zero = graph.constant(np.float64(1.0)), graph.constant(np.float64(0.0))
    small = graph.add("Exp", graph.add("Neg", graph.add("Abs", x)))
    more = graph.add("Add", one, small)
    gained = graph.add("Sub", more, one)
    lost = graph.add("Equal", gained, zero)
    ratio = graph.add("Div", graph.add("Log", more), graph.chosen(lost, one, gained))
    log = graph.add("Mul", small, graph.chosen(lost, one, ratio))
    return graph.add("Add", graph.add("Max", x, zero), log)


def _step(graph: Graph, x: str) -> str:
    return graph.cast(graph.add("Greater", x, graph.constant(np.float64(0.0))), np.float64)


_LINKS: dict[str, Callable[[Graph, str], str]] = {
    "log": lambda graph, x: graph.add("Exp", x),
    "sigmoid": _sigmoid,
    "square": _square,
    "softplus": _softplus,
    "step": _step,
    "logit": _two_classes,
    "softmax": _softmax,
    "one_vs_rest": _sigmoid,
    "shares": _shares,
}


# --- calibration
# ----------------------------------------------------------------------------------------------------------


def _calibrated(graph: Graph, shares: str, calibration: Calibration, n_classes: int) -> str:
    if len(calibration.curves) == 1:
        return _with_other(graph, _curve(graph, graph.taken(shares, [1]), calibration, 0))
    curves = [_curve(graph, graph.taken(shares, [k]), calibration, k) for k in range(n_classes)]
    found = graph.add("Concat", *curves, axis=1)
    total = graph.total(found, 1)
    above = graph.add("Greater", total, graph.constant(np.float64(0.0)))
    even = graph.constant(np.float64(1 / n_classes))
    one = graph.constant(np.float64(1.0))
    return graph.chosen(above, graph.add("Div", found, graph.chosen(above, total, one)), even)


def _curve(graph: Graph, share: str, calibration: Calibration, place: int) -> str:
    first, second = (np.array(numbers) for numbers in calibration.curves[place])
    if calibration.kind == "sigmoid":
        line = graph.add("Mul", graph.constant(first[0]), share)
        return _sigmoid(graph, graph.add("Add", line, graph.constant(second[0])))
    # Which points the share has reached, and the line from the last of them; before the first: its value.
    reached = graph.cast(graph.add("GreaterOrEqual", share, graph.constant(first[np.newaxis])), np.int64)
    last = graph.total(reached, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.diff(second) / np.diff(first)
    slope = np.concatenate([[0.0], np.where(np.diff(first) > 0, slope, 0.0), [0.0]])
    begin, value = np.concatenate([first[:1], first]), np.concatenate([second[:1], second])
    run = graph.add("Sub", share, graph.add("Gather", graph.constant(begin), last, axis=0))
    rise = graph.add("Mul", graph.add("Gather", graph.constant(slope), last, axis=0), run)
    return graph.add("Add", rise, graph.add("Gather", graph.constant(value), last, axis=0))
