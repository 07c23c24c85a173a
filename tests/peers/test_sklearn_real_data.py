"""Trees equal scikit-learn's on real tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.peers.real_data import load, needs_tables
from tests.peers.sklearn_equality import assert_equal, compare_with_sklearn

CLASSES = (
    "german_credit",
    "higgs_7k",
    "titanic",
    "mushroom",
    "pd_speech",
    "credit_default",
    "letter",
    "mammography",
)
MEANS = ("abalone", "wine_quality", "california_housing", "bike_sharing", "diamonds", "beijing_pm25")
COUNTS = ("bike_sharing", "abalone")
LIMITS: list[dict[str, Any]] = [{}, {"max_leaf_nodes": 40}, {"min_samples_leaf": 10, "max_depth": 8}]
ROWS = 3000


@needs_tables
@pytest.mark.parametrize("limits", LIMITS, ids=["full", "leaves", "leaf size"])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_split_as_by_scikit_learn(name: str, criterion: str, limits: dict[str, Any]) -> None:
    table = load(name, ROWS)
    assert_equal(compare_with_sklearn(table.x, table.y, criterion, **limits))


@needs_tables
@pytest.mark.parametrize("limits", LIMITS, ids=["full", "leaves", "leaf size"])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("name", MEANS)
def test_means_and_medians_are_split_as_by_scikit_learn(
    name: str, criterion: str, limits: dict[str, Any]
) -> None:
    table = load(name, ROWS)
    assert_equal(compare_with_sklearn(table.x, table.y, criterion, **limits))


@needs_tables
@pytest.mark.parametrize("limits", LIMITS, ids=["full", "leaves", "leaf size"])
@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_split_as_by_scikit_learn(name: str, limits: dict[str, Any]) -> None:
    table = load(name, ROWS)
    assert_equal(compare_with_sklearn(table.x, table.y, "poisson", **limits))


@needs_tables
def test_weighted_rows_are_split_as_by_scikit_learn() -> None:
    table = load("credit_default", ROWS)
    weight = np.random.default_rng(0).integers(1, 20, size=len(table.y)) / 4
    assert_equal(compare_with_sklearn(table.x, table.y, "gini", weight))


@needs_tables
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "criterion"),
    [
        ("covertype", "gini"),
        ("shuttle", "entropy"),
        ("adult", "gini"),
        ("give_me_credit", "entropy"),
        ("letter", "gini"),
        ("california_housing", "squared_error"),
        ("nycflights", "squared_error"),
        ("bike_sharing", "poisson"),
        ("diamonds", "absolute_error"),
        ("fremtpl2_freq", "poisson"),
    ],
)
def test_whole_tables_are_split_as_by_scikit_learn(name: str, criterion: str) -> None:
    table = load(name, 120_000)
    assert_equal(compare_with_sklearn(table.x, table.y, criterion))
