"""Tables for the tests of pruning: noise that a full tree fits and a pruned one does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

__all__ = ["noisy_classes", "noisy_numbers", "noisy_symbols", "same_trees"]


def noisy_classes(n_rows: int = 300, seed: int = 0) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 4)).round(2)
    y = np.digitize(X[:, 0] - 0.5 * X[:, 1], [-0.6, 0.8])
    return X, np.where(generator.random(n_rows) < 0.2, generator.integers(0, 3, n_rows), y)


def noisy_numbers(n_rows: int = 300, seed: int = 0) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 4)).round(2)
    return X, 3.0 * (X[:, 0] > 0.3) + (X[:, 1] > 0) + generator.normal(size=n_rows)


def noisy_symbols(n_rows: int = 300, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame({name: generator.choice(list("abcd"), n_rows) for name in ("p", "q", "r", "s")})
    right = np.where((frame["p"] == "a") | (frame["q"] == "b"), "yes", "no")
    return frame, np.where(generator.random(n_rows) < 0.2, "yes", right)


def same_trees(one: Any, two: Any) -> bool:
    """Tell whether two trees have the same arrays."""
    first, second = one.to_arrays(), two.to_arrays()
    return all(
        np.array_equal(first[name], second[name], equal_nan=first[name].dtype.kind == "f") for name in first
    )
