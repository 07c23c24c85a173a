"""Every single tree of the registry can be pruned in the same words."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from tests.contract.data import coarse_table

METHODS = [
    {"prune": "cost_complexity", "cv": 4},
    {"prune": "loss", "alpha_total": 2.0},
    {"prune": "reduced_error"},
    {"prune": None, "early_stopping": "cv", "cv": 4},
    {"prune": None, "ccp_alpha": 0.005},
]


@pytest.fixture
def prunable(accepts):
    if not accepts("prune"):
        pytest.skip("not a single tree")


@pytest.mark.usefixtures("prunable")
@pytest.mark.parametrize("params", METHODS, ids=lambda params: str(next(reversed(params.items()))))
def test_every_method_gives_a_tree_that_is_not_larger(new, task, params):
    X, y = coarse_table(task)
    full = new(prune=None).fit(X, y)
    estimator = new(random_state=0, **params)
    pruned = estimator.fit(X, y)
    assert 1 <= pruned.get_n_leaves() <= full.get_n_leaves()
    report = pruned.explain_pruning()
    assert report.leaves_after == pruned.get_n_leaves()
    assert str(report).startswith(type(estimator).__name__)
    again = clone(estimator).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), pruned.predict(X))


@pytest.mark.usefixtures("prunable")
def test_a_price_afterwards_is_a_price_in_fit(new, task):
    X, y = coarse_table(task)
    afterwards = new(prune=None).fit(X, y).pruned(alpha=0.01)
    np.testing.assert_array_equal(afterwards.predict(X), new(prune=None, ccp_alpha=0.01).fit(X, y).predict(X))


@pytest.mark.usefixtures("prunable")
def test_grid_search_may_try_the_rules(new, task):
    X, y = coarse_table(task, 200)
    grid = {"pruning_rule": ["min", "1se"]}
    search = GridSearchCV(new(prune="cost_complexity", cv=3, random_state=0), grid, cv=3).fit(X, y)
    assert search.best_estimator_.explain_pruning().rule == search.best_params_["pruning_rule"]
