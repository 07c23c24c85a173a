"""What databases write differently: names, texts, numbers, and how a query keeps the columns of its table."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = ["DIALECTS", "Dialect"]


@dataclass(frozen=True)
class Dialect:
    """One kind of database.

    Attributes
    ----------
    name, text : callable
        A name and a text in quotes, whatever they hold.
    number : callable
        A double literal that is the very number.
    double, words : str
        The types of doubles and of texts.
    known : str
        ``{}`` as a double, NULL where it is NaN.
    keeps : {"exclude", "except", "record", "rowid"}
        How the columns of the table get through: all of them but some, as one value, or by a join.
    fence : str
        What keeps a step from being written into the next one, which would repeat it.
    greatest : str
        The largest of several numbers.
    depth : int
        Nested tests that one step may have.
    boolean : tuple of str
        False and true.
    single : str
        The type of singles; empty where there is none.
    """

    name: Callable[[str], str]
    text: Callable[[str], str]
    number: Callable[[float], str]
    double: str
    words: str
    known: str
    keeps: Literal["exclude", "except", "record", "rowid"]
    fence: str = ""
    greatest: str = "GREATEST"
    depth: int = 40
    boolean: tuple[str, str] = ("FALSE", "TRUE")
    single: str = ""

    def output(self, text: str) -> str:
        """Return the name of a column of the answer that the database allows."""
        return re.sub(r"\W", "_", text, flags=re.ASCII)[:250] if self.keeps == "except" else text


def double_quoted(name: str) -> str:
    """Return a name in the quotes of the standard."""
    return '"' + name.replace('"', '""') + '"'


def single_quoted(text: str) -> str:
    """Return a text in the quotes of the standard."""
    return "'" + text.replace("'", "''") + "'"


def _postgres_text(text: str) -> str:
    # With E a backslash means the same whatever the server is set to.
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'" if "\\" in text else single_quoted(text)


def _escaped(text: str, quote: str) -> str:
    """Return a text in quotes with backslashes for everything that is not plain."""
    plain = text.replace("\\", "\\\\").replace(quote, "\\" + quote).replace("\n", "\\n").replace("\r", "\\r")
    return f"{quote}{plain}{quote}"


def _snowflake_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _exponent(value: float) -> str:
    """Return a literal with an exponent, which is a double and not a decimal."""
    if math.isinf(value):
        return f"CAST('{'' if value > 0 else '-'}Infinity' AS DOUBLE)"
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def _bigquery_number(value: float) -> str:
    return f"CAST('{'' if value > 0 else '-'}inf' AS FLOAT64)" if math.isinf(value) else _exponent(value)


def _postgres_number(value: float) -> str:
    text = f"{'' if value > 0 else '-'}Infinity" if math.isinf(value) else repr(float(value))
    return f"'{text}'::float8"


def sqlite_number(value: float) -> str:
    """Return a number by whole numbers and powers of two: not every version reads decimals exactly."""
    if math.isinf(value):
        return "9e999" if value > 0 else "-9e999"
    mantissa, exponent = math.frexp(value)
    whole = int(mantissa * 2**53)
    exponent -= 53
    while whole and whole % 2 == 0 and exponent < 0:
        whole //= 2
        exponent += 1
    if exponent >= 0 and abs(whole) << exponent < 2**53:
        return f"{whole << exponent}.0"
    if -1 <= exponent < 0 and abs(whole) < 10**12:
        return repr(value)  # a half is exact in any reading
    found = f"CAST({whole} AS REAL)"
    sign, rest = ("/", -exponent) if exponent < 0 else ("*", exponent)
    while rest > 0:
        found = f"({found} {sign} {2 ** min(rest, 52)})"
        rest -= 52
    return found


_STANDARD = "NULLIF(CAST({} AS DOUBLE), CAST('NaN' AS DOUBLE))"

DIALECTS: dict[str, Dialect] = {
    "duckdb": Dialect(
        name=double_quoted, text=single_quoted, number=_exponent, double="DOUBLE", words="VARCHAR",
        known=_STANDARD, keeps="exclude", single="REAL",
    ),
    "sqlite": Dialect(
        name=double_quoted, text=single_quoted, number=sqlite_number, double="REAL", words="TEXT",
        known="CAST({} AS REAL)", keeps="rowid", fence=" LIMIT -1 OFFSET 0", greatest="MAX", depth=8,
        boolean=("0", "1"),
    ),
    "postgres": Dialect(
        name=double_quoted, text=_postgres_text, number=_postgres_number,
        double="DOUBLE PRECISION", words="TEXT",
        known="NULLIF(CAST({} AS DOUBLE PRECISION), 'NaN'::float8)", keeps="record", fence=" OFFSET 0",
        single="REAL",
    ),
    "bigquery": Dialect(
        name=lambda name: _escaped(name, "`"), text=lambda text: _escaped(text, "'"), number=_bigquery_number,
        double="FLOAT64", words="STRING",
        known="(CASE WHEN IS_NAN(CAST({0} AS FLOAT64)) THEN NULL ELSE CAST({0} AS FLOAT64) END)",
        keeps="except",
    ),
    "snowflake": Dialect(
        name=double_quoted, text=_snowflake_text, number=_exponent, double="DOUBLE", words="VARCHAR",
        known=_STANDARD, keeps="exclude",
    ),
}  # fmt: skip
