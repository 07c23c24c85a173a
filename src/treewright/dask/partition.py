"""What workers do with one partition: look at it, survey its numbers, make codes. Plain functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data.column import Array
from treewright.data.encode import encode_column
from treewright.data.frame import column_words, read_frame
from treewright.data.growing_schema import GrowingFeature
from treewright.data.kinds import Rule
from treewright.data.schema import Schema
from treewright.data.table import KIND_NUMBERS, Table

__all__ = [
    "Codes",
    "Seen",
    "check_recomputed",
    "described",
    "encoded_columns",
    "look",
    "make_codes",
    "prediction_matrix",
    "survey",
    "with_more",
]


@dataclass(frozen=True)
class Seen:
    """What a partition told: its rows, its names, and what its columns look like."""

    n_rows: int
    names: tuple[str, ...] | None
    growing: dict[int, GrowingFeature]


@dataclass(frozen=True)
class Codes:
    """The codes of a partition, column by column, and what must agree with the first reading."""

    columns: list[Array]
    has_missing: list[bool]
    checksums: list[int]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    def __sizeof__(self) -> int:
        return sum(column.nbytes for column in self.columns)


def look(part: Any, names: tuple[str, ...] | None, rules: Sequence[Rule], owner: str) -> Seen:
    """Look at the kinds and categories of a partition's columns."""
    n_rows = len(part)
    if n_rows == 0:
        return Seen(0, names, {})
    frame = read_frame(part, owner)
    found = None if frame.names is None else tuple(frame.names.tolist())
    if found != names or frame.n_features != len(rules):
        raise ValueError(
            f"The partitions do not have the same columns: one has {list(found or range(frame.n_features))}, "
            f"and {list(names or range(len(rules)))} were expected."
        )
    growing = {}
    for position, rule in enumerate(rules):
        growing[position] = GrowingFeature(frame.where(position), rule)
        growing[position].add(frame.column(position))
    return Seen(n_rows, names, growing)


def encoded_columns(part: Any, schema: Schema, rows: NDArray[Any] | None) -> list[Array]:
    """Return the columns of a partition as a schema has them: numbers or codes; of some of its rows."""
    if len(part) == 0 or (rows is not None and len(rows) == 0):
        kinds = [feature.kind == "numeric" for feature in schema.features]
        return [np.empty(0, dtype=np.uint8 if numeric else np.uint32) for numeric in kinds]
    frame = read_frame(part, "treewright")
    words = [column_words(schema.names, i) for i in range(len(schema.features))]
    columns = [
        encode_column(words[i], feature, frame.read(words[i], i)) for i, feature in enumerate(schema.features)
    ]
    return columns if rows is None else [column[rows] for column in columns]


def with_more(part: Any, names: Sequence[str], columns: Sequence[Array]) -> Any:
    """Return a partition with more columns behind its own."""
    if hasattr(part, "assign"):
        return part.assign(**dict(zip(names, columns, strict=True)))
    return np.column_stack([np.asarray(part), *columns])


def prediction_matrix(part: Any, schema: Schema, rows: NDArray[Any] | None) -> Array:
    """Return the rows of a partition, or some of them, as one float array for prediction."""
    columns = encoded_columns(part, schema, rows)
    return Table(schema, len(columns[0]), columns=columns).to_matrix()


def survey(
    part: Any, schema: Schema, rows: NDArray[Any] | None, n_rows: int, max_bins: int, first_row: int
) -> tuple[list[Any], list[int], int]:
    """Return what bins need to know about a partition, its checksums, and its number of rows."""
    columns = encoded_columns(part, schema, rows)
    kinds = [KIND_NUMBERS[feature.kind] for feature in schema.features]
    encoder = _core.BatchEncoder(kinds, schema.n_codes.tolist(), n_rows, max_bins, first_row)
    encoder.survey(columns)
    return list(encoder.surveys()), list(encoder.surveyed_checksums()), len(columns[0])


def make_codes(
    part: Any, schema: Schema, rows: NDArray[Any] | None, described: list[Any], first_row: int
) -> Codes:
    """Return the codes of a partition of a table whose columns are described."""
    columns = encoded_columns(part, schema, rows)
    encoder = _core.BatchEncoder.of_part(described, len(columns[0]), first_row)
    encoder.encode(columns)
    checksums = list(encoder.checksums())
    dataset = encoder.dataset()
    codes = [np.array(dataset.codes(feature)) for feature in range(dataset.n_features)]
    return Codes(codes, [bool(len(column) and column.min() == 0) for column in codes], checksums)


def check_recomputed(numbers: Iterable[int], parts: list[Codes], checksums: list[list[int]]) -> None:
    """Raise ValueError when codes were made from other rows than those that were surveyed.

    Parameters
    ----------
    numbers : iterable of int
        Which partitions these are.
    parts : list of Codes
        Their codes.
    checksums : list of list of int
        What they must have been made from.
    """
    for number, part, wanted in zip(numbers, parts, checksums, strict=True):
        if part.checksums != wanted:
            raise ValueError(
                f"Partition {number} was not the same when it was computed again. Partitions must be "
                "recomputed as they were."
            )


def described(codes: Codes) -> tuple[int, list[bool], list[int]]:
    """Return what the client wants to know about codes without having them."""
    return codes.n_rows, codes.has_missing, codes.checksums
