"""Quantiles: the distribution of the target around a row, by the training rows that share its leaves."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.forests import _record
from treewright.forests._bags import Bags
from treewright.model import Model

__all__ = ["Quantiles"]

# One lock for all forests: it is held for the moment of building.
_BUILDING = threading.Lock()


class Quantiles:
    """Quantiles of a forest whose leaves remember their rows; made ready on first use.

    Parameters
    ----------
    model : Model
        The forest.
    bags : Bags
        How the rows of its trees were drawn.
    """

    def __init__(self, model: Model, bags: Bags) -> None:
        self._model = model
        self._bags = bags
        self._native: _core.ForestQuantiles | None = None

    def __call__(
        self, matrix: NDArray[Any], shares: NDArray[np.float64], n_threads: int
    ) -> NDArray[np.float64]:
        """Return the quantiles for each row, one column per share."""
        return self._ready(n_threads).predict(matrix, shares, n_threads)

    def places_out_of_bag(
        self, matrix: NDArray[Any], rows: NDArray[np.uint32], n_threads: int
    ) -> NDArray[np.float64]:
        """Return where targets of training rows lie in what trees predict that have not seen them.

        Parameters
        ----------
        matrix : ndarray
            The features of the rows.
        rows : ndarray of uint32
            Their numbers.
        n_threads : int
            Threads to use.

        Returns
        -------
        ndarray of shape (n_rows, 4)
            Shares of weight below the target and up to it, how many equal weights would say as much, and the
            number of trees that have not seen the row; NaN where there are none.
        """
        return self._ready(n_threads).places_out_of_bag(matrix, rows, n_threads)

    def _ready(self, n_threads: int) -> _core.ForestQuantiles:
        predictor = self._model.predictor
        with _BUILDING:
            if self._native is None:
                arrays = self._model.arrays
                self._native = _core.ForestQuantiles(
                    predictor,
                    arrays[_record.LEAF_BEGIN],
                    arrays[_record.LEAF_ROWS],
                    arrays[_record.TARGET],
                    arrays.get(_record.WEIGHTS),
                    self._bags.rule,
                    n_threads,
                )
            return self._native
