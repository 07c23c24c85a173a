"""The table of criteria: what Python knows about each loss that the engine can make smaller.

A new criterion is one entry here and one line in `core/criterion/criteria.h`. The choices of estimators, the
checks of targets, the words and formulas of reports and the risks of pruning are taken from this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import check_poisson_target, check_squared_error_target
from treewright.measures import absolute_error, entropy, gini, poisson_deviance, squared_error

__all__ = [
    "CLASS_CRITERIA",
    "CRITERIA",
    "Criterion",
    "Formula",
    "center_of",
    "check_target",
    "choices",
    "is_for_classes",
    "native",
]

Shares = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Formula:
    """The loss of a leaf as a sum over the shares a/b of its classes, as reports work it out.

    Attributes
    ----------
    symbol, latex_symbol : str
        What stands on the left.
    begin, latex_begin, end, latex_end : str
        What stands around the sum, whose terms are subtracted.
    term, latex_term : str
        One term, with ``{a}`` and ``{b}`` for the weight of the class and of the leaf.
    unit : str
        What stands behind the result.
    """

    symbol: str
    latex_symbol: str
    begin: str
    latex_begin: str
    term: str
    latex_term: str
    end: str = ""
    latex_end: str = ""
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One criterion.

    Attributes
    ----------
    words : str
        Its name in the words of the books.
    measure : callable
        The same loss as a function of `treewright.measures`: per unit of weight for classes, in total for
        numbers.
    of_shares : callable
        Criteria on classes: the loss per unit of weight of many leaves at once, from their class shares.
    formula : Formula
        Criteria on classes: how reports work the loss out.
    center : {"mean", "median"}
        What a leaf predicts, for criteria on numbers.
    check_target : callable, optional
        Refuses a target, given with its weights, that the loss is not defined for.
    aliases : tuple of str
        Other names, for the sake of scikit-learn.
    """

    words: str
    measure: Callable[..., float]
    of_shares: Callable[[Shares], Shares] | None = None
    formula: Formula | None = None
    center: Literal["mean", "median"] = "mean"
    check_target: Callable[[Any, Any], None] | None = None
    aliases: tuple[str, ...] = ()


def _entropy_of_shares(shares: Shares) -> Shares:
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    per_weight: Shares = np.maximum(0.0, -(shares * logarithms).sum(axis=1))
    return per_weight


def _gini_of_shares(shares: Shares) -> Shares:
    per_weight: Shares = 1.0 - (shares**2).sum(axis=1)
    return per_weight


# In the order in which estimators list their choices.
CRITERIA: dict[str, Criterion] = {
    "gini": Criterion(
        words="Gini",
        measure=gini,
        of_shares=_gini_of_shares,
        formula=Formula(
            symbol="Gini",
            latex_symbol=r"\mathrm{Gini}",
            begin="1 − ",
            latex_begin="1 - ",
            term="({a}/{b})²",
            latex_term=r"\left(\tfrac{{{a}}}{{{b}}}\right)^2",
        ),
    ),
    "entropy": Criterion(
        words="entropy",
        measure=entropy,
        of_shares=_entropy_of_shares,
        formula=Formula(
            symbol="H",
            latex_symbol="H",
            begin="−",
            latex_begin="-",
            term="({a}/{b})·log2({a}/{b})",
            latex_term=r"\tfrac{{{a}}}{{{b}}}\log_2\tfrac{{{a}}}{{{b}}}",
            unit=" bits",
        ),
        aliases=("log_loss",),
    ),
    "squared_error": Criterion(
        words="squared error", measure=squared_error, check_target=check_squared_error_target
    ),
    "absolute_error": Criterion(words="absolute error", measure=absolute_error, center="median"),
    "poisson": Criterion(
        words="half deviance",
        measure=poisson_deviance,
        check_target=lambda y, weights: check_poisson_target(y),
    ),
}


def choices(*, classes: bool, aliases: bool = False) -> tuple[str, ...]:
    """Return the names of all criteria for classes, or for numbers, and then their other names if wanted."""
    names = [name for name in CRITERIA if (name in CLASS_CRITERIA) == classes]
    others = [alias for name in names for alias in CRITERIA[name].aliases] if aliases else []
    return (*names, *others)


def is_for_classes(name: str) -> bool:
    """Tell whether the target of a criterion is a class; otherwise it is a number."""
    return native(name) in _core.criteria(classes=True)


def native(name: str) -> _core.Criterion:
    """Return what the engine calls a criterion."""
    members: dict[str, _core.Criterion] = dict(_core.Criterion.__members__)
    if name not in members:
        raise ValueError(f"There is no criterion {name!r}: the engine knows {', '.join(members)}.")
    return members[name]


def check_target(name: str | None, y: NDArray[np.float64], weights: NDArray[np.float64] | None) -> None:
    """Refuse numbers that a criterion is not defined for; other losses than those of the table take all."""
    check = CRITERIA[name].check_target if name in CRITERIA else None
    if check is not None:
        check(y, weights)


def center_of(name: str) -> str:
    """Return what leaves predict that are grown by a criterion on numbers: "mean" or "median"."""
    return CRITERIA[name].center if name in CRITERIA else "mean"


# Those whose target is a class, as the engine says.
CLASS_CRITERIA: Final = frozenset(name for name in CRITERIA if is_for_classes(name))
# Other name of a criterion → its own.
REAL_NAMES: Final = {alias: name for name, entry in CRITERIA.items() for alias in entry.aliases}
