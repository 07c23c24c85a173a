"""Columns and features: `learn_feature` decides at fit, `encode_column` obeys at prediction."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.data.array import check_exact_integers
from treewright.data.column import Array, Categories, Codes, Column, Numbers, Objects, examples, is_missing
from treewright.data.kinds import Rule
from treewright.data.objects import categorise_objects, check_types, code_objects, read_objects
from treewright.data.schema import Feature


def learn_feature(where: str, name: str, column: Column, rule: Rule) -> tuple[Feature, Array]:
    """Decide what a column is, and encode it.

    Parameters
    ----------
    where : str
        How messages call the column.
    name : str
        The feature's name.
    column : Column
        What was read.
    rule : Rule
        How to decide.

    Returns
    -------
    feature : Feature
        The decision.
    values : ndarray
        Numbers with NaN for missing, or unsigned codes with 0 for missing.
    """
    if rule == "nominal":
        known = _categorise(where, column)
        return Feature(name, "nominal", known.categories), known.codes
    if isinstance(column, Objects):
        column = read_objects(where, column.values)
    if isinstance(column, Categories):
        if column.ordered and rule != "number":
            return Feature(name, "ordinal", column.categories), column.codes
        if rule == "dtype":
            return Feature(name, "nominal", column.categories), column.codes
        column = Numbers(_category_values(column, _text_error(where, column)))
    check_exact_integers(where, column.values)
    return Feature(name, "numeric"), column.values


def encode_column(where: str, feature: Feature, column: Column) -> Array:
    """Encode a column the way its feature was encoded at fit; categories are matched by value.

    A category that was not seen gets code n + 1 (nominal) or counts as missing (ordinal: it has no place in
    the order).
    """
    if feature.kind == "numeric":
        return _encode_numbers(where, feature, column)
    unseen = feature.n_codes + 1 if feature.kind == "nominal" else 0
    if isinstance(column, Objects):
        check_types(where, column.values)
    if isinstance(column, Categories) and column.categories == feature.categories:
        return column.codes
    _check_same_sort(where, feature, column)
    if isinstance(column, Objects):
        return code_objects(column.values, feature.index, unseen)
    if isinstance(column, Numbers):
        return _code_numbers(column.values, feature, unseen)
    return _translation(column, feature.index, unseen)[column.codes]


def _encode_numbers(where: str, feature: Feature, column: Column) -> Array:
    if isinstance(column, Objects):
        column = read_objects(where, column.values)
    if isinstance(column, Categories):
        texts = [category for category in column.categories if isinstance(category, str)]
        error = ValueError(
            f"{where} held numbers during fit and holds text now ({examples(texts)}). "
            "Convert it to numbers first."
        )
        return _category_values(column, error)
    check_exact_integers(where, column.values)
    return column.values


def _check_same_sort(where: str, feature: Feature, column: Column) -> None:
    """Refuse text where every category was a number, and the reverse: all of it would be unseen."""
    categories = feature.categories or ()
    if len(feature.sorts) != 1:  # nothing known during fit, or a mixture: anything may come
        return
    were_text = feature.sorts == {True}
    other = None
    for value in _known_values(column):
        if isinstance(value, str) == were_text:  # usually the first one
            return
        other = value
    if other is not None:
        then, now = ("text", "numbers") if were_text else ("numbers", "text")
        raise ValueError(
            f"{where} held the categories {examples(categories)} during fit, which are {then}, and holds "
            f"{now} now ({other!r}). Convert it to {then} first."
        )


def _known_values(column: Column) -> Iterator[Any]:
    """Yield values that are not missing, at least one of each sort."""
    if isinstance(column, Numbers):
        return iter(column.values[column.values == column.values][:1].tolist())
    if isinstance(column, Objects):
        return (value for value in column.values if not is_missing(value))
    used = np.flatnonzero(np.bincount(column.codes, minlength=1))
    return (column.categories[code - 1] for code in used.tolist() if code)


def _categorise(where: str, column: Column) -> Categories:
    if isinstance(column, Objects):
        return categorise_objects(where, column.values)
    if isinstance(column, Numbers):
        distinct, inverse = np.unique(column.values, return_inverse=True)
        # NaN sorts last, and NumPy makes all of them one value.
        n_known = distinct.size - int(distinct.size > 0 and _is_nan(distinct[-1]))
        codes = (inverse + 1).astype(np.uint32)
        codes[codes > n_known] = 0
        return Categories(codes, tuple(distinct[:n_known].tolist()))
    return column


def _is_nan(value: Any) -> bool:
    return isinstance(value, np.floating) and math.isnan(value)


def _code_numbers(values: Array, feature: Feature, unseen: int) -> Codes:
    if feature.kind == "nominal" and feature.number_index is not None:
        return _search_numbers(values, *feature.number_index)
    distinct, inverse = np.unique(values, return_inverse=True)
    index = feature.index
    codes = [0 if value != value else index.get(value, unseen) for value in distinct.tolist()]
    return np.array(codes, dtype=np.uint32)[inverse]


def _search_numbers(values: Array, known: Array, codes: Codes) -> Codes:
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    place = np.searchsorted(known, numbers)
    found = codes[place]
    other = known[place] != numbers  # NaN too
    if other.any():
        found[other] = codes[-1]
        found[np.isnan(numbers)] = 0
    return found


def _translation(column: Categories, index: dict[Any, int], unseen: int) -> Codes:
    return np.array([0, *(index.get(category, unseen) for category in column.categories)], dtype=np.uint32)


def _category_values(column: Categories, text_error: ValueError) -> Array:
    """Return the numbers that the categories are; booleans are 0 and 1."""
    if any(isinstance(category, str) for category in column.categories):
        # Declared text that no row uses does no harm: what counts is what is there.
        used = set(np.unique(column.codes).tolist())
        if any(isinstance(c, str) and code in used for code, c in enumerate(column.categories, 1)):
            raise text_error
    values = [float(c) if not isinstance(c, str) else math.nan for c in column.categories]
    return np.array([math.nan, *values], dtype=np.float64)[column.codes]


def _text_error(where: str, column: Categories) -> ValueError:
    texts = [category for category in column.categories if isinstance(category, str)]
    return ValueError(
        f'{where} holds text ({examples(texts, 1)}). Pass categorical_features="from_dtype" '
        "or list it in categorical_features."
    )
