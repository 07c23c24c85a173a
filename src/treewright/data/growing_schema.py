"""The schema of a table that comes in batches: what `learn_feature` would decide about whole columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

__all__ = ["learn_schema", "rows_of_batches"]


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
    features: list[Feature | None] = [
        Feature(name, "numeric") if name in certain and rule != "nominal" else None
        for name, rule in zip(scan.names, rules, strict=True)
    ]
    asked = [position for position, feature in enumerate(features) if feature is None]
    growing = {
        position: _GrowingFeature(column_words(names, position), rules[position]) for position in asked
    }
    if asked:
        batches = scan.batches([scan.names[position] for position in asked])
        for batch, kept in rows_of_batches(batches, rows):
            frame = read_frame(batch, owner)
            for place, position in enumerate(asked):
                column = frame.column(place)
                growing[position].add(column if kept is None else take_rows(column, kept))
    text_numbers = []
    for position in asked:
        feature = growing[position].finished(scan.names[position])
        features[position] = feature
        if warn and growing[position].is_plain_text and look_like_numbers(feature.categories or ()):
            text_numbers.append((column_words(names, position), feature.categories or ()))
    warn_of_text_numbers(text_numbers, True)
    return Schema(tuple(feature for feature in features if feature is not None), named=True)


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


class _GrowingFeature:
    """One column, decided when all batches were seen."""

    def __init__(self, where: str, rule: Rule) -> None:
        self._where, self._rule = where, rule
        self._kind: Kind | None = None
        self._categories: dict[Category, None] = {}
        self._declared = False
        self.is_plain_text = rule == "dtype"

    def add(self, column: Column) -> None:
        feature, _ = learn_feature(self._where, "", column, self._rule)
        self.is_plain_text &= isinstance(column, Objects) and not column.categorical
        self._declared |= isinstance(column, Categories) and column.declared
        if feature.kind == "nominal" and not feature.categories:
            return  # nothing known in this batch
        if self._kind not in (None, feature.kind):
            words = {"numeric": "numbers", "nominal": "categories", "ordinal": "ordered categories"}
            raise ValueError(
                f"{self._where} holds {words[str(self._kind)]} in some batches and {words[feature.kind]} in "
                "others. Convert it to one type first."
            )
        self._kind = feature.kind
        if feature.categories is not None:
            if (
                feature.kind == "ordinal"
                and self._categories
                and tuple(self._categories) != feature.categories
            ):
                raise ValueError(f"{self._where} declares ordered categories that differ between batches.")
            self._categories |= dict.fromkeys(feature.categories)

    def finished(self, name: str) -> Feature:
        if self._kind == "numeric":
            return Feature(name, "numeric")
        categories: Sequence[Category] = tuple(self._categories)
        if not self._declared and not any(isinstance(category, str) for category in categories):
            categories = sorted(categories)
        return Feature(name, self._kind or "nominal", tuple(categories))
