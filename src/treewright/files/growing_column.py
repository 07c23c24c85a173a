"""GrowingColumn: a column of a text file while its batches come in; what it is shows at the end."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from treewright.data.column import LARGEST_EXACT_INTEGER, Categories, Column, Numbers
from treewright.files.cells import Cells, Codes, Floats
from treewright.files.kinds import are_whole
from treewright.files.tokens import BOOLEANS

__all__ = ["GrowingColumn"]


class GrowingColumn:
    """Numbers as long as every cell is one, then text.

    Parameters
    ----------
    missing : collection of str
        Cells that stand for a missing value.
    is_text : bool
        Whether it is text from the first batch on.
    """

    def __init__(self, missing: Collection[str], *, is_text: bool = False) -> None:
        self._missing = missing
        self.is_text = is_text
        #: Whether earlier batches were taken for numbers: the file has to be read again for their text.
        self.needs_text = False
        self._numbers: list[Floats] = []
        self._codes: list[Codes] = []
        self._index: dict[str, int] = {}

    def add(self, cells: Cells) -> bool:
        """Add a batch; False when the column was numbers so far and this batch is not."""
        if self.needs_text:
            return False
        if not self.is_text:
            numbers = cells.numbers(self._missing)
            if numbers is not None:
                self._numbers.append(numbers)
                return True
            self.is_text = True
            if any(not np.isnan(batch).all() for batch in self._numbers):
                self.needs_text = True
                self._numbers.clear()
                return False
            self._codes = [np.zeros(len(batch), dtype=np.uint32) for batch in self._numbers]
            self._numbers.clear()
        self._codes.append(cells.codes(self._missing, self._index))
        return True

    def holds_large_integers(self) -> bool:
        """Tell whether it is whole numbers, some beyond what float64 tells apart: names, not amounts."""
        if self.is_text or not any(
            bool((np.abs(batch[np.isfinite(batch)]) > LARGEST_EXACT_INTEGER).any()) for batch in self._numbers
        ):
            return False
        return all(bool(are_whole(batch)) for batch in self._numbers)

    def finished(self) -> Column:
        """Return the column; afterwards nothing is left here, so that it is not in memory twice."""
        if not self.is_text:
            values = np.concatenate(self._numbers) if self._numbers else np.zeros(0)
            self._numbers = []
            if np.isnan(values).all():  # nothing is known about it, so any value may come later
                return Categories(np.zeros(len(values), dtype=np.uint32), ())
            return Numbers(values)
        codes = np.concatenate(self._codes) if self._codes else np.zeros(0, dtype=np.uint32)
        self._codes = []
        return _categories(codes, list(self._index))


def _categories(codes: Codes, texts: list[str]) -> Categories:
    if texts and all(text in BOOLEANS for text in texts):
        to_code = np.array([0, *(1 + BOOLEANS[text] for text in texts)], dtype=np.uint32)
        return Categories(to_code[codes], (False, True), declared=True)
    return Categories(codes.astype(np.min_scalar_type(len(texts) + 1)), tuple(texts))
