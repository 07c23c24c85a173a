"""The libraries that can read text records, best first; each is loaded when it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Final, TypeAlias, cast

from treewright.files.cells import Cells

__all__ = ["CSV_READERS", "Parse", "csv_reader"]

Parse: TypeAlias = Callable[[bytes, str, int], Sequence[Cells]]

#: Package → our module that uses it.
CSV_READERS: Final = {
    "polars": "treewright.files.csv_polars",
    "pyarrow": "treewright.files.csv_pyarrow",
    "pandas": "treewright.files.csv_pandas",
    "csv": "treewright.files.csv_standard",
}


def csv_reader(package: str | None = None) -> Parse:
    """Return the function that parses records.

    Parameters
    ----------
    package : str or None
        A key of `CSV_READERS`; None: the first that is installed.
    """
    chosen = package or next(name for name in CSV_READERS if find_spec(name) is not None)
    return cast(Parse, import_module(CSV_READERS[chosen]).parse)
