"""Parameters in words, from the table `PARAMS`: documentation, help with misspelt names; what models keep."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import textwrap
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from treewright.boost_params import BOOST_ADVICE
from treewright.params import FOREIGN_NAMES, param_of

__all__ = ["documented", "kept_value", "suggestion", "with_help"]

SECTION = re.compile(r"^[A-Z][A-Za-z ]*\n-{3,}$", re.MULTILINE)


def kept_value(name: str, value: Any, default: Any) -> Any:
    """Return the value of a parameter as a model keeps it: plain, without functions and generators."""
    if name == "callbacks" or isinstance(value, np.random.RandomState):
        return None
    if name == "cv" and not isinstance(value, Integral):
        return default  # a splitter, or lists of rows, belong to the data
    if name == "oob_score" and callable(value):
        return True  # the function is lost, its result is kept
    if name in ("loss", "scoring") and callable(value):
        return default
    if name == "estimator" and value is not None:
        return {"class": type(value).__name__, "params": value._kept_params()}
    return value


def with_help(init: Callable[..., None], names: tuple[str, ...]) -> Callable[..., None]:
    """Return a constructor that says what was meant by a name that it does not have."""

    @functools.wraps(init)  # keeps the signature, which scikit-learn reads
    def helpful(self: Any, *args: Any, **kwargs: Any) -> None:
        unknown = next((name for name in kwargs if name not in names), None)
        if unknown is not None:
            owner = type(self).__name__
            raise TypeError(f"{owner} got an unexpected parameter '{unknown}'.{suggestion(unknown, names)}")
        init(self, *args, **kwargs)

    return helpful


def suggestion(unknown: str, names: Any) -> str:
    """Return a sentence about a name that is none of `names`, with a space before it; perhaps nothing."""
    whose, ours = FOREIGN_NAMES.get(unknown, ("", ""))
    if ours in names:
        return f" '{unknown}' is {whose}'s name; here it is '{ours}'."
    if unknown == "sample_weight":
        return " Weights are passed to fit."
    if unknown in BOOST_ADVICE and "learning_rate" in names:
        return f" {BOOST_ADVICE[unknown]}"
    # A shortened name ("min_leaf") is nearer to what was meant than difflib's letters tell.
    words = unknown.lower().split("_")
    close = [name for name in names if all(word in name.split("_") for word in words)]
    close = close or difflib.get_close_matches(unknown.lower(), names, n=1, cutoff=0.6)
    return f" Did you mean '{close[0]}'?" if close else ""


def documented(text: str, defaults: dict[str, Any], choices: dict[str, tuple[str, ...]], family: str) -> str:
    """Return the docstring of an estimator with the section about its parameters."""
    text = inspect.cleandoc(text)
    if re.search(r"^Parameters\n-{3,}$", text, re.MULTILINE):
        return text
    lines = ["Parameters", "----------"]
    for name, default in defaults.items():
        param = param_of(name, family)
        words = "{" + ", ".join(f'"{choice}"' for choice in choices.get(name, ())) + "}"
        shown = f'"{default}"' if isinstance(default, str) else repr(default)
        lines.append(f"{name} : {param.type_text.replace('{choices}', words)}, default={shown}")
        lines += textwrap.wrap(param.text, width=100, initial_indent="    ", subsequent_indent="    ")
    section = "\n".join(lines)
    first = SECTION.search(text)
    return (
        f"{text}\n\n{section}\n"
        if first is None
        else f"{text[: first.start()]}{section}\n\n{text[first.start() :]}\n"
    )
