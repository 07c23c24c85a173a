"""A model for treelite, which other programs (NVIDIA's FIL, TL2cgen) read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from treewright.export.checking import DOUBLE, Source, finished_bytes, refuse_nul
from treewright.export.exported import ExportedBytes

__all__ = ["export_treelite", "to_treelite"]

SINGLE = 1e-6  # of sums in single precision, and of treelite's softmax, which is computed in it


def to_treelite(model: Any) -> Any:
    """Return a fitted model as a ``treelite.Model``.

    A row is numbers: categories that are integers (or booleans) stand for themselves, all others are their
    places 0, 1, … among the column's categories, and any other number is a category that was never seen;
    NaN is missing. Numbers are compared and added up in double precision; in models of XGBoost in single
    precision, as there. Needs the package treelite, the extra ``treewright[treelite]``.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.

    Returns
    -------
    treelite.Model
        Its predictions are the number, the probability of each class or, of boosters for two classes, that
        of the second one.

    Raises
    ------
    UnsupportedExportError
        When treelite cannot say it: rows that go several ways (C4.5), surrogates, medians, calibration,
        zeros that are missing.

    Examples
    --------
    >>> from treewright import CARTRegressor, to_treelite
    >>> tree = CARTRegressor().fit([[1.0], [2.0]], [0.0, 6.0])
    >>> to_treelite(tree).num_tree  # doctest: +SKIP
    1
    """
    return _builder("to_treelite").build(Source.of(model, "to_treelite").program)


def export_treelite(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    check: Any = None,
) -> ExportedBytes:
    """Return a fitted model as the bytes of a treelite model.

    They are what ``treelite.Model.deserialize_bytes`` reads; `to_treelite` says what rows look like.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the training data; they stand among the model's attributes.
    check : table, optional
        Rows on which to run it beside the model, by treelite's own predictor: what was compared is in
        ``.check`` of the result. If the two disagree nothing is written and ExportCheckError is raised.

    Returns
    -------
    ExportedBytes
        The model, bytes.

    Examples
    --------
    >>> from treewright import CARTRegressor, export_treelite
    >>> tree = CARTRegressor().fit([[1.0], [2.0]], [0.0, 6.0])
    >>> export_treelite(tree, check=[[1.0], [9.0]]).check.rows  # doctest: +SKIP
    2
    """
    source = Source.of(model, "export_treelite", feature_names)
    refuse_nul(source.program, "treelite")
    builder = _builder("export_treelite")
    content = builder.build(source.program).serialize_bytes()
    is_single = source.program.single_sums or source.program.answer.link in ("softmax", "votes")
    return finished_bytes(source, content, path, check, builder.run, SINGLE if is_single else DOUBLE)


def _builder(who: str) -> Any:
    try:
        return import_module("treewright.export.treelite_model")
    except ModuleNotFoundError as error:
        if error.name != "treelite":
            raise
        raise ImportError(f'{who} needs treelite. Run: pip install "treewright[treelite]"') from None
