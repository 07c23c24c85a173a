"""From inputs to one matrix of doubles: numbers as they are, categories as codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.export.onnx.decisions import Decisions, missing_code
from treewright.export.onnx.ensemble import Ensemble
from treewright.export.onnx.graph import ML, Graph
from treewright.program import Column, Program, Steps
from treewright.program.spelling import text_codes

__all__ = ["Inputs", "Type", "is_text", "matrix_of", "places_of"]

Type = Literal["double", "float", "text", "int"]

ZERO = 1e-35  # LightGBM's


@dataclass(frozen=True)
class Inputs:
    """What a graph is given.

    Attributes
    ----------
    names : tuple of str
        One for each column, or one matrix.
    types : tuple of {"double", "float", "text", "int"}
        Of each input.
    missing : tuple of str
        Texts that stand for a missing category where they are not categories themselves.
    """

    names: tuple[str, ...]
    types: tuple[Type, ...]
    missing: tuple[str, ...] = ()

    def is_matrix(self, program: Program) -> bool:
        """Whether one input holds all columns."""
        return len(self.names) == 1 and len(program.columns) != 1


def is_text(column: Column) -> bool:
    """Whether the categories of a column come as text: unless all are numbers that a double holds."""
    if column.is_numeric or not column.categories:
        return not column.is_numeric
    return not all(
        (isinstance(one, int | float) and abs(one) <= 2**53) or isinstance(one, float)
        for one in column.categories
    )


def places_of(program: Program, inputs: Inputs) -> dict[int, int]:
    """Return where the matrix holds each column that the trees look at."""
    if inputs.is_matrix(program) and all(column.is_numeric for column in program.columns):
        return {i: i for i in range(len(program.columns))}
    return {column: place for place, column in enumerate(program.used or [0])}


def matrix_of(graph: Graph, program: Program, inputs: Inputs) -> str:
    """Return the matrix that the trees look at."""
    columns, places = program.columns, places_of(program, inputs)
    whole = inputs.is_matrix(program)
    if whole and all(column.is_numeric for column in columns):
        matrix = _double(graph, inputs.names[0], inputs.types[0])
        return _without_zeros(graph, matrix, [column.zero_is_missing for column in columns])
    parts = []
    for i in places:
        column = columns[i]
        name, kind = (inputs.names[0], inputs.types[0]) if whole else (inputs.names[i], inputs.types[i])
        if whole:
            name = graph.taken(name, [i])
        if column.is_numeric:
            number = _double(graph, name, kind)
            parts.append(_without_zeros(graph, number, [column.zero_is_missing]))
        elif kind == "text":
            parts.append(_text_codes(graph, name, column, inputs.missing))
        else:
            parts.append(_number_codes(graph, _double(graph, name, kind), column))
    return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)


def _double(graph: Graph, name: str, kind: str) -> str:
    return name if kind == "double" else graph.cast(name, np.float64)


def _without_zeros(graph: Graph, matrix: str, asked: Sequence[bool]) -> str:
    """Return a matrix whose numbers near 0 are missing in some columns."""
    if not any(asked):
        return matrix
    limit = graph.constant(np.where(asked, ZERO, -1.0)[np.newaxis])
    near = graph.add("LessOrEqual", graph.add("Abs", matrix), limit)
    return graph.chosen(near, graph.constant(np.float64(np.nan)), matrix)


def _text_codes(graph: Graph, name: str, column: Column, missing: Sequence[str]) -> str:
    codes = text_codes(column)
    n_codes = len(column.categories)
    gap = n_codes + 2
    others = {word: gap for word in missing if word not in codes}
    if not others and missing:
        raise ValueError(
            f"A missing value of column {column.name!r} cannot be said: the texts that stand for it, "
            f"{', '.join(map(repr, missing))}, are categories of the column. Pass another one, for example "
            "missing=['<missing>']."
        )
    codes |= others
    encoded = graph.add(
        "LabelEncoder",
        name,
        domain=ML,
        keys_strings=[word.encode() for word in codes] or [b""],
        values_int64s=list(codes.values()) or [n_codes + 1],
        default_int64=n_codes + 1 if column.kind == "nominal" else gap,
    )
    number = graph.cast(encoded, np.float64)
    if column.kind == "nominal":
        return number
    is_missing = graph.add("Equal", number, graph.constant(np.float64(gap)))
    return graph.chosen(is_missing, graph.constant(np.float64(np.nan)), number)


def _number_codes(graph: Graph, number: str, column: Column) -> str:
    """Return the codes of categories that are numbers, found by a tree of comparisons."""
    lost = graph.constant(np.float64(column.unseen or np.nan))
    code = lost
    if column.categories:
        values = np.array([float(one) for one in column.categories])
        ranks = np.argsort(values, kind="stable")
        search = Ensemble(Decisions((Column("", "numeric"),), {0: 0}), with_sets=False)
        tree = _search(values[ranks])
        place = ranks[tree.values[search.add(tree, 0), 0].astype(np.int64)]
        entry = graph.cast(search.written(graph, number, 1), np.int64)
        known = graph.add("Gather", graph.constant(values[place]), entry, axis=0)
        found = graph.add("Gather", graph.constant(place + 1.0), entry, axis=0)
        code = graph.chosen(graph.add("Equal", number, known), found, lost)
    gap = graph.constant(np.float64(missing_code(column) if column.kind == "nominal" else np.nan))
    return graph.chosen(graph.add("IsNaN", number), gap, code)


def _search(values: NDArray[np.float64]) -> Steps:
    """Return a tree that finds the first of rising values that a number does not exceed."""
    ranges, feature, threshold, first_child = [(0, len(values) - 1)], [], [], []
    for low, high in ranges:  # which grows on the way
        middle = (low + high) // 2
        is_leaf = low == high
        feature.append(-1 if is_leaf else 0)
        threshold.append(np.nan if is_leaf else values[middle])
        first_child.append(0 if is_leaf else len(ranges))
        if not is_leaf:
            ranges += [(low, middle), (middle + 1, high)]
    size = len(ranges)
    return Steps(
        feature=np.array(feature),
        threshold=np.array(threshold),
        first_child=np.array(first_child),
        n_children=np.where(np.array(feature) < 0, 0, 2),
        missing=np.ones(size, dtype=np.int64),
        ways={},
        shares={},
        substitutes={},
        values=np.array([[low] for low, _ in ranges], dtype=np.float64),
    )
