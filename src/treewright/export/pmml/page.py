"""Page: the text of an XML document while it is written, and expressions, which stand inside of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from treewright.exceptions import UnsupportedExportError
from treewright.program import Program

__all__ = ["Expression", "Page", "apply", "number_text", "numeral", "ref", "refuse_unwritable", "word"]

Attributes: TypeAlias = Mapping[str, Any]

_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_IN_ATTRIBUTES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def refuse_unwritable(program: Program) -> None:
    """Refuse names with characters that no XML document may hold, however they are escaped."""
    named = [(f"the name of column {i}", column.name) for i, column in enumerate(program.columns)]
    named += [(f"a category of column {c.name!r}", word) for c in program.columns for word in c.categories]
    named += [("a class", word) for word in program.answer.classes or ()]
    named.append(("the name of the target", program.target or ""))
    for what, given in named:
        if isinstance(given, str) and _UNWRITABLE.search(given):
            raise UnsupportedExportError(
                f"{what} holds a control character ({given!r}), which XML does not allow. Rename it."
            )


def number_text(x: float) -> str:
    """Return a number that is read back to the last bit."""
    value = float(x)
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 and value != 0 else repr(value)


@dataclass(frozen=True)
class Expression:
    """Something that is worked out: a field, a constant, or a function of others."""

    tag: str
    attributes: Attributes
    parts: tuple[Expression, ...] = ()
    text: str | None = None


def ref(name: str) -> Expression:
    """Return the value of a field."""
    return Expression("FieldRef", {"field": name})


def numeral(x: float) -> Expression:
    """Return a number."""
    return Expression("Constant", {"dataType": "double"}, text=number_text(x))


def word(text: str, data_type: str) -> Expression:
    """Return a constant of another type."""
    return Expression("Constant", {"dataType": data_type}, text=text)


def apply(function: str, *parts: Expression) -> Expression:
    """Return a function of PMML, of expressions."""
    return Expression("Apply", {"function": function}, parts)


class Page:
    """The lines of a document."""

    def __init__(self) -> None:
        self._lines = ['<?xml version="1.0" encoding="UTF-8"?>']
        self._depth = 0

    @property
    def text(self) -> str:
        """All that was written."""
        return "\n".join(self._lines)

    def open(self, tag: str, attributes: Attributes | None = None) -> None:
        """Begin an element."""
        self._lines.append(f"{' ' * self._depth}<{tag}{_written(attributes)}>")
        self._depth += 1

    def close(self, tag: str) -> None:
        """End an element."""
        self._depth -= 1
        self._lines.append(f"{' ' * self._depth}</{tag}>")

    def add(self, tag: str, attributes: Attributes | None = None, text: str | None = None) -> None:
        """Write an element without others in it."""
        end = "/>" if text is None else f">{text.translate(_IN_TEXT)}</{tag}>"
        self._lines.append(f"{' ' * self._depth}<{tag}{_written(attributes)}{end}")

    @contextmanager
    def inside(self, tag: str, attributes: Attributes | None = None) -> Iterator[None]:
        """Write what follows into an element."""
        self.open(tag, attributes)
        yield
        self.close(tag)

    def express(self, expression: Expression) -> None:
        """Write an expression."""
        if not expression.parts:
            self.add(expression.tag, expression.attributes, expression.text)
            return
        with self.inside(expression.tag, expression.attributes):
            for part in expression.parts:
                self.express(part)


def _written(attributes: Attributes | None) -> str:
    if not attributes:
        return ""
    return "".join(
        f' {name}="{str(value).translate(_IN_ATTRIBUTES)}"'
        for name, value in attributes.items()
        if value is not None
    )
