"""What a fit found out, typed: one class per family of models, read from `Model.facts` and written to it.

`Model.facts` is what a file holds: plain values by name. Whoever asks here gets an attribute of a known type,
or a ValueError that says what is wrong. What a fit did and a report wants to know later is a new field here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from numbers import Real
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Self, Union, cast, get_args, get_origin, get_type_hints

from treewright.criteria import CRITERIA, REAL_NAMES

if TYPE_CHECKING:
    from treewright.model.model import Model

__all__ = [
    "BoosterFacts",
    "Facts",
    "ForestFacts",
    "ImportedFacts",
    "TreeFacts",
    "ValidationFacts",
    "WeightedFacts",
]

MOST_SEEDS = 2**32
# What tests of single trees may compete on beside the criteria.
RANKINGS = ("gain", "gain_ratio")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Base of the families: ``Model(facts=vars(facts), …)``. The fields stand in the order of the file."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """Return the facts of a model of this family; ValueError when its file says what cannot be."""
        return cls.from_dict(model.facts)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the facts from plain values; those of other families are left alone."""
        # What older files do not have is what it was then: the default.
        known = {
            one.name: stored.get(one.name, None if one.default is MISSING else one.default)
            for one in fields(cls)
        }
        found = cls(**known)
        found._check()
        types = _types_of(cast(Any, cls))
        for field in fields(cls):
            value = known[field.name]
            if not fits_type(value, types[field.name]):
                raise ValueError(f"its fact {field.name!r} is {_shown(value)}")
        return found

    @classmethod
    def changed(cls, model: Model, **changes: Any) -> dict[str, Any]:
        """Return the facts of a model with some of this family's replaced; None takes one away."""
        if unknown := changes.keys() - {field.name for field in fields(cls)}:
            raise TypeError(f"{cls.__name__} has no field {', '.join(sorted(unknown))}")
        return {name: value for name, value in {**model.facts, **changes}.items() if value is not None}

    def _check(self) -> None:
        """Raise ValueError, with a sentence, unless the values are such that a fit may have found."""


@dataclass(frozen=True, kw_only=True)
class TreeFacts(Facts):
    """Of a single tree.

    Attributes
    ----------
    max_features : int
        Features that every node looked at.
    criterion : str or None
        What tests compete on: "gain_ratio", "gain" or the loss that they make smaller; None in files of the
        first versions.
    edited : str or None
        What was changed by hand, in words.
    pruning : mapping or None
        The report of the pruning, as plain values.
    pruning_best : mapping or None
        The arrays of the best subtree, where a smaller one was chosen.
    aside_rows : int
        Rows of the fit that were set aside for pruning.
    aside_seed : int or None
        The seed that drew them; None where groups stayed together.
    missing_features : list of int or None
        As the ensemble says it that the tree was taken from; other trees know it node by node.
    """

    max_features: int
    criterion: str | None = None
    edited: str | None = None
    pruning: Mapping[str, Any] | None = None
    pruning_best: Mapping[str, Any] | None = None
    aside_rows: int = 0
    aside_seed: int | None = None
    missing_features: list[int] | None = None

    def _check(self) -> None:
        _check_drawn(self.max_features)
        if self.aside_rows < 0:
            raise ValueError("fewer than 0 rows were set aside")
        if self.aside_seed is not None and not 0 <= self.aside_seed < 2**32:
            raise ValueError("the seed of the rows that were set aside is none")
        if self.criterion is not None:
            _check_criterion(self.criterion)


@dataclass(frozen=True, kw_only=True)
class ForestFacts(Facts):
    """Of a forest, bagging included.

    Attributes
    ----------
    aggregation : {"mean", "votes"}
        How its trees become one answer.
    bags : list of dict
        How the rows of each tree were drawn.
    criterion : str
        What the trees were grown by.
    max_features : int
        Features that every node looked at.
    calibration : mapping or None
        What turns shares of trees into probabilities, as plain values.
    oob_score : float or None
        Score of the rows that a tree did not see.
    missing_features : list of int or None
        Features without a value in some row of the fit; None: not known, or the trees know it themselves.
    """

    aggregation: Literal["mean", "votes"]
    bags: list[dict[str, Any]]
    criterion: str
    max_features: int
    calibration: Mapping[str, Any] | None = None
    oob_score: float | None = None
    missing_features: list[int] | None = None

    def _check(self) -> None:
        _check_drawn(self.max_features)
        _check_criterion(self.criterion)
        if not isinstance(self.bags, list) or not self.bags:
            raise ValueError("its bags are missing")
        if not _is_number_or_none(self.oob_score):
            raise ValueError("its out-of-bag score is not a number")


@dataclass(frozen=True, kw_only=True)
class ValidationFacts(Facts):
    """Of every booster: what its validation scores are called.

    Attributes
    ----------
    validation : mapping or None
        Names of the sets of validation rows ("sets") and of the metrics ("metrics"), where some were watched.
    """

    validation: Mapping[str, list[str]] | None = None

    def _check(self) -> None:
        named = self.validation
        if named is None:
            return
        if not isinstance(named, dict) or set(named) != {"sets", "metrics"}:
            raise ValueError("it does not name its validation scores")
        for names in named.values():
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise ValueError("the names of its validation scores are none")


@dataclass(frozen=True, kw_only=True)
class BoosterFacts(Facts):
    """Of a booster whose trees add up to raw scores.

    Attributes
    ----------
    aggregation : {"sum"}
        How its trees become one answer.
    loss, link : str
        What it makes small, and what turns raw scores into answers.
    n_rounds : int
        Rounds that it has.
    learning_rate, l2, l1 : float
        How far a leaf goes; what keeps it small.
    chance_gain : float or None
        What a split had to gain beyond chance; None in files of the first versions.
    max_leaves : int or None
        Most leaves of a tree, where the rows decided that.
    seed : int
        Of everything that was drawn.
    validation : mapping or None
        Names of the sets of validation rows and of the metrics, where some were watched.
    rows_set_aside : int or None
        Rows of the fit that were watched instead of learned from; None in files of format 1.
    earlier_fits : list of dict or None
        Of rounds that a warm start was added to with other settings: up to which round ("n_rounds"), and how
        trees grew ("params").
    missing_features : list of int or None
        Features without a value in some row of the fit; None in files of the first versions.
    """

    aggregation: Literal["sum"] = "sum"
    loss: str
    link: str
    n_rounds: int
    learning_rate: float
    l2: float
    l1: float
    chance_gain: float | None = None
    max_leaves: int | None = None
    seed: int
    validation: Mapping[str, Any] | None = None
    rows_set_aside: int | None = None
    earlier_fits: list[dict[str, Any]] | None = None
    missing_features: list[int] | None = None

    def _check(self) -> None:
        if type(self.n_rounds) is not int:
            raise ValueError("it does not say how many rounds it has")
        _check_seed(self.seed)
        if not isinstance(self.loss, str) or not isinstance(self.link, str):
            raise ValueError("it does not name its loss")
        for name in ("l2", "l1", "learning_rate"):
            value = getattr(self, name)
            if not isinstance(value, float) or not 0 <= value < math.inf:
                raise ValueError(f"its {name} is not a number of at least 0")
        if not _is_number_or_none(self.chance_gain):
            raise ValueError("its chance_gain is not a number")
        if self.max_leaves is not None and type(self.max_leaves) is not int:
            raise ValueError("its max_leaves is not a count")
        fits = [] if self.earlier_fits is None else self.earlier_fits
        if not isinstance(fits, list) or not all(_is_fit(one) for one in fits):
            raise ValueError("its earlier fits are none")


@dataclass(frozen=True, kw_only=True)
class WeightedFacts(Facts):
    """Of a booster whose trees vote with weights.

    Attributes
    ----------
    aggregation : {"weighted"}
        How its trees become one answer.
    algorithm : {"SAMME", "SAMME.R", "R2"}
        How trees get their weights.
    criterion : str
        What the trees were grown by.
    seed : int or None
        Of everything that was drawn; None where a generator drew it, which has moved on since.
    validation : mapping or None
        Names of the sets of validation rows and of the metrics, where some were watched.
    rows_set_aside : int or None
        Rows of the fit that were watched instead of learned from; None in files of format 1.
    """

    aggregation: Literal["weighted"] = "weighted"
    algorithm: Literal["SAMME", "SAMME.R", "R2"]
    criterion: str
    seed: int | None = None
    validation: Mapping[str, Any] | None = None
    rows_set_aside: int | None = None

    def _check(self) -> None:
        if self.algorithm not in ("SAMME", "SAMME.R", "R2"):
            raise ValueError("it does not say how its trees vote")
        _check_criterion(self.criterion)
        if self.seed is not None:
            _check_seed(self.seed)


@dataclass(frozen=True, kw_only=True)
class ImportedFacts(Facts):
    """Of a model that another library has fitted, beside those of the family that it belongs to.

    Attributes
    ----------
    aggregation : {"one", "mean", "votes", "sum", "weighted"}
        How its trees become one answer.
    source : str
        The library: "scikit-learn", "LightGBM", "XGBoost" or "CatBoost".
    source_kind : str
        What it was there, e.g. the class of the estimator or the objective.
    sums : {"float32"} or None
        Whether every sum of trees is rounded to single precision, as in XGBoost.
    """

    aggregation: Literal["one", "mean", "votes", "sum", "weighted"]
    source: str
    source_kind: str
    sums: Literal["float32"] | None = None


def _is_fit(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"n_rounds", "params"}
        and type(value["n_rounds"]) is int
        and isinstance(value["params"], dict)
    )


@cache
def _types_of(cls: type[Facts]) -> dict[str, Any]:
    return get_type_hints(cls)


def fits_type(value: object, wanted: Any) -> bool:
    """Tell whether a value from a file is of the type that a field of facts has."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in (UnionType, Union):
        return any(fits_type(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if origin is list:
        return isinstance(value, list) and all(fits_type(item, parts[0]) for item in value)
    if origin in (dict, Mapping):
        return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
    if wanted is NoneType:
        return value is None
    if wanted is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    return type(value) is wanted


def _shown(value: object) -> str:
    return "missing" if value is None else f"of the wrong kind, {repr(value)[:40]}"


def _check_drawn(max_features: object) -> None:
    if type(max_features) is not int:
        raise ValueError("it does not say how many features are drawn")


def _check_criterion(name: object) -> None:
    if not isinstance(name, str) or (REAL_NAMES.get(name, name) not in CRITERIA and name not in RANKINGS):
        raise ValueError(f"its criterion is {str(name)[:20]!r}, which is none")


def _is_number_or_none(value: object) -> bool:
    return value is None or (isinstance(value, Real) and not isinstance(value, bool))


def _check_seed(seed: object) -> None:
    if type(seed) is not int or not 0 <= seed < MOST_SEEDS:
        raise ValueError("its seed is not one")
