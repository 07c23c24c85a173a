"""Which class of a report is meant, where a picture or a text shows one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.shap.report import ShapReport

__all__ = ["class_place", "one_output"]

Floats = NDArray[np.float64]


def class_place(report: ShapReport, label: Any, row: int | None = None) -> int | None:
    """Return the place of the class that is drawn; None where a row has one number.

    Parameters
    ----------
    report : ShapReport
        The report.
    label : object
        The class; None: the second of two classes, the most probable class of a single row, or the one with
        the largest values.
    row : int, optional
        The row whose most probable class is meant.
    """
    if report.classes is None:
        if label is not None:
            raise ValueError("A row has one number here and not one for each class: leave label out.")
        return None
    if label is not None:
        if str(label) not in report.classes:
            raise ValueError(f"label={label!r} is none of the classes: {', '.join(report.classes)}.")
        return report.classes.index(str(label))
    if row is not None:
        return int(np.argmax(report.predictions[row]))
    return 1 if len(report.classes) == 2 else int(np.argmax(np.abs(report.values).mean(axis=0).sum(axis=0)))


def one_output(report: ShapReport, label: Any, row: int | None = None) -> tuple[Floats, Floats, str]:
    """Return values (n_rows, n_features), base values and what they are, of the class that is drawn."""
    k = class_place(report, label, row)
    if k is None or report.classes is None:
        return report.values, report.base_values, report.meaning
    name = f"{report.meaning} of {printable(report.classes[k])}"
    return report.values[:, :, k], report.base_values[:, k], name
