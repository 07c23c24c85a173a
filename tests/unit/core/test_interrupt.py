"""Ctrl-C ends encoding, growing and predicting soon, with KeyboardInterrupt, and leaves nothing half done."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

# The engine answers within 0.2 s; a loaded machine gets more.
MOST_SECONDS = 1.0

# The child is sent SIGINT by a timer of its own and prints how long after it KeyboardInterrupt arrived, and
# which fitted attributes the estimator has then.
CHILD = """
import os, signal, sys, threading, time, warnings
import numpy as np
from treewright import CARTClassifier, CARTRegressor, _core
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
signal.signal(signal.SIGINT, signal.default_int_handler)
sent = []

def interrupt():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

def fitted_attributes(estimator):
    return [name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")]

def measure(call, after, estimator=None):
    timer = threading.Timer(after, interrupt)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        late = time.perf_counter() - sent[0]
        print(f"{late:.3f}", fitted_attributes(estimator) if estimator is not None else [])
    else:
        timer.cancel()
        print("finished")
"""

N_JOBS = (1, 2)


def seconds_until_stopped(body: str) -> float:
    """Run the body in a child and return the seconds between the signal and KeyboardInterrupt."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD + textwrap.dedent(body)], capture_output=True, text=True, timeout=60
    )
    assert child.returncode == 0, child.stderr
    words = child.stdout.split(maxsplit=1)
    assert words, child.stderr
    assert words[0] != "finished", "the call was over before the signal came: the test needs more work"
    assert words[1].strip() == "[]", f"fitted attributes are left behind: {words[1]}"
    return float(words[0])


QUICK = ("classification", "medians")
FITS = {
    "classification": "CARTClassifier({jobs}).fit(x, y > 1)",
    "entropy of many classes": "CARTClassifier(criterion='entropy', {jobs}).fit(x, np.digitize(y, steps))",
    "regression": "CARTRegressor({jobs}).fit(x, y)",
    "poisson": "CARTRegressor(criterion='poisson', {jobs}).fit(x, y)",
    "medians": "CARTRegressor(criterion='absolute_error', {jobs}).fit(x, y)",
    "best first": "CARTRegressor(max_leaf_nodes=50_000, {jobs}).fit(x, y)",
    "drawn columns": "CARTRegressor(max_features=5, {jobs}).fit(x, y)",
    "weights": "CARTRegressor({jobs}).fit(x, y, sample_weight=rng.random(len(y)))",
}


@pytest.mark.parametrize("n_jobs", N_JOBS)
@pytest.mark.parametrize(
    "fit", [pytest.param(fit, marks=() if fit in QUICK else pytest.mark.slow) for fit in FITS]
)
def test_growing_stops(fit: str, n_jobs: int) -> None:
    creation, call = FITS[fit].format(jobs=f"n_jobs={n_jobs}").rsplit(".fit", 1)
    late = seconds_until_stopped(f"""
        x = rng.normal(size=(400_000, 10)).astype(np.float32)
        y = np.abs(x[:, 0]) + rng.random(len(x))
        steps = np.arange(60) / 20
        estimator = {creation}
        measure(lambda: estimator.fit{call}, 0.25, estimator)
    """)
    assert late < MOST_SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", N_JOBS)
@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_growing_on_a_hundred_thousand_categories_stops(criterion: str, n_jobs: int) -> None:
    grow = "grow_classes(data, (y * 3).astype(np.int32), 3" if criterion == "gini" else "grow_means(data, y"
    late = seconds_until_stopped(f"""
        codes = [rng.integers(1, 100_001, 1_000_000).astype(np.uint32) for _ in range(2)]
        y = rng.random(1_000_000)
        data = _core.Dataset.from_columns(codes, [1, 1], [100_000, 100_000])
        plan = _core.GrowPlan()
        plan.criterion = _core.Criterion.{criterion}
        measure(lambda: _core.{grow}, None, plan, {n_jobs}), 0.4)
    """)
    assert late < MOST_SECONDS


@pytest.mark.slow
def test_growing_on_one_long_column_stops() -> None:
    for criterion in ("squared_error", "absolute_error"):
        late = seconds_until_stopped(f"""
            x, y = rng.random((2_000_000, 1)), rng.random(2_000_000)
            data = _core.Dataset.from_matrix(x)
            plan = _core.GrowPlan()
            plan.criterion = _core.Criterion.{criterion}
            measure(lambda: _core.grow_means(data, y, None, plan, 1), 0.3)
        """)
        assert late < MOST_SECONDS


@pytest.mark.slow
def test_growing_on_many_columns_stops() -> None:
    late = seconds_until_stopped("""
        x = rng.random((30_000, 1500), np.float32)
        estimator = CARTRegressor(n_jobs=1)
        measure(lambda: estimator.fit(x, rng.random(len(x))), 2.5, estimator)
    """)
    assert late < MOST_SECONDS


@pytest.mark.parametrize("n_jobs", N_JOBS)
def test_encoding_stops(n_jobs: int) -> None:
    late = seconds_until_stopped(f"""
        x = rng.random((2_000_000, 8))
        measure(lambda: _core.Dataset.from_matrix(x, 0, {n_jobs}), 0.2)
    """)
    assert late < MOST_SECONDS


@pytest.mark.parametrize("n_jobs", N_JOBS)
def test_predicting_stops(n_jobs: int) -> None:
    late = seconds_until_stopped(f"""
        x = rng.random((20_000, 5), np.float32)
        estimator = CARTRegressor(n_jobs={n_jobs}).fit(x, rng.random(len(x)))
        many = rng.random((5_000_000, 5), np.float32)
        measure(lambda: [estimator.predict(many) for _ in range(20)], 0.5)
    """)
    assert late < MOST_SECONDS


def test_a_fit_that_was_stopped_keeps_the_model_before_it() -> None:
    late = seconds_until_stopped("""
        x = rng.random((400_000, 10), np.float32)
        estimator = CARTRegressor().fit(x[:100], x[:100, 0])
        before = estimator.predict(x[:100])
        measure(lambda: estimator.fit(x, rng.random(len(x))), 0.3)
        assert (estimator.predict(x[:100]) == before).all()
    """)
    assert late < MOST_SECONDS


def test_an_interrupted_cross_validation_leaves_no_thread_behind() -> None:
    child = subprocess.run(
        [
            sys.executable,
            "-c",
            CHILD
            + textwrap.dedent("""
                x = rng.normal(size=(60_000, 10)).astype(np.float32)
                y = x[:, 0] + rng.random(len(x)) > 0.3
                before = set(threading.enumerate())
                for _ in range(4):
                    estimator = CARTClassifier(prune="cost_complexity", cv=8, n_jobs=4, random_state=0)
                    measure(lambda: estimator.fit(x, y), 0.2, estimator)
                    sent.clear()
                left = [one for one in threading.enumerate() if not isinstance(one, threading.Timer)]
                print(len(set(left) - before), "threads are left")
            """),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    *interrupted, left = child.stdout.splitlines()
    assert left == "0 threads are left", child.stderr
    assert len(interrupted) == 4
    for line in interrupted:
        late, attributes = line.split(maxsplit=1)
        assert late != "finished", "the call was over before the signal came: the test needs more work"
        assert attributes == "[]"
        assert float(late) < MOST_SECONDS
