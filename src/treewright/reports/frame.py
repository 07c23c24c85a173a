"""Columns of numbers and words as a DataFrame of the library that the user's own data came in."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import narwhals as nw

from treewright.data import Schema

__all__ = ["frame_library", "to_frame"]

BACKENDS: Final = ("pandas", "polars", "pyarrow")


def frame_library(X: Any, schema: Schema | None = None) -> Any:
    """Return what tells the library of a DataFrame: of X, or else of what the schema was learned from.

    None where neither was a DataFrame, and for models from files, which do not keep it.
    """
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame.implementation
    return None if schema is None else schema.library


def to_frame(columns: dict[str, list[Any]], library: Any, backend: str | None = None) -> Any:
    """Return the columns as a DataFrame.

    Parameters
    ----------
    columns : dict of str to list
        The columns.
    library : narwhals.Implementation or None
        The library of the user's own data; None: pandas, or polars where there is no pandas.
    backend : {"pandas", "polars", "pyarrow"} or None
        Which library instead.
    """
    if backend is not None:
        if backend not in BACKENDS:
            raise ValueError(f"backend must be one of {', '.join(map(repr, BACKENDS))}, got {backend!r:.80}.")
        library = backend
    if library is not None:
        return nw.from_dict(columns, backend=library).to_native()
    for name in ("pandas", "polars"):
        try:
            return import_module(name).DataFrame(columns)
        except ImportError:
            continue
    raise ImportError("to_frame needs pandas or polars. Run: pip install pandas  (or use to_dict)")
