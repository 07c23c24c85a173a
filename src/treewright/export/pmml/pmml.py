"""A model as PMML 4.4, which programs of banks, databases and statistics read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.export.checking import Source, finished, refuse_nul
from treewright.export.exported import Exported
from treewright.export.pmml.fields import Fields
from treewright.export.pmml.models import Models
from treewright.export.pmml.page import Page, refuse_unwritable
from treewright.export.pmml.running import pmml_run
from treewright.version import VERSION

__all__ = ["export_pmml"]


def export_pmml(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    check: Any = None,
) -> Exported:
    """Return a fitted model as PMML 4.4.

    Trees stay as they are, with as many branches as they have. Forests and boosters become segments whose
    values are averaged or added up in the model's order; what PMML has no model for (rows that go several
    ways, links, calibration) is written as formulas of its own functions. The target field has the
    prediction, the output fields ``probability(<class>)`` the probabilities.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the training data.
    check : table, optional
        Rows on which to run it beside the model: by JPMML-Evaluator if the package jpmml_evaluator and Java
        are there, otherwise by reading the text. What was compared is in ``.check`` of the result. If the
        two disagree nothing is written and ExportCheckError is raised.

    Returns
    -------
    Exported
        The text, a str, without a line break at the end.

    Examples
    --------
    >>> from treewright import CARTRegressor, export_pmml
    >>> tree = CARTRegressor().fit([[1.0], [2.0]], [0.0, 6.0])
    >>> print(export_pmml(tree).splitlines()[-6].strip())
    <Node id="2" score="6">
    """
    source = Source.of(model, "export_pmml", feature_names)
    refuse_nul(source.program, "PMML")
    refuse_unwritable(source.program)
    page, fields = Page(), Fields(source.program)
    weights = [np.asarray(tree.to_arrays()["weight"], dtype=np.float64) for tree in source.model.trees]
    with page.inside("PMML", {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"}):
        with page.inside("Header", {"description": source.model.algorithm}):
            page.add("Application", {"name": "Treewright", "version": VERSION})
        fields.dictionary(page)
        fields.derive(page)
        Models(page, fields, weights).write()
    return finished(source, page.text, path, check, pmml_run(fields))
