"""NumPy arrays and lists: shapes are checked in scikit-learn's words, columns are views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data.column import LARGEST_EXACT_INTEGER, Array, Column, Numbers, Objects
from treewright.data.objects import bytes_error, date_error, integer_error

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
    "array.reshape(1, -1) if it contains a single sample."
)


def to_array(X: Any) -> Array:
    """Return an array-like as an array; numbers that stand beside text stay numbers."""
    array = as_array(X, "X")
    if array.ndim < 2 and _holds_mappings(X):
        raise ValueError(
            f"Expected 2D array, got {type(X).__name__} instead. X holds dictionaries; turn them into a "
            "table, for example with pandas.DataFrame(X)."
        )
    # np.asarray([[1, "a"]]) turns 1 into "1"; ask again for the objects themselves.
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.array(X, dtype=object)
    return array


def as_array(values: Any, what: str) -> Array:
    """Return values as an array; masked entries are missing, and rows must have one length."""
    if isinstance(values, np.ma.MaskedArray):
        # np.asarray would bring the hidden values back.
        numeric = values.dtype.kind in "iubf"
        if not np.any(np.ma.getmask(values)):
            return np.asarray(values.data)
        with_gaps = np.array(values.data, dtype=np.float64 if numeric else object)
        with_gaps[np.ma.getmaskarray(values)] = np.nan if numeric else None
        return with_gaps
    try:
        return np.asarray(values)
    except ValueError as error:
        raise _shape_error(values, what, error) from error


def _shape_error(values: Any, what: str, error: ValueError) -> ValueError:
    """Say where values that NumPy cannot put into an array are not those of a table."""
    lengths = [_length(row) for row in values]
    odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
    if odd is not None:
        return ValueError(
            f"The rows of {what} differ in length: row 0 has {lengths[0]}, row {odd} has {lengths[odd]}. "
            "Every row needs the same number; write None where a value is missing."
        )
    for number, row in enumerate(values):
        for position, value in enumerate(row if _is_list(row) else ()):
            if _is_list(value):
                return ValueError(
                    f"Row {number} of {what} holds {_length(value)} in column {position} ({value!r:.60}), "
                    "where a number or a text is expected. Spread nested values over several columns first."
                )
    return ValueError(f"{what} cannot be read as a table: {error}.")


def _is_list(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _length(row: Any) -> str:
    return f"a list of {len(row)}" if _is_list(row) else "a single value"


def _holds_mappings(X: Any) -> bool:
    return isinstance(X, Mapping) or (isinstance(X, list | tuple) and any(isinstance(x, Mapping) for x in X))


def check_dimensions(array: Array, estimator_name: str) -> None:
    """Refuse anything but two dimensions, in scikit-learn's words."""
    if array.ndim == 2:
        return
    if array.ndim == 0:
        raise ValueError(f"Expected 2D array, got scalar array instead:\narray={array}.\n{_RESHAPE}")
    if array.ndim == 1:
        raise ValueError(f"Expected 2D array, got 1D array instead:\narray={array}.\n{_RESHAPE}")
    raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required by {estimator_name}.")


def check_size(shape: tuple[int, ...], estimator_name: str) -> None:
    """Refuse a table without rows or columns, in scikit-learn's words."""
    n_rows, n_features = shape
    if n_rows < 1:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required by "
            f"{estimator_name}."
        )
    if n_features < 1:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required by "
            f"{estimator_name}."
        )


def check_supported(array: Array, where: str) -> None:
    """Refuse dtypes that are neither numbers, text nor objects."""
    kind = array.dtype.kind
    if kind in "fiubOUT":
        return
    if kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if kind in "mM":
        raise date_error(where, array.dtype.name)
    if kind == "S":
        raise bytes_error(where)
    raise ValueError(
        f"{where} has the dtype {array.dtype}, which is not supported. "
        "Turn a structured array into a DataFrame, for example with pandas.DataFrame(X)."
    )


def read_array_column(where: str, values: Array) -> Column:
    """Return one column of an array; text and objects are returned undecided."""
    check_supported(values, where)
    if values.dtype.kind in "OUT":
        return Objects(values.tolist())
    return Numbers(to_native_numbers(values))


def to_native_numbers(values: Array) -> Array:
    """Return float32, float64, integers and booleans as they are, other floats as float64."""
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        return values.astype(np.float64)
    if not values.dtype.isnative:
        return values.astype(values.dtype.newbyteorder("="))
    return values


def to_float_matrix(array: Array, names: list[str]) -> Array:
    """Return a 2-D numeric array as float32 or float64, without a copy when it already is one."""
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        for position, name in enumerate(names):
            check_exact_integers(name, array[:, position])
    return array.astype(np.float64)


def check_exact_integers(where: str, values: Array) -> None:
    """Refuse integers that float64 thresholds could not tell apart."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or values.size == 0:
        return
    for extreme in (int(values.max()), int(values.min())):
        if abs(extreme) > LARGEST_EXACT_INTEGER:
            raise integer_error(where, extreme)
