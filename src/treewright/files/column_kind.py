"""ColumnKind: what a column of a text file is, found without keeping its cells."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from treewright.data.column import LARGEST_EXACT_INTEGER
from treewright.data.schema import Feature
from treewright.files.cells import Cells
from treewright.files.kinds import are_whole
from treewright.files.tokens import BOOLEANS

__all__ = ["ColumnKind", "feature_of"]


class ColumnKind:
    """Decides as `GrowingColumn` does.

    Parameters
    ----------
    missing : collection of str
        Cells that stand for a missing value.
    """

    def __init__(self, missing: Collection[str]) -> None:
        self._missing = missing
        self.is_text = False
        self._is_known = False
        self._is_whole = True
        self._is_large = False
        self._is_boolean = True

    def add(self, cells: Cells) -> None:
        """Look at a batch."""
        numbers = None if self.is_text else cells.numbers(self._missing)
        if numbers is not None:
            known = numbers[~np.isnan(numbers)]
            if not len(known):
                return
            self._is_known = True
            self._is_boolean = False
            self._is_whole = self._is_whole and bool(are_whole(numbers))
            finite = known[np.isfinite(known)]
            self._is_large |= bool((np.abs(finite) > LARGEST_EXACT_INTEGER).any())
            return
        self.is_text = True
        if self._is_boolean:
            texts: dict[str, int] = {}
            cells.codes(self._missing, texts)
            self._is_known |= bool(texts)
            self._is_boolean = all(text in BOOLEANS for text in texts)

    @property
    def name(self) -> str:
        """Return "numeric", "boolean", "text" or "unknown"."""
        if self.is_text and self._is_boolean and self._is_known:
            return "boolean"
        if self.is_text or (self._is_whole and self._is_large):
            return "text"
        return "numeric" if self._is_known else "unknown"


def feature_of(name: str, kinds: Collection[str]) -> Feature:
    """Return how a column is to be read that has these kinds in several files."""
    known = set(kinds) - {"unknown"}
    if known == {"numeric"}:
        return Feature(name, "numeric")
    if known == {"boolean"}:
        return Feature(name, "nominal", (False, True))
    return Feature(name, "nominal", ("text",) if known else ())
