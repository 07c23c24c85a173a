"""helpful_fit: a `fit` that says what is meant by arguments of other libraries."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from numbers import Integral
from typing import Any, TypeVar

from sklearn.utils._param_validation import InvalidParameterError

from treewright.boost_params import FIT_ADVICE
from treewright.fitting.parameters import suggestion

__all__ = ["check_early_stopping", "helpful_fit"]

Fit = TypeVar("Fit", bound=Callable[..., Any])


def helpful_fit(fit: Fit) -> Fit:
    """Return the method with an answer to arguments that it does not have.

    Parameters
    ----------
    fit : callable
        The method.
    """
    names = tuple(inspect.signature(fit).parameters)

    @functools.wraps(fit)  # keeps the signature, which scikit-learn reads
    def helpful(self: Any, *args: Any, **kwargs: Any) -> Any:
        unknown = next((name for name in kwargs if name not in names), None)
        if unknown is None:
            return fit(self, *args, **kwargs)
        advice = FIT_ADVICE.get(unknown)
        if advice is None and unknown in self._defaults:
            advice = f"{unknown!r} is a parameter of the constructor."
        hint = suggestion(unknown, names) if advice is None else f" {advice}"
        raise TypeError(f"{type(self).__name__}.fit got an unexpected argument {unknown!r}.{hint}")

    return helpful  # type: ignore[return-value]


def check_early_stopping(estimator: Any) -> None:
    """Raise InvalidParameterError for a number of rounds, which is what others mean by early stopping.

    Parameters
    ----------
    estimator : object
        The booster.
    """
    given: Any = getattr(estimator, "early_stopping", None)
    if not isinstance(given, bool) and isinstance(given, Integral):
        raise InvalidParameterError(
            f"The 'early_stopping' parameter of {type(estimator).__name__} must be an instance of 'bool'. "
            f"Got {given!r} instead: to stop after {given} rounds without an improvement pass "
            f"early_stopping=True, n_iter_no_change={given}."
        )
