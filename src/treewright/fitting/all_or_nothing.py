"""A fit that does not end leaves no trace: Ctrl-C and errors may come at any line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["all_or_nothing"]

Self = TypeVar("Self")
Result = TypeVar("Result")
Given = ParamSpec("Given")


def all_or_nothing(
    method: Callable[Concatenate[Self, Given], Result],
) -> Callable[Concatenate[Self, Given], Result]:
    """Let a method that raises, whatever and wherever, leave the attributes of its object as they were.

    Parameters
    ----------
    method : callable
        The method.

    Returns
    -------
    method : callable
        The same, undone when it does not end.
    """

    @wraps(method)
    def whole(self: Self, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            now: dict[str, Any] = vars(self)
            now.clear()
            now.update(before)
            raise

    return whole
