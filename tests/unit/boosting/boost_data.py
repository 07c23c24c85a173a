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
