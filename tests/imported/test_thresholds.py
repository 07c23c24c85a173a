"""Thresholds in single precision become thresholds in double precision that say the same of every number."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.program.floats import at_most_below_single, at_most_single

SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


def neighbours(number: float) -> np.ndarray:
    """Numbers around one in both precisions, and the middles between float32 numbers."""
    with np.errstate(all="ignore"):
        single = np.float32(number)
        up, down = np.nextafter(single, np.float32(np.inf)), np.nextafter(single, np.float32(-np.inf))
        base = [float(number), float(single), float(up), float(down)]
        base += [(base[1] + base[2]) / 2, (base[1] + base[3]) / 2]
        base += [2.0**128 - 2.0**103, 2.0**-150, -(2.0**-150), 0.0, -0.0, float(np.finfo(np.float32).max)]
        found = np.array([x for x in base if np.isfinite(x)])
        return np.concatenate([found, -found, np.nextafter(found, np.inf), np.nextafter(found, -np.inf)])


@settings(max_examples=300)
@given(SINGLES)
def test_a_number_is_below_a_single_threshold_where_it_is_up_to_ours(threshold: float) -> None:
    ours = at_most_below_single(np.array([threshold], dtype=np.float32))[0]
    numbers = neighbours(threshold)
    with np.errstate(over="ignore"):
        theirs = numbers.astype(np.float32) < np.float32(threshold)
    assert np.array_equal(numbers <= ours, theirs)


@settings(max_examples=300)
@given(DOUBLES)
def test_a_rounded_number_is_up_to_a_double_threshold_where_the_number_is_up_to_ours(
    threshold: float,
) -> None:
    ours = at_most_single(np.array([threshold]))[0]
    numbers = neighbours(threshold)
    with np.errstate(over="ignore"):
        theirs = numbers.astype(np.float32).astype(np.float64) <= threshold
    assert np.array_equal(numbers <= ours, theirs)


def test_an_infinite_threshold_takes_every_number() -> None:
    assert at_most_single(np.array([np.inf]))[0] == np.inf
