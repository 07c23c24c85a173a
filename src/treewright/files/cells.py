"""Cells: a batch of one column of a text file, before anything is decided about it.

`PlainCells` is the meaning; the classes for polars, pyarrow and pandas answer the same questions sooner.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.files.tokens import number_of

__all__ = ["Cells", "PlainCells", "code_distinct", "numbers_of_distinct", "numbers_of_texts"]

Floats = NDArray[np.float64]
Codes = NDArray[np.uint32]
# Of these Python makes the same numbers as we do; of others it makes more, such as 1_000.
PLAIN_LETTERS = frozenset("0123456789+-.eE \t")


class Cells(Protocol):
    """What a batch of one column can be asked."""

    def __len__(self) -> int: ...

    def numbers(self, missing: Collection[str]) -> Floats | None:
        """Return the numbers, NaN for missing; None when some cell is neither."""

    def codes(self, missing: Collection[str], index: dict[str, int]) -> Codes:
        """Return each text's code in `index`, 0 for missing; new texts are added to it, by appearance."""

    def text(self, row: int) -> str:
        """Return one cell."""


def numbers_of_distinct(texts: Sequence[str], missing: Collection[str]) -> Floats | None:
    """Return the number of each text, NaN for missing; None when one is neither."""
    values = np.empty(len(texts), dtype=np.float64)
    for place, text in enumerate(texts):
        values[place] = number_of(text)
        if values[place] != values[place] and text.strip() not in missing:
            return None
    return values


def numbers_of_texts(texts: Sequence[str], missing: Collection[str]) -> Floats | None:
    """Return the number of each text at Python's speed, NaN for missing; None when it takes more care.

    None does not say that some text is neither: `numbers_of_distinct` decides then.
    """
    try:
        values = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        known = [text for text in texts if text not in missing]
        if len(known) in (0, len(texts)):
            return None
        found = numbers_of_texts(known, ())
        if found is None:
            return None
        values = np.full(len(texts), np.nan)
        values[np.fromiter((text not in missing for text in texts), np.bool_, len(texts))] = found
        return values
    return values if PLAIN_LETTERS.issuperset("".join(texts)) else None


def code_distinct(texts: Sequence[str], missing: Collection[str], index: dict[str, int]) -> Codes:
    """Return the code of each text, 0 for missing; new texts are added to the index."""
    codes = np.zeros(len(texts), dtype=np.uint32)
    for place, text in enumerate(texts):
        if text.strip() not in missing:
            codes[place] = index.setdefault(text, len(index) + 1)
    return codes


class PlainCells:
    """Python strings. A column of few different texts is looked at text by text, not row by row."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._distinct: tuple[list[str], NDArray[np.intp]] | None = None

    def __len__(self) -> int:
        return len(self._texts)

    def text(self, row: int) -> str:
        """Return one cell."""
        return self._texts[row]

    def _by_appearance(self) -> tuple[list[str], NDArray[np.intp]]:
        if self._distinct is None:
            places: dict[str, int] = {}
            rows = [places.setdefault(text, len(places)) for text in self._texts]
            self._distinct = list(places), np.array(rows, dtype=np.intp)
        return self._distinct

    def numbers(self, missing: Collection[str]) -> Floats | None:
        """Return the numbers, NaN for missing; None when some cell is neither."""
        values = numbers_of_texts(self._texts, missing)
        if values is not None:
            return values
        texts, rows = self._by_appearance()
        values = numbers_of_distinct(texts, missing)
        return None if values is None else values[rows]

    def codes(self, missing: Collection[str], index: dict[str, int]) -> Codes:
        """Return each text's code in `index`, 0 for missing; new texts are added to it, by appearance."""
        texts, rows = self._by_appearance()
        return code_distinct(texts, missing, index)[rows]
