"""What a cell of a text file means: missing, a number, true or false, or text. The one place that decides."""

from __future__ import annotations

import math
import re
from typing import Final

__all__ = ["BOOLEANS", "MISSING", "NUMBER", "number_of"]

#: Cells that stand for a missing value, spaces around them not counted.
MISSING: Final = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?")

#: What a number looks like, spaces around it not counted. Readers differ in what else they take for one.
NUMBER: Final = r"[ \t]*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))[ \t]*"

#: A column of nothing but these is a column of booleans.
BOOLEANS: Final = {
    "false": False,
    "False": False,
    "FALSE": False,
    "true": True,
    "True": True,
    "TRUE": True,
}

_NUMBER = re.compile(NUMBER)


def number_of(text: str) -> float:
    """Return the number that a cell holds, or NaN when it holds none."""
    return float(text) if _NUMBER.fullmatch(text) else math.nan
