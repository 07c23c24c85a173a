"""Runs exported PMML on rows: by JPMML-Evaluator, where Java and its package are there, or by reading it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from treewright.export.checking import Rows, Run, Said
from treewright.export.pmml.fields import Fields
from treewright.export.pmml.reading import Document

__all__ = ["pmml_run", "run_reading"]


def pmml_run(fields: Fields) -> Run:
    """Return a run by JPMML-Evaluator, or of what the text says where that is not there."""
    if find_spec("jpmml_evaluator") is None:
        return lambda text, rows: run_reading(fields, text, rows, "jpmml_evaluator is not installed")
    if shutil.which("java") is None:
        return lambda text, rows: run_reading(fields, text, rows, "Java is not installed")
    jpmml = import_module("treewright.export.pmml.running_jpmml")
    return lambda text, rows: _said(fields, "JPMML-Evaluator", jpmml.answers(text, _given(fields, rows)))


def run_reading(fields: Fields, text: str, rows: Rows, why: str) -> Said:
    """Read the text and do what it says."""
    document = Document(text)
    given = _given(fields, rows)
    names = list(given)
    answers = [
        document.evaluate(dict(zip(names, row, strict=True))) for row in zip(*given.values(), strict=True)
    ]
    columns = {name: [answer[name] for answer in answers] for name in [fields.target, *fields.probabilities]}
    return _said(fields, f"Treewright, reading the text ({why})", columns)


def _given(fields: Fields, rows: Rows) -> dict[str, list[Any]]:
    """Return the columns of rows, None for missing, in the types that the document declares."""
    given = {}
    for column, domain, values in zip(fields.program.columns, fields.domains, rows.columns, strict=True):
        if domain is None:
            given[column.name] = [None if value != value else value for value in values]
        elif domain.data_type == "string":
            given[column.name] = [None if value is None else _text(value) for value in values]
        elif domain.data_type == "double":
            given[column.name] = [None if value is None else float(value) for value in values]
        else:
            given[column.name] = values
    return given


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _said(fields: Fields, runtime: str, columns: Mapping[str, Sequence[Any]]) -> Said:
    classes = fields.program.answer.classes
    if classes is None:
        return Said(runtime, np.array(columns[fields.target], dtype=np.float64)[:, np.newaxis], None)
    numbers = np.column_stack([np.array(columns[name], dtype=np.float64) for name in fields.probabilities])
    is_double = fields.classes.data_type == "double"
    known = {
        float(w) if is_double else w: label for w, label in zip(fields.classes.words, classes, strict=True)
    }
    labels = [known[float(value) if is_double else _text(value)] for value in columns[fields.target]]
    return Said(runtime, numbers, labels)
