"""JPMML-Evaluator in a Java process of its own, which ends with this one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jpmml_evaluator
from jpmml_evaluator.py4j import Py4JBackend
from pandas import DataFrame
from py4j.java_gateway import JavaGateway

from treewright.exceptions import ExportCheckError

__all__ = ["answers", "java"]


@cache
def java() -> Any:
    """Return the Java process; it is started when it is first asked for."""
    jars = sorted(str(jar) for jar in Path(jpmml_evaluator.__file__).parent.glob("*/*.jar"))
    # Deep trees are walked by functions that call themselves.
    gateway = JavaGateway.launch_gateway(
        classpath=os.pathsep.join(jars), javaopts=["-Xss256m", "-Xmx3g"], die_on_exit=True, enable_auth=True
    )
    return Py4JBackend(gateway)


def answers(text: str, columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return the target and all outputs of rows.

    Parameters
    ----------
    text : str
        A document of PMML.
    columns : mapping of str to sequence
        The values of each column, None for missing.
    """
    try:
        model = jpmml_evaluator.make_evaluator(text.encode("utf-8"), backend=java())
        model.verify()
        given = DataFrame({name: list(values) for name, values in columns.items()}, dtype=object)
        found, errors = model.evaluateAll(given, nan_as_missing=False, error_col=None, parallelism=1)
    except jpmml_evaluator.JavaError as error:
        raise ExportCheckError(f"JPMML-Evaluator does not take the document: {error}") from error
    if errors is not None and errors.notna().any():
        raise ExportCheckError(f"JPMML-Evaluator fails on a row: {errors[errors.notna()].iloc[0]}")
    return {str(name): found[name].tolist() for name in found.columns}
