"""The sign between the digits of a number in a text file: a point, or the comma of much of the world."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["DECIMAL_COMMA", "guess_decimal", "with_points", "with_points_in"]

#: A number with a comma.
DECIMAL_COMMA = re.compile(r"[ \t]*[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?[ \t]*")

_DECIMAL_POINT = re.compile(r"[ \t]*[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?[ \t]*")
_MAYBE_THOUSANDS = re.compile(r"[ \t]*[+-]?[1-9][0-9]{0,2},[0-9]{3}[ \t]*")
_FIELD = (
    rb"(?P<before>(?:^|[%(sign)s\n])%(quote)s[ \t]*[+-]?[0-9]*),"
    rb"(?P<after>[0-9]+(?:[eE][+-]?[0-9]+)?[ \t]*%(quote)s(?=[%(sign)s\r\n]|$))"
)


def guess_decimal(records: Iterable[list[str]], separator: str) -> str:
    """Return the decimal sign of the first records.

    A comma only where it cannot be meant otherwise: fields are divided by another sign, some field is a
    number with a comma and not just three digits after it, and none is a number with a point. So a file is
    never read as other numbers than it holds; where this is too careful, users say it.

    Parameters
    ----------
    records : iterable of list of str
        The first records, without the header.
    separator : str
        Between fields.
    """
    if separator == ",":
        return "."
    found = False
    for record in records:
        for field in record:
            if _DECIMAL_POINT.fullmatch(field):
                return "."
            if DECIMAL_COMMA.fullmatch(field) and not _MAYBE_THOUSANDS.fullmatch(field):
                found = True
    return "," if found else "."


def with_points(data: bytes, separator: str) -> bytes:
    """Return records in which the numbers with a comma have a point; other fields are as they were."""
    for quote in (b"", b'"'):
        field = _FIELD % {b"sign": re.escape(separator.encode()), b"quote": quote}
        data = re.sub(field, rb"\g<before>.\g<after>", data)
    return data


def with_points_in(record: list[str]) -> list[str]:
    """Return a record in which the numbers with a comma have a point."""
    return [field.replace(",", ".") if DECIMAL_COMMA.fullmatch(field) else field for field in record]
