"""ErrorBands: how far targets lay from the answers of boosters that had not seen them, by the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["ErrorBands"]

Floats = NDArray[np.float64]
# Names in `Model.arrays`.
EDGES: Final = "error_band_edges"
ERRORS: Final = "error_band_errors"
#: Most bands, and fewest rows of a band: enough to know the tails.
MOST_BANDS: Final = 20
FEWEST_ROWS: Final = 100
#: A band keeps its errors at shares of so many steps, the smallest and the largest included.
STEPS: Final = 1000


@dataclass(frozen=True, eq=False)
class ErrorBands:
    """Errors of rows with similar answers.

    Attributes
    ----------
    edges : ndarray of shape (n_bands - 1,)
        Answers up to the first edge belong to the first band, and so on.
    errors : ndarray of shape (n_bands, STEPS + 1)
        Target minus answer at the shares 0, 1/1000, …, 1 of the rows of each band. As in conformal
        prediction, a new row counts as one row more, on the far side: shares below one half lie so much
        lower, those above so much higher.
    """

    edges: Floats
    errors: Floats

    @classmethod
    def learned(cls, answers: Floats, targets: Floats, weights: Floats | None) -> Self:
        """Return the bands of rows that were answered without having been seen.

        Parameters
        ----------
        answers, targets : ndarray of shape (n_rows,)
            What was predicted and what was true.
        weights : ndarray or None
            Weight of each row.
        """
        n_bands = max(1, min(MOST_BANDS, len(answers) // FEWEST_ROWS))
        edges = np.unique(np.quantile(answers, np.arange(1, n_bands) / n_bands))
        # Equal answers share a band, so that it may have all of them; the last edge may leave nothing above.
        edges = edges[edges < answers.max()]
        band = np.searchsorted(edges, answers)
        weights = np.ones(len(answers)) if weights is None else weights
        errors = targets - answers
        rows = [np.flatnonzero(band == number) for number in range(len(edges) + 1)]
        return cls(edges, np.array([_conformal(errors[some], weights[some]) for some in rows]))

    def quantiles(self, answers: Floats, shares: Floats) -> Floats:
        """Return quantiles of the targets of rows, one column for each share.

        Parameters
        ----------
        answers : ndarray of shape (n_rows,)
            What is predicted for the rows.
        shares : ndarray of shape (n_shares,)
            From 0 to 1.
        """
        steps = np.arange(STEPS + 1) / STEPS
        at_shares = np.array([np.interp(shares, steps, errors) for errors in self.errors])
        found: Floats = answers[:, np.newaxis] + at_shares[np.searchsorted(self.edges, answers)]
        return found

    # --- in a model
    # -------------------------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Floats]:
        """Return the arrays of a model."""
        return {EDGES: self.edges, ERRORS: self.errors}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self | None:
        """Undo `to_arrays`; None for a model without, ValueError when a file says what cannot be."""
        if EDGES not in arrays and ERRORS not in arrays:
            return None
        edges, errors = arrays.get(EDGES), arrays.get(ERRORS)
        if edges is None or errors is None or edges.dtype != np.float64 or errors.dtype != np.float64:
            raise ValueError("its errors by bands are not numbers")
        if edges.ndim != 1 or errors.shape != (len(edges) + 1, STEPS + 1):
            raise ValueError("its errors are not those of its bands")
        if not (np.isfinite(edges).all() and np.isfinite(errors).all()):
            raise ValueError("its errors by bands are not finite")
        if not ((np.diff(edges) > 0).all() and (np.diff(errors, axis=1) >= 0).all()):
            raise ValueError("its errors by bands do not rise")
        return cls(edges, errors)


def _conformal(errors: Floats, weights: Floats) -> Floats:
    """Return the errors at the steps; each side has its own far end."""
    shares = np.arange(STEPS + 1) / STEPS
    upper = _reached(errors, weights, shares)
    lower = -_reached(-errors, weights, 1.0 - shares)
    return np.where(shares < 0.5, np.minimum(lower, upper), np.maximum(lower, upper))


def _reached(errors: Floats, weights: Floats, shares: Floats) -> Floats:
    """Return the smallest errors whose weights, in order, reach shares of all weight and a row more."""
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(weights[order])
    # Rounding must not ask for the row behind the one that is meant.
    wanted = shares * (reached[-1] + reached[-1] / len(errors)) * (1.0 - 1e-12)
    places = np.minimum(np.searchsorted(reached, wanted), len(errors) - 1)
    found: Floats = errors[order[places]]
    return found
