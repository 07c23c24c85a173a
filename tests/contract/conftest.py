"""Every entry of the registry runs through these tests: a new algorithm is tested by adding its line."""

from __future__ import annotations

import pytest

from treewright import ALGORITHMS, make

ENTRIES = [(name, task) for name, tasks in ALGORITHMS.items() for task in tasks]


@pytest.fixture(params=ENTRIES, ids=[f"{name}-{task}" for name, task in ENTRIES])
def entry(request):
    return request.param


@pytest.fixture
def task(entry):
    return entry[1]


@pytest.fixture
def new(entry):
    """Return a function that makes an estimator of the entry."""
    name, task = entry
    return lambda **params: make(name, task, **params)


@pytest.fixture
def answer():
    """Return a function that gives everything an estimator predicts, as one array."""

    def everything(estimator, X):
        return estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else estimator.predict(X)

    return everything
