"""What is predicted: class labels become codes, numbers float64; refusals are in scikit-learn's words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from treewright.data.array import as_array
from treewright.data.column import (
    Array,
    Categories,
    Category,
    Numbers,
    Objects,
    declared_categories,
    is_missing,
)
from treewright.data.dataframe import read_series, to_dataframe, to_series
from treewright.data.named_columns import NamedColumns
from treewright.data.objects import bytes_error, read_objects
from treewright.data.sparse import is_sparse
from treewright.warn_at_caller import warn_at_caller

_SHOWN_ROWS = 3
# Of numbers and of how far they are apart: squares of these, times any weights, are numbers with all digits.
SMALLEST, LARGEST = 1e-100, 1e100
MOST_FLOAT_CLASSES = 20  # beyond it floating-point labels are rather amounts


@dataclass(frozen=True, slots=True)
class Labels:
    """Class labels as codes.

    Attributes
    ----------
    classes : ndarray
        The labels present, sorted (scikit-learn's ``classes_``), in the type of y.
    codes : ndarray of int32
        Per row, the position of its label in `classes`.
    class_order : ndarray
        Every declared class in declared order when y is categorical, classes without a row included;
        otherwise the same as `classes`.
    """

    classes: Array
    codes: NDArray[np.int32]
    class_order: Array

    @property
    def declared(self) -> bool:
        """Whether y said itself which classes there are."""
        return self.class_order is not self.classes

    @property
    def ranks(self) -> NDArray[np.intp]:
        """For each of `classes`, its position in `class_order`."""
        position = {label: i for i, label in enumerate(self.class_order.tolist())}
        return np.array([position[label] for label in self.classes.tolist()], dtype=np.intp)


def encode_labels(y: Any, n_rows: int, *, estimator_name: str) -> Labels:
    """Encode class labels of any type.

    Parameters
    ----------
    y : array-like or Series of length n_rows
        Text, integers, booleans, whole floats or categories.
    n_rows : int
        Number of rows of X.
    estimator_name : str
        Who asks; part of the messages.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iub" and y.dtype.isnative:
        values: Array | Categories = y
    else:
        values = _read_target(y, estimator_name, "MultiOutputClassifier")
    _check_length(len(values.codes if isinstance(values, Categories) else values), n_rows)
    if isinstance(values, Categories):
        labels = _encode_categories(values, _text_dtype(y))
    elif values.dtype.kind in "iub":
        labels = _encode_integers(values)
    else:
        _check_finite(values)
        _check_whole(values)
        labels = _encode_any(values)
    n_classes = len(labels.classes)
    if n_rows > 20 and n_classes > 2 and n_classes > round(0.5 * n_rows):
        warn_at_caller(
            "The number of unique classes is greater than 50% of the number of samples. `y` could represent "
            "a regression problem, not a classification problem."
        )
    elif _look_like_amounts(values, labels.classes):
        some = ", ".join(f"{label:g}" for label in labels.classes[:3].tolist())
        warn_at_caller(
            f"y holds {n_classes} different floating-point numbers ({some}, …), and {estimator_name} takes "
            "each for a class. If they are amounts, use the regressor; if they are classes, y.astype(int)."
        )
    return labels


def _look_like_amounts(values: Array | Categories, classes: Array) -> bool:
    """Tell whether a target is of many floating-point numbers that do not just count from 0 or 1."""
    if isinstance(values, Categories) or values.dtype.kind != "f" or len(classes) <= MOST_FLOAT_CLASSES:
        return False
    return not (classes[0] in (0, 1) and classes[-1] - classes[0] == len(classes) - 1)


def encode_numbers(y: Any, n_rows: int, *, estimator_name: str) -> NDArray[np.float64]:
    """Return a regression target as a float64 array of finite numbers.

    Parameters
    ----------
    y : array-like or Series of length n_rows
        Numbers or booleans.
    n_rows : int
        Number of rows of X.
    estimator_name : str
        Who asks; part of the messages.
    """
    values: Array | Categories
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype == np.float64:
        values = y
    else:
        values = _read_target(y, estimator_name, "MultiOutputRegressor")
    if isinstance(values, Categories):
        raise ValueError(
            f"Unknown label type: y is categorical, but {estimator_name} predicts numbers. Convert y to "
            "numbers first."
        )
    if values.dtype.kind not in "fiub":
        example = values[0] if len(values) else ""
        raise ValueError(f"could not convert y to numbers: {estimator_name} needs numbers, got {example!r}.")
    _check_length(len(values), n_rows)
    result = np.ascontiguousarray(values, dtype=np.float64)
    _check_finite(result)
    return result


def target_name(y: Any) -> str | None:
    """Return the name of a Series, or of the only column of a frame; None where y has none."""
    if y is None or isinstance(y, np.ndarray | list | tuple) or is_sparse(y):
        return None
    if isinstance(y, NamedColumns):
        return y.names[0] if len(y.names) == 1 else None
    try:
        series = to_series(y)
        frame = to_dataframe(y) if series is None else None
    except (TypeError, ValueError):  # what is wrong with it is said where it is read
        return None
    if series is not None:
        name: Any = series.name
    elif frame is not None and frame.shape[1] == 1:
        name = frame.columns[0]
    else:
        return None
    return name if isinstance(name, str) and name else None


def check_target_range(y: NDArray[np.float64]) -> None:
    """Refuse numbers whose squares, times weights, overflow or vanish: no loss could be told from another."""
    if len(y) == 0:
        return
    lowest, highest = float(y.min()), float(y.max())
    if max(-lowest, highest) > LARGEST:
        raise ValueError(
            f"Input y contains {highest if highest > -lowest else lowest}, but squares would overflow beyond "
            f"±{LARGEST:g}. Divide y by a constant first."
        )
    if 0 < highest - lowest < SMALLEST:
        raise ValueError(
            f"Input y varies only by {highest - lowest:g}, but squares would vanish below {SMALLEST:g}. "
            "Multiply y with a constant first."
        )


def check_squared_error_target(y: NDArray[np.float64], weights: NDArray[np.float64] | None) -> None:
    """Refuse numbers whose sums of squares overflow: no split could be told from another."""
    largest = max(float(y.max()), float(y.min()), key=abs)
    total = len(y) if weights is None else max(1.0, float(weights.sum()))
    if abs(largest) > math.sqrt(np.finfo(np.float64).max / total) / 4:
        raise ValueError(
            f"Input y contains {largest}, and the sum of its squares is too large for float64. Divide y by a "
            "constant first."
        )


def check_poisson_target(y: NDArray[np.float64]) -> None:
    """Refuse a target without a Poisson likelihood, in scikit-learn's words."""
    if np.any(y < 0):
        raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
    if np.sum(y) <= 0:
        raise ValueError("Sum of y is not strictly positive which is necessary for Poisson regression.")


def _read_target(y: Any, estimator_name: str, wrapper: str) -> Array | Categories:
    """Return y as a 1-D array of numbers or text, or as declared categories."""
    if y is None:
        raise ValueError(
            f"This {estimator_name} estimator requires y to be passed, but the target y is None."
        )
    if is_sparse(y):
        raise TypeError(
            "Sparse y is not supported. Use y.toarray().ravel() to convert it to a dense 1d array."
        )
    if isinstance(y, NamedColumns) and len(y.columns) == 1:
        return _decide(y.columns[0])
    if not isinstance(y, np.ndarray | list | tuple):
        if hasattr(y, "codes") and hasattr(y, "categories"):  # a pandas Categorical outside a Series
            return _decide(declared_categories("y", y.codes, y.categories.tolist()))
        series = _target_series(y, estimator_name, wrapper)
        if series is not None:
            return _decide(read_series("y", series))
    array = _to_vector(y, estimator_name, wrapper)
    if array.dtype.kind in "OUT":
        # np.asarray(["a", 1]) makes text of the 1; a list is asked for its own objects.
        return _decide(
            Objects(list(y) if isinstance(y, list | tuple) and np.ndim(y[0]) == 0 else array.tolist())
        )
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "mM":
        raise ValueError(
            f"Unknown label type: {array.dtype.name}. Convert the dates in y to numbers or text first."
        )
    if array.dtype.kind == "S":
        raise ValueError(f"Unknown label type: bytes. {bytes_error('y')}")
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"Unknown label type: {array.dtype}. y must hold numbers or text; of a structured array, pass "
            "one field."
        )
    return array


def _target_series(y: Any, estimator_name: str, wrapper: str) -> Any:
    shape = getattr(y, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2 and shape[1] != 1:
        raise _multi_output_error(shape, estimator_name, wrapper)
    series = to_series(y)
    if series is not None:
        return series
    dataframe = to_dataframe(y)
    if dataframe is None:
        return None
    if dataframe.shape[1] != 1:
        raise _multi_output_error(dataframe.shape, estimator_name, wrapper)
    _warn_column_vector()
    return next(iter(dataframe.iter_columns()))


def _to_vector(y: Any, estimator_name: str, wrapper: str) -> Array:
    array = as_array(y, "y")
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_column_vector()
        return array.ravel()
    if array.ndim == 2:
        raise _multi_output_error(array.shape, estimator_name, wrapper)
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def _decide(column: Numbers | Categories | Objects) -> Array | Categories:
    """Return an array of numbers or booleans, or categories (declared, or texts by first appearance)."""
    if isinstance(column, Objects):
        _check_known([row for row, value in enumerate(column.values) if is_missing(value)])
        try:
            column = _read_labels(column.values)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Unknown label type: unknown. {error}") from error
    if isinstance(column, Numbers):
        return column.values
    _check_known(np.flatnonzero(column.codes == 0).tolist())
    if column.categories == (False, True):
        flags: Array = column.codes == 2
        return flags
    return column


def _read_labels(values: list[Any]) -> Numbers | Categories:
    if all(type(value) is int or isinstance(value, np.integer) for value in values):
        integers = np.array(values)  # exact: as labels, large integers do no harm
        if integers.dtype.kind in "iu":
            return Numbers(integers)
    return read_objects("y", values, is_feature=False)


def _text_dtype(y: Any) -> np.dtype[Any]:
    """Return the dtype of text classes: that of a text array, otherwise object, as in scikit-learn."""
    if isinstance(y, list | tuple):
        y = np.asarray(y)
    dtype = getattr(y, "dtype", None)
    return dtype if isinstance(dtype, np.dtype) and dtype.kind == "U" else np.dtype(object)


def _encode_categories(column: Categories, text_dtype: np.dtype[Any]) -> Labels:
    order = _to_labels(column.categories, text_dtype)
    counts = np.bincount(column.codes, minlength=len(order) + 1)[1:]
    present = np.flatnonzero(counts)
    present = present[np.argsort(order[present], kind="stable")]
    code_of = np.zeros(len(order) + 1, dtype=np.int32)
    code_of[present + 1] = np.arange(present.size, dtype=np.int32)
    classes = order[present]
    return Labels(classes, code_of[column.codes], order if column.declared else classes)


def _to_labels(categories: tuple[Category, ...], text_dtype: np.dtype[Any]) -> Array:
    n_texts = sum(isinstance(category, str) for category in categories)
    if n_texts == 0:
        return np.array(categories)
    if n_texts < len(categories):
        raise ValueError("Unknown label type: unknown. The categories of y mix text and numbers.")
    return np.array(categories, dtype=text_dtype)


def _encode_integers(values: Array) -> Labels:
    """Encode whole numbers; counting instead of sorting when the labels lie close together."""
    integers = values.astype(np.uint8) if values.dtype.kind == "b" else values
    if values.size:
        lowest, highest = int(integers.min()), int(integers.max())
        if highest - lowest < max(256, values.size) and highest < 2**62 and lowest > -(2**62):
            offsets = integers.astype(np.intp, copy=False)
            if lowest != 0:
                offsets = offsets - lowest
            present = np.bincount(offsets) > 0
            classes = (np.flatnonzero(present) + lowest).astype(values.dtype)
            code_of = np.cumsum(present, dtype=np.int32) - np.int32(1)
            return Labels(classes, code_of[offsets], classes)
    return _encode_any(values)


def _encode_any(values: Array) -> Labels:
    classes, inverse = np.unique(values, return_inverse=True)
    return Labels(classes, inverse.astype(np.int32), classes)


def _check_whole(values: Array) -> None:
    """Refuse numbers that are not whole, in scikit-learn's words."""
    if np.any(values != np.trunc(values)):
        check_classification_targets(values)


def _check_length(length: int, n_rows: int) -> None:
    if length != n_rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[n_rows, length]}")


def _check_finite(values: Array) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # one pass without a temporary settles the usual case
            return
    _check_known(np.flatnonzero(np.isnan(values)).tolist())
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise ValueError(
            f"Input y contains infinity or a value too large for {values.dtype!r}. See "
            f"{_rows_words(infinite.tolist())}."
        )


def _check_known(rows: list[int]) -> None:
    if rows:
        raise ValueError(
            f"Input y contains NaN. The target is missing in {_rows_words(rows)}; drop these rows from X and "
            "y, for example with y.notna() (pandas) or y.is_not_null() (polars)."
        )


def _rows_words(rows: list[int]) -> str:
    shown = ", ".join(map(str, rows[:_SHOWN_ROWS]))
    more = f" and {len(rows) - _SHOWN_ROWS} more" if len(rows) > _SHOWN_ROWS else ""
    return f"row {shown}" if len(rows) == 1 else f"rows {shown}{more}"


def _multi_output_error(shape: tuple[int, ...], estimator_name: str, wrapper: str) -> ValueError:
    return ValueError(
        f"y should be a 1d array, got an array of shape {shape} instead. {estimator_name} predicts one "
        f"target; to predict several, wrap it: sklearn.multioutput.{wrapper}({estimator_name}())."
    )


def _warn_column_vector() -> None:
    warn_at_caller(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
        "(n_samples, ), for example using ravel().",
        DataConversionWarning,
    )
