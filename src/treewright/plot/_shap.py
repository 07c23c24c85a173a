"""Shapley values for pictures: from an estimator to a report, and colours of its rows."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from treewright.draw.colours import OTHER, blend
from treewright.explain import ShapReport

__all__ = ["shap_of", "value_colours"]

COLOUR_STEPS: Final = 8  # between the lowest and the highest value


def shap_of(estimator: Any, X: Any, options: dict[str, Any], who: str) -> ShapReport:
    """Return the report, or make it.

    Parameters
    ----------
    estimator : estimator or ShapReport
        What the user passed.
    X : object
        Rows for an estimator; None with a report.
    options : dict
        Further arguments of `shap`.
    who : str
        The function that asks, for messages.
    """
    if isinstance(estimator, ShapReport):
        if X is not None or options:
            raise TypeError(f"{who} of a ShapReport draws that report: leave X and other arguments out.")
        return estimator
    if not hasattr(estimator, "shap"):
        raise TypeError(
            f"{who} takes a fitted Treewright estimator or a ShapReport, not {type(estimator).__name__}."
        )
    if X is None:
        raise ValueError(f"{who} of an estimator needs rows: pass X.")
    report: ShapReport = estimator.shap(X, **options)
    return report


def value_colours(report: ShapReport, feature: int) -> list[str]:
    """Return a colour for each row by the rank of its value; grey for missing values and categories.

    Parameters
    ----------
    report : ShapReport
        The report.
    feature : int
        The feature.
    """
    values = report.data[:, feature]
    known = np.isfinite(values)
    if report._features and report._features[feature].kind == "nominal":
        known[:] = False
    colours = [OTHER] * len(values)
    ordered = np.sort(values[known])
    last = max(len(np.unique(ordered)) - 1, 1)
    ranks = np.searchsorted(np.unique(ordered), values[known]) / last
    for place, rank in zip(np.flatnonzero(known), ranks, strict=True):
        colours[place] = blend(round(float(rank) * COLOUR_STEPS) / COLOUR_STEPS)
    return colours
