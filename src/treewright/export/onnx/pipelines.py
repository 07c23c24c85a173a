"""Converters of skl2onnx: a model among the steps of a pipeline. Needs the packages onnx and skl2onnx.

skl2onnx writes version 3 of the domain of trees, which has neither sets nor answers in double precision. So
trees answer with the number of a leaf, and values are looked up: as exact as the file of `export_onnx`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import (
    BooleanTensorType,
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
)

from treewright.export.onnx.answer import label_values
from treewright.export.onnx.columns import Inputs, Type
from treewright.export.onnx.graph import ML, Graph
from treewright.export.onnx.program import write_program
from treewright.program import Answer, Program, describe

__all__ = ["register_class"]

LEAST_OPSET, LEAST_ML = 13, 3
KINDS: dict[Any, Type] = {
    DoubleTensorType: "double",
    FloatTensorType: "float",
    Int64TensorType: "int",
    BooleanTensorType: "int",
    StringTensorType: "text",
}
MISSING = ("nan", "None")


def register_class(estimator: type, *, is_classifier: bool) -> None:
    """Teach skl2onnx an estimator.

    Parameters
    ----------
    estimator : type
        The class.
    is_classifier : bool
        Whether it answers with a label and probabilities, and takes the options of skl2onnx's classifiers.
    """
    options = {"zipmap": [True, False, "columns"], "nocl": [True, False]} if is_classifier else None
    update_registered_converter(
        estimator, f"Treewright{estimator.__name__}", _set_shapes, _convert, options=options
    )


def _set_shapes(operator: Any) -> None:
    """Tell skl2onnx the types of what a model answers: numbers as they come in."""
    rows = operator.inputs[0].get_first_dimension()
    answer = describe(operator.raw_operator.model_).answer
    numbers = _answer_type(operator)([rows, answer.n_outputs])
    operator.outputs[-1].set_type(numbers)
    if answer.classes is not None:
        operator.outputs[0].set_type(_label_type(answer)([rows]))


def _label_type(answer: Answer) -> Any:
    """Return the type of labels: text, or integers for all that are whole numbers, as skl2onnx has it."""
    values = label_values(answer)
    if values.dtype.kind == "O":
        return StringTensorType
    return Int64TensorType if (values == values.astype(np.int64)).all() else DoubleTensorType


def _answer_type(operator: Any) -> Any:
    """Return the type of an answer's numbers: doubles for doubles, but in maps, which hold singles only."""
    is_double = any(isinstance(one.type, DoubleTensorType) for one in operator.inputs)
    options = operator.scope_inst.get_options(operator.raw_operator, {"zipmap": True}, fail=False)
    in_maps = len(operator.outputs) == 2 and options["zipmap"] is True
    return DoubleTensorType if is_double and not in_maps else FloatTensorType


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write the nodes of a model."""
    model = operator.raw_operator.model_
    versions = container.target_opset_any_domain(""), container.target_opset_any_domain(ML)
    if versions[0] < LEAST_OPSET or versions[1] < LEAST_ML:
        raise RuntimeError(
            f"{model.algorithm} needs opset {LEAST_OPSET} and version {LEAST_ML} of {ML}, not "
            f"{versions[0]} and {versions[1]}. Pass target_opset={{'': 18, '{ML}': {LEAST_ML}}}."
        )
    program = describe(model)
    graph = _ContainerGraph(scope, container)
    inputs = _inputs(graph, operator, program)
    found = write_program(graph, program, inputs)
    numbers = graph.cast(
        found.numbers, np.float64 if _answer_type(operator) is DoubleTensorType else np.float32
    )
    graph.put("Identity", [numbers], [operator.outputs[-1].full_name], "", {})
    if found.labels is not None:
        labels = found.labels
        if _label_type(program.answer) is Int64TensorType:
            labels = graph.cast(labels, np.int64)
        graph.put("Identity", [labels], [operator.outputs[0].full_name], "", {})


def _inputs(graph: Graph, operator: Any, program: Program) -> Inputs:
    """Return the columns: one matrix, or those of all inputs one after the other."""
    names: list[str] = []
    types: list[Type] = []
    for variable in operator.inputs:
        kind = KINDS.get(type(variable.type))
        if kind is None:
            raise RuntimeError(
                f"{program.algorithm} takes numbers and text, not {type(variable.type).__name__} "
                f"({variable.full_name})."
            )
        if len(operator.inputs) == 1:
            return Inputs((variable.full_name,), (kind,), MISSING)
        width = variable.type.shape[1] or 1
        names += [
            graph.taken(variable.full_name, [i]) if width > 1 else variable.full_name for i in range(width)
        ]
        types += [kind] * width
    if len(names) != len(program.columns):
        raise RuntimeError(
            f"{program.algorithm} was fitted with {len(program.columns)} columns, but the inputs have "
            f"{len(names)}."
        )
    return Inputs(tuple(names), tuple(types), MISSING)


class _ContainerGraph(Graph):
    """What skl2onnx gives a converter, as a graph."""

    def __init__(self, scope: Any, container: Any) -> None:
        super().__init__(ml_version=LEAST_ML)
        self._scope = scope
        self._container = container

    def put(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, attributes: dict[str, Any]
    ) -> None:
        """Add a node."""
        written = {
            key: onnx.numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
            for key, value in attributes.items()
        }
        self._container.add_node(
            op,
            list(inputs),
            list(outputs),
            op_domain=domain,
            op_version=LEAST_ML if domain == ML else None,
            name=self._scope.get_unique_operator_name(op),
            **written,
        )

    def keep(self, name: str, array: NDArray[Any]) -> None:
        """Add a constant."""
        tensor = onnx.numpy_helper.from_array(array, name)
        if array.dtype.kind == "O":
            self._container.add_initializer(name, tensor.data_type, array.shape, array.ravel().tolist())
        else:
            self._container.add_initializer(name, tensor.data_type, array.shape, tensor)

    def fresh(self, hint: str) -> str:
        """Return a name that nothing has."""
        found: str = self._scope.get_unique_variable_name(f"tw_{hint}")
        return found
