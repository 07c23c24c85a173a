"""Column names: which count, and how they must match at prediction (scikit-learn's rules and words)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.data.column import Array
from treewright.warn_at_caller import warn_at_caller

_SHOWN = 5


def string_names(labels: Sequence[Any]) -> Array | None:
    """Return the labels as names when all are text, None when none is; refuse a mixture."""
    types = {type(label) for label in labels}
    n_text = sum(issubclass(t, str) for t in types)
    if n_text == 0:
        return None
    if n_text < len(types):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{sorted(t.__qualname__ for t in types)} as feature name / column name types. If you want "
            "feature names to be stored and validated, you must convert them all to strings, by using "
            "X.columns = X.columns.astype(str) for example. Otherwise you can remove feature / column names "
            "from your input data, or convert them all to a non-string data type."
        )
    names = np.empty(len(labels), dtype=object)
    names[:] = [str(label) for label in labels]
    return names


def check_names(fitted: Array | None, given: Array | None, estimator_name: str) -> None:
    """Compare the names at prediction with those at fit.

    Raises
    ------
    ValueError
        When both are known and differ, in content or order.

    Warns
    -----
    UserWarning
        When only one side has names.
    """
    if fitted is None and given is None:
        return
    if fitted is None:
        warn_at_caller(f"X has feature names, but {estimator_name} was fitted without feature names")
    elif given is None:
        warn_at_caller(
            f"X does not have valid feature names, but {estimator_name} was fitted with feature names"
        )
    elif len(fitted) != len(given) or bool(np.any(fitted != given)):
        raise ValueError(_mismatch(fitted.tolist(), given.tolist()))


def _mismatch(fitted: list[str], given: list[str]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unexpected = sorted(set(given) - set(fitted))
    missing = sorted(set(fitted) - set(given))
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _bullets(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    if not unexpected and not missing:
        message += (
            "Feature names must be in the same order as they were in fit.\n"
            f"Got {_quoted(given)}; expected {_quoted(fitted)}. Reorder with X[est.feature_names_in_]."
        )
    return message


def _bullets(names: list[str]) -> str:
    return "".join(f"- {name}\n" for name in names[:_SHOWN]) + ("- ...\n" if len(names) > _SHOWN else "")


def _quoted(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return shown + ", …" if len(names) > _SHOWN else shown


def check_count(expected: int, given: int, estimator_name: str) -> None:
    """Refuse another number of columns than at fit, in scikit-learn's words."""
    if given != expected:
        raise ValueError(
            f"X has {given} features, but {estimator_name} is expecting {expected} features as input."
        )
