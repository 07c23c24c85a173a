"""Numbers, texts and arrays as C writes them: no name can leave its quotes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from treewright.export.code.wrapping import wrapped

__all__ = ["array_text", "comment_text", "number_text", "string_text", "whole_type"]

LONGEST = 3000  # bytes; compilers need not know longer literals than 4095
PLAIN = frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+.,:;()[]{}<>=!#$%&'*/|~^@`"
)


def number_text(value: float) -> str:
    """Return a double."""
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return "NAN" if math.isnan(value) else repr(float(value))


def string_text(text: str) -> str:
    r"""Return a text in quotes, in UTF-8: everything that is not plain is \ooo, and no trigraph is left."""
    content = text.encode("utf-8", "surrogatepass")
    if len(content) > LONGEST:
        return "(const char[]){" + ", ".join(str(b if b < 128 else b - 256) for b in content) + ", 0}"
    return '"' + "".join(chr(b) if b in PLAIN else f"\\{b:03o}" for b in content) + '"'


def comment_text(text: str) -> str:
    """Return a name for a comment, which it cannot end."""
    return "".join(c if c.isascii() and (c.isalnum() or c in " _-.,:()[]=<>+") else "." for c in text)[:100]


def whole_type(values: Sequence[int]) -> str:
    """Return the smallest type for whole numbers."""
    low, high = min(values, default=0), max(values, default=0)
    for bits in (8, 16, 32):
        if -(2 ** (bits - 1)) <= low and high < 2 ** (bits - 1):
            return f"int{bits}_t"
    return "int64_t"


def array_text(kind: str, name: str, values: Iterable[str]) -> str:
    """Return a constant array; C has none without entries."""
    items = list(values) or ["0"]
    return f"static const {kind} {name}[{len(items)}] = {wrapped('{', items, '}', '  ')};"
