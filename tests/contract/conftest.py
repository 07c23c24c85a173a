"""Every entry of the registry runs through these tests: a new algorithm is tested by adding its line."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.contract.entries import BOOSTERS, ENTRIES, FORESTS, make_entry
from treewright import ALGORITHMS


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
    return lambda **params: make_entry(entry, **params)


@pytest.fixture
def accepts(entry):
    """Return a function that tells whether the estimator of the entry has a parameter."""
    name, task = entry
    parameters = inspect.signature(ALGORITHMS[name][task]).parameters
    return lambda parameter: parameter in parameters


@pytest.fixture
def is_forest(entry):
    return entry[0] in FORESTS


@pytest.fixture
def is_booster(entry):
    return entry[0] in BOOSTERS


@pytest.fixture
def rounds_gradients(accepts):
    """Tell whether sums of gradients are made of rounded numbers, and leaves are held back by λ."""
    return accepts("reg_lambda")


@pytest.fixture
def sums_weights(entry):
    """Return what the nodes say that depends on the sum of all weights, where only their ratios count."""
    return ["weight", "loss", "gain", "candidate_"] if entry[0] == "adaboost" else []


@pytest.fixture
def shallow(entry):
    """Return parameters with which chance, or rounding of gradients alone, decides no split."""
    leaf_wise = {"max_leaf_nodes": 4, "max_features": None}
    return {"gbm": {"max_depth": 2}, "lightgbm": leaf_wise}.get(entry[0], {})


@pytest.fixture
def draws_rows(entry):
    """Tell whether each tree gets a random part of the rows."""
    return entry[0] in ("bagging", "random_forest")


@pytest.fixture
def draws_features(entry):
    """Tell whether chance decides which features, or which cuts of them, a node looks at."""
    return entry[0] in ("random_forest", "extra_trees")


@pytest.fixture
def whole(is_forest):
    """Return the parameters with which every tree gets every row."""
    return {"bootstrap": False} if is_forest else {}


@pytest.fixture
def shares_rows(entry):
    """Tell whether a row with a missing value goes down several branches."""
    recipe = getattr(make_entry(entry), "recipe", None)
    return recipe is not None and recipe.missing == "fractional"


@pytest.fixture
def answer():
    """Return a function that gives everything an estimator predicts, as one array."""

    def everything(estimator, X):
        return estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else estimator.predict(X)

    return everything
