"""Cross-fitted answers: every row is predicted by a booster of the same settings that has not seen it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone

from treewright.boosting._error_bands import ErrorBands
from treewright.boosting._rows import BoostRows
from treewright.boosting.losses import Loss
from treewright.model import Model
from treewright.model.facts import BoosterFacts
from treewright.model.level_means import LevelMeans
from treewright.model.link import answers

__all__ = ["rows_to_ask", "with_error_bands"]

#: Each booster is grown without one of so many parts of the rows.
PARTS: Final = 5


def rows_to_ask(given: BoostRows) -> BoostRows:
    """Return the rows once more, since encoding takes a table away; ValueError when they cannot be asked.

    Parameters
    ----------
    given : BoostRows
        All rows of a fit.
    """
    if given.offset is not None:
        raise ValueError(
            "quantiles=True asks how far targets lie from answers, and answers are without the offset: "
            "leave quantiles=False, or pass no offset."
        )
    if given.rows.n_rows < 2:
        raise ValueError("quantiles=True needs rows that were not learned from: pass at least two rows.")
    return replace(given, rows=given.rows.take(None, given.rows.weights))


def with_error_bands(booster: Any, model: Model, given: BoostRows, loss: Loss, seed: int) -> Model:
    """Return the model with what it knows about its errors.

    Parameters
    ----------
    booster : Booster
        Its parameters count.
    model : Model
        What it has learned.
    given : BoostRows
        All rows of the fit, also those that early stopping sets aside.
    loss : Loss
        What the rounds made smaller.
    seed : int
        Of the parts.
    """
    rows = given.rows
    means = LevelMeans.of(model)
    alike = clone(booster).set_params(
        **_plain(booster, BoosterFacts.of(model).n_rounds),
        target_statistics=False if means is None else np.unique(means.feature).tolist(),
    )
    n_threads = int(effective_n_jobs(booster.n_jobs))
    part = np.random.default_rng(seed).permutation(rows.n_rows) % PARTS
    found = np.empty(rows.n_rows)
    for number in range(min(PARTS, rows.n_rows)):
        outside = np.flatnonzero(part == number)
        grown = alike._boosted(given.only(np.flatnonzero(part != number)), loss, (), seed, None)
        matrix = rows.whole_table.take(outside).to_matrix()
        found[outside] = answers(grown.raw_scores(matrix, n_threads), loss.link)[:, 0]
    bands = ErrorBands.learned(found, given.target, rows.weights)
    return replace(model, arrays={**model.arrays, **bands.to_arrays()})


def _plain(booster: Any, n_rounds: int) -> dict[str, Any]:
    """Return the parameters that make a fit of so many rounds without anybody watching."""
    plain = {
        "n_estimators": n_rounds,
        "quantiles": False,
        "n_iter_no_change": None,
        "early_stopping": False,
        "callbacks": None,
        "keep_partial": False,
        "warm_start": False,
        "verbose": 0,
    }
    known = booster.get_params(deep=False)
    return {name: value for name, value in plain.items() if name in known}
