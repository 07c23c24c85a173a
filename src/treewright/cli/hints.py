"""Advice of reports and errors in the words of the command line: options instead of arguments of Python."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

__all__ = ["with_options"]

#: What the library says to Python users → what it says here.
OPTIONS: Final = (
    (re.compile(r"explain_split\(\d+, X, y, as_=\"(\w+)\"\)"), r"treewright explain … --as \1 --data FILE"),
    (
        re.compile(
            r"([Pp]ass) (?:the )?X(?: and y|, y and sample_weight)(?:,? those)?(?: of fit)? \(and cv\)"
        ),
        r"\1 --data FILE (and --cv)",
    ),
    (re.compile(r"([Pp]ass) X and y \(and cv\)"), r"\1 --data FILE (and --cv)"),
    (re.compile(r"([Pp]ass) X and y of fit to"), r"\1 --data FILE, the table of the fit, to"),
    (
        re.compile(r"([Pp]ass) (the )?X(, | and )y( and sample_weight)? of fit"),
        r"\1 --data FILE, the table of the fit",
    ),
    (re.compile(r"([Pp]ass) X and y\b"), r"\1 --data FILE"),
    (re.compile(r"to_text\(every_row=True\) shows all"), "--all shows all"),
    (re.compile(r"\brule='(\w+)'"), r"--rule \1"),
    (re.compile(r'fit with prune="(\w+)"'), r"fit with -p prune=\1"),
    (re.compile(r"\btree=(\d+)"), r"--tree \1"),
    (re.compile(r"Use C45Classifier, which finds thresholds"), "Take -a c45, which finds thresholds"),
    (re.compile(r" first, for example with sklearn\.preprocessing\.KBinsDiscretizer"), " first"),
    (re.compile(r"list the column in categorical_features"), "fit with --kind NAME=nominal"),
)


def with_options(report: Any) -> Any:
    """Return a report, or a text, whose advice names options; what a report works out by itself is text."""
    if isinstance(report, str):
        for python, option in OPTIONS:
            report = python.sub(option, report)
        return report
    notes = getattr(report, "notes", ())
    return replace(report, notes=tuple(with_options(note) for note in notes)) if notes else report
