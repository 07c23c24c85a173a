"""The leaf-wise booster against stored outputs of the lightgbm package."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.golden.lightgbm_leafwise.make import CASES, FILE, ROUNDS, SHOWN, outputs, table
from treewright import _core

STORED = json.loads(FILE.read_text(encoding="utf-8"))


def our_raw(number: int, case: dict[str, Any]) -> dict[str, Any]:
    """Return our raw scores of the training rows after each of the rounds."""
    x, y, weights = table(number, case)
    plan = _core.BoostPlan()
    plan.learning_rate, plan.max_leaves = 0.1, case["num_leaves"]
    plan.max_depth = case.get("max_depth", 2**40)
    plan.min_rows_leaf = max(1, case.get("min_data_in_leaf", 1))
    plan.min_hessian_leaf = case.get("min_sum_hessian_in_leaf", 1e-3)
    plan.l2, plan.l1 = case.get("lambda_l2", 0.0), case.get("lambda_l1", 0.0)
    plan.drop_hopeless = True
    plan.min_gain = case.get("min_gain_to_split", 0.0)
    loss = "squared_error" if case["objective"] == "regression" else "log_loss"
    objective = _core.Objective(loss)
    start = np.tile(objective.start(y, weights, None), (len(y), 1))
    data = _core.Dataset.from_matrix(x, 255)
    found = {}
    for rounds in ROUNDS:
        grown = _core.boost(data, y, weights, start, objective, plan, rounds)
        names = ("begin", "number", "child", "feature", "flags", "weight", "rows", "distributions", "tables")
        predictor = _core.ForestPredictor({name: grown[name] for name in names}, np.zeros(5, np.uint32))
        found[str(rounds)] = start[:, 0] + predictor.values(x)[:, 0] * predictor.n_trees
    return found


@pytest.mark.parametrize("name", CASES)
def test_scores_equal_those_of_the_package(name: str) -> None:
    ours = our_raw(list(CASES).index(name), CASES[name])
    for rounds, raw in STORED[name]["raw"].items():
        found = ours[rounds][:SHOWN]
        np.testing.assert_allclose(found, raw, rtol=1e-5, atol=2e-6, err_msg=f"{rounds} rounds")


@pytest.mark.parametrize("name", CASES)
def test_the_stored_outputs_are_those_of_the_installed_package(name: str) -> None:
    pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    fresh = outputs(list(CASES).index(name), CASES[name])
    for rounds, raw in STORED[name]["raw"].items():
        np.testing.assert_allclose(fresh["raw"][rounds], raw, rtol=1e-6, atol=1e-8)
