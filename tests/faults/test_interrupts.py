"""Ctrl-C in every phase, while native code runs: KeyboardInterrupt soon, nothing left behind."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from tests.faults.process_state import needs_proc

pytestmark = needs_proc
# Processor time, not time on the clock: a busy machine makes nothing late. All threads count.
MOST_CPU_SECONDS = 4.0

# The signal is sent by a thread that wakes up when the phase has begun: when a function of the engine is
# entered.
CHILD = """
import os, signal, sys, threading, time, warnings
import numpy as np, pandas as pd
import treewright
from treewright import _core
warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
begun, sent = threading.Event(), []

def interrupt():
    begun.wait()
    time.sleep(0.02)  # into the phase; it lasts for seconds
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

def at(owner, name):
    original = getattr(owner, name)
    def entered(*args, **kwargs):
        begun.set()
        return original(*args, **kwargs)
    setattr(owner, name, staticmethod(entered) if isinstance(owner, type) else entered)

def phase(call, estimator=None):
    before = dict(vars(estimator)) if estimator is not None else None
    messenger = threading.Thread(target=interrupt, daemon=True)
    messenger.start()
    n_threads = len(os.listdir("/proc/self/task"))
    try:
        call()
    except KeyboardInterrupt:
        late = time.process_time() - sent[0]
    else:
        print("finished" if sent else "never entered")
        sys.exit()
    messenger.join()
    end = time.monotonic() + 60
    while len(os.listdir("/proc/self/task")) >= n_threads and time.monotonic() < end:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/task")) < n_threads, "a thread is left"
    if before is not None:
        assert vars(estimator).keys() == before.keys(), set(vars(estimator)) - set(before)
        assert all(vars(estimator)[name] is before[name] for name in before)
    print(late)

def numbers(n_rows, n_columns=8):
    X = rng.random((n_rows, n_columns), np.float32)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.random(n_rows)
"""

PHASES = {
    "reading": """
        frame = pd.DataFrame({c: rng.integers(0, 50_000, 400_000).astype(str).astype(object) for c in "abcd"})
        begun.set()
        tree = treewright.CARTRegressor()
        phase(lambda: tree.fit(frame, rng.random(len(frame))), tree)
    """,
    "encoding": """
        X, y = rng.random((1_500_000, 8)), rng.random(1_500_000)
        at(_core.Dataset, "from_matrix")
        tree = treewright.CARTRegressor(n_jobs=2)
        phase(lambda: tree.fit(X, y), tree)
    """,
    "growing": """
        X, y = numbers(400_000)
        at(_core, "grow_means")
        tree = treewright.CARTRegressor(n_jobs=2)
        phase(lambda: tree.fit(X, y), tree)
    """,
    "growing a forest": """
        X, y = numbers(100_000)
        at(_core, "grow_class_forest")
        forest = treewright.RandomForestClassifier(100, n_jobs=2, random_state=0)
        phase(lambda: forest.fit(X, y > 1), forest)
    """,
    "pruning": """
        X, y = rng.integers(0, 1000, (150_000, 4)).astype(float), rng.integers(0, 2, 150_000)
        at(_core, "prune_pessimistic")
        tree = treewright.C45Classifier()
        phase(lambda: tree.fit(X, y), tree)
    """,
    "cross-validation": """
        X, y = numbers(60_000)
        at(_core, "weakest_links")
        tree = treewright.CARTRegressor(prune="cost_complexity", cv=10, n_jobs=2)
        phase(lambda: tree.fit(X, y), tree)
    """,
    "boosting": """
        X, y = numbers(50_000)
        booster = treewright.LeafwiseBoostingRegressor(callbacks=[lambda now: begun.set()], n_jobs=2)
        phase(lambda: booster.fit(X, y), booster)
    """,
    "rounds of adaboost": """
        X, y = numbers(50_000)
        at(_core, "grow_classes")
        booster = treewright.AdaBoostClassifier(n_estimators=500)
        phase(lambda: booster.fit(X, y > 1), booster)
    """,
    "predicting": """
        X, y = numbers(20_000)
        forest = treewright.RandomForestRegressor(60, n_jobs=2, random_state=0).fit(X, y)
        many = rng.random((400_000, 8), np.float32)
        begun.set()
        phase(lambda: [forest.predict(many) for _ in range(200)], forest)
    """,
    "saving": """
        X, y = numbers(60_000)
        forest = treewright.RandomForestRegressor(60, n_jobs=2, random_state=0).fit(X, y)
        import tempfile
        folder = tempfile.mkdtemp()
        begun.set()
        phase(lambda: [forest.save(folder + "/model.tree") for _ in range(200)], forest)
        assert set(os.listdir(folder)) <= {"model.tree"}, os.listdir(folder)
        if os.listdir(folder):
            treewright.load(folder + "/model.tree")
    """,
    "explaining": """
        X, y = numbers(300_000)
        tree = treewright.CARTRegressor(max_depth=3).fit(X, y)
        begun.set()
        phase(lambda: [str(tree.explain_split(0, X, y)) for _ in range(100)], tree)
    """,
}
QUICK = ("encoding", "growing", "boosting", "predicting")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in PHASES]
)
def test_ctrl_c_ends_the_phase_soon_and_leaves_nothing_behind(name: str) -> None:
    script = CHILD + textwrap.dedent(PHASES[name])
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert child.returncode == 0, child.stderr
    words = child.stdout.split()
    assert words and words[0] not in ("finished", "never"), f"the test needs more work: {child.stdout}"
    assert float(words[0]) < MOST_CPU_SECONDS
