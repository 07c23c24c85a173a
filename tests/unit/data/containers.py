"""The same small table in every container Treewright reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

NAMES = ["size", "colour", "sold"]
SIZES = [1.5, None, 3.0, 4.0]
COLOURS = ["red", "blue", None, "red"]
SOLD = [True, False, None, True]


class ArrowStream:
    """A table of an unknown library that speaks only the Arrow stream protocol."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def _columns() -> dict[str, list[Any]]:
    return {"size": SIZES, "colour": COLOURS, "sold": SOLD}


def _object_array() -> np.ndarray:
    return np.array(list(zip(SIZES, COLOURS, SOLD, strict=True)), dtype=object)


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(_columns()).astype({"size": "float64"}),
    "pandas nullable": lambda: pd.DataFrame(_columns()).astype(
        {"size": "Float64", "colour": "string", "sold": "boolean"}
    ),
    "pandas arrow": lambda: pa.table(_columns()).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda: pl.DataFrame(_columns()),
    "pyarrow": lambda: pa.table(_columns()),
    "arrow stream": lambda: ArrowStream(pa.table(_columns())),
}
ARRAYS: dict[str, Callable[[], Any]] = {
    "object array": _object_array,
    "list of rows": lambda: _object_array().tolist(),
    "list of tuples": lambda: list(zip(SIZES, COLOURS, SOLD, strict=True)),
}
EVERYTHING = FRAMES | ARRAYS
