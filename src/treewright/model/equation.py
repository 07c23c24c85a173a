"""Written: the numbers of a formula, with as many digits as it takes for it to hold as it is printed.

Each number alone rounds well, and still 0.4592 − 0.3571 is not 0.1020. So the digits of an equation are
chosen together: the fewest with which a reader who puts the printed numbers in gets the printed result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.model.number import format_count, format_measure, format_threshold

__all__ = ["Amount", "Given", "Written", "counted", "write_equation", "write_sum"]

MOST_DECIMALS = 7
MOST_DIGITS = 12  # of one number; longer ones are not read
SIGNIFICANT = (
    7,
    9,
    11,
)  # digits, where decimals say nothing about small numbers or too little about large ones


class Amount(float):
    """A number of rows or their weight: whole where it is whole."""


class Given(float):
    """A number that a person gave: written as it was given."""


def counted(value: float) -> float:
    """Return a sum that may be a count: whole where it is whole, a measure elsewhere."""
    return Amount(value) if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)) else value


@dataclass(frozen=True)
class Written:
    """An equation in words.

    Attributes
    ----------
    operands : tuple of str
        The numbers of the formula.
    result : str
        Its value.
    sign : {"=", "≈"}
        ``≈`` where even many digits do not give the result as it is printed.
    """

    operands: tuple[str, ...]
    result: str
    sign: str = "="

    @property
    def end(self) -> str:
        """What stands behind the formula, e.g. ``= 0.1020``."""
        return f"{self.sign} {self.result}"

    @property
    def latex_sign(self) -> str:
        """The sign in LaTeX."""
        return "=" if self.sign == "=" else r"\approx"


def write_equation(result: float, operands: Sequence[float], compute: Callable[..., float]) -> Written:
    """Write the numbers of a formula so that it holds as printed.

    The result keeps its usual digits; operands get as many as it takes.

    Parameters
    ----------
    result : float
        The exact value.
    operands : sequence of float
        The exact numbers of the formula; `Amount` and `Given` are written in their own ways.
    compute : callable
        The formula.

    Examples
    --------
    >>> from treewright.model.equation import write_equation
    >>> write_equation(0.246749820, (5 / 14, 0.970950594), lambda share, bits: 0.940285959 - 2 * share * bits)
    Written(operands=('0.357143', '0.970951'), result='0.2467', sign='=')
    """
    if not all(map(math.isfinite, (result, *operands))):
        return _usually(result, operands)
    usual = format_measure(result)
    places = _decimals(usual)
    tries: Iterator[tuple[list[str], str]] = (
        ([_usual(value) if _is_short(value) else _fixed(value, decimals) for value in operands], usual)
        for decimals in range(places, max(places, MOST_DECIMALS) + 1)
    )
    rough = [([_significant(value, digits) for value in operands], usual) for digits in SIGNIFICANT]
    # A value that is nearly half way between two results needs more digits itself.
    finer = [
        ([_fixed(value, decimals) for value in operands], _fixed(result, decimals))
        for decimals in range(places + 1, MOST_DECIMALS + 1)
    ]
    return _first_that_holds(result, operands, compute, [*tries, *rough, *finer])


def write_sum(result: float, terms: Sequence[float]) -> Written:
    """Write a sum so that it holds as printed: all numbers have the same decimals.

    Terms are written without their sign, for a formula that has it: ``a − b`` is the sum of a and −b.

    Examples
    --------
    >>> from treewright.model.equation import write_sum
    >>> write_sum(0.102040816, (0.459183673, -0.357142857))
    Written(operands=('0.45918', '0.35714'), result='0.10204', sign='=')
    """
    signs = [-1.0 if term < 0 else 1.0 for term in terms]

    def compute(*sizes: float) -> float:
        return math.fsum(sign * size for sign, size in zip(signs, sizes, strict=True))

    sizes = [abs(term) for term in terms]
    if not all(map(math.isfinite, (result, *sizes))):
        return _usually(result, sizes)
    places = _decimals(format_measure(result))
    tries = [
        ([_fixed(size, decimals) for size in sizes], _fixed(result, decimals))
        for decimals in range(places, max(places, MOST_DECIMALS) + 1)
    ]
    return _first_that_holds(result, sizes, compute, tries)


def _first_that_holds(
    result: float,
    operands: Sequence[float],
    compute: Callable[..., float],
    tries: Sequence[tuple[Sequence[str], str]],
) -> Written:
    usual = _usually(result, operands)
    for texts, end in ((usual.operands, usual.result), *tries):
        if max(map(_n_digits, (*texts, end))) <= MOST_DIGITS and _holds(texts, end, compute):
            return Written(tuple(texts), end)
    return replace(usual, sign="≈")


def _usually(result: float, operands: Sequence[float]) -> Written:
    """Write every number for itself."""
    return Written(tuple(_usual(value) for value in operands), format_measure(result))


def _holds(texts: Sequence[str], end: str, compute: Callable[..., float]) -> bool:
    try:
        value = compute(*map(_parsed, texts))
    except (ArithmeticError, ValueError):  # a small number that is written as 0
        return False
    # A value half way between two results could be rounded to either.
    return bool(abs(value - _parsed(end)) < 0.499999 * 10.0 ** -_decimals(end))


def _usual(value: float) -> str:
    if isinstance(value, Given):
        return _as_given(value)
    return format_count(value) if isinstance(value, Amount) else format_measure(value)


def _is_short(value: float) -> bool:
    """Tell whether more digits would be zeros."""
    return _parsed(_usual(value)) == value


def _fixed(value: float, decimals: int) -> str:
    if isinstance(value, Given):
        return _as_given(value)
    if isinstance(value, Amount):
        return str(np.format_float_positional(value, precision=decimals, trim="-")).replace("-", "−")
    return format_measure(value, decimals)


def _significant(value: float, digits: int) -> str:
    if isinstance(value, Given):
        return _as_given(value)
    return format_threshold(value, digits).replace("-", "−").replace("e−", "e-")


def _as_given(value: float) -> str:
    return f"{float(value):.12g}".replace("-", "−").replace("e−", "e-")


def _parsed(text: str) -> float:
    return float(text.replace("−", "-"))


def _decimals(text: str) -> int:
    digits, _, exponent = text.replace("−", "-").partition("e")
    return max(0, len(digits.partition(".")[2]) - int(exponent or 0))


def _n_digits(text: str) -> int:
    return sum(c.isdigit() for c in text.partition("e")[0])
