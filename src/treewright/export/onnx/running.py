"""Runs an ONNX file on rows: by onnxruntime, or by the reference evaluator of the package onnx without it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from treewright.export.checking import Rows, Run, Said
from treewright.export.onnx.columns import Inputs
from treewright.program.spelling import spellings

__all__ = ["onnx_run", "rows_given", "session_of"]


def onnx_run(inputs: Inputs) -> Run:
    """Return a run by onnxruntime, or by onnx itself where that is not installed."""

    def run(content: bytes, rows: Rows) -> Said:
        given = rows_given(rows, inputs)
        if find_spec("onnxruntime") is None:
            runtime = f"onnx {onnx.__version__}'s reference evaluator (onnxruntime is not installed)"
            found: Any = ReferenceEvaluator(onnx.load_from_string(content)).run(None, given)
        else:
            session, runtime = session_of(content)
            found = session.run(None, given)
        numbers = np.asarray(found[-1], dtype=np.float64)
        return Said(runtime, numbers, None if rows.program.answer.classes is None else found[0].tolist())

    return run


def session_of(content: bytes, threads: int = 1) -> tuple[Any, str]:
    """Return a session of onnxruntime, and its name; with one thread it adds trees in their order."""
    ort = import_module("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session, f"onnxruntime {ort.__version__}"


def rows_given(rows: Rows, inputs: Inputs) -> dict[str, Any]:
    """Return rows as a session takes them."""
    dtypes = {"double": np.float64, "float": np.float32}
    if all(column.is_numeric for column in rows.program.columns):
        return {inputs.names[0]: rows.matrix.astype(dtypes[inputs.types[0]])}
    given: dict[str, Any] = {}
    for i, (name, kind) in enumerate(zip(inputs.names, inputs.types, strict=True)):
        values = rows.columns[i]
        if kind == "text":
            known = set(rows.program.columns[i].categories)
            gap = next((word for word in inputs.missing if word not in known), "")
            texts = [gap if value is None else spellings(value)[0] for value in values]
            given[name] = np.array(texts, dtype=object).reshape(-1, 1)
        else:
            numbers = [np.nan if value is None else float(value) for value in values]
            given[name] = np.array(numbers, dtype=dtypes[kind]).reshape(-1, 1)
    return given
