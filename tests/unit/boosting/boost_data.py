"""Tables and boosters that the tests of boosting share."""

from __future__ import annotations

import numpy as np
import pandas as pd

from treewright import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
)

CLASSIFIERS = [GradientBoostingClassifier, NewtonBoostingClassifier, LeafwiseBoostingClassifier]
REGRESSORS = [GradientBoostingRegressor, NewtonBoostingRegressor, LeafwiseBoostingRegressor]
BOOSTERS = CLASSIFIERS + REGRESSORS


def table(cls, n_rows=300, seed=0, n_classes=2):
    """Return a noisy table of numbers for a booster."""
    random = np.random.RandomState(seed)
    X = random.randn(n_rows, 5)
    y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * random.randn(n_rows)
    if cls in REGRESSORS:
        return X, y
    return X, np.digitize(y, np.quantile(y, np.linspace(0, 1, n_classes + 1)[1:-1]))


def mixed_table(cls, n_rows=300):
    """Return a table with categories and missing values."""
    X, y = table(cls, n_rows)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["kind"] = pd.Categorical(np.array(["red", "green", "blue"])[np.digitize(X[:, 0], [-0.5, 0.5])])
    frame.loc[::7, "b"] = np.nan
    return frame, y


def answers(booster, X):
    """Return everything that a booster says about rows."""
    return booster.predict_proba(X) if hasattr(booster, "predict_proba") else booster.predict(X)


def drawn_rows(n_rows, subsample, n_rounds, random_state):
    """Return which rows gradient boosting draws: an array of bool of shape (n_rounds, n_rows).

    The draws depend on these four numbers alone. A tree that is grown to single rows takes the same share of
    the residual of every row that it has seen, and of those alone.
    """
    random = np.random.RandomState(0)
    X, y = np.arange(float(n_rows))[:, np.newaxis], random.randn(n_rows)
    booster = GradientBoostingRegressor(
        n_estimators=n_rounds, max_depth=None, subsample=subsample, random_state=random_state
    ).fit(X, y)
    stages = np.array([np.full(n_rows, y.mean()), *booster.staged_predict(X)])
    drawn = np.isclose((y - stages[1:]) / (y - stages[:-1]), 0.9, rtol=1e-6)
    assert (drawn.sum(axis=1) == max(1, int(subsample * n_rows))).all()
    return drawn
