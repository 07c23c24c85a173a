"""Text records by pyarrow."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from treewright.files.cells import Codes, Floats, code_distinct, numbers_of_distinct

__all__ = ["ArrowCells", "parse"]


class ArrowCells:
    """A column of text in Arrow."""

    def __init__(self, array: Any) -> None:
        self._array = array
        self._encoded: tuple[list[str], np.ndarray[Any, np.dtype[np.int32]]] | None = None

    def __len__(self) -> int:
        return len(self._array)

    def text(self, row: int) -> str:
        """Return one cell."""
        return str(self._array[row].as_py())

    def _by_appearance(self) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int32]]]:
        if self._encoded is None:
            encoded = self._array.dictionary_encode()
            self._encoded = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
        return self._encoded

    def numbers(self, missing: Collection[str]) -> Floats | None:
        """Return the numbers, NaN for missing; None when some cell is neither."""
        try:
            found = self._array.cast(pa.float64()).to_numpy()
            if not np.isnan(found).any():
                return found  # type: ignore[no-any-return]
        except pa.ArrowInvalid:
            pass
        texts, rows = self._by_appearance()
        values = numbers_of_distinct(texts, missing)
        return None if values is None else values[rows]

    def codes(self, missing: Collection[str], index: dict[str, int]) -> Codes:
        """Return each text's code in `index`, 0 for missing; new texts are added to it, by appearance."""
        texts, rows = self._by_appearance()
        codes: Codes = code_distinct(texts, missing, index)[rows]
        return codes


def parse(data: bytes, separator: str, n_columns: int) -> list[ArrowCells]:
    """Return the columns of regular records."""
    names = [str(position) for position in range(n_columns)]
    table = csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(column_names=names),
        parse_options=csv.ParseOptions(delimiter=separator, newlines_in_values=b'"' in data),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    )
    return [ArrowCells(column.combine_chunks()) for column in table.columns]
