"""Calls in threads: results in order, and after an error no thread and no call is left."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from joblib import parallel_config

from treewright import CARTClassifier, _core
from treewright.side_by_side import run_side_by_side


@pytest.mark.parametrize("n_jobs", [None, 1, 3, -1, 10**9])
def test_results_come_in_the_order_of_the_calls(n_jobs):
    assert run_side_by_side(lambda a, b: a - b, [(i, 1) for i in range(20)], n_jobs) == list(range(-1, 19))
    assert run_side_by_side(lambda: 1, [], n_jobs) == []


def test_no_job_number_means_that_of_the_context():
    with parallel_config(n_jobs=2, backend="threading"):
        seen = run_side_by_side(lambda _: threading.current_thread(), [(1,), (2,)], None)
    assert threading.main_thread() not in seen


def test_an_error_ends_the_other_calls_and_all_threads():
    before = set(threading.enumerate())
    plan, y = _core.GrowPlan(), np.random.default_rng(0).random(200_000)
    plan.criterion = _core.Criterion.squared_error
    data = _core.Dataset.from_matrix(np.random.default_rng(1).random((200_000, 8)))
    begun = threading.Barrier(2)
    ends = []

    def call(number):
        if number > 1:
            pytest.fail("a call that had not begun was made after the error")
        begun.wait()
        if number == 0:
            raise ZeroDivisionError
        try:
            for _ in range(1000):  # a minute's work, far from any signal
                _core.grow_means(data, y, None, plan, 1)
        except _core.Stopped:
            ends.append("stopped")
            raise

    with pytest.raises(ZeroDivisionError):
        run_side_by_side(call, [(0,), (1,)], 2)
    assert ends == ["stopped"]
    assert set(threading.enumerate()) == before


def test_calls_of_a_thread_are_free_again_when_it_obeys_no_longer():
    request = _core.StopRequest()
    assert not request.requested
    request.request()
    assert request.requested
    table = np.zeros((10, 1))

    def work():
        with request:
            pass
        return _core.Dataset.from_matrix(table).n_rows

    assert run_side_by_side(work, [(), ()], 2) == [10, 10]


@pytest.mark.parametrize("prune", [None, "cost_complexity"])
def test_a_billion_jobs_are_as_many_threads_as_the_engine_can_use(prune):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    fitted = CARTClassifier(prune=prune, n_jobs=10**9, random_state=0).fit(X, y)
    one = CARTClassifier(prune=prune, n_jobs=1, random_state=0).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), one.predict(X))
