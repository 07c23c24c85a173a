"""Small boosters and what NumPy says about their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import treewright as tw

Floats = NDArray[np.float64]

NEWTON = (tw.NewtonBoostingClassifier, tw.LeafwiseBoostingClassifier)
CLASSIFIERS = (*NEWTON, tw.GradientBoostingClassifier)
REGRESSORS = (tw.NewtonBoostingRegressor, tw.LeafwiseBoostingRegressor, tw.GradientBoostingRegressor)


def table(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, Floats]:
    """Return numbers with gaps, a category, and a target that depends on both."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": random.normal(size=n).round(2),
            "age": random.integers(18, 80, n).astype(float),
            "colour": pd.Categorical(random.choice(["red", "green", "blue"], n)),
        }
    )
    X.loc[random.random(n) < 0.1, "age"] = np.nan
    y = X["size"] * 2 + (X["colour"] == "red") * 1.5 + (X["age"].fillna(0) > 40) + random.normal(0, 0.3, n)
    return X, y.to_numpy()


def two_classes(n: int = 240) -> tuple[pd.DataFrame, NDArray[Any]]:
    X, y = table(n)
    return X, np.where(y > 1.0, "yes", "no")


def three_classes(n: int = 240) -> tuple[pd.DataFrame, NDArray[Any]]:
    X, y = table(n)
    return X, np.array(["low", "middle", "top"])[np.digitize(y, [0.0, 2.0])]


def fitted(make: type[Any], X: Any, y: Any, **params: Any) -> Any:
    """Return a small booster; leaf-wise ones need fewer rows per leaf than by default."""
    own: dict[str, Any] = {"n_estimators": 4, "random_state": 0, "min_samples_leaf": 5}
    if "Leafwise" in make.__name__:
        own["max_leaf_nodes"] = 5
    else:
        own["max_depth"] = 2
    return make(**{**own, **params}).fit(X, y)


def sigmoid(raw: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-raw))


def scores_before(booster: Any, X: Any, number: int) -> Floats:
    """Return the raw scores before a round, by the public methods alone."""
    start = booster.model_.arrays["start"]
    if number == 0:
        return np.repeat(start[np.newaxis], len(X), axis=0)
    if booster.model_.classes is None:
        answers = list(booster.staged_predict(X))[number - 1]
        link = booster.model_.params["loss"] in ("poisson", "gamma", "tweedie")
        return np.asarray(np.log(answers) if link else answers).reshape(len(X), -1)
    raw = list(booster.staged_decision_function(X))[number - 1]
    return np.asarray(raw).reshape(len(X), -1)


def rows_below(booster: Any, X: Any, tree: int, node: int) -> Any:
    """Return which rows reach a node, by the leaves below it."""
    grown = booster.model_.trees[tree]
    below = {node}
    for parent in range(grown.node_count):
        if parent in below and grown.n_children[parent]:
            below |= {int(grown.first_child[parent]), int(grown.first_child[parent]) + 1}
    leaves = booster.apply(X).reshape(len(X), -1)[:, tree]
    return np.isin(leaves, sorted(below))
