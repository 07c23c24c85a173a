"""Columns as a DataFrame of the user's own library; pandas when they had none."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import narwhals as nw

__all__ = ["frame_library", "to_frame"]


def frame_library(X: Any) -> Any:
    """Return what tells the library of a DataFrame; None when X is none."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame.implementation if isinstance(frame, nw.DataFrame) else None


def to_frame(columns: dict[str, list[Any]], library: Any) -> Any:
    """Return the columns as a DataFrame.

    Parameters
    ----------
    columns : dict of str to list
        The columns.
    library : narwhals.Implementation or None
        The library of the user's own data; None: pandas, or polars where there is no pandas.
    """
    if library is not None:
        return nw.from_dict(columns, backend=library).to_native()
    for name in ("pandas", "polars"):
        try:
            return import_module(name).DataFrame(columns)
        except ImportError:
            continue
    raise ImportError("to_frame needs pandas or polars. Run: pip install pandas  (or use to_dict)")
