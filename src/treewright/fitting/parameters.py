"""Parameters in words, from the table `PARAMS`: documentation, and help with misspelt names."""

from __future__ import annotations

import difflib
import inspect
import re
import textwrap
from typing import Any

from treewright.boost_params import BOOST_ADVICE
from treewright.param import Param
from treewright.params import FOREIGN_NAMES

__all__ = ["documented", "suggestion"]

SECTION = re.compile(r"^[A-Z][A-Za-z ]*\n-{3,}$", re.MULTILINE)


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


def documented(text: str, defaults: dict[str, Any], params: dict[str, Param]) -> str:
    """Return the docstring of an estimator with the section about its parameters."""
    text = inspect.cleandoc(text)
    if re.search(r"^Parameters\n-{3,}$", text, re.MULTILINE):
        return text
    lines = ["Parameters", "----------"]
    for name, default in defaults.items():
        shown = f'"{default}"' if isinstance(default, str) else repr(default)
        lines.append(f"{name} : {params[name].type_text}, default={shown}")
        lines += textwrap.wrap(params[name].text, width=100, initial_indent="    ", subsequent_indent="    ")
    section = "\n".join(lines)
    first = SECTION.search(text)
    return (
        f"{text}\n\n{section}\n"
        if first is None
        else f"{text[: first.start()]}{section}\n\n{text[first.start() :]}\n"
    )
