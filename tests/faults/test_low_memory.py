"""Too little memory is a MemoryError, and with more memory everything works again; the process never ends."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import pickle
import resource

import numpy as np
import pytest

import treewright
from tests.faults.forked import in_child, needs_fork
from tests.faults.process_state import needs_proc

pytestmark = [needs_fork, needs_proc]

MEGABYTE = 1 << 20
ROOM = (0, 2, 9, 12, 18, 25, 40)
FITS = {
    "cart": lambda X, y: treewright.CARTClassifier(n_jobs=2).fit(X, y),
    "surrogates": lambda X, y: treewright.CARTClassifier(missing="surrogate", max_depth=4).fit(X, y),
    "pruned": lambda X, y: treewright.CARTClassifier(prune="cost_complexity", cv=2).fit(X, y),
    "c45": lambda X, y: treewright.C45Classifier().fit(X, y),
    "forest": lambda X, y: treewright.RandomForestClassifier(10, n_jobs=2, random_state=0).fit(X, y),
    "bagging": lambda X, y: treewright.BaggingClassifier(n_estimators=3, random_state=0).fit(X, y),
    "adaboost": lambda X, y: treewright.AdaBoostClassifier(n_estimators=3).fit(X, y),
    "gbm": lambda X, y: treewright.GradientBoostingClassifier(n_estimators=3).fit(X, y),
    "xgboost": lambda X, y: treewright.NewtonBoostingClassifier(n_estimators=3, n_jobs=2).fit(X, y),
    "exact": lambda X, y: treewright.NewtonBoostingClassifier(n_estimators=3, tree_method="exact").fit(X, y),
    "lightgbm": lambda X, y: treewright.LeafwiseBoostingClassifier(n_estimators=3, n_jobs=2).fit(X, y),
}
QUICK = ("cart", "forest", "lightgbm")


@contextlib.contextmanager
def no_free_heap():
    """Take every megabyte that earlier tests left free in the heap, under the limit that holds now."""
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    taken = []
    try:
        while block := library.malloc(MEGABYTE):
            taken.append(block)
        yield
    finally:
        for block in taken:
            library.free(block)


def with_room(megabytes, call):
    """Run a call with so much more address space than the process has; return how it ended."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * MEGABYTE, hard))
    try:
        with contextlib.nullcontext() if megabytes else no_free_heap():
            call()
    except MemoryError:
        return "MemoryError"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    return "done"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in FITS]
)
def test_a_fit_without_memory_is_a_memory_error_and_the_next_one_works(name):
    X = np.random.default_rng(0).random((300_000, 12))
    y = (X[:, 0] + X[:, 1] > 1).astype(int) + (X[:, 2] > 0.9)
    some, few = slice(20_000), slice(300)

    def fit_with_little_memory():
        FITS[name](X[few], y[few])  # an import without memory fails in CPython's own odd ways
        outcomes = [with_room(0, lambda: FITS[name](X, y))]
        outcomes += [with_room(room, lambda: FITS[name](X[some], y[some])) for room in ROOM]
        return outcomes, len(FITS[name](X[few], y[few]).predict(X[few]))

    child = in_child(fit_with_little_memory)
    assert child.signal == 0
    outcomes, n_answers = child.value
    assert n_answers == 300
    assert outcomes[0] == "MemoryError", "300 000 rows take more than nothing"


def test_answers_files_and_copies_without_memory_are_memory_errors():
    generator = np.random.default_rng(0)
    X = generator.random((20_000, 6))
    forest = treewright.RandomForestClassifier(20, random_state=0).fit(X, X[:, 0] > X[:, 1])
    many = generator.random((500_000, 6), np.float32)
    file = io.BytesIO()
    forest.save(file)
    calls = {
        "predict": lambda: forest.predict_proba(many),
        "apply": lambda: forest.apply(many),
        "save": lambda: forest.save(io.BytesIO()),
        "pickle": lambda: pickle.dumps(forest),
        "explain": lambda: str(forest.explain_prediction(many[:1])),
    }

    def ask_with_less_and_less():
        outcomes = {name: [with_room(room, call) for room in (0, 1, 4, 16)] for name, call in calls.items()}
        return outcomes, forest.predict(X[:10]).tolist()

    child = in_child(ask_with_less_and_less)
    assert child.signal == 0
    outcomes, answers = child.value
    assert "MemoryError" in outcomes["apply"], "the leaves of 500 000 rows in 20 trees take 40 MB"
    assert answers == forest.predict(X[:10]).tolist()
