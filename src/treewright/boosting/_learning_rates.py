"""Learning rates: what the parameter says about each round, and what a model keeps of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model import Model
from treewright.model.learning_rate import RATES, rates_of_rounds

__all__ = ["kept_rate", "learning_rates", "rate_arrays", "set_rates"]

Floats = NDArray[np.float64]


def learning_rates(given: Any, n_rounds: int) -> Floats:
    """Return the learning rate of each round.

    Parameters
    ----------
    given : float, callable or array-like
        The parameter: one for all, a function of the number of the round (from 1), or a list, whose last
        rate goes on.
    n_rounds : int
        How many rounds there may be.
    """
    if callable(given):
        rates = [given(number) for number in range(1, n_rounds + 1)]
    elif isinstance(given, Real):
        return np.full(n_rounds, float(given))
    else:
        rates = list(given)
        if not rates:
            raise ValueError("learning_rate is an empty list: it must have at least one rate.")
        rates = [*rates[:n_rounds], *[rates[-1]] * (n_rounds - len(rates))]
    for number, rate in enumerate(rates, start=1):
        if isinstance(rate, bool) or not isinstance(rate, Real) or not 0 <= float(rate) < math.inf:
            raise ValueError(
                f"The learning rate of round {number} must be a number of at least 0. learning_rate says "
                f"{rate!r}."
            )
    return np.array(rates, dtype=np.float64)


def set_rates(plan: _core.BoostPlan, given: Any, n_rounds: int) -> None:
    """Tell the engine the learning rates.

    Parameters
    ----------
    plan : BoostPlan
        How rounds go.
    given : float, callable or array-like
        The parameter.
    n_rounds : int
        How many rounds there may be.
    """
    rates = learning_rates(given, n_rounds)
    plan.learning_rate = float(rates[0])
    if (rates != rates[0]).any():
        plan.learning_rates = rates.tolist()


def rate_arrays(earlier: Model | None, rates: Floats, n_rounds: int) -> tuple[float, dict[str, Floats]]:
    """Return the rate of the last round and, where rounds have different ones, the array of a model.

    Parameters
    ----------
    earlier : Model or None
        The model that rounds were added to.
    rates : ndarray of float64
        What the parameter says about each round.
    n_rounds : int
        Rounds of the model, those of the earlier one included.
    """
    known = np.empty(0) if earlier is None else rates_of_rounds(earlier)
    used = np.concatenate([known, rates[len(known) : n_rounds]])
    return float(used[-1]), {RATES: used} if (used != used[0]).any() else {}


def kept_rate(given: Any, used: Sequence[float]) -> Any:
    """Return the parameter as a model keeps it: of a function the values that it gave.

    Parameters
    ----------
    given : float, callable or array-like
        The parameter.
    used : sequence of float
        Rates of the rounds.
    """
    return given if isinstance(given, Real) else [float(rate) for rate in used]
