"""Docstrings are written for people: names with a last underscore and |bars| are no markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["escaped"]

LITERAL = re.compile(r"(``.*?``|`.*?`_?)")
NAME = re.compile(r"(?<![\w\\*])(\w+)_(?![\w*])")


def escaped(line: str) -> str:
    """Return a line of text in which nothing but what stands in backticks is markup by accident."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = LITERAL.split(line)
    return "".join(
        part if number % 2 else NAME.sub(r"\1\\_", part).replace("|", r"\|")
        for number, part in enumerate(parts)
    )


def escape_docstring(app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [escaped(line) for line in lines]


def setup(app: Sphinx) -> dict[str, Any]:
    """Come after numpydoc, which writes names of attributes in bold."""
    app.connect("autodoc-process-docstring", escape_docstring, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
