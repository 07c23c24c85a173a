"""scikit-learn's callbacks hear of fits, trees and rounds; `verbose` writes one line per second."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from tests.contract.data import numeric_table
from tests.contract.entries import ENTRIES, make_entry

from treewright import AdaBoostClassifier, CARTClassifier, LeafwiseBoostingClassifier, RandomForestClassifier
from treewright.fitting.progress import Progress

pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks")

X, Y = numeric_table("classification")


class Heard:
    """Writes down what it is told."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.events: list[Any] = []
        self._stop_after = stop_after

    def setup(self, estimator: Any, context: Any) -> None:
        self.events.append("setup")

    def teardown(self, estimator: Any, context: Any) -> None:
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.events.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any = None) -> bool:
        if context.task_name == "fit":
            assert fitted_estimator.predict(X).shape == Y.shape
        self.events.append(("end", context.task_name, context.task_id))
        return context.task_name == "round" and context.task_id + 1 == self._stop_after


@pytest.mark.filterwarnings("ignore::treewright.exceptions.ManySymbolsWarning")
@pytest.mark.parametrize("entry", ENTRIES, ids="-".join)
def test_a_fit_is_a_task_and_its_trees_or_rounds_are_tasks_inside_it(entry: tuple[str, str]) -> None:
    heard = Heard()
    estimator = make_entry(entry)
    estimator.set_callbacks(heard).fit(X, Y)
    assert heard.events[:2] == ["setup", ("begin", "fit", 0)]
    assert heard.events[-2:] == [("end", "fit", 0), "teardown"]
    parts = [event for event in heard.events[2:-2] if event[0] == "end"]
    assert [number for _, _, number in parts] == list(range(len(parts)))
    if hasattr(estimator, "n_estimators"):
        unit = "round" if hasattr(estimator, "callbacks") else "tree"
        assert {name for _, name, _ in parts} == {unit}
        assert len(parts) == getattr(estimator, "n_iter_", len(getattr(estimator, "estimators_", ())))
    same = make_entry(entry).fit(X, Y)
    np.testing.assert_array_equal(same.predict(X), estimator.predict(X))


def test_a_callback_that_says_so_ends_the_rounds() -> None:
    for booster in (LeafwiseBoostingClassifier(n_estimators=9), AdaBoostClassifier(n_estimators=9)):
        assert booster.set_callbacks(Heard(stop_after=3)).fit(X, Y).n_iter_ == 3


def test_a_fit_that_fails_tears_its_callbacks_down_and_leaves_nothing_behind() -> None:
    heard = Heard()
    forest = RandomForestClassifier(n_estimators=2).set_callbacks(heard)
    before = dict(vars(forest))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        forest.fit(X, Y[:-1])
    assert heard.events[-1] == "teardown"
    assert vars(forest) == before


def test_fits_inside_of_a_fit_are_not_its_progress() -> None:
    heard = Heard()
    CARTClassifier(prune="cost_complexity", cv=3).set_callbacks(heard).fit(X, Y)
    assert len(heard.events) == 4
    search = GridSearchCV(LeafwiseBoostingClassifier(n_estimators=3), {"learning_rate": [0.1, 0.3]}, cv=2)
    search.fit(X, Y)
    assert clone(search.best_estimator_).set_callbacks(Heard()).fit(X, Y).n_iter_ == 3


def test_a_log_gets_one_line_per_second_and_the_last_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress("Forest", 100, True) as progress:
        for done in range(1, 71):  # seven seconds, and the rounds end early
            now = done / 10
            progress(done)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["10", "20", "30", "40", "50", "60", "70"]
    with Progress("Forest", 3, True) as progress:
        for done in (1, 2, 3):
            progress(done)
    assert capsys.readouterr().err.splitlines() == ["Forest: 3 of 3 trees, 0.0 s"]
