"""Where numbers stand on an axis, and which of them are written beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from treewright.draw.chart import Axis

__all__ = ["Scale", "axis_around", "round_numbers"]


@dataclass(frozen=True)
class Scale:
    """From the units of an axis to pixels.

    Attributes
    ----------
    axis : Axis
        The axis.
    begin, end : float
        Pixels of its low and its high end.
    """

    axis: Axis
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        """Return where a value stands; what lies outside stands at the end."""
        axis = self.axis
        if axis.log:
            share = math.log(max(value, axis.low) / axis.low) / math.log(axis.high / axis.low)
        else:
            # Halved, because the distance of two large numbers may be none.
            share = (value / 2 - axis.low / 2) / (axis.high / 2 - axis.low / 2)
        share = min(max(share, 0.0), 1.0)
        return self.begin + (self.end - self.begin) * (1 - share if axis.reverse else share)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Values and their words."""
        if self.axis.ticks is not None:
            low, high = self.axis.low, self.axis.high
            return [(value, words) for value, words in self.axis.ticks if low <= value <= high]
        return [(value, f"{value:.6g}") for value in round_numbers(self.axis.low, self.axis.high)]


def round_numbers(low: float, high: float) -> list[float]:
    """Return about five round numbers between two values.

    Examples
    --------
    >>> from treewright.draw.scale import round_numbers
    >>> round_numbers(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high / 4 - low / 4
    if not 0 < span < math.inf or span < 1e-12 * max(abs(low), abs(high)):
        return [low]
    unit = 10.0 ** math.floor(math.log10(span))
    step = next(factor * unit for factor in (1.0, 2.0, 5.0, 10.0) if 4 * (span / (factor * unit)) <= 6)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    digits = max(0, 2 - math.floor(math.log10(step)))
    return [round(i * step, digits) if digits < 300 else i * step for i in range(first, last + 1)]


def axis_around(
    name: str,
    values: Iterable[float],
    *,
    from_zero: bool = False,
    room: float = 0.04,
    reverse: bool = False,
) -> Axis:
    """Return an axis that holds all finite values, with some room around them.

    Parameters
    ----------
    name : str
        What it shows.
    values : iterable of float
        What must have a place on it.
    from_zero : bool, default=False
        Whether it begins (or ends) at 0, unless that would flatten what it shows.
    room : float, default=0.04
        Share of the length that is added at each end that is not 0.
    reverse : bool, default=False
        Whether it runs from high to low.
    """
    array = np.asarray(list(values), dtype=np.float64)
    array = array[np.isfinite(array)]
    low, high = (float(array.min()), float(array.max())) if len(array) else (0.0, 1.0)
    at_zero = False
    if from_zero and 0 <= low < 0.5 * high:
        low, at_zero = 0.0, True
    if not high > low:
        low, high = low - (abs(low) * 0.05 or 0.5), high + (abs(high) * 0.05 or 0.5)
    gap = (high / 2 - low / 2) * 2 * room
    if math.isfinite(high + gap) and math.isfinite(low - gap):
        low, high = low if at_zero else low - gap, high + gap
    return Axis(name, low, high, reverse=reverse)
