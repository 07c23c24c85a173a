"""Growing after a fork and from several Python threads: no thread outlives a call, so nothing can break."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from treewright import CARTClassifier, CARTRegressor, _core


def table() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40_000, 8)).astype(np.float32)
    return x, x[:, 0] * x[:, 1] + rng.normal(size=len(x))


def nodes_of_a_fit(n_jobs: int) -> int:
    x, y = table()
    return int(CARTRegressor(max_depth=8, n_jobs=n_jobs).fit(x, y).tree_.node_count)


def gains_of_a_tree(n_threads: int) -> list[float]:
    """Grow by the engine alone: joblib does not give two threads to a child of multiprocessing."""
    x, y = table()
    plan = _core.GrowPlan()
    plan.criterion = _core.Criterion.squared_error
    plan.max_depth = 8
    dataset = _core.Dataset.from_matrix(x, 0, n_threads)
    gains: list[float] = _core.grow_means(dataset, y, None, plan, n_threads)["gain"].tolist()
    return gains


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_forked_child_fits_after_its_parent_did(n_jobs: int) -> None:
    expected = gains_of_a_tree(n_jobs)
    context = multiprocessing.get_context("fork")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads of the test runner
        with context.Pool(2) as pool:
            assert pool.map_async(gains_of_a_tree, [n_jobs] * 4).get(timeout=60) == [expected] * 4
    assert gains_of_a_tree(n_jobs) == expected


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_several_threads_fit_at_once(n_jobs: int) -> None:
    expected = nodes_of_a_fit(1)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(nodes_of_a_fit, [n_jobs] * 8)) == [expected] * 8


def test_several_threads_predict_with_one_tree_at_once() -> None:
    x, y = table()
    tree = CARTClassifier(n_jobs=2).fit(x, y > 0)
    expected = tree.predict_proba(x)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: tree.predict_proba(x), range(8)):
            np.testing.assert_array_equal(found, expected)


def test_no_thread_is_left_after_a_call() -> None:
    tasks = "/proc/self/task"
    if not os.path.isdir(tasks):
        pytest.skip("this system does not list the threads of a process")
    before = len(os.listdir(tasks))
    nodes_of_a_fit(8)
    assert len(os.listdir(tasks)) <= before
