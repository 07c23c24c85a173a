"""Comparisons of other kinds as ``x <= t`` in double precision, and thresholds for single precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["at_most_below", "at_most_below_single", "at_most_single", "single_at_most"]

Floats = NDArray[np.float64]


def at_most_below(threshold: Floats) -> Floats:
    """Return t such that ``x <= t`` in double precision is ``x < threshold``."""
    return np.nextafter(threshold, -np.inf)


def at_most_single(threshold: Floats) -> Floats:
    """Return t such that ``x <= t`` is ``float32(x) <= threshold``, for every double x.

    The largest single u that is at most the threshold decides: x rounds to u or below exactly when it is at
    most the middle of u and the next single, the middle itself included where the tie goes to u, the one of
    the two with an even last bit.
    """
    below = single_at_most(threshold)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        above = np.nextafter(below, np.float32(np.inf))
        # Beyond the largest single the next one would be 2**128.
        upper = np.where(np.isposinf(above), 2.0**128, above.astype(np.float64))
        lower = np.where(np.isneginf(below), -(2.0**128), below.astype(np.float64))
        middle = lower + (upper - lower) / 2
    is_even = (below.view(np.uint32) & 1) == 0
    found: Floats = np.where(is_even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isposinf(below), np.inf, found)


def at_most_below_single(threshold: NDArray[np.float32]) -> Floats:
    """Return t such that ``x <= t`` is ``float32(x) < threshold``, for every double x."""
    with np.errstate(over="ignore", under="ignore"):
        before = np.nextafter(threshold, np.float32(-np.inf))
    return at_most_single(before.astype(np.float64))


def single_at_most(threshold: Floats) -> NDArray[np.float32]:
    """Return the largest single at or below a double: the threshold of a runtime that compares singles."""
    # Rounding may reach infinity or nothing, which is what is wanted there.
    with np.errstate(over="ignore", under="ignore"):
        single = np.asarray(threshold, dtype=np.float64).astype(np.float32)
        too_large = single.astype(np.float64) > threshold
        found: NDArray[np.float32] = np.where(too_large, np.nextafter(single, np.float32(-np.inf)), single)
    return found
