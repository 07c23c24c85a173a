"""Thresholds of other libraries as ours, exactly: whatever x is, ``x <= ours`` says what theirs says.

They compare x after it was rounded to single precision; the numbers that round to at most a float32 number f
are those up to the middle between f and its successor, with the middle itself where f has the even mantissa.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["below_single", "up_to_single"]

Floats = NDArray[np.float64]

BEYOND_SINGLE = 2.0**128  # what would follow the largest float32 number


def up_to_single(threshold: Floats) -> Floats:
    """Return t with ``x <= t`` wherever ``float32(x) <= threshold``.

    Parameters
    ----------
    threshold : ndarray of float64
        Thresholds, infinite ones too.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.imported.thresholds import up_to_single
    >>> t = up_to_single(np.array([0.1]))
    >>> bool(np.float32(t[0]) <= 0.1), bool(np.float32(np.nextafter(t[0], 1.0)) <= 0.1)
    (True, False)
    """
    threshold = np.asarray(threshold, dtype=np.float64)
    with np.errstate(over="ignore", under="ignore"):
        nearest = threshold.astype(np.float32)
        last = np.where(nearest > threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest)
        following = np.nextafter(last, np.float32(np.inf)).astype(np.float64)
    following = np.where(np.isposinf(following), BEYOND_SINGLE, following)
    start = np.where(np.isneginf(last), -BEYOND_SINGLE, last.astype(np.float64))
    with np.errstate(invalid="ignore"):
        middle = (start + following) / 2.0
    is_even = (last.astype(np.float32).view(np.uint32) & 1) == 0
    found = np.where(is_even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isposinf(last), np.inf, found)


def below_single(threshold: NDArray[np.float32]) -> Floats:
    """Return t with ``x <= t`` wherever ``float32(x) < threshold``.

    Parameters
    ----------
    threshold : ndarray of float32
        Thresholds.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.imported.thresholds import below_single
    >>> t = below_single(np.array([0.5], dtype=np.float32))
    >>> bool(np.float32(t[0]) < 0.5), bool(np.float32(np.nextafter(t[0], 1.0)) < 0.5)
    (True, False)
    """
    with np.errstate(over="ignore", under="ignore"):
        before = np.nextafter(np.asarray(threshold, dtype=np.float32), np.float32(-np.inf))
    return up_to_single(before.astype(np.float64))
