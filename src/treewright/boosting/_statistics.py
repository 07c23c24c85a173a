"""Target statistics of a booster's rows: the columns that rounds see, and the trial whether they pay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from treewright.boosting._held_out import TRAINING
from treewright.boosting._rows import BoostRows
from treewright.boosting.losses import Loss
from treewright.boosting.plans import learning_rates, node_features
from treewright.fitting.statistics_choice import BLOCKS, tried_estimator
from treewright.fitting.target_statistics import TrainingStatistics

if TYPE_CHECKING:
    from treewright.boosting.booster import Booster

__all__ = ["BoosterTrial", "extended_rows"]

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

#: Rounds of a trial: one of so many, but at least as many as that; and the rate that it may be raised to.
TRIED_SHARE: Final = 10
FEWEST_ROUNDS: Final = 20
TRIED_RATE: Final = 0.1


def extended_rows(given: BoostRows, statistics: TrainingStatistics) -> BoostRows:
    """Return rows with the statistics as columns behind the others: cross-fitted where rows are learned from.

    Parameters
    ----------
    given : BoostRows
        The rows.
    statistics : TrainingStatistics
        Their statistics.
    """
    rows, held_out = statistics.extend(given.rows), given.held_out
    if held_out is not None:
        if held_out.name == TRAINING and not held_out.parts:
            matrix = rows.whole_table.to_matrix()
        else:
            matrix = statistics.means.extended(held_out.matrix, given.rows.schema.n_codes)
        held_out = replace(held_out, rows=matrix)
    return replace(given, rows=rows, held_out=held_out)


@dataclass(frozen=True, eq=False)
class BoosterTrial:
    """A short booster on some of the rows."""

    booster: Booster
    given: BoostRows
    loss: Loss
    seed: int

    def on_rows(self, numbers: Numbers) -> Self:
        """Return a trial on some of the rows, in memory."""
        tried = self.given.only(numbers)
        tried.rows.table = tried.rows.whole_table.in_memory()
        return replace(self, given=tried)

    def block_losses(self, asked: Any, learned: Numbers, judged: Numbers) -> Floats:
        """Return the mean loss of each block of rows that were not learned from."""
        alike = tried_estimator(self.booster, asked, **self._shorter())
        model = alike._boosted(self.given.only(learned), self.loss, (), self.seed, None)
        rows, offset = self.given.rows, self.given.offset
        n_threads = int(effective_n_jobs(self.booster.n_jobs))
        raw = model.raw_scores(rows.whole_table.take(judged).to_matrix(), n_threads)
        if offset is not None:
            raw = raw + offset[judged]
        target, found = self.given.target[judged], []
        for block in np.array_split(np.arange(len(judged)), BLOCKS):
            weights = None if rows.weights is None else rows.weights[judged[block]]
            total = len(block) if weights is None else weights.sum()
            ours = np.ascontiguousarray(raw[block])
            found.append(float(self.loss.objective.total(target[block], weights, ours)) / total)
        return np.array(found)

    def _shorter(self) -> dict[str, Any]:
        """Return parameters of fewer rounds with larger steps, with nobody watching."""
        booster, rows = self.booster, self.given.rows
        n_rounds = int(booster.n_estimators)
        tried = min(n_rounds, max(FEWEST_ROUNDS, n_rounds // TRIED_SHARE))
        rate = float(learning_rates(booster.learning_rate, 1)[0])
        return {
            "n_estimators": tried,
            "learning_rate": max(rate, min(TRIED_RATE, rate * n_rounds / tried)),
            "max_features": node_features(booster, len(rows.schema.features), rows.n_classes),
            "quantiles": False,
            "n_iter_no_change": None,
            "early_stopping": False,
            "callbacks": None,
            "keep_partial": False,
            "warm_start": False,
            "verbose": 0,
        }
