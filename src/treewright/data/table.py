"""A table ready for growing or prediction: a Schema and, per feature, numbers or category codes.

The one place where columns become the integer codes of the native module, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright._core import Dataset
from treewright.data.array import check_size, to_float_matrix
from treewright.data.column import Array, Objects
from treewright.data.encode import encode_column, learn_feature
from treewright.data.frame import Frame, column_words, read_frame
from treewright.data.kinds import Rule, column_rules
from treewright.data.names import check_count, check_names
from treewright.data.row_keys import row_keys
from treewright.data.schema import Feature, Schema, numeric_schema
from treewright.data.sparse import SparseColumns, check_codes_fit
from treewright.data.text_numbers import look_like_numbers, warn_of_text_numbers

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_LARGEST_EXACT_FLOAT32 = 2**24
# Where zeros are missing, numbers up to this size are zeros: LightGBM's kZeroThreshold.
LARGEST_ZERO = float(np.float32(1e-35))
KIND_NUMBERS = {
    "numeric": _core.COLUMN_NUMERIC,
    "nominal": _core.COLUMN_NOMINAL,
    "ordinal": _core.COLUMN_ORDINAL,
}


class TableMaker(ABC):
    """A container that makes its own table, e.g. one whose rows are not in memory."""

    @abstractmethod
    def to_table(
        self,
        *,
        estimator_name: str,
        categorical_features: Any,
        schema: Schema | None,
        rows: NDArray[np.intp] | None,
        warn: bool,
    ) -> Table:
        """Return the table; arguments as of `read_table`."""


class Table:
    """Rows and columns behind a schema.

    Attributes
    ----------
    schema : Schema
        Names, kinds and categories.
    n_rows : int
        Number of rows.
    matrix : ndarray or None
        All features as one float32 or float64 array, when they are numbers that came as one array.
    """

    __slots__ = ("_columns", "matrix", "n_rows", "schema")

    def __init__(
        self, schema: Schema, n_rows: int, *, matrix: Array | None = None, columns: Sequence[Array] = ()
    ) -> None:
        self.schema = schema
        self.n_rows = n_rows
        self.matrix = matrix
        self._columns = columns

    @property
    def columns(self) -> Sequence[Array]:
        """One array per feature: numbers with NaN for missing, or codes (0 missing, n + 1 unseen)."""
        return self._columns if self.matrix is None else list(self.matrix.T)

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing anywhere."""
        return any(
            bool((np.isnan(column) if feature.kind == "numeric" else column == 0).any())
            for column, feature in zip(self.columns, self.schema.features, strict=True)
        )

    def take(self, rows: Array) -> Table:
        """Return some of the rows, in the order given."""
        n_rows = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else len(rows)
        if self.matrix is not None:
            return Table(self.schema, n_rows, matrix=self.matrix[rows])
        if isinstance(self._columns, SparseColumns):
            return Table(self.schema, n_rows, columns=self._columns.take(rows))
        return Table(self.schema, n_rows, columns=[column[rows] for column in self._columns])

    def select(self, columns: Sequence[int]) -> Table:
        """Return some of the columns, in the order given."""
        schema = replace(self.schema, features=tuple(self.schema.features[i] for i in columns))
        if self.matrix is not None:
            return Table(schema, self.n_rows, matrix=self.matrix[:, list(columns)])
        return Table(schema, self.n_rows, columns=[self._columns[i] for i in columns])

    def with_columns(self, features: Sequence[Feature], columns: Sequence[Array]) -> Table:
        """Return the table with more columns behind its own."""
        schema = replace(self.schema, features=(*self.schema.features, *features))
        return Table(schema, self.n_rows, columns=[*self.columns, *columns])

    def coded_columns(self, positions: Sequence[int]) -> list[Array]:
        """Return the codes of some columns."""
        columns = self.columns
        return [columns[position] for position in positions]

    def row_keys(self) -> NDArray[np.uint64]:
        """Return a number for each row that follows from what it holds."""
        return row_keys(self.columns, self.schema.features, self.n_rows)

    @property
    def is_sparse(self) -> bool:
        """Whether its columns are those of a sparse matrix."""
        return isinstance(self._columns, SparseColumns)

    def in_memory(self) -> Table:
        """Return the same rows as arrays of this process."""
        return self

    def to_matrix(self) -> Array:
        """Return one float array for prediction: a category is its code, missing is NaN.

        float32 when that holds every value exactly, float64 otherwise; no copy when the table came as such an
        array.
        """
        if self.matrix is not None:
            return self.matrix
        if isinstance(self._columns, SparseColumns):
            matrix = self._columns.to_dense()
            positions: Sequence[int] = list(self._columns.coded)
        else:
            exact = all(
                _fits_float32(column, f)
                for column, f in zip(self._columns, self.schema.features, strict=True)
            )
            matrix = np.empty((self.n_rows, len(self._columns)), dtype=np.float32 if exact else np.float64)
            positions = range(len(self._columns))
        for position in positions:
            column = self._columns[position]
            matrix[:, position] = column
            if self.schema.features[position].kind != "numeric":
                matrix[column == 0, position] = np.nan
        return matrix

    def to_dataset(self, max_bins: int = 0, n_threads: int = 1, *, keep_sparse: bool = False) -> Dataset:
        """Encode the table for growing.

        Parameters
        ----------
        max_bins : int, default=0
            Most codes per numeric column; 0 keeps every distinct value.
        n_threads : int, default=1
            Threads that encode.
        keep_sparse : bool, default=False
            Whether columns of a sparse matrix may stay lists of their entries.
        """
        if self.matrix is not None:
            return Dataset.from_matrix(self.matrix, max_bins=max_bins, n_threads=n_threads)
        if isinstance(self._columns, SparseColumns):
            if not keep_sparse:
                check_codes_fit(self._columns.matrix)
            coded = self._columns.coded
            features = [self.schema.features[position] for position in coded]
            matrix = self._columns.matrix
            if not matrix.has_sorted_indices:
                matrix = matrix.sorted_indices()
            return Dataset.from_sparse(
                matrix.data,
                matrix.indices.astype(np.uint32, copy=False),
                matrix.indptr.astype(np.int64, copy=False),
                self.n_rows,
                list(coded),
                list(coded.values()),
                [KIND_NUMBERS[feature.kind] for feature in features],
                [feature.n_codes for feature in features],
                keep_sparse=keep_sparse,
                max_bins=max_bins,
                n_threads=n_threads,
            )
        return Dataset.from_columns(
            list(self._columns),
            [KIND_NUMBERS[feature.kind] for feature in self.schema.features],
            self.schema.n_codes.tolist(),
            max_bins=max_bins,
            n_threads=n_threads,
        )


def _fits_float32(column: Array, feature: Feature) -> bool:
    if feature.kind != "numeric":
        return feature.n_codes + 1 <= _LARGEST_EXACT_FLOAT32
    return column.dtype == np.float32 or (column.dtype.kind in "iub" and column.dtype.itemsize <= 2)


def read_table(
    X: Any,
    *,
    estimator_name: str,
    categorical_features: Any = "from_dtype",
    schema: Schema | None = None,
    rows: NDArray[np.intp] | None = None,
    warn: bool = True,
) -> Table:
    """Read any table, for fit (without `schema`) or for prediction (with the fitted one).

    Parameters
    ----------
    X : DataFrame of any library, Arrow table, 2-D array, list of rows or scipy sparse matrix
        The rows. In an array of booleans False and True are the numbers 0 and 1, as in scikit-learn; in a
        DataFrame a boolean column is nominal. Inside the library also a Table that was read already, whose
        own schema counts.
    estimator_name : str
        Who asks; part of scikit-learn's messages.
    categorical_features : "from_dtype", None, or array-like of bool, int or str, default="from_dtype"
        How kinds are decided at fit. "from_dtype": text, categoricals and booleans are categories. None:
        every column must be numbers. A list or mask: these columns are nominal whatever their type, the
        others must be numbers or ordered categoricals. Ignored when `schema` is given.
    schema : Schema or None, default=None
        The fitted schema. Names, their order and the number of columns must match it; categories are matched
        by value.
    rows : ndarray of int or None, default=None
        At fit, the rows to read; nothing is learned from the others, not even that a category exists.
    warn : bool, default=True
        At fit, whether to warn of numbers that are stored as text.

    Raises
    ------
    ValueError, TypeError
        When the table cannot be read or does not match, in scikit-learn's words where it has any.
    MemoryError
        When the codes of a sparse matrix would not fit in memory.
    """
    # Nothing but shapes is looked at for a float array: one row must be predicted in microseconds.
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in _FLOATS:
        if schema is None:
            if categorical_features is None or _is_from_dtype(categorical_features):
                if 0 in X.shape:
                    check_size(X.shape, estimator_name)
                table = Table(numeric_schema(X.shape[1]), len(X), matrix=X)
                return table if rows is None else table.take(rows)
        elif schema.all_numeric and not schema.zero_missing:
            if schema.named:
                check_names(schema.names, None, estimator_name)
            if X.shape[1] != len(schema.features) or len(X) == 0:
                check_size(X.shape, estimator_name)
                check_count(len(schema.features), X.shape[1], estimator_name)
            return Table(schema, len(X), matrix=X)
    if isinstance(X, Table):
        return X if rows is None else X.take(rows)
    if isinstance(X, TableMaker):
        return X.to_table(
            estimator_name=estimator_name,
            categorical_features=categorical_features,
            schema=schema,
            rows=rows,
            warn=warn,
        )
    if schema is not None:
        table = _encode_table(X, schema, estimator_name)
        return _without_zeros(table) if schema.zero_missing else table
    frame = read_frame(X, estimator_name)
    return _learn_table(frame if rows is None else frame.take(rows), categorical_features, warn)


def _is_from_dtype(categorical_features: Any) -> bool:
    return isinstance(categorical_features, str) and categorical_features == "from_dtype"


def _learn_table(frame: Frame, categorical_features: Any, warn: bool) -> Table:
    rules = column_rules(categorical_features, frame.names, frame.n_features)
    if frame.matrix is not None and "nominal" not in rules:
        words = [frame.where(i) for i in range(frame.n_features)]
        return Table(
            numeric_schema(frame.n_features), frame.n_rows, matrix=to_float_matrix(frame.matrix, words)
        )
    if frame.sparse is not None:
        return _learn_sparse(frame, rules)
    features, columns, text_numbers = [], [], []
    for position, rule in enumerate(rules):
        name = f"x{position}" if frame.names is None else frame.names[position]
        column = frame.column(position)
        feature, values = learn_feature(frame.where(position), name, column, rule)
        features.append(feature)
        columns.append(values)
        is_plain = rule == "dtype" and isinstance(column, Objects) and not column.categorical
        if warn and is_plain and look_like_numbers(feature.categories or ()):
            text_numbers.append((frame.where(position), feature.categories or ()))
    warn_of_text_numbers(text_numbers, frame.names is not None)
    schema = Schema(tuple(features), frame.names is not None, frame.library)
    return Table(schema, frame.n_rows, columns=columns)


def _learn_sparse(frame: Frame, rules: list[Rule]) -> Table:
    features, coded = list(numeric_schema(frame.n_features).features), {}
    for position, rule in enumerate(rules):
        if rule == "nominal":
            column = frame.column(position)
            features[position], coded[position] = learn_feature(
                frame.where(position), features[position].name, column, rule
            )
    return Table(Schema(tuple(features)), frame.n_rows, columns=SparseColumns(frame.sparse, coded))


def _without_zeros(table: Table) -> Table:
    """Return the table with NaN for the zeros of features that count them as missing."""
    matrix = np.array(table.to_matrix())
    for position in table.schema.zero_missing:
        column = matrix[:, position]
        column[np.abs(column) <= LARGEST_ZERO] = np.nan
    return Table(table.schema, table.n_rows, matrix=matrix)


def _encode_table(X: Any, schema: Schema, estimator_name: str) -> Table:
    frame = read_frame(X, estimator_name)
    check_names(schema.names, frame.names, estimator_name)
    check_count(schema.n_features, frame.n_features, estimator_name)
    words = [column_words(schema.names, i) for i in range(schema.n_features)]
    if frame.matrix is not None and schema.all_numeric:
        return Table(schema, frame.n_rows, matrix=to_float_matrix(frame.matrix, words))
    if frame.sparse is not None:
        coded = {
            i: encode_column(words[i], feature, frame.column(i))
            for i, feature in enumerate(schema.features)
            if feature.kind != "numeric"
        }
        return Table(schema, frame.n_rows, columns=SparseColumns(frame.sparse, coded))
    columns = [
        encode_column(words[i], feature, frame.read(words[i], i)) for i, feature in enumerate(schema.features)
    ]
    return Table(schema, frame.n_rows, columns=columns)
