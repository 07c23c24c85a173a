"""Columns and features: `learn_feature` decides at fit, `encode_column` obeys at prediction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright.data.array import check_exact_integers
from treewright.data.column import Array, Categories, Codes, Column, Numbers, Objects, examples
from treewright.data.kinds import Rule
from treewright.data.objects import categorise_objects, code_objects, read_objects
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
        Numbers with NaN for missing, or uint32 codes with 0 for missing.
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
        return code_objects(_hashable(where, column.values), feature.index, unseen)
    if isinstance(column, Numbers):
        return _code_numbers(column.values, feature.index, unseen)
    if column.categories == feature.categories:
        return column.codes
    return _translation(column, feature.index, unseen)[column.codes]


def _encode_numbers(where: str, feature: Feature, column: Column) -> Array:
    if isinstance(column, Objects):
        column = read_objects(where, column.values)
    if isinstance(column, Categories):
        texts = [category for category in column.categories if isinstance(category, str)]
        error = ValueError(f"{where} held numbers during fit and holds text now ({examples(texts)}).")
        return _category_values(column, error)
    check_exact_integers(where, column.values)
    return column.values


def _hashable(where: str, values: list[Any]) -> list[Any]:
    try:
        set(values)
    except TypeError as error:
        raise TypeError(f"{where} holds a value that is neither text nor a number: {error}.") from error
    return values


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


def _code_numbers(values: Array, index: dict[Any, int], unseen: int) -> Codes:
    distinct, inverse = np.unique(values, return_inverse=True)
    codes = [0 if value != value else index.get(value, unseen) for value in distinct.tolist()]
    return np.array(codes, dtype=np.uint32)[inverse]


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
