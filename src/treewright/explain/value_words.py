"""The values of a row in words: numbers, names of categories, what is missing or was never seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.data import Feature
from treewright.model.number import format_threshold
from treewright.model.text import printable

__all__ = ["UNSEEN", "number_words", "row_words"]

UNSEEN = "not seen in training"


def number_words(value: float) -> str:
    """Write a number of the data with six digits, more when it is a large whole number."""
    return format_threshold(value)


def row_words(features: tuple[Feature, ...], row: NDArray[np.float64]) -> list[str]:
    """Return one text per feature."""
    return [_words(feature, float(value)) for feature, value in zip(features, row, strict=True)]


def _words(feature: Feature, value: float) -> str:
    if np.isnan(value):
        return "missing"
    if feature.kind == "numeric":
        return number_words(value)
    categories = feature.categories or ()
    code = int(value)
    return printable(str(categories[code - 1])) if code <= len(categories) else UNSEEN
