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
        return self._native.predict(matrix, shares, n_threads)
