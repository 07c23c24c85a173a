"""Texts that were meant to be numbers or dates, and what to do about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["meant_as"]

MOST_LOOKED_AT = 200
FEWEST = 3

_DIGITS = r"\s*[+-]?\s*"
#: What all texts of a column look like → what to say about it.
_LOOKS: Final = (
    (
        re.compile(rf"{_DIGITS}\d*,\d+\s*"),
        "looks like numbers with a decimal comma: --decimal , reads them.",
    ),
    (
        re.compile(rf"{_DIGITS}(?:\d{{1,3}}(?:[.,'\u2019\u00a0\u202f ]\d{{3}})+|\d+)(?:[.,]\d+)?\s*"),
        "looks like numbers with signs between thousands: take these out of the file.",
    ),
    (
        re.compile(rf"{_DIGITS}\d[\d.,'\u2019]*\s*%\s*"),
        "looks like percentages: take the sign % out of the file.",
    ),
    (
        re.compile(rf"{_DIGITS}[$€£¥]\s*\d[\d.,'\u2019]*\s*|{_DIGITS}\d[\d.,'\u2019]*\s*[$€£¥]\s*"),
        "looks like amounts of money: take the sign of the currency out of the file.",
    ),
    (
        re.compile(
            r"\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})"
            r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?)?\s*"
        ),
        "looks like dates; as text each is a category of its own: write numbers beside it, such as the year, "
        "the month, or days since a day.",
    ),
)


def meant_as(texts: Sequence[object]) -> str | None:
    """Return what the values of a column of text look like and what to do, None where they look like words.

    Parameters
    ----------
    texts : sequence
        The different values.
    """
    looked_at = [str(text) for text in texts[:MOST_LOOKED_AT]]
    if len(looked_at) < FEWEST or not all(isinstance(text, str) for text in texts[:MOST_LOOKED_AT]):
        return None
    for look, words in _LOOKS:
        if all(look.fullmatch(text) for text in looked_at):
            return words
    return None
