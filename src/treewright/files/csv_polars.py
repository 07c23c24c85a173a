"""Text records by polars."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from treewright.files.cells import Codes, Floats, code_distinct, numbers_of_distinct

__all__ = ["PolarsCells", "parse"]


class PolarsCells:
    """A column of text in polars."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def __len__(self) -> int:
        return len(self._series)

    def text(self, row: int) -> str:
        """Return one cell."""
        return str(self._series[row])

    def numbers(self, missing: Collection[str]) -> Floats | None:
        """Return the numbers, NaN for missing; None when some cell is neither."""
        values = self._series.cast(pl.Float64, strict=False)
        # What polars takes for no number, or for NaN, is decided text by text.
        doubtful = values.is_null() | values.is_nan()
        found = values.fill_null(float("nan")).to_numpy()
        if not doubtful.any():
            return found
        rest = self._series.filter(doubtful)
        distinct = rest.unique(maintain_order=True)
        known = numbers_of_distinct(distinct.to_list(), missing)
        if known is None:
            return None
        if not np.isnan(known).all():
            found = found.copy()
            found[doubtful.to_numpy()] = rest.replace_strict(distinct, known).to_numpy()
        return found

    def codes(self, missing: Collection[str], index: dict[str, int]) -> Codes:
        """Return each text's code in `index`, 0 for missing; new texts are added to it, by appearance."""
        distinct = self._series.unique(maintain_order=True)
        known = code_distinct(distinct.to_list(), missing, index)
        return self._series.replace_strict(distinct, known, return_dtype=pl.UInt32).to_numpy()


def parse(data: bytes, separator: str, n_columns: int) -> list[PolarsCells]:
    """Return the columns of regular records."""
    frame = pl.read_csv(
        data,
        has_header=False,
        separator=separator,
        infer_schema=False,
        new_columns=[str(position) for position in range(n_columns)],
    )
    return [PolarsCells(series.fill_null("")) for series in frame.get_columns()]
