"""Small tables for the contract tests; every algorithm of the registry must do well on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

__all__ = ["coarse_table", "mixed_frame", "numeric_table", "separated_table", "trees_of"]


def numeric_table(task: str, n_rows: int = 200, seed: int = 0) -> tuple[Any, Any]:
    """Return float X with a few missing values and a target that depends on two of four columns."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 4)).round(3)
    score = X[:, 0] - 0.5 * X[:, 1] + 0.3 * generator.normal(size=n_rows)
    X[generator.random((n_rows, 4)) < 0.05] = np.nan
    return X, np.digitize(score, [-0.7, 0.7]) if task == "classification" else score


def coarse_table(task: str, n_rows: int = 600, seed: int = 0) -> tuple[Any, Any]:
    """Return whole numbers from -2 to 2, few enough to be symbols, and a target that three of them decide."""
    generator = np.random.default_rng(seed)
    X = generator.integers(-2, 3, size=(n_rows, 4)).astype(np.float64)
    score = X[:, 0] - 0.8 * X[:, 1] + 0.6 * X[:, 2] + 0.2 * generator.normal(size=n_rows)
    return X, np.digitize(score, [-1.0, 1.0]) if task == "classification" else score


def separated_table(task: str, n_rows: int = 120, seed: int = 0) -> tuple[Any, Any]:
    """Return a table whose best splits win by a wide margin, so that rounding cannot change the tree."""
    generator = np.random.default_rng(seed)
    X = np.column_stack([generator.permutation(n_rows) for _ in range(3)]).astype(np.float64)
    cell = (X[:, 0] > 0.37 * n_rows) * 2 + (X[:, 1] > 0.61 * n_rows)
    return X, cell if task == "classification" else np.array([0.0, 10.0, 100.0, 1000.0])[cell]


def mixed_frame(task: str, n_rows: int = 240, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Return a DataFrame with numbers, text, ordered categories and booleans, some of them missing."""
    generator = np.random.default_rng(seed)
    city = generator.choice(["Paris", "Rom", "København", "北京"], n_rows).astype(object)
    grade = generator.integers(0, 3, n_rows)
    age = generator.integers(18, 80, n_rows).astype(np.float64)
    member = generator.random(n_rows) < 0.5
    score = (city == "Paris") * 2.0 + (grade == 2) * 1.5 + (age > 50) * 1.0 + member * 0.3
    age[::17] = np.nan
    city[5::23] = None
    frame = pd.DataFrame(
        {
            "age [years]": age,
            "city": city,
            "größe, 大小": pd.Categorical.from_codes(grade, ["small", "mid", "large"], ordered=True),
            "member?": member,
        }
    )
    return frame, np.digitize(score, [1.2, 2.4]) if task == "classification" else score


def trees_of(estimator: Any) -> list[Any]:
    """Return the fitted trees: one, or those of a forest."""
    return list(estimator.model_.trees)
