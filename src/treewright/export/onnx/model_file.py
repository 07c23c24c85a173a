"""A program as the bytes of an ONNX file. Needs the package onnx, so it is loaded when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray

from treewright.export.onnx.answer import label_values
from treewright.export.onnx.columns import Inputs, Type, is_text
from treewright.export.onnx.graph import ML, PlainGraph
from treewright.export.onnx.program import Outputs, write_program
from treewright.program import Program
from treewright.version import VERSION

__all__ = ["inputs_of", "model_bytes"]

OPSET, IR_VERSION = 18, 10
MOST_BYTES = 2**31 - 1  # of one message of protobuf
LABEL, PROBABILITIES, NUMBER = "label", "probabilities", "variable"
TYPES = {"double": onnx.TensorProto.DOUBLE, "float": onnx.TensorProto.FLOAT, "text": onnx.TensorProto.STRING}
LABEL_TYPES = {
    "O": onnx.TensorProto.STRING,
    "b": onnx.TensorProto.BOOL,
    "i": onnx.TensorProto.INT64,
    "f": onnx.TensorProto.DOUBLE,
}


def inputs_of(program: Program, numbers: Literal["double", "float"], missing: Sequence[str]) -> Inputs:
    """Return the inputs: one matrix of numbers, or one input for each column when any holds categories."""
    outputs = {NUMBER} if program.answer.classes is None else {LABEL, PROBABILITIES}
    columns = program.columns
    if all(column.is_numeric for column in columns):
        return Inputs(("X",), (numbers,))
    names: list[str] = []
    for i, column in enumerate(columns):
        name = column.name or f"column_{i}"
        while name in outputs or name in names:
            name += "_column"
        names.append(name)
    # A category such as 0.1 is no single number.
    types: tuple[Type, ...] = tuple(
        numbers if column.is_numeric else "text" if is_text(column) else "double" for column in columns
    )
    return Inputs(tuple(names), types, tuple(missing))


def model_bytes(
    program: Program, inputs: Inputs, numbers: Literal["double", "float"], in_order: bool
) -> bytes:
    """Return the file of a program."""
    answer = program.answer
    graph = PlainGraph([*inputs.names, LABEL, PROBABILITIES, NUMBER])
    found = write_program(graph, program, inputs, in_order=in_order)
    outputs = _named(graph, found, numbers)
    width = len(program.columns) if len(inputs.names) == 1 else 1
    proto = onnx.helper.make_graph(
        [_node(*node) for node in graph.nodes],
        program.algorithm,
        [
            onnx.helper.make_tensor_value_info(name, TYPES[kind], ["rows", width])
            for name, kind in zip(inputs.names, inputs.types, strict=True)
        ],
        [
            onnx.helper.make_tensor_value_info(
                name,
                LABEL_TYPES[label_values(answer).dtype.kind] if name == LABEL else TYPES[numbers],
                ["rows"] if name == LABEL else ["rows", answer.n_outputs],
            )
            for name in outputs
        ],
        [onnx.numpy_helper.from_array(array, name) for name, array in graph.constants.items()],
    )
    model = onnx.helper.make_model(
        proto,
        opset_imports=[onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid(ML, 5)],
        ir_version=IR_VERSION,
        producer_name="treewright",
        producer_version=VERSION,
        doc_string=f"{program.algorithm}, written by Treewright {VERSION}.",
    )
    onnx.helper.set_model_props(model, _facts(program, inputs))
    if model.ByteSize() > MOST_BYTES:
        raise ValueError(
            f"The model takes {model.ByteSize() / 1e9:.1f} GB as ONNX, whose files end at 2 GB. "
            "Export it to C or Python, or fit fewer or smaller trees."
        )
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _named(graph: PlainGraph, found: Outputs, numbers: str) -> list[str]:
    """Give the results their names, in the type that was asked for."""
    name = NUMBER if found.labels is None else PROBABILITIES
    dtype = {"float": onnx.TensorProto.FLOAT, "double": onnx.TensorProto.DOUBLE}[numbers]
    if found.labels is not None:
        graph.put("Identity", [found.labels], [LABEL], "", {})
    graph.put("Cast", [found.numbers], [name], "", {"to": dtype})
    return [name] if found.labels is None else [LABEL, name]


def _node(
    op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, attributes: dict[str, Any]
) -> onnx.NodeProto:
    node = onnx.NodeProto(op_type=op, input=inputs, output=outputs, domain=domain)
    node.attribute.extend(_attribute(key, value) for key, value in sorted(attributes.items()))
    return node


def _attribute(key: str, value: int | str | list[Any] | NDArray[Any]) -> onnx.AttributeProto:
    """Return an attribute; onnx's own function looks at every entry of a list for its type."""
    if isinstance(value, np.ndarray):
        tensor = onnx.numpy_helper.from_array(value)
        return onnx.AttributeProto(name=key, type=onnx.AttributeProto.TENSOR, t=tensor)
    if isinstance(value, list):
        if value and isinstance(value[0], bytes):
            return onnx.AttributeProto(name=key, type=onnx.AttributeProto.STRINGS, strings=value)
        return onnx.AttributeProto(name=key, type=onnx.AttributeProto.INTS, ints=value)
    return onnx.helper.make_attribute(key, value)


def _facts(program: Program, inputs: Inputs) -> dict[str, str]:
    """Return what the file says about itself, as JSON."""
    columns = [
        {"name": column.name, "kind": column.kind, "input": inputs.names[i if len(inputs.names) > 1 else 0]}
        | ({"categories": list(column.categories)} if not column.is_numeric else {})
        for i, column in enumerate(program.columns)
    ]
    facts = {"algorithm": program.algorithm, "columns": columns, "version": VERSION}
    if program.answer.classes is not None:
        facts["classes"] = list(program.answer.classes)
    if program.target is not None:
        facts["target"] = program.target
    if inputs.missing:
        facts["missing"] = list(inputs.missing)
    return {
        f"treewright.{key}": json.dumps(value, ensure_ascii=False) for key, value in sorted(facts.items())
    }
