"""Small tables for the tests of forests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

CLASSIFIERS = [BaggingClassifier, RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [BaggingRegressor, RandomForestRegressor, ExtraTreesRegressor]
FORESTS = CLASSIFIERS + REGRESSORS


def noisy_table(cls: Any, n_rows: int = 200, seed: int = 0) -> tuple[Any, Any]:
    """Return numbers, some of them missing, and a target that two of four columns and chance decide."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 4)).round(2)
    score = X[:, 0] + 0.7 * X[:, 1] + generator.normal(size=n_rows)
    X[generator.random(X.shape) < 0.05] = np.nan
    return X, np.digitize(score, [-0.8, 0.8]) if cls in CLASSIFIERS else score


def mixed_table(cls: Any, n_rows: int = 200, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Return a DataFrame with numbers and categories, and a target that both decide."""
    generator = np.random.default_rng(seed)
    colour = generator.choice(["red", "green", "blue", "grey", "black"], n_rows)
    size = generator.normal(size=n_rows)
    score = np.isin(colour, ["green", "black"]) + 0.5 * size + 0.3 * generator.normal(size=n_rows)
    frame = pd.DataFrame({"colour": pd.Categorical(colour), "size": size, "noise": generator.random(n_rows)})
    frame.loc[::13, "colour"] = None
    return frame, (score > 0.5).astype(int) if cls in CLASSIFIERS else score


def answers(forest: Any, X: Any) -> Any:
    """Return class probabilities or numbers."""
    return forest.predict_proba(X) if hasattr(forest, "predict_proba") else forest.predict(X)


def same_forest(a: Any, b: Any) -> None:
    """Fail unless all trees of both are equal, bit for bit."""
    assert a.model_.trees.equals(b.model_.trees)
    np.testing.assert_array_equal(a.model_.arrays["importances"], b.model_.arrays["importances"])
