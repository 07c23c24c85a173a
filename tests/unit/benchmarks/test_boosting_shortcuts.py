"""The contests of shortcuts on tiny tables, and their yardstick: boosting by fine steps."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pandas")
pytest.importorskip("resource", reason="processor times are read in the way of Unix")

from benchmarks import boosting_shortcuts, fine_steps
from benchmarks.boosters import CLASSES, COUNTS, NUMBERS, Settings
from benchmarks.boosting_shortcuts import FINE, QUANTISED, SIDES, Rows, examine, most_rows, one_hot
from benchmarks.datasets import DataMissingError
from benchmarks.outcome import Contest, Size

from treewright import LeafwiseBoostingRegressor

QUICK = Size(quick=True, quick_rows=300)


@pytest.mark.parametrize("chosen", boosting_shortcuts.CONTESTS, ids=lambda found: found.name)
def test_a_contest_of_shortcuts_finds_a_number_and_a_line_of_the_page(chosen: Contest) -> None:
    try:
        outcome = chosen.run(QUICK)
    except DataMissingError as reason:
        pytest.skip(str(reason))
    assert outcome.value is not None
    page = boosting_shortcuts.markdown([outcome], {"date": "today"})
    assert chosen.name in page
    if chosen.name == "one-hot":
        assert outcome.is_met
    else:
        assert set(outcome.ours["losses"]) == set(SIDES)


@pytest.mark.parametrize("task", [CLASSES, NUMBERS, COUNTS])
@pytest.mark.parametrize("weighted", [False, True])
def test_for_few_rows_fine_steps_are_the_engines_own(task: str, weighted: bool) -> None:
    random = np.random.default_rng(3)
    x = random.standard_normal((600, 4))
    x[random.random(x.shape) < 0.1] = np.nan
    signal = np.nan_to_num(x[:, 0]) + np.sin(3 * np.nan_to_num(x[:, 1]))
    y = {
        CLASSES: np.digitize(signal, [-0.5, 0.8]),
        NUMBERS: signal + random.standard_normal(600) / 3,
        COUNTS: random.poisson(np.exp(signal / 2)).astype(float),
    }[task]
    rows = Rows(x, y, task, random.uniform(0.5, 2.0, 600) if weighted else None)
    settings = Settings(rounds=10, leaves=8)
    ours, fine = (examine(rows, side, 0, settings)[0] for side in (QUANTISED, FINE))
    assert ours == pytest.approx(fine, rel=1e-6)


def test_for_many_rows_fine_steps_are_not_the_engines_own() -> None:
    random = np.random.default_rng(4)
    x = random.standard_normal((20_000, 6))
    y = x[:, 0] + random.standard_t(1.5, size=len(x))  # few rows have most of the gradient: steps are coarse
    booster = LeafwiseBoostingRegressor(n_estimators=20, max_leaf_nodes=63)
    fine = fine_steps.fit_predict(booster, x, y, None, x)
    quantised = booster.fit(x, y).predict(x)
    assert 0 < np.std(fine - quantised) < 0.5 * np.std(fine)


def test_one_hot_columns_exclude_each_other() -> None:
    rows = one_hot(QUICK)
    assert rows.x.shape == (most_rows(QUICK), 124)
    assert (rows.x[:, :120].reshape(-1, 12, 10).sum(axis=2) == 1).all()
