"""The columns of CatBoost's models: numbers, and categories of which the file knows hashes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Feature, Schema
from treewright.data.column import Category
from treewright.imported.catboost_hash import category_hash
from treewright.imported.columns import given_names, listed_categories, whole_numbers
from treewright.imported.faults import fault, unsupported
from treewright.imported.fields import sub_list, sub_object, whole_number

__all__ = ["Columns", "read_columns"]

MOST_FEATURES = 2**29
KINDS = ("float_features", "categorical_features", "text_features", "embedding_features")


@dataclass(frozen=True)
class Columns:
    """What tests of trees refer to.

    Attributes
    ----------
    schema : Schema
        The columns of a table.
    numbers : dict of int to (int, bool)
        Of each feature of numbers its column, and whether missing values go right.
    categories : dict of int to (int, dict)
        Of each feature of categories its column, and for each hash the codes of the categories that have it.
    """

    schema: Schema
    numbers: dict[int, tuple[int, bool]]
    categories: dict[int, tuple[int, dict[int, NDArray[np.uint32]]]]


def read_columns(
    found: dict[str, Any], feature_names: Sequence[str] | None, given: Mapping[str, Sequence[Any]]
) -> Columns:
    """Return the columns.

    Parameters
    ----------
    found : dict
        The file, which may hold anything.
    feature_names : sequence of str or None
        Names from the caller.
    given : mapping of str to sequence
        Categories of columns from the caller.
    """
    info = sub_object(found, "features_info", "the file")
    if info.get("ctrs"):
        unsupported(
            "it tests statistics of categories (CTR), which cannot be imported",
            "Models that test single categories can: fit with a one_hot_max_size of at least their number.",
        )
    named: dict[int, str] = {}
    indexes: set[tuple[str, int]] = set()
    numbers: dict[int, tuple[int, bool]] = {}
    of_categories: dict[int, tuple[int, list[int]]] = {}
    for kind in KINDS:
        for one in sub_list(info, kind, "features_info") if info.get(kind) is not None else []:
            if not isinstance(one, dict):
                fault("features_info", f"the field {kind!r} holds something else than features")
            place = whole_number(one, "flat_feature_index", kind)
            index = whole_number(one, "feature_index", kind)
            if place in named or (kind, index) in indexes or place > MOST_FEATURES:
                fault(kind, f"the feature {place} is there twice, or too far")
            indexes.add((kind, index))
            name = one.get("feature_id")
            named[place] = name if isinstance(name, str) and name else str(place)
            if kind == "float_features":
                numbers[index] = (place, one.get("nan_value_treatment") == "AsTrue")
            elif kind == "categorical_features":
                of_categories[index] = (place, _hashes(one, f"feature {place}"))
    if not named:
        fault("features_info", "the model has no features")
    n = max(named) + 1
    if n > 2 * len(named) + 1000:
        fault("features_info", "features are numbered with gaps")
    shown, are_names = given_names(
        [named.get(i, str(i)) for i in range(n)], feature_names, re.compile(r"\d+")
    )
    if unknown := [name for name in given if name not in shown]:
        raise ValueError(f"categories has {unknown[0]!r}, which is no column of the model")
    features = [Feature(name, "numeric") for name in shown]
    texts = _texts(info)
    categories: dict[int, tuple[int, dict[int, NDArray[np.uint32]]]] = {}
    for index, (place, hashes) in of_categories.items():
        name = shown[place]
        known = _stored(hashes, texts, name) if name not in given else listed_categories(given[name], name)
        features[place] = Feature(name, "nominal", known)
        categories[index] = (place, _codes(hashes, known, name))
    return Columns(Schema(tuple(features), are_names), numbers, categories)


def _hashes(one: dict[str, Any], where: str) -> list[int]:
    """Return the hashes that tests of a feature may name."""
    values = sub_list(one, "values", where) if one.get("values") is not None else []
    if not all(type(value) is int and -(2**31) <= value < 2**32 for value in values):
        fault(where, "the field 'values' holds something else than hashes")
    return sorted({value % 2**32 for value in values})


def _texts(info: dict[str, Any]) -> dict[int, list[str]]:
    """Return the categories of each hash, where the file was saved with the rows (``pool=``)."""
    found: dict[int, list[str]] = {}
    if info.get("cat_features_hash") is None:
        return found
    for one in sub_list(info, "cat_features_hash", "features_info"):
        number, text = (one.get("hash"), one.get("value")) if isinstance(one, dict) else (None, None)
        if type(number) is not int or not isinstance(text, str) or category_hash(text) != number % 2**32:
            fault("features_info", "the field 'cat_features_hash' holds something else than categories")
        if text not in (same := found.setdefault(number % 2**32, [])):
            same.append(text)
    return found


def _stored(hashes: Sequence[int], texts: dict[int, list[str]], name: str) -> tuple[Category, ...]:
    """Return the categories that are tested; whole numbers if all look like some."""
    if any(number not in texts for number in hashes):
        unsupported(
            f"of the categories of {name[:60]!r} the model keeps hashes alone",
            "Pass categories={column: [one category, another, …]}, or save the model with "
            '`save_model(…, format="json", pool=…)`, which writes them down.',
        )
    return tuple(sorted(whole_numbers([text for number in hashes for text in texts[number]])))


def _codes(hashes: Sequence[int], categories: Sequence[Category], name: str) -> dict[int, NDArray[np.uint32]]:
    codes: dict[int, list[int]] = {}
    for code, category in enumerate(categories, 1):
        codes.setdefault(category_hash(str(category)), []).append(code)
    lost = [number for number in hashes if number not in codes]
    if lost:
        fault(
            f"the categories of {name[:60]!r}",
            f"{len(lost)} that the model tests are not among those named (the first has the hash {lost[0]})",
        )
    return {number: np.array(codes[number], dtype=np.uint32) for number in hashes}
