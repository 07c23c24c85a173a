"""Validation rows on the workers: each sends its share down the trees, the first one scores all answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from distributed import Future
from distributed.protocol.pickle import dumps
from numpy.typing import NDArray

from treewright.boosting.losses import Loss
from treewright.dask.exchange import WorkerExchange
from treewright.dask.shares import Piece, pieces_between

__all__ = ["Validation", "WatchedShare", "shared_score"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WatchedShare:
    """The validation rows of one worker.

    Attributes
    ----------
    pieces : tuple of Piece
        Which rows of which matrices that come along are these.
    raw : ndarray of shape (n_rows, n_outputs)
        Their scores before the first round.
    scorer : bytes or None
        Of the first worker: what scores all rows, pickled.
    """

    pieces: tuple[Piece, ...]
    raw: Floats
    scorer: bytes | None

    def matrix(self, parts: list[NDArray[Any]], n_columns: int) -> NDArray[Any]:
        """Return the rows as one matrix."""
        found = [part[piece.begin : piece.end] for piece, part in zip(self.pieces, parts, strict=True)]
        return np.concatenate(found) if found else np.empty((0, n_columns))


class Validation:
    """Validation rows of a fit, in parts: those of collections stay on the workers.

    Parameters
    ----------
    rows : ndarray, DaskTable or tuple of them
        The rows.
    target, weights, raw : ndarray
        As `_core.boost` takes them.
    board : Scoreboard or None
        What scores the rows; None: the loss.
    """

    def __init__(self, rows: Any, target: Floats, weights: Floats | None, raw: Floats, board: Any) -> None:
        self.parts: list[Future | NDArray[Any]] = []
        self._part_rows: list[int] = []
        for one in rows if isinstance(rows, tuple) else (rows,):
            # Partitions of a table make matrices where they are.
            parts, counts = one.matrix_parts() if hasattr(one, "matrix_parts") else ([one], [len(one)])
            self.parts += parts
            self._part_rows += counts
        self._target, self._weights, self._raw, self._board = target, weights, raw, board

    def shares(self, n_workers: int) -> list[WatchedShare]:
        """Divide the rows among workers, as equally as possible."""
        n_rows = len(self._target)
        scorer = Scorer(self._target, self._weights, self._board and self._board.for_a_worker())
        pickled = dumps(scorer)  # metrics may be functions of a notebook
        cuts = [n_rows * i // n_workers for i in range(n_workers + 1)]
        return [
            WatchedShare(
                pieces_between(self._part_rows, first, end),
                np.ascontiguousarray(self._raw[first:end]),
                pickled if rank == 0 else None,
            )
            for rank, (first, end) in enumerate(pairwise(cuts))
        ]

    def adopt(self, seen: list[Any] | None) -> None:
        """Take over what the first worker's board has seen."""
        if self._board is not None and seen is not None:
            self._board.adopt(seen)


class Scorer:
    """What scores all validation rows: a board of metrics, or the loss as the engine adds it up."""

    def __init__(self, target: Floats, weights: Floats | None, board: Any) -> None:
        self._target, self._weights, self.board = target, weights, board
        # One after the other, as the engine adds them.
        self._total = float(len(target) if weights is None else np.add.accumulate(weights)[-1])

    def __call__(self, raw: Floats, loss: Loss) -> float:
        """Return the score after a round; lower is better."""
        if self.board is not None:
            self.board.use(loss)
            return float(self.board(raw))
        return float(loss.objective.total(self._target, self._weights, raw)) / self._total


def shared_score(
    scorer: Scorer | None, loss: Loss, exchange: WorkerExchange
) -> Callable[[NDArray[Any]], float]:
    """Return what the engine asks for the score of this worker's answers: that of all workers' answers."""

    def score(raw: NDArray[Any]) -> float:
        answers = exchange.collect(np.ascontiguousarray(raw))
        found = 0.0 if scorer is None or answers is None else scorer(answers, loss)
        return float(exchange.add_up(np.array([found]))[0])

    return score
