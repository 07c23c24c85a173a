"""The schema of a table that comes in batches: what `learn_feature` would decide about whole columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Categories, Category, Column, Objects, take_rows
from treewright.data.encode import learn_feature
from treewright.data.frame import column_words, read_frame
from treewright.data.kinds import Rule, column_rules
from treewright.data.schema import Feature, Kind, Schema
from treewright.data.text_numbers import look_like_numbers, warn_of_text_numbers

if TYPE_CHECKING:
    from treewright.data.scan import Scan

__all__ = ["GrowingFeature", "finished_schema", "learn_schema", "rows_of_batches"]


def learn_schema(
    scan: Scan,
    categorical_features: Any,
    *,
    owner: str,
    rows: NDArray[np.intp] | None = None,
    warn: bool = True,
) -> Schema:
    """Decide what the columns of a scan are; columns that are numbers for certain are not read.

    Parameters
    ----------
    scan : Scan
        The rows.
    categorical_features : object
        The parameter of estimators.
    owner : str
        Name of the estimator class, for messages.
    rows : ndarray of int or None
        Ascending numbers of the rows to look at; None: all.
    warn : bool, default=True
        Whether to warn of numbers that are stored as text.
    """
    names = np.empty(len(scan.names), dtype=object)
    names[:] = scan.names
    rules = column_rules(categorical_features, names, len(names))
    certain = scan.numeric()
    asked = [
        position
        for position, (name, rule) in enumerate(zip(scan.names, rules, strict=True))
        if name not in certain or rule == "nominal"
    ]
    growing = {i: GrowingFeature(column_words(names, i), rules[i]) for i in asked}
    if asked:
        batches = scan.batches([scan.names[position] for position in asked])
        for batch, kept in rows_of_batches(batches, rows):
            frame = read_frame(batch, owner)
            for place, position in enumerate(asked):
                column = frame.column(place)
                growing[position].add(column if kept is None else take_rows(column, kept))
    return finished_schema(scan.names, growing, warn=warn)


def finished_schema(names: Sequence[str], growing: Mapping[int, GrowingFeature], *, warn: bool) -> Schema:
    """Return the schema of columns with names; those that are not growing are numbers.

    Parameters
    ----------
    names : sequence of str
        The names of all columns.
    growing : mapping of int to GrowingFeature
        By position, what was seen of columns that are not numbers for certain.
    warn : bool
        Whether to warn of numbers that are stored as text.
    """
    features, text_numbers = [], []
    for position, name in enumerate(names):
        grown = growing.get(position)
        feature = Feature(name, "numeric") if grown is None else grown.finished(name)
        features.append(feature)
        if warn and grown is not None and grown.is_plain_text and look_like_numbers(feature.categories or ()):
            text_numbers.append((grown.where, feature.categories or ()))
    warn_of_text_numbers(text_numbers, True)
    return Schema(tuple(features), named=True)


def rows_of_batches(
    batches: Iterator[Any], rows: NDArray[Any] | None
) -> Iterator[tuple[Any, NDArray[np.intp] | None]]:
    """Yield each batch with the rows of it that are wanted; None: all. Batches without any are left out.

    Parameters
    ----------
    batches : iterator of tables
        All rows, in their order.
    rows : ndarray of int or None
        Ascending numbers of the wanted rows; None: all.
    """
    begin = 0
    for batch in batches:
        end = begin + len(batch)
        if rows is None:
            yield batch, None
        else:
            first, last = np.searchsorted(rows, [begin, end]).tolist()
            if last - first == end - begin:
                yield batch, None
            elif last > first:
                yield batch, (rows[first:last] - begin).astype(np.intp)
        begin = end


class GrowingFeature:
    """One column, decided when all batches were seen; in one process, or joined from several."""

    def __init__(self, where: str, rule: Rule) -> None:
        self.where, self._rule = where, rule
        self._kind: Kind | None = None
        self._categories: dict[Category, None] = {}
        self._declared = False
        self.is_plain_text = rule == "dtype"

    def add(self, column: Column) -> None:
        """Look at the column of the next batch."""
        feature, _ = learn_feature(self.where, "", column, self._rule)
        self.is_plain_text &= isinstance(column, Objects) and not column.categorical
        self._declared |= isinstance(column, Categories) and column.declared
        if feature.kind != "nominal" or feature.categories:
            self._join(feature)

    def join(self, other: GrowingFeature) -> None:
        """Join what somebody else has seen of later batches."""
        self.is_plain_text &= other.is_plain_text
        self._declared |= other._declared
        if other._kind is not None:
            categories = None if other._kind == "numeric" else tuple(other._categories)
            self._join(Feature("", other._kind, categories))

    def _join(self, feature: Feature) -> None:
        if self._kind not in (None, feature.kind):
            words = {"numeric": "numbers", "nominal": "categories", "ordinal": "ordered categories"}
            raise ValueError(
                f"{self.where} holds {words[str(self._kind)]} in some batches and {words[feature.kind]} in "
                "others. Convert it to one type first."
            )
        self._kind = feature.kind
        if feature.categories is not None:
            if (
                feature.kind == "ordinal"
                and self._categories
                and tuple(self._categories) != feature.categories
            ):
                raise ValueError(f"{self.where} declares ordered categories that differ between batches.")
            self._categories |= dict.fromkeys(feature.categories)

    def finished(self, name: str) -> Feature:
        """Return the decision."""
        if self._kind == "numeric":
            return Feature(name, "numeric")
        categories: Sequence[Category] = tuple(self._categories)
        if not self._declared and not any(isinstance(category, str) for category in categories):
            categories = sorted(categories)
        return Feature(name, self._kind or "nominal", tuple(categories))
