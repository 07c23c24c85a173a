"""Trees equal scikit-learn's on random data: criteria, limits, missing values, weights, constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.peers.sklearn_equality import CLASS_CRITERIA, assert_equal, compare_with_sklearn

CRITERIA = ("gini", "entropy", "squared_error", "poisson", "absolute_error")
LIMITS: dict[str, dict[str, Any]] = {
    "no limit": {},
    "depth": {"max_depth": 5},
    "rows to split": {"min_samples_split": 25},
    "rows per leaf": {"min_samples_leaf": 7},
    "weight per leaf": {"min_weight_fraction_leaf": 0.02},
    "decrease": {"min_impurity_decrease": 0.004},
    "leaves": {"max_leaf_nodes": 15},
    "several": {"max_leaf_nodes": 20, "max_depth": 6, "min_samples_leaf": 3, "min_impurity_decrease": 0.001},
}
SHAPES = ("reals", "grid", "few values", "heavy tails")


def make_columns(rng: np.random.Generator, shape: str, n_rows: int, missing: float) -> NDArray[np.float32]:
    """Five columns of one character."""
    x = rng.normal(size=(n_rows, 5))
    if shape == "grid":
        x = np.round(x * 8) / 8
    elif shape == "few values":
        x = np.round(x)
    elif shape == "heavy tails":
        x = rng.standard_cauchy(size=x.shape) * 100
    x = x.astype(np.float32)
    x[rng.random(x.shape) < missing] = np.nan
    return x


def make_target(rng: np.random.Generator, x: NDArray[np.float32], criterion: str) -> NDArray[np.float64]:
    """A target that depends on three columns and on gaps."""
    known = np.tanh(np.nan_to_num(x, nan=0.4))
    signal = 2 * known[:, 0] + known[:, 1] * known[:, 2] + np.isnan(x[:, 3])
    noise = rng.normal(size=len(x))
    if criterion in CLASS_CRITERIA:
        return np.digitize(signal + noise, [-1.0, 0.5, 1.2]).astype(np.float64)
    if criterion == "poisson":
        return rng.poisson(np.exp(signal / 2)).astype(np.float64)
    return signal + noise


@pytest.mark.parametrize("limits", LIMITS.values(), ids=list(LIMITS))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_equals_scikit_learns(criterion: str, limits: dict[str, Any]) -> None:
    for seed, shape in enumerate(SHAPES):
        for missing in (0.0, 0.12):
            rng = np.random.default_rng(seed)
            x = make_columns(rng, shape, 300, missing)
            y = make_target(rng, x, criterion)
            # Quarters add up exactly, so that a sum that is 0 is 0 in every order of addition.
            weight = rng.integers(1, 12, size=len(x)) / 4 if seed % 2 else None
            assert_equal(compare_with_sklearn(x, y, criterion, weight, **limits))


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 14}], ids=["depth first", "best first"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_with_monotone_constraints_equals_scikit_learns(
    criterion: str, limits: dict[str, Any]
) -> None:
    for seed, shape in enumerate(SHAPES):
        rng = np.random.default_rng(seed)
        x = make_columns(rng, shape, 250, missing=0.0)
        y = make_target(rng, x, criterion)
        y = (y > 1).astype(np.float64) if criterion in CLASS_CRITERIA else y
        found = compare_with_sklearn(x, y, criterion, monotonic_cst=[1, 0, -1, 0, 1], **limits)
        assert_equal(found)


@pytest.mark.parametrize("n_classes", [2, 12])
def test_the_number_of_classes_does_not_matter(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    x = make_columns(rng, "reals", 500, missing=0.05)
    y = rng.integers(0, n_classes, size=len(x)).astype(np.float64)
    assert_equal(compare_with_sklearn(x, y, "gini"))
    assert_equal(compare_with_sklearn(x, y, "entropy"))


def test_a_column_that_is_missing_everywhere_is_never_used() -> None:
    rng = np.random.default_rng(5)
    x = make_columns(rng, "reals", 120, missing=0.1)
    x[:, 2] = np.nan
    y = make_target(rng, x, "squared_error")
    assert_equal(compare_with_sklearn(x, y, "squared_error"))


def test_missing_values_that_never_occurred_in_training_go_where_scikit_learn_sends_them() -> None:
    rng = np.random.default_rng(6)
    x = make_columns(rng, "reals", 200, missing=0.0)
    y = make_target(rng, x, "gini")
    assert_equal(compare_with_sklearn(x, y, "gini", min_samples_leaf=3))


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_of_many_rows_equals_scikit_learns(criterion: str) -> None:
    rng = np.random.default_rng(7)
    for shape in SHAPES:
        x = make_columns(rng, shape, 20_000, missing=0.05)
        y = make_target(rng, x, criterion)
        assert_equal(compare_with_sklearn(x, y, criterion))
