"""Numbers in words: thresholds with as few digits as still tell the two sides apart."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

__all__ = ["format_count", "format_measure", "format_threshold", "shortest_between", "threshold_digits"]

LEAST_DIGITS = 6
MEASURE_DECIMALS = 4
MOST_DIGITS = 17  # enough for any float64


def format_threshold(threshold: float, digits: int = LEAST_DIGITS) -> str:
    """Write a threshold with so many significant digits, but at least its whole part and one decimal."""
    if not math.isfinite(threshold):
        return "∞" if threshold > 0 else "-∞"
    if threshold == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(threshold)))
    # A cut between two large integers ends in .5: rounding that away would name a value of the data.
    digits = min(max(digits, magnitude + 2), MOST_DIGITS)
    if -5 <= magnitude < 16:
        return str(np.format_float_positional(threshold, precision=digits, fractional=False, trim="-"))
    return str(np.format_float_scientific(threshold, precision=digits - 1, trim="-"))


def format_measure(value: float, decimals: int | None = None) -> str:
    """Write a measure: four decimals, or six digits and its whole part when it is large; or so many decimals.

    Examples
    --------
    >>> from treewright.model.number import format_measure
    >>> format_measure(0.24675), format_measure(-0.0), format_measure(12345.678), format_measure(2 / 3, 6)
    ('0.2467', '0.0000', '12345.7', '0.666667')
    """
    if not math.isfinite(value):
        return "–"
    if decimals is None and not abs(value) < 100:
        if abs(value) < 1e16:
            places = max(0, LEAST_DIGITS - len(str(int(abs(value)))))
            return str(np.format_float_positional(value, precision=places, trim="-")).replace("-", "−")
        return format_threshold(value, LEAST_DIGITS).replace("-", "−")
    text = f"{value:.{MEASURE_DECIMALS if decimals is None else decimals}f}".replace("-", "−")
    return text if text.strip("−0.") else text.removeprefix("−")


def format_count(weight: float) -> str:
    """Write a weight: whole when it is whole, else with four digits.

    Examples
    --------
    >>> from treewright.model.number import format_count
    >>> format_count(9.0), format_count(4.60001)
    ('9', '4.6')
    """
    whole = round(weight)
    return str(whole) if abs(weight - whole) < 1e-9 * max(1.0, abs(weight)) else format_threshold(weight, 4)


def threshold_digits(threshold: float, thresholds: NDArray[np.float64]) -> int:
    """Return the digits that a threshold needs to differ from the others of its feature, at least six.

    Parameters
    ----------
    threshold : float
        The threshold.
    thresholds : ndarray
        All different ones of the feature, ascending.
    """
    # Only the neighbours matter: what differs from them differs from all others.
    place = int(np.searchsorted(thresholds, threshold))
    return max(
        (_digits_apart(threshold, float(other)) for other in thresholds[max(place - 1, 0) : place + 2]),
        default=LEAST_DIGITS,
    )


def _digits_apart(one: float, other: float) -> int:
    if one == other:
        return LEAST_DIGITS
    needed = LEAST_DIGITS
    while needed < MOST_DIGITS and format_threshold(one, needed) == format_threshold(other, needed):
        needed += 1
    return needed


def shortest_between(low: float, high: float, threshold: float) -> str:
    """Write the shortest decimal d with low <= d < high; of several, the nearest to `threshold`."""
    exact = Decimal(threshold)
    for places in range(-16, 340):
        step = Decimal(1).scaleb(-places)
        candidates = [exact.quantize(step, rounding=mode) for mode in (ROUND_FLOOR, ROUND_CEILING)]
        inside = [c for c in candidates if Decimal(low) <= c < Decimal(high)]
        if inside:
            best = min(inside, key=lambda c: abs(c - exact))
            return format(best.normalize(), "f")
    return repr(threshold)
