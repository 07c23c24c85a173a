"""Advice of reports in the words of the command line: options instead of arguments of Python."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

__all__ = ["with_options"]

#: What a report says to Python users → what it says here.
OPTIONS: Final = (
    (re.compile(r"explain_split\(\d+, X, y, as_=\"(\w+)\"\)"), r"treewright explain … --as \1 --data FILE"),
    (re.compile(r"Pass X and y of fit to see"), "Pass --data FILE, the table of the fit, to see"),
    (re.compile(r"to_text\(every_row=True\) shows all"), "--all shows all"),
)


def with_options(report: Any) -> Any:
    """Return a report, or a text, whose advice names options."""
    if isinstance(report, str):
        for python, option in OPTIONS:
            report = python.sub(option, report)
        return report
    notes = getattr(report, "notes", ())
    return replace(report, notes=tuple(with_options(note) for note in notes)) if notes else report
