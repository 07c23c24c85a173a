"""A model as an ONNX file: trees with sets and double precision, the rest standard operators."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal

from treewright.exceptions import UnsupportedExportError
from treewright.export.checking import DOUBLE, Source, finished_bytes, refuse_nul
from treewright.export.exported import ExportedBytes

__all__ = ["export_onnx", "needed"]

# Sums of singles in other orders.
SINGLE = 1e-5


def export_onnx(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    numbers: Literal["double", "float"] = "double",
    missing: Sequence[str] = ("nan", "None"),
    in_order: bool = False,
    feature_names: Sequence[str] | None = None,
    check: Any = None,
) -> ExportedBytes:
    """Return a fitted model as ONNX, and write it to a file if asked to.

    The file takes one input ``X``, a matrix of numbers, or one input with the name of each column when any
    holds categories: text (or numbers, where all categories are numbers), shape (rows, 1). It answers with
    ``label`` and ``probabilities``, or with ``variable``, the predicted number. Thresholds, sets of
    categories, unseen categories and missing values (NaN) are those of the model; numbers are compared and
    trees added in double precision. It needs onnxruntime 1.23 or another runtime with opset 5 of
    ``ai.onnx.ml``.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    numbers : {"double", "float"}, default="double"
        Type of numbers that go in and come out. Single ones are compared exactly, and answers are rounded.
    missing : sequence of str, default=("nan", "None")
        Texts that stand for a missing category, because ONNX has no missing text: what onnxruntime makes of
        NaN and None in an array of objects. A text that is a category of a column is that category there.
    in_order : bool, default=False
        Add trees one after the other as the model does, to the last bit, whatever the runtime's threads do.
        By default the runtime adds them, which is faster and in another order where several threads share
        the trees. (Forests of classes are always added in order.)
    feature_names : sequence of str, optional
        Names of the columns instead of those of the training data.
    check : table, optional
        Rows on which to run the file beside the model, by onnxruntime or, without it, by onnx's reference
        evaluator: what was compared is in ``.check`` of the result. If the two disagree nothing is written
        and ExportCheckError is raised.

    Returns
    -------
    ExportedBytes
        The file, bytes.

    Examples
    --------
    >>> from treewright import CARTClassifier, export_onnx
    >>> tree = CARTClassifier().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    >>> export_onnx(tree, check=[[1.5], [3.0]]).check.rows
    2
    """
    if numbers not in ("double", "float"):
        raise ValueError(f"numbers must be 'double' or 'float'. Got {numbers!r}.")
    missing = [missing] if isinstance(missing, str) else list(missing)
    if not all(isinstance(word, str) for word in missing):
        raise ValueError(f"missing must be texts. Got {missing!r}.")
    source = Source.of(model, "export_onnx", feature_names)
    refuse_nul(source.program, "ONNX")
    file = needed("model_file", "export_onnx")
    inputs = file.inputs_of(source.program, numbers, missing)
    try:
        content = file.model_bytes(source.program, inputs, numbers, in_order)
    except UnicodeEncodeError as error:
        text = str(error.object)[:40]
        raise UnsupportedExportError(
            f"ONNX keeps text as UTF-8, which cannot hold {text!r}: rename it before fit."
        ) from None
    exact = numbers == "double" and not source.program.single_sums
    run = needed("running", "export_onnx").onnx_run(inputs)
    return finished_bytes(source, content, path, check, run, DOUBLE if exact else SINGLE)


def needed(module: str, who: str) -> Any:
    """Return a module of this folder; ImportError that tells what to install where its packages are missing.

    Parameters
    ----------
    module : str
        Its name.
    who : str
        What needs it.
    """
    try:
        return import_module(f"treewright.export.onnx.{module}")
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("treewright"):
            raise
        raise ImportError(f'{who} needs {error.name}. Run: pip install "treewright[onnx]"') from None
