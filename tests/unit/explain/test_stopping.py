"""Ctrl-C ends Shapley values and dependence soon; other threads go on while trees are prepared."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import treewright
from treewright.explain.shap import game_of


@pytest.fixture(scope="module")
def rows() -> Any:
    return np.random.default_rng(0).normal(size=(40_000, 12))


@pytest.fixture(scope="module")
def forest(rows: Any) -> Any:
    chosen = treewright.RandomForestClassifier(60, random_state=0, n_jobs=2)
    return chosen.fit(rows[:4000], rows[:4000, 0] * rows[:4000, 1] > 0)


@pytest.fixture(scope="module")
def booster(rows: Any) -> Any:
    return treewright.LeafwiseBoostingRegressor(n_estimators=50, n_jobs=2).fit(rows[:4000], rows[:4000, 0])


def prepared_again(forest: Any, X: Any) -> Any:
    forest.model_.__dict__.pop("_attributions", None)
    return forest.shap(X[:1])


CALLS = {
    "values": lambda forest, booster, X: forest.shap(X),
    "a background": lambda forest, booster, X: forest.shap(X, background=X[:50]),
    "interactions": lambda forest, booster, X: booster.shap(X, interactions=True),
    "preparing": lambda forest, booster, X: prepared_again(forest, X),
    "averages": lambda forest, booster, X: forest.partial_dependence(0, X),
    "single rows": lambda forest, booster, X: booster.partial_dependence(
        (0, 1), X[:5000], kind="both", grid_resolution=40
    ),
    "recursion": lambda forest, booster, X: forest.partial_dependence(
        (0, 1), X, method="recursion", grid_resolution=40
    ),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signals")
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_it_soon(name: str, forest: Any, booster: Any, rows: Any) -> None:
    came = []

    def interrupt(*_: Any) -> None:
        came.append(time.perf_counter())
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            while True:
                CALLS[name](forest, booster, rows)
        ended = time.perf_counter()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # The promise is 0.2 s on an idle machine; tests share it.
    assert came[0] - began < 0.3 + 1.5
    assert ended - came[0] < 1.5


def test_other_threads_go_on_while_trees_are_prepared() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 10))
    forest = treewright.RandomForestRegressor(40, random_state=0).fit(X, X[:, 0] * X[:, 1])
    gaps, done = [0.0], threading.Event()

    def tick() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.perf_counter()
    game_of(forest.model_)
    took = time.perf_counter() - began
    done.set()
    thread.join()
    assert len(gaps) > 5
    assert max(gaps) < max(0.5 * took, 0.2)
