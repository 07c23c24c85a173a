"""Text records by pandas."""

from __future__ import annotations

import io
from collections.abc import Collection
from typing import Any

import pandas as pd

from treewright.files.cells import Codes, Floats, code_distinct, numbers_of_distinct

__all__ = ["PandasCells", "parse"]


class PandasCells:
    """A column of text in pandas."""

    def __init__(self, series: Any) -> None:
        self._series = series
        self._factorized: tuple[Any, list[str]] | None = None

    def __len__(self) -> int:
        return len(self._series)

    def text(self, row: int) -> str:
        """Return one cell."""
        return str(self._series.iloc[row])

    def _by_appearance(self) -> tuple[Any, list[str]]:
        if self._factorized is None:
            rows, texts = pd.factorize(self._series)
            self._factorized = rows, texts.tolist()
        return self._factorized

    def numbers(self, missing: Collection[str]) -> Floats | None:
        """Return the numbers, NaN for missing; None when some cell is neither."""
        # pandas' own conversion does not always find the nearest number.
        rows, texts = self._by_appearance()
        values = numbers_of_distinct(texts, missing)
        return None if values is None else values[rows]

    def codes(self, missing: Collection[str], index: dict[str, int]) -> Codes:
        """Return each text's code in `index`, 0 for missing; new texts are added to it, by appearance."""
        rows, texts = self._by_appearance()
        codes: Codes = code_distinct(texts, missing, index)[rows]
        return codes


def parse(data: bytes, separator: str, n_columns: int) -> list[PandasCells]:
    """Return the columns of regular records."""
    frame = pd.read_csv(
        io.BytesIO(data),
        header=None,
        sep=separator,
        dtype=str,
        na_filter=False,
        skip_blank_lines=False,
        index_col=False,
        names=range(n_columns),
    )
    return [PandasCells(frame[position]) for position in range(n_columns)]
