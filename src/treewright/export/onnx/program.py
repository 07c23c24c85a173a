"""A whole program as nodes of a graph: inputs in, label and probabilities or the number out."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.export.onnx.answer import labels_of, numbers_of
from treewright.export.onnx.columns import Inputs, matrix_of, places_of
from treewright.export.onnx.decisions import Decisions
from treewright.export.onnx.graph import Graph
from treewright.export.onnx.sums import Sums
from treewright.program import Program

__all__ = ["Outputs", "write_program"]


@dataclass(frozen=True)
class Outputs:
    """Names of what a graph computes.

    Attributes
    ----------
    numbers : str
        Probabilities, or the predicted number in one column; doubles.
    labels : str or None
        Predicted classes.
    """

    numbers: str
    labels: str | None


def write_program(graph: Graph, program: Program, inputs: Inputs, *, in_order: bool = False) -> Outputs:
    """Add the nodes of a program to a graph.

    Parameters
    ----------
    graph : Graph
        The graph.
    program : Program
        The program.
    inputs : Inputs
        What the graph is given.
    in_order : bool, default=False
        Whether trees are added one after the other whatever the runtime does.
    """
    decisions = Decisions(program.columns, places_of(program, inputs))
    trees = Sums(program, decisions, ml_version=graph.ml_version, in_order=in_order)
    matrix = decisions.appended(graph, matrix_of(graph, program, inputs))
    sums = trees.written(graph, matrix)
    numbers = numbers_of(graph, sums, program.answer, program.n_sums)
    if program.answer.classes is None:
        return Outputs(numbers, None)
    return Outputs(numbers, labels_of(graph, sums, numbers, program.answer, program.n_sums))
