"""DataFrames of any library through narwhals, one column at a time; no DataFrame library is imported here."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from treewright.data.array import read_array_column
from treewright.data.column import (
    LARGEST_EXACT_INTEGER,
    Categories,
    Column,
    Numbers,
    Objects,
    declared_categories,
)
from treewright.data.objects import bytes_error, category_index, code_objects, date_error

try:
    import narwhals.stable.v2 as nw
except ImportError:  # narwhals before 2.0
    import narwhals as nw  # type: ignore[no-redef]


def to_dataframe(X: Any) -> nw.DataFrame[Any] | None:
    """Return X as a narwhals DataFrame, or None when X is not a DataFrame.

    Raises
    ------
    ValueError
        For a Series (one dimension), or when column names repeat.
    TypeError
        For a lazy frame, or an Arrow stream without a library that could read it.
    """
    try:
        frame = nw.from_native(X, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"Column names must be unique. {error}") from error
    if isinstance(frame, nw.DataFrame):
        return frame
    if isinstance(frame, nw.Series):
        raise ValueError(
            f"Expected a 2-dimensional container but got {type(X)} instead. Pass a DataFrame containing a "
            "single row (i.e. single sample) or a single column (i.e. single feature) instead."
        )
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"{type(X).__name__} is lazy: it holds no rows yet. Pass X.collect() instead.")
    if hasattr(X, "__arrow_c_stream__"):
        return nw.from_arrow(X, backend=_arrow_backend(X))
    return None


def to_series(y: Any) -> nw.Series[Any] | None:
    """Return y as a narwhals Series, or None when y is not a Series."""
    series = nw.from_native(y, allow_series=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def _arrow_backend(X: Any) -> Literal["pyarrow", "polars", "pandas"]:
    libraries: tuple[Literal["pyarrow", "polars", "pandas"], ...] = ("pyarrow", "polars", "pandas")
    for library in libraries:
        if find_spec(library) is not None:
            return library
    raise TypeError(f"Reading {type(X).__name__} through the Arrow stream protocol needs pyarrow or polars.")


def read_series(where: str, series: nw.Series[Any]) -> Column:
    """Return one column of a DataFrame; text and objects are returned undecided."""
    dtype = series.dtype
    if dtype.is_integer():
        return _read_integers(series)
    if dtype.is_float():
        return read_array_column(where, series.to_numpy())
    if dtype == nw.Boolean:
        return _read_booleans(series)
    if dtype in (nw.Categorical, nw.Enum):
        return _read_categories(where, series)
    if dtype in (nw.String, nw.Object):
        return Objects(series.to_list())
    if dtype == nw.Decimal:
        return Numbers(_floats(series.to_list()))
    if dtype.is_temporal():
        raise date_error(where, str(dtype))
    if dtype == nw.Binary:
        raise bytes_error(where)
    if dtype.is_nested():
        raise TypeError(
            f"{where} holds nested values ({dtype}); argument must be a string or a real number. "
            "Spread them over several columns first."
        )
    if series.null_count() == len(series):  # Arrow's null type
        return Objects([None] * len(series))
    values = series.to_numpy()
    if values.dtype.kind == "O":
        return Objects(values.tolist())
    return read_array_column(where, values)


def _floats(values: list[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    # pandas' NA is not a float; every other way to write a missing decimal is caught by the first comparison.
    return np.array([float(v) if hasattr(v, "as_tuple") else np.nan for v in values], dtype=np.float64)


def _read_integers(series: nw.Series[Any]) -> Column:
    # With missing values the conversion goes through float64, so large integers have to leave as objects
    # before.
    if series.dtype in (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128):
        # Without a known value each library has its own word for the largest.
        if series.null_count() < len(series):
            if max(abs(int(series.max())), abs(int(series.min()))) > LARGEST_EXACT_INTEGER:
                return Objects(series.to_list())
        if series.dtype in (nw.Int128, nw.UInt128):
            series = series.cast(nw.Int64())
    values = series.to_numpy()
    return Objects(values.tolist()) if values.dtype.kind == "O" else Numbers(values)


def _read_booleans(series: nw.Series[Any]) -> Categories:
    values = series.to_numpy()
    if values.dtype.kind != "b":  # nullable booleans arrive as objects
        known = ~series.is_null().to_numpy().astype(bool)
        codes = np.zeros(len(values), dtype=np.uint32)
        codes[known] = values[known].astype(bool) + np.uint32(1)
        return Categories(codes, (False, True), declared=True)
    return Categories(values + np.uint32(1), (False, True), declared=True)


def _read_categories(where: str, series: nw.Series[Any]) -> Column:
    """Read the dictionary from the library itself: narwhals does not tell declared order reliably."""
    native = series.to_native()
    native_dtype: Any = getattr(native, "dtype", None)
    if hasattr(native_dtype, "ordered") and hasattr(native_dtype, "categories"):  # pandas and its relatives
        codes = native.cat.codes.to_numpy()
        return declared_categories(
            where, codes, native_dtype.categories.tolist(), ordered=bool(native_dtype.ordered)
        )
    if hasattr(native_dtype, "pyarrow_dtype"):  # an Arrow dictionary inside pandas
        native = native.array.__arrow_array__()
    if hasattr(native, "unify_dictionaries"):  # pyarrow
        array = native.unify_dictionaries().combine_chunks()
        # Polars counts without signs, and -1 has one.
        codes = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        return declared_categories(
            where, codes, array.dictionary.to_pylist(), ordered=bool(array.type.ordered)
        )
    texts = series.cast(nw.String()).to_list()
    declared = getattr(native_dtype, "categories", None)
    if series.dtype == nw.Enum and declared is not None:  # polars
        categories = tuple(str(category) for category in declared)
        return Categories(code_objects(texts, category_index(categories), 0), categories, declared=True)
    return Objects(texts, categorical=True)
