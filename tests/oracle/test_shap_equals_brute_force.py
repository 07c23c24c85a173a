"""Shapley values and interactions of the engine are those of their definition, for trees of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright
from tests.oracle.reference_shap import PlainTree, shapley
from treewright import _core

N_ROWS = 120


def table(rng: np.random.Generator, missing: float) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=N_ROWS).round(1),
            "colour": rng.choice(list("abcde"), N_ROWS),
            "other": rng.normal(size=N_ROWS).round(1),
            "flag": rng.choice(["yes", "no"], N_ROWS),
            "third": rng.integers(0, 4, N_ROWS).astype(float),
        }
    )
    return frame.mask(rng.random(frame.shape) < missing)


def target(frame: pd.DataFrame) -> pd.Series:
    return (
        frame["number"].fillna(0) * (frame["flag"] == "yes")
        + 2 * (frame["colour"].isin(["a", "b"]))
        + frame["third"].fillna(1) * frame["other"].fillna(0)
    )


CASES: dict[str, tuple[Any, bool]] = {
    "cart": (treewright.CARTClassifier(max_depth=7), True),
    "cart of numbers": (treewright.CARTRegressor(max_depth=9), False),
    "surrogates": (treewright.CARTRegressor(max_depth=5, surrogates=3), False),
    "multiway and shares": (treewright.C45Classifier(prune=None), True),
    "groups of values": (treewright.C45Classifier(group_values=True), True),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_values_and_interactions_are_those_of_the_definition(name: str, missing: float) -> None:
    rng = np.random.default_rng(len(name))
    frame = table(rng, missing)
    estimator, of_classes = CASES[name]
    y = target(frame)
    tree = estimator.fit(frame, pd.cut(y, 3, labels=False).astype(str) if of_classes else y)
    asked = table(np.random.default_rng(5), 0.15)[:8]
    asked.loc[3, "colour"] = "never seen"
    report = tree.shap(asked, interactions=True)
    model, matrix, _ = tree._encode(asked)
    arrays = model.trees[0].to_arrays()
    plain = PlainTree(arrays, model.schema.n_codes, np.asarray(arrays["value"], dtype=np.float64))
    for row in range(len(asked)):
        worth = plain.path_dependent(matrix[row])
        values, pairs = shapley(worth, plain.players, model.n_features)
        # Shares of rows are rounded to single precision by Release 8; its probabilities add up nevertheless.
        total = worth(frozenset(plain.players)).sum() if tree._sums_to_one else 1.0
        values, pairs = values / total, pairs / total
        assert report.values[row].reshape(values.shape) == pytest.approx(values, abs=1e-12)
        assert report.interactions[row].reshape(pairs.shape) == pytest.approx(pairs, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in CASES if name != "surrogates"])
def test_values_against_a_background_are_those_of_the_definition(name: str) -> None:
    rng = np.random.default_rng(len(name))
    frame = table(rng, 0.05)
    estimator, of_classes = CASES[name]
    y = target(frame)
    tree = estimator.fit(frame, pd.cut(y, 3, labels=False).astype(str) if of_classes else y)
    asked, others = table(np.random.default_rng(5), 0.1)[:4], table(np.random.default_rng(6), 0.1)[:5]
    asked.loc[3, "colour"] = "never seen"
    report = tree.shap(asked, background=others, interactions=True)
    model, matrix, _ = tree._encode(asked)
    arrays = model.trees[0].to_arrays()
    plain = PlainTree(arrays, model.schema.n_codes, np.asarray(arrays["value"], dtype=np.float64))
    for row in range(len(asked)):
        worth = plain.interventional(matrix[row], tree._encode(others)[1])
        values, pairs = shapley(worth, plain.players, model.n_features)
        total = worth(frozenset(plain.players)).sum() if tree._sums_to_one else 1.0
        values, pairs = values / total, pairs / total
        assert report.values[row].reshape(values.shape) == pytest.approx(values, abs=1e-12)
        assert report.interactions[row].reshape(pairs.shape) == pytest.approx(pairs, abs=1e-12)


def test_rows_that_end_at_a_node_are_counted_there() -> None:
    rng = np.random.default_rng(1)
    frame = table(rng, 0.1)[["colour", "flag"]]
    tree = treewright.ID3Classifier().fit(frame, (target(table(rng, 0)) > 1).astype(int))
    asked = pd.DataFrame({"colour": ["a", None, "never seen", "c"], "flag": ["yes", "no", "yes", None]})
    report = tree.shap(asked, interactions=True)
    model, matrix, _ = tree._encode(asked)
    arrays = model.trees[0].to_arrays()
    plain = PlainTree(arrays, model.schema.n_codes, np.asarray(arrays["value"], dtype=np.float64))
    for row in range(len(asked)):
        values, pairs = shapley(plain.path_dependent(matrix[row]), plain.players, 2)
        assert report.values[row] == pytest.approx(values, abs=1e-12)
        assert report.interactions[row] == pytest.approx(pairs, abs=1e-12)
    assert report.predictions == pytest.approx(tree.predict_proba(asked), abs=1e-12)


def chain(n_features: int, depth: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return the arrays of a tree with one long way: node 2i tests, node 2i + 1 is a leaf."""
    n = 2 * depth + 1
    inner = np.arange(0, n - 1, 2)
    arrays: dict[str, Any] = {
        "kind": np.zeros(n, np.uint8),
        "feature": np.full(n, -1, np.int32),
        "first_child": np.full(n, -1, np.int32),
        "n_children": np.zeros(n, np.uint32),
        "threshold": np.full(n, np.nan),
        "table": np.full(n, -1, np.int64),
        "missing": np.zeros(n, np.uint32),
        "value": rng.normal(size=(n, 1)),
        "rows": np.ones(n, np.int64),
        "weight": np.ones(n),
        "loss": np.zeros(n),
        "gain": np.zeros(n),
        "tables": np.zeros(0, np.uint32),
    }
    arrays["kind"][inner] = 1
    arrays["feature"][inner] = np.arange(depth) % n_features
    arrays["first_child"][inner] = inner + 1
    arrays["n_children"][inner] = 2
    arrays["threshold"][inner] = rng.normal(size=depth)
    arrays["missing"][inner] = 1
    weight = 1e6
    for node in inner:
        arrays["weight"][node] = weight
        share = rng.uniform(0.02, 0.5)
        arrays["weight"][node + 1] = weight * share
        arrays["weight"][node + 2] = weight = weight * (1 - share)
    return arrays


@pytest.mark.parametrize(("n_features", "depth"), [(60, 64), (64, 64), (9, 40), (200, 200)])
def test_values_of_long_ways_add_up(n_features: int, depth: int) -> None:
    rng = np.random.default_rng(depth)
    n_codes = np.zeros(n_features, np.uint32)
    engine = _core.Attributions(n_codes, 1)
    trees = [chain(n_features, depth, rng) for _ in range(20)]
    for arrays in trees:
        engine.add_tree(arrays, arrays["value"])
    X = rng.normal(size=(50, n_features))
    X[rng.random(X.shape) < 0.05] = np.nan
    answer = _core.Predictor(trees, n_codes).values(X)[:, 0]
    total = engine.values(X).sum(axis=1) + engine.base()[0]
    assert np.abs(total - answer).max() <= 1e-10 * np.abs(answer).max()
    if n_features <= 9:
        plain = PlainTree(trees[0], n_codes, trees[0]["value"])
        alone = _core.Attributions(n_codes, 1)
        alone.add_tree(trees[0], trees[0]["value"])
        values, pairs = shapley(plain.path_dependent(X[0]), plain.players, n_features)
        assert alone.values(X[:1]).reshape(values.shape) == pytest.approx(values, abs=1e-12)
        assert alone.interactions(X[:1]).reshape(pairs.shape) == pytest.approx(pairs, abs=1e-12)
        worth = plain.interventional(X[0], X[1:5])
        values, pairs = shapley(worth, plain.players, n_features)
        others = alone.background(X[1:5])
        assert alone.values(X[:1], 1, others).reshape(values.shape) == pytest.approx(values, abs=1e-12)
        found = alone.interactions(X[:1], 1, others)
        assert found.reshape(pairs.shape) == pytest.approx(pairs, abs=1e-12)
    against = engine.values(X, 1, engine.background(X[:7]))
    difference = answer - answer[:7].mean()
    assert np.abs(against.sum(axis=1) - difference).max() <= 1e-10 * np.abs(answer).max()
