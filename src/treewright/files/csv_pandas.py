"""Text records by pandas: it makes the numbers of columns of nothing else, texts decide about others."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import pandas as pd

from treewright.files.cells import Codes, Floats, code_distinct, numbers_of_distinct, numbers_of_texts
from treewright.files.tokens import number_of

__all__ = ["PandasCells", "parse"]

# The nearest number to a text: what pandas 3.1 always finds, and earlier ones when they are told to.
NEAREST: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)
# pandas takes each of these for NaN, we only some; and it takes −0 for 0 among whole numbers.
NAN = re.compile(rb"nan", re.IGNORECASE)
MINUS_ZERO = re.compile(rb"-0+(?![0-9.eE])")


class _Records:
    """The records of a batch, parsed when a column is asked for: as numbers, as texts, or both."""

    def __init__(self, data: bytes, separator: str, n_columns: int) -> None:
        self._data, self._n_columns = data, n_columns
        self._options: dict[str, Any] = {
            "header": None, "sep": separator, "skip_blank_lines": False, "index_col": False,
            "names": range(n_columns), "keep_default_na": False, "encoding": "utf-8",
        }  # fmt: skip
        self._numbers: dict[int, Floats] | None = None
        self._texts: dict[int, Any] = {}

    def numbers(self, place: int, missing: Collection[str]) -> Floats | None:
        """Return a column of nothing but numbers and missing values; None when texts have to decide."""
        if self._numbers is None:
            self._numbers = self._read_numbers(missing)
        return self._numbers.get(place)

    def _read_numbers(self, missing: Collection[str]) -> dict[int, Floats]:
        if any(number_of(text) == number_of(text) for text in missing):
            return {}  # pandas would compare such a cell as a number
        frame = pd.read_csv(
            io.BytesIO(self._data), na_values=list(missing), low_memory=False, **NEAREST,
            **self._options,
        )  # fmt: skip
        doubts_nan, doubts_zero = NAN.search(self._data), MINUS_ZERO.search(self._data)
        found: dict[int, Floats] = {}
        for place in range(self._n_columns):
            kind = getattr(frame.dtypes[place], "kind", "")
            if kind not in ("f", "i", "u"):
                continue
            values = frame[place].to_numpy().astype(np.float64)
            if kind == "f":
                doubtful = doubts_nan is not None and bool(np.isnan(values).any())
            else:
                doubtful = doubts_zero is not None and bool((values == 0).any())
            if not doubtful:
                found[place] = values
        return found

    def texts(self, place: int) -> Any:
        """Return a column of texts; the others that are no numbers come with it."""
        if place not in self._texts:
            known = self._numbers or {}
            self._read_texts(
                [place] if place in known else [i for i in range(self._n_columns) if i not in known]
            )
        return self._texts[place]

    def _read_texts(self, places: Iterable[int]) -> None:
        frame = pd.read_csv(
            io.BytesIO(self._data), usecols=list(places), dtype=str, na_filter=False, **self._options
        )
        self._texts |= {place: frame[place] for place in places}


class PandasCells:
    """A column of text in pandas."""

    def __init__(self, records: _Records, place: int) -> None:
        self._records, self._place = records, place
        self._factorized: tuple[Any, list[str]] | None = None

    def __len__(self) -> int:
        return len(self._records.texts(self._place))

    def text(self, row: int) -> str:
        """Return one cell."""
        return str(self._records.texts(self._place).iloc[row])

    def _by_appearance(self) -> tuple[Any, list[str]]:
        if self._factorized is None:
            rows, texts = pd.factorize(self._records.texts(self._place))
            self._factorized = rows, texts.tolist()
        return self._factorized

    def numbers(self, missing: Collection[str]) -> Floats | None:
        """Return the numbers, NaN for missing; None when some cell is neither."""
        values = self._records.numbers(self._place, missing)
        if values is None:
            values = numbers_of_texts(self._records.texts(self._place).tolist(), missing)
        if values is not None:
            return values
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
    records = _Records(data, separator, n_columns)
    return [PandasCells(records, place) for place in range(n_columns)]
