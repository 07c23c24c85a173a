"""Target statistics of a booster's rows: which columns have them, and whether they pay."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.boosting._held_out import TRAINING
from treewright.boosting._rows import BoostRows
from treewright.boosting.losses import Loss
from treewright.boosting.plans import learning_rates, node_features
from treewright.fitting.rows import TrainingRows
from treewright.fitting.target_statistics import (
    Parts,
    TrainingStatistics,
    asked_columns,
    check_is_dense,
    parts_of,
)
from treewright.model import Forest, Model
from treewright.model.level_means import LevelMeans

if TYPE_CHECKING:
    from treewright.boosting.booster import Booster

__all__ = ["extended_rows", "statistic_arrays", "statistics_of", "trees_of_categories"]

Floats = NDArray[np.float64]

#: Rows that are tried at most, and the fewest that a trial could tell anything from.
TRIED_ROWS: Final = 20_000
FEWEST_ROWS: Final = 200
#: Rounds of a trial: one of so many, but at least as many as that; and the rate that it may be raised to.
TRIED_SHARE: Final = 10
FEWEST_ROUNDS: Final = 20
TRIED_RATE: Final = 0.1
#: The part of the rows that a trial is judged by, and the blocks whose losses say how sure that is.
JUDGED: Final = 0
BLOCKS: Final = 20
#: So many standard errors a trial must gain.
LEAST_GAIN: Final = 1.0


def statistics_of(
    booster: Booster, given: BoostRows, loss: Loss, seed: int, earlier: Model | None
) -> TrainingStatistics | None:
    """Return the target statistics that the trees may test; None: there are none, or they do not pay.

    Parameters
    ----------
    booster : Booster
        Its parameters count.
    given : BoostRows
        Rows whose table is not encoded yet.
    loss : Loss
        What the rounds make smaller.
    seed : int
        The seed of the fit.
    earlier : Model or None
        The model that rounds are added to: they test what its rounds test.
    """
    rows, asked = given.rows, booster.target_statistics
    sources = asked_columns(asked, rows.schema)
    is_tried = isinstance(asked, str) and earlier is None
    if earlier is not None:
        known = LevelMeans.of(earlier)
        sources = [] if known is None else np.unique(known.feature).tolist()
    if is_tried and (loss.own is not None or rows.n_rows < FEWEST_ROWS or rows.whole_table.is_sparse):
        return None
    if not sources:
        return None
    check_is_dense(rows)
    parts = parts_of(rows)
    found = TrainingStatistics.learned(rows, sources, parts, only_telling=is_tried)
    if found is None or (is_tried and not _pays(booster, given, loss, seed, found.sources, parts)):
        return None
    return found


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


def trees_of_categories(
    forest: Forest, statistics: TrainingStatistics | None, given: BoostRows, earlier: Model | None
) -> tuple[Forest, LevelMeans | None]:
    """Return new trees with sets of categories in place of statistics, and all statistics of the model.

    Parameters
    ----------
    forest : Forest
        The trees of this fit.
    statistics : TrainingStatistics or None
        What they may test.
    given : BoostRows
        The rows that they grew from.
    earlier : Model or None
        The model that they are added to.
    """
    before = None if earlier is None else LevelMeans.of(earlier)
    if statistics is None:
        return forest, before
    forest, means = statistics.means.compiled(forest, given.rows.own_schema)
    n_nodes = 0
    if earlier is not None:
        assert isinstance(earlier.trees, Forest), "a booster's trees are a forest"
        n_nodes = earlier.trees.node_count
    return forest, means.after(before, n_nodes)


def statistic_arrays(means: LevelMeans | None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a model."""
    return {} if means is None else means.to_arrays()


# --- the trial
# ----------------------------------------------------------------------------------------------------------


def _pays(
    booster: Booster, given: BoostRows, loss: Loss, seed: int, sources: list[int], parts: Parts
) -> bool:
    """Tell whether a short booster predicts rows better that it has not seen when it has the statistics."""
    used = parts.order[:TRIED_ROWS]
    tried = given.only(np.sort(used))
    tried.rows.table = tried.rows.whole_table.in_memory()
    place = np.argsort(np.argsort(used))
    is_judged = parts.part[used] == JUDGED
    judged, learned = place[is_judged], np.sort(place[~is_judged])
    if len(judged) < BLOCKS or len(learned) < BLOCKS:
        return False
    losses = []
    for asked in (False, sources):
        alike = clone(booster).set_params(**_short(booster, tried.rows), target_statistics=asked)
        model = alike._boosted(tried.only(learned), loss, (), seed, None)
        losses.append(_block_losses(model, tried, loss, judged, int(effective_n_jobs(booster.n_jobs))))
    gain = losses[0] - losses[1]
    return bool(gain.mean() > LEAST_GAIN * gain.std(ddof=1) / math.sqrt(BLOCKS))


def _block_losses(
    model: Model, tried: BoostRows, loss: Loss, judged: NDArray[np.intp], n_threads: int
) -> Floats:
    rows = tried.rows
    raw = model.raw_scores(rows.whole_table.take(judged).to_matrix(), n_threads)
    if tried.offset is not None:
        raw = raw + tried.offset[judged]
    target, found = tried.target[judged], []
    for block in np.array_split(np.arange(len(judged)), BLOCKS):
        weights = None if rows.weights is None else rows.weights[judged[block]]
        total = len(block) if weights is None else weights.sum()
        ours = np.ascontiguousarray(raw[block])
        found.append(float(loss.objective.total(target[block], weights, ours)) / total)
    return np.array(found)


def _short(booster: Booster, rows: TrainingRows) -> dict[str, Any]:
    """Return the parameters of a trial: fewer rounds of larger steps, with nobody watching."""
    n_rounds = int(booster.n_estimators)
    tried = min(n_rounds, max(FEWEST_ROUNDS, n_rounds // TRIED_SHARE))
    rate = float(learning_rates(booster.learning_rate, 1)[0])
    rate = max(rate, min(TRIED_RATE, rate * n_rounds / tried))
    short = {
        "n_estimators": tried,
        "learning_rate": rate,
        "max_features": node_features(booster, len(rows.schema.features), rows.n_classes),
        "quantiles": False,
        "n_iter_no_change": None,
        "early_stopping": False,
        "callbacks": None,
        "keep_partial": False,
        "warm_start": False,
        "verbose": 0,
    }
    known = booster.get_params(deep=False)
    return {name: value for name, value in short.items() if name in known}
