"""The exact greedy method beside the xgboost package itself, where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.golden.xgboost_exact import package
from tests.golden.xgboost_exact.nested import count_splits, differences, of_arrays, of_package
from tests.golden.xgboost_exact.rounds import Floats, gradients_of, grow_rounds, plan_of
from tests.peers.real_data import load, needs_tables
from treewright import _core

xgboost = pytest.importorskip("xgboost", reason="the xgboost package is not installed")

#: Gradients are rounded at other places than the package's, so gains of 24 bits may differ in the last ones.
TIE = 1e-6


def random_settings(random: np.random.Generator, n_features: int) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "lambda": float(random.choice([0, 0.5, 1, 3])),
        "gamma": float(random.choice([0, 0, 0.5, 5])),
        "alpha": float(random.choice([0, 0, 0.7])),
        "min_child_weight": float(random.choice([0, 0.3, 1, 5])),
        "max_depth": int(random.choice([1, 3, 6, 12])),
        "max_delta_step": float(random.choice([0, 0, 0, 0.4])),
    }
    directions = [int(v) for v in random.integers(-1, 2, n_features)]
    if random.random() < 0.2 and any(directions):
        settings["monotone_constraints"] = directions
    if random.random() < 0.2 and n_features > 2:
        settings["interaction_constraints"] = [[0, 1], [1, 2], [n_features - 1]]
    return settings


def random_matrix(random: np.random.Generator) -> Floats:
    n, n_features = int(random.integers(5, 400)), int(random.integers(1, 7))
    x = random.normal(size=(n, n_features))
    if random.random() < 0.5:
        x = np.round(x * random.choice([1, 2, 5]))
    if random.random() < 0.4:
        x[random.random(x.shape) < random.choice([0.02, 0.2, 0.6])] = np.nan
    return x.astype(np.float32)


@pytest.mark.parametrize("seed", range(120))
def test_a_tree_of_given_gradients_is_the_packages_in_every_digit(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random_matrix(random)
    settings = random_settings(random, x.shape[1])
    g = (np.nan_to_num(x[:, 0]) * 1.5 + np.nan_to_num(x[:, -1]) ** 2 + random.normal(size=len(x))).astype(
        np.float32
    )
    h = (np.ones(len(x)) if seed % 2 else random.uniform(0.05, 1.5, len(x))).astype(np.float32)
    ours = _core.boost_exact_tree(_core.Dataset.from_matrix(x), g, h, plan_of(settings), n_threads=2)
    theirs = package.one_tree(xgboost, x, g, h, settings)
    assert differences(of_arrays(ours, 0.3), of_package(theirs)) == []


@pytest.mark.parametrize("seed", range(6))
def test_float64_columns_are_cut_where_the_package_cuts_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=(300, 3)) + 1e4  # neighbours often share a float32
    y = np.sin(x[:, 0] * 3) + random.normal(size=300)
    g, h = y.astype(np.float32), np.ones(300, dtype=np.float32)
    ours = _core.boost_exact_tree(_core.Dataset.from_matrix(x), g, h, plan_of({}))
    theirs = package.one_tree(xgboost, x, g, h, {})
    assert differences(of_arrays(ours, 0.3), of_package(theirs)) == []


def compare_rounds(
    x: Floats, y: Floats, weight: Floats | None, loss: str, settings: dict[str, Any], n_outputs: int
) -> int:
    """Compare four rounds, each from the package's own scores; return the number of splits."""
    n_rounds = 4
    booster = package.train(xgboost, x, y, weight, loss, settings, n_rounds, n_outputs)
    data = xgboost.DMatrix(x, label=y)
    trees = package.trees_of(booster)
    dataset, plan = _core.Dataset.from_matrix(x), plan_of(settings)
    ones = np.ones(len(y), dtype=np.float32)
    splits = 0
    for number in range(n_rounds):
        raw = scores_after(booster, data, number, n_outputs)
        g, h = gradients_of(loss, y, ones if weight is None else weight, raw)
        for k in range(n_outputs):
            gk, hk = np.ascontiguousarray(g[:, k]), np.ascontiguousarray(h[:, k])
            ours = _core.boost_exact_tree(dataset, gk, hk, plan, number, k, 2)
            theirs = of_package(trees[number * n_outputs + k])
            eta = settings.get("eta", 0.3)
            assert differences(of_arrays(ours, eta), theirs, TIE) == [], (number, k)
            splits += count_splits(theirs)
    return splits


def scores_after(booster: Any, data: Any, n_rounds: int, n_outputs: int) -> NDArray[np.float32]:
    """Return the package's raw scores; a booster without trees has no iteration range to ask for."""
    if n_rounds > 0:
        raw = booster.predict(data, output_margin=True, iteration_range=(0, n_rounds))
        return np.asarray(raw, dtype=np.float32).reshape(-1, n_outputs)
    one = booster.predict(data, output_margin=True, iteration_range=(0, 1)).reshape(-1, n_outputs)
    leaves = booster.predict(data, pred_leaf=True, iteration_range=(0, 1)).reshape(-1, n_outputs)
    trees = package.trees_of(booster)
    steps = [
        np.array(trees[k]["split_conditions"], dtype=np.float32)[leaves[:, k].astype(int)]
        for k in range(n_outputs)
    ]
    start = np.median(one - np.stack(steps, axis=1), axis=0)
    return np.tile(start, (len(one), 1)).astype(np.float32)


TABLES = [
    ("abalone", "squared_error", {}),
    ("california_housing", "squared_error", {"max_depth": 8}),
    ("bike_sharing", "squared_error", {"gamma": 1000.0}),
    ("diamonds", "squared_error", {"alpha": 10.0, "min_child_weight": 20}),
    ("beijing_pm25", "squared_error", {"eta": 0.1}),
    ("give_me_credit", "log_loss", {}),
    ("credit_default", "log_loss", {"lambda": 0.1, "gamma": 1.0}),
    ("higgs_7k", "log_loss", {"max_depth": 5}),
    ("mammography", "log_loss", {"min_child_weight": 0.5}),
    ("wine_quality", "squared_error", {"max_depth": 10}),
    ("shuttle", "log_loss", {"max_depth": 4}),
    ("letter", "log_loss", {"max_depth": 4}),
    ("covertype", "log_loss", {"max_depth": 6}),
]


@needs_tables
@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("name", "loss", "settings"), TABLES, ids=[name for name, _, _ in TABLES])
def test_rounds_on_a_real_table_are_the_packages(
    name: str, loss: str, settings: dict[str, Any], weighted: bool
) -> None:
    table = load(name, 5000)
    n_classes = int(table.y.max()) + 1 if loss == "log_loss" else 1
    random = np.random.default_rng(0)
    weight = random.uniform(0.5, 2, len(table.y)).astype(np.float32) if weighted else None
    y = table.y.astype(np.float32)
    assert compare_rounds(table.x, y, weight, loss, settings, 1 if n_classes <= 2 else n_classes) > 30


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_ten_rounds_end_at_the_packages_scores(loss: str) -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=(500, 5)).astype(np.float32)
    signal = x[:, 0] * x[:, 1] + x[:, 2] + random.normal(size=500)
    y = (signal if loss == "squared_error" else signal > 0).astype(np.float32)
    booster = package.train(xgboost, x, y, None, loss, {}, 10, 1)
    data = xgboost.DMatrix(x, label=y)
    ones = np.ones(500, dtype=np.float32)
    _, raw = grow_rounds(x, y, ones, loss, {}, 10, scores_after(booster, data, 0, 1)[0])
    assert np.allclose(raw[:, 0], booster.predict(data, output_margin=True), rtol=1e-4, atol=1e-4)
