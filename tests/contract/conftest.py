"""Every entry of the registry runs through these tests: a new algorithm is tested by adding its line."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from treewright import ALGORITHMS, make

ENTRIES = [(name, task) for name, tasks in ALGORITHMS.items() for task in tasks]


def pytest_collection_modifyitems(items):
    # ID3 warns about numbers, which most of these tables hold.
    ignored = pytest.mark.filterwarnings("ignore::treewright.exceptions.ManySymbolsWarning")
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(ignored)


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
def accepts(entry):
    """Return a function that tells whether the estimator of the entry has a parameter."""
    name, task = entry
    parameters = inspect.signature(ALGORITHMS[name][task]).parameters
    return lambda parameter: parameter in parameters


@pytest.fixture
def shares_rows(entry):
    """Tell whether a row with a missing value goes down several branches."""
    return entry[0] == "c45"


@pytest.fixture
def answer():
    """Return a function that gives everything an estimator predicts, as one array."""

    def everything(estimator, X):
        return estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else estimator.predict(X)

    return everything
