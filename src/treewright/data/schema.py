"""What a model knows about its columns: name, kind, categories. Immutable; part of the model file.

`to_dict` and `from_dict` are exact and JSON-safe: a category carries its type, so 1, 1.0, "1" and True stay
apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import LARGEST_EXACT_INTEGER, Array, Category
from treewright.data.objects import category_index

Kind: TypeAlias = Literal["numeric", "nominal", "ordinal"]

_MOST_CATEGORIES = 2**32 - 2  # code 0 is missing, the last code is "unseen"


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array in C order; copies only what is in another order."""
    view = array.view() if array.flags.c_contiguous else np.ascontiguousarray(array)
    view.flags.writeable = False
    return view


@dataclass(frozen=True)
class Feature:
    """One column of the table a model was fitted on.

    Attributes
    ----------
    name : str
        Its name, verbatim; ``"x0"``, ``"x1"``, … when the table had no names.
    kind : {"numeric", "nominal", "ordinal"}
        Numbers, categories without order, categories with an order.
    categories : tuple or None
        The categories (str, int, float, bool) in code order, code 1 first; None for numbers.
    zero_is_missing : bool
        Whether numbers of at most 1e-35 in size count as missing; only imported models have such features.
    """

    name: str
    kind: Kind
    categories: tuple[Category, ...] | None = None
    zero_is_missing: bool = False

    @property
    def n_codes(self) -> int:
        """Number of categories; 0 for numbers."""
        return 0 if self.categories is None else len(self.categories)

    @cached_property
    def index(self) -> dict[Any, int]:
        """Category -> code, by value."""
        return category_index(self.categories or ())

    @cached_property
    def sorts(self) -> frozenset[bool]:
        """Whether categories are text: True, False, both or neither."""
        return frozenset(isinstance(category, str) for category in self.categories or ())

    @cached_property
    def number_index(self) -> tuple[NDArray[np.float64], NDArray[np.uint32]] | None:
        """Ascending numbers and their codes, for a search, then NaN and the code of an unseen number.

        None unless float64 holds all categories exactly.
        """
        categories = self.categories or ()
        if self.sorts != {False} or any(
            isinstance(category, int) and abs(category) >= LARGEST_EXACT_INTEGER for category in categories
        ):
            return None
        numbers = np.array(categories, dtype=np.float64)
        order = np.argsort(numbers, kind="stable")
        return np.append(numbers[order], np.nan), np.append(order + 1, len(order) + 1).astype(np.uint32)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe description."""
        description: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.categories is not None:
            description["categories"] = [_tag(category) for category in self.categories]
        if self.zero_is_missing:
            description["zero_is_missing"] = True
        return description

    @classmethod
    def from_dict(cls, description: object) -> Feature:
        """Rebuild a feature from an untrusted description; ValueError when it makes no sense."""
        if not isinstance(description, dict):
            raise ValueError("a feature must be described by an object")
        name, kind = description.get("name"), description.get("kind")
        if not isinstance(name, str):
            raise ValueError(f"a feature's name must be text, got {name!r:.100}")
        if not isinstance(kind, str) or kind not in get_args(Kind):
            raise ValueError(f"feature {name!r:.100}: unknown kind {kind!r:.100}")
        tagged = description.get("categories")
        if kind == "numeric":
            if tagged is not None:
                raise ValueError(f"feature {name!r:.100} is numeric and cannot have categories")
            return cls(name, "numeric", None, _zero_rule(name, description))
        if not isinstance(tagged, list) or len(tagged) > _MOST_CATEGORIES:
            raise ValueError(f"feature {name!r:.100}: categories must be a list")
        categories = tuple(_untag(item) for item in tagged)
        if len(set(categories)) != len(categories):
            raise ValueError(f"feature {name!r:.100}: a category occurs twice")
        return cls(name, "nominal" if kind == "nominal" else "ordinal", categories)


@dataclass(frozen=True)
class Schema:
    """All columns of the table a model was fitted on.

    Attributes
    ----------
    features : tuple of Feature
        The columns in order.
    named : bool
        Whether the table itself had names (all of them text).
    library : str or None
        The library of the DataFrame that was learned from, so that reports come as frames of the same; None
        where there was none, and in files, which do not keep it.
    """

    features: tuple[Feature, ...]
    named: bool = False
    library: str | None = field(default=None, compare=False, repr=False)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.features)

    @cached_property
    def names(self) -> Array | None:
        """Names as scikit-learn's ``feature_names_in_``; None when the table had none."""
        if not self.named:
            return None
        names = np.empty(len(self.features), dtype=object)
        names[:] = [feature.name for feature in self.features]
        return frozen(names)  # estimators hand this very array to the user

    @cached_property
    def n_codes(self) -> NDArray[np.uint32]:
        """Number of categories per feature; 0 for numbers."""
        return np.array([feature.n_codes for feature in self.features], dtype=np.uint32)

    @cached_property
    def zero_missing(self) -> tuple[int, ...]:
        """Features whose zeros count as missing."""
        return tuple(i for i, feature in enumerate(self.features) if feature.zero_is_missing)

    @cached_property
    def all_numeric(self) -> bool:
        """Whether no feature has categories, so that an array of numbers needs no translation."""
        return all(feature.kind == "numeric" for feature in self.features)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe description."""
        return {"named": self.named, "features": [feature.to_dict() for feature in self.features]}

    @classmethod
    def from_dict(cls, description: object) -> Schema:
        """Rebuild a schema from an untrusted description; ValueError when it makes no sense."""
        if not isinstance(description, dict):
            raise ValueError("a schema must be described by an object")
        named, features = description.get("named"), description.get("features")
        if not isinstance(named, bool):
            raise ValueError("a schema must say whether its features are named")
        if not isinstance(features, list) or not features:
            raise ValueError("a schema needs a list of at least one feature")
        schema = cls(tuple(Feature.from_dict(feature) for feature in features), named)
        if named and len({feature.name for feature in schema.features}) != len(features):
            raise ValueError("a feature name occurs twice")
        return schema


@lru_cache(maxsize=64)
def numeric_schema(n_features: int) -> Schema:
    """Return the schema of an array of numbers. Schemas are immutable, so one per width is enough."""
    return Schema(tuple(Feature(f"x{i}", "numeric") for i in range(n_features)))


def _zero_rule(name: str, description: dict[str, Any]) -> bool:
    rule = description.get("zero_is_missing", False)
    if not isinstance(rule, bool):
        raise ValueError(f"feature {name!r:.100}: zero_is_missing must be true or false")
    return rule


def _tag(category: Category) -> list[Any]:
    if isinstance(category, bool):  # before int: every bool is one
        return ["bool", category]
    if isinstance(category, int):  # as text: JSON readers elsewhere round large integers
        return ["int", str(category)]
    if isinstance(category, float):  # as text: JSON has no infinity
        return ["float", repr(category)]
    return ["str", category]


def _untag(item: object) -> Category:
    match item:
        case ["bool", bool(value)]:
            return value
        case ["int", str(text)]:
            return int(text)
        case ["float", str(text)]:
            number = float(text)
            if math.isnan(number):
                raise ValueError("a category cannot be NaN")
            return number
        case ["str", str(text)]:
            return text
    raise ValueError(f"not a category: {item!r:.100}")
