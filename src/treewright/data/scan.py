"""Scan: a table that is read batch by batch, as often as it takes, and never held as a whole.

It knows which column is the target and which holds weights; where batches come from is its source's affair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Array, Categories, Column, Numbers, Objects
from treewright.data.dataframe import to_dataframe
from treewright.data.growing_schema import learn_schema
from treewright.data.named_columns import NamedColumns
from treewright.data.scanned_table import ScannedTable
from treewright.data.schema import Schema
from treewright.data.table import Table, TableMaker

try:
    import narwhals.stable.v2 as nw
except ImportError:  # narwhals before 2.0
    import narwhals as nw  # type: ignore[no-redef]

__all__ = ["BatchSource", "Scan"]


class BatchSource(Protocol):
    """Where batches come from."""

    names: tuple[str, ...]
    name: str

    def count(self) -> int | None:
        """Return the number of rows, where it is known without reading them."""

    def numeric(self) -> frozenset[str]:
        """Return the columns that are numbers for certain, known without reading them."""

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield tables of these columns, in this order, that together hold all rows; the same every time."""


class Scan(TableMaker):
    """Rows for `fit` and `predict` that need not fit in memory. Made by `treewright.scan`.

    Attributes
    ----------
    names : tuple of str
        The features.
    target, weight : str or None
        The columns that `fit` takes as y and sample_weight.
    """

    def __init__(
        self,
        source: BatchSource,
        *,
        target: str | None = None,
        weight: str | None = None,
        features: Sequence[str] | None = None,
    ) -> None:
        self._source = source
        self.target, self.weight = target, weight
        self.chosen = features is not None
        own = [name for name in (target, weight) if name is not None]
        if features is None:
            features = [name for name in source.names if name not in own]
        self.names = tuple(features)
        unknown = [name for name in (*own, *self.names) if name not in source.names]
        if unknown:
            shown = ", ".join(repr(name) for name in source.names[:10])
            more = ", …" if len(source.names) > 10 else ""
            raise ValueError(f"{source.name} has no column {unknown[0]!r}. Its columns are {shown}{more}.")
        if len(set(self.names)) != len(self.names):
            raise ValueError("features names a column twice.")
        both = [name for name in own if name in self.names]
        if both:
            raise ValueError(f"Column {both[0]!r} cannot be a feature and the target or the weight.")
        if not self.names:
            raise ValueError(f"{source.name} has no column left for features.")

    @property
    def source_name(self) -> str:
        """How messages call where the rows come from."""
        return self._source.name

    @cached_property
    def n_rows(self) -> int:
        """Number of rows; counted by reading them once where the source does not know it."""
        known = self._source.count()
        return sum(len(batch) for batch in self._source.batches(self.names[:1])) if known is None else known

    def numeric(self) -> frozenset[str]:
        """Return the features that are numbers for certain, without reading them."""
        return self._source.numeric() & frozenset(self.names)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield tables of some columns, by default the features, without empty ones."""
        for batch in self._source.batches(self.names if columns is None else columns):
            if len(batch) > 0:
                yield batch

    def batches_for(self, schema: Schema) -> Iterator[Any]:
        """Yield tables of the columns that a model knows, found by name where it has names."""
        return self.batches(self.columns_for(schema))

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        """Return the columns that a model knows."""
        if schema.names is None or self.chosen:
            return self.names
        wanted = tuple(schema.names.tolist())
        missing = [name for name in wanted if name not in self._source.names]
        if missing:
            raise ValueError(
                f"{self._source.name} has no column {missing[0]!r}, which the model was fitted with."
            )
        return wanted

    def targets(self, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        """Return y and the weights of all rows: those of the scan where it names them."""
        if self.target is not None and y is not None:
            raise ValueError(f"The scan has a target, {self.target!r}: pass it without y.")
        if self.weight is not None and sample_weight is not None:
            raise ValueError(f"The scan has weights, {self.weight!r}: pass it without sample_weight.")
        if self.target is None and y is None:
            raise ValueError('The scan names no target: say which column it is, scan(…, target="…").')
        asked = [name for name in (self.target, self.weight) if name is not None]
        if not asked:
            return y, sample_weight
        parts: list[list[Any]] = [[] for _ in asked]
        for batch in self.batches(asked):
            for part, column in zip(parts, _columns(batch), strict=True):
                part.append(column)
        found = dict(
            zip(asked, (_joined(name, part) for name, part in zip(asked, parts, strict=True)), strict=True)
        )
        return (
            y if self.target is None else found[self.target],
            sample_weight if self.weight is None else found[self.weight],
        )

    def to_table(
        self,
        *,
        estimator_name: str,
        categorical_features: Any = "from_dtype",
        schema: Schema | None = None,
        rows: NDArray[np.intp] | None = None,
        warn: bool = True,
    ) -> Table:
        """Return the table of the features, which reads rows when they are needed."""
        n_rows = self.n_rows if rows is None else len(rows)
        if n_rows == 0:
            raise ValueError(
                f"Found array with 0 sample(s) in {self.source_name}, while a minimum of 1 is required by "
                f"{estimator_name}."
            )
        kept = None if rows is None else np.asarray(rows, dtype=np.int64)
        if schema is None:
            schema = learn_schema(self, categorical_features, owner=estimator_name, rows=kept, warn=warn)
        return ScannedTable(self, schema, n_rows, kept)

    def __repr__(self) -> str:
        roles = "".join(
            f", {role}={name!r}" for role, name in (("target", self.target), ("weight", self.weight)) if name
        )
        return f"<Scan of {self._source.name}: {len(self.names)} features{roles}>"


def _columns(batch: Any) -> list[Any]:
    if isinstance(batch, NamedColumns):
        return list(batch.columns)
    frame = to_dataframe(batch)
    if frame is None:
        raise TypeError(f"A batch must be a DataFrame or an Arrow table, not {type(batch).__name__}.")
    return list(frame.iter_columns())


def _joined(name: str, parts: list[Any]) -> Any:
    """Return a column of all batches in the container that they came in; Arrow's as pandas would have it."""
    if not parts:
        return np.empty(0)
    if isinstance(parts[0], Numbers | Categories | Objects):
        return _joined_columns(parts)
    frames = [part.alias(name).to_frame() for part in parts]
    try:
        joined = nw.concat(frames, how="vertical")[name]
    except Exception as error:  # each library has its own kinds of errors for types that do not agree
        types = ", ".join(sorted({str(part.dtype) for part in parts}))
        raise ValueError(f"Column {name!r} is not of one type in all batches: {types}.") from error
    native = joined.to_native()
    if hasattr(native, "unify_dictionaries") and find_spec("pandas") is not None:
        return native.to_pandas().rename(name)
    return native


def _joined_columns(parts: list[Column]) -> Array:
    values: list[Any] = []
    for part in parts:
        if isinstance(part, Numbers):
            values.append(part.values)
        elif isinstance(part, Objects):
            values.append(np.array(part.values, dtype=object))
        else:
            labels = np.array([None, *part.categories], dtype=object)
            values.append(labels[part.codes])
    return np.concatenate(values)
