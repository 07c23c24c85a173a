"""The typed results say what the engine returns: the same names, and values of the types they name."""

from __future__ import annotations

from typing import Any, get_type_hints

import numpy as np
import pytest

from treewright import _core
from treewright.engine_results import (
    BoostedTrees,
    BranchSums,
    ColumnTest,
    CutCurve,
    DrawnTest,
    FeatureFacts,
    NodeCandidates,
)
from treewright.model.forest_arrays import FOREST_ARRAYS

X = np.random.default_rng(0).normal(size=(60, 3))
DATA = _core.Dataset.from_matrix(X, 255, 1)
ROWS = np.arange(60, dtype=np.uint32)


def of(kind: Any, result: dict[str, Any]) -> dict[str, Any]:
    """Check a result against its type: names, and numbers that are of the kind that it says."""
    hints = get_type_hints(kind)
    assert set(result) == set(hints)
    for name, hint in hints.items():
        if hint in (int, float, bool):
            assert type(result[name]) is hint, name
        elif getattr(hint, "__origin__", None) is np.ndarray:
            wanted = hint.__args__[1].__args__[0]
            assert wanted is Any or result[name].dtype == np.dtype(wanted), name
    return result


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_candidates_of_a_node_are_what_their_type_says(criterion: str) -> None:
    plan = _core.GrowPlan()
    plan.criterion = getattr(_core.Criterion, criterion)
    if criterion == "gini":
        labels = (X[:, 0] > 0).astype(np.int32)
        answer = _core.class_candidates(DATA, labels, 2, plan, ROWS, None, 60.0, cuts=True)
    else:
        answer = _core.mean_candidates(DATA, X[:, 0].copy(), plan, ROWS, None, 60.0, cuts=True)
    of(NodeCandidates, answer)
    of(BranchSums, answer["node"])
    assert len(answer["features"]) == 3
    for facts in answer["features"]:
        of(FeatureFacts, facts)
        of(BranchSums, facts["known"])
        of(BranchSums, facts["branches"])
        of(CutCurve, facts["curve"])


def test_tests_of_boosted_nodes_are_what_their_type_says() -> None:
    gradient = X[:, 0].astype(np.float32)
    tests = _core.boost_candidates(DATA, gradient, np.ones(60, np.float32), _core.BoostPlan(), ROWS)
    assert len(tests) == 3
    for test in tests:
        of(ColumnTest, test)


def test_random_tests_of_a_node_are_what_their_type_says() -> None:
    plan, target = _core.GrowPlan(), X[:, 0].copy()
    plan.criterion, plan.random_cuts = _core.Criterion.squared_error, True
    grown = _core.grow_mean_forest(DATA, target, None, plan, _core.BagRule(), 0, 1, path=[0])
    assert len(grown["drawn"]) == 3
    for test in grown["drawn"]:
        of(DrawnTest, test)
    with pytest.raises(ValueError, match="one tree with random cuts"):
        _core.grow_mean_forest(DATA, target, None, plan, _core.BagRule(), 0, 2, path=[0])


def test_rounds_leave_what_their_type_says_besides_the_forest() -> None:
    objective = _core.Objective("squared_error")
    grown = _core.boost(DATA, X[:, 0].copy(), None, np.zeros((60, 1)), objective, _core.BoostPlan(), 2)
    arrays = set(FOREST_ARRAYS) - {"gradient"}
    of(BoostedTrees, {name: value for name, value in grown.items() if name not in arrays})
