"""IntervalLevels: which quantiles of a forest hold the share of targets asked for, by out-of-bag rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["IntervalLevels"]

Floats = NDArray[np.float64]
# The name in `Model.arrays`.
LEVELS: Final = "interval_levels"
STEPS: Final = 1000
#: Multiples of the golden ratio spread evenly, however many there are.
GOLDEN: Final = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class IntervalLevels:
    """The levels to ask for instead of shares.

    Trees that did not see a row say where its target lies in their prediction; over many rows these places
    should spread evenly from 0 to 1. Where they do not, the level that a share of the places stays below is
    asked for instead of the share itself (conformal prediction by places in the distribution).

    Attributes
    ----------
    levels : ndarray of shape (STEPS + 1,)
        For the shares 0, 1/1000, …, 1: of lower ends below one half, of upper ends from there on.
    """

    levels: Floats

    @classmethod
    def learned(
        cls, below: Floats, up_to: Floats, n_points: Floats, n_answers: Floats, n_trees: int
    ) -> Self | None:
        """Return the levels; None when no row was left out by any tree.

        A place among few points says less than one among many: with m points the target of a row that is
        drawn like them is equally likely to lie in each of the m + 1 gaps, and somewhere within its gap.

        Parameters
        ----------
        below, up_to : ndarray of shape (n_rows,)
            Shares of predicted weight below the targets, and up to them; NaN: nobody knows.
        n_points, n_answers : ndarray of shape (n_rows,)
            How many equal weights would say as much, and how many trees said it.
        n_trees : int
            How many trees will answer for new rows.
        """
        known = np.isfinite(below)
        n_known = int(np.count_nonzero(known))
        if not n_known:
            return None
        below, up_to, n_points, n_answers = (part[known] for part in (below, up_to, n_points, n_answers))
        within = np.arange(1, n_known + 1) * GOLDEN % 1.0
        # An end that equals a target holds it: upper ends need what is below it, lower ends all up to it.
        above, under = (np.sort((part * n_points + within) / (n_points + 1.0)) for part in (below, up_to))
        shares = np.arange(STEPS + 1) / STEPS
        # A new row counts as one row more, on the far side.
        upper = np.ceil((n_known + 1) * shares * (1.0 - 1e-12)).astype(np.int64)
        lower = np.floor((n_known + 1) * shares * (1.0 + 1e-12)).astype(np.int64)
        of_upper = np.where(upper > n_known, 1.0, above[np.clip(upper, 1, n_known) - 1])
        of_lower = np.where(lower < 1, 0.0, under[np.clip(lower, 1, n_known) - 1])
        wanted = np.where(shares < 0.5, of_lower, of_upper)
        # All trees answer for a new row: the k-th of their M points has k / (M + 1) of such rows below it.
        points = float(np.mean(n_points * n_trees / n_answers))
        levels = (np.round(wanted * (points + 1.0)) - 0.5) / points
        return cls(np.maximum.accumulate(np.clip(levels, 0.0, 1.0)))

    def __call__(self, shares: Floats) -> Floats:
        """Return the levels for shares."""
        return np.interp(shares, np.arange(STEPS + 1) / STEPS, self.levels)

    def to_arrays(self) -> dict[str, Floats]:
        """Return the arrays of a model."""
        return {LEVELS: self.levels}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self | None:
        """Undo `to_arrays`; None for a model without, ValueError when a file says what cannot be."""
        levels = arrays.get(LEVELS)
        if levels is None:
            return None
        if levels.dtype != np.float64 or levels.shape != (STEPS + 1,):
            raise ValueError("the levels of its intervals are not numbers for each share")
        # NaN fails the comparisons.
        if not ((levels >= 0) & (levels <= 1)).all() or not (np.diff(levels) >= 0).all():
            raise ValueError("the levels of its intervals do not rise from 0 to 1")
        return cls(levels)
