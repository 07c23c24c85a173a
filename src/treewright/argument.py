"""Arguments of functions: a wrong one is refused by its name, before something deep inside stumbles."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

__all__ = ["check_count", "check_list", "is_number"]


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number; a boolean is not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_count(name: str, value: Any, least: int, *, optional: bool = False, more: str = "") -> None:
    """Refuse anything but a whole number that is large enough.

    Parameters
    ----------
    name : str
        The argument.
    value : object
        Its value.
    least : int
        The smallest number allowed.
    optional : bool, default=False
        Whether None is allowed, too.
    more : str, default=""
        What else the message says about the number.
    """
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r:.80}.")
    if value < least:
        raise ValueError(f"{name} must be {least} or more{more}, got {value}.")


def check_list(name: str, value: Any, what: str) -> None:
    """Refuse anything but several things of a kind; a single text is not a list of its letters.

    Parameters
    ----------
    name : str
        The argument.
    value : object
        Its value.
    what : str
        What the list holds.
    """
    if isinstance(value, str | bytes) or not (hasattr(value, "__len__") and hasattr(value, "__iter__")):
        raise TypeError(f"{name} must be a list of {what}, got {value!r:.80}.")
