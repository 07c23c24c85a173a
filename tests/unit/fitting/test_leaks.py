"""A column that holds the answer is named; columns that are merely good are not."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_blobs

from treewright import CARTClassifier, CARTRegressor, LeafwiseBoostingClassifier, RandomForestClassifier
from treewright.exceptions import LeakWarning


def noisy(n: int = 1000) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(n, 5)), columns=list("abcde"))
    y = X["a"].to_numpy() + random.normal(size=n)
    return X, y, (y > 0).astype(int)


LEAKS = {
    "the answer": lambda y, label: label,
    "in words": lambda y, label: np.where(label, "paid", "open"),
    "an amount": lambda y, label: 3.0 * label + np.linspace(0, 1, len(y)),
    "known only when it happened": lambda y, label: np.where(label, 5.0, np.nan),
    "a category for each class": lambda y, label: pd.Categorical(np.where(label, "p", "q")),
}


@pytest.mark.parametrize("make", LEAKS.values(), ids=LEAKS)
@pytest.mark.parametrize("estimator", [CARTClassifier, RandomForestClassifier, LeafwiseBoostingClassifier])
def test_a_column_that_holds_the_answer_is_named(estimator, make):
    X, y, label = noisy()
    X["after"] = make(y, label)
    with pytest.warns(LeakWarning, match=r"Column 'after' alone predicts y perfectly") as found:
        estimator(max_depth=2).fit(X, label)
    assert found[0].filename == __file__


@pytest.mark.parametrize(
    "make", [lambda y: 100 * y + 3, np.exp, lambda y: -y], ids=["linear", "exp", "minus"]
)
def test_a_column_that_says_the_same_in_other_units_is_named(make):
    X, y, _ = noisy()
    X["after"] = make(y)
    with pytest.warns(LeakWarning, match="'after'"):
        CARTRegressor(max_depth=2).fit(X, y)


def nearly() -> tuple[pd.DataFrame, np.ndarray]:
    X, y, label = noisy()
    X["good"] = y + np.random.default_rng(1).normal(size=len(y)) / 100
    return X, label


def an_identifier() -> tuple[pd.DataFrame, np.ndarray]:
    X, _, label = noisy()
    X["id"] = [f"row {place}" for place in range(len(X))]
    X["number"] = np.arange(len(X))
    return X, label


def a_known_half() -> tuple[pd.DataFrame, np.ndarray]:
    X, _, label = noisy()
    X["half"] = np.where(np.random.default_rng(2).random(len(X)) < 0.5, label, np.nan)
    return X, label


def few_rows() -> tuple[pd.DataFrame, np.ndarray]:
    X, _, label = noisy(100)
    X["after"] = label
    return X, label


def few_of_a_class() -> tuple[pd.DataFrame, np.ndarray]:
    X, _, _ = noisy()
    label = np.zeros(len(X), dtype=int)
    label[:9] = 1
    X["after"] = label
    return X, label


def three_times(X: pd.DataFrame, y: pd.Series) -> tuple[pd.DataFrame, pd.Series]:
    return pd.concat([X] * 3, ignore_index=True), pd.concat([y] * 3, ignore_index=True)


FINE = {
    "a column that is merely good": nearly,
    "identifiers": an_identifier,
    "known for half of the rows": a_known_half,
    "few rows": few_rows,
    "few rows of a class": few_of_a_class,
    "one column": lambda: (noisy()[0][["a"]], noisy()[2]),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True, as_frame=True),
    "iris": lambda: three_times(*load_iris(return_X_y=True, as_frame=True)),
    "classes that lie apart": lambda: make_blobs(600, 6, centers=2, cluster_std=0.1, random_state=0),
    "setosa": lambda: three_times(
        load_iris(as_frame=True).data, (load_iris(as_frame=True).target == 0).astype(int)
    ),
}


@pytest.mark.parametrize("make", FINE.values(), ids=FINE)
def test_other_columns_are_not_suspected(make):
    X, y = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error", LeakWarning)
        CARTClassifier(max_depth=2).fit(X, y)


def test_numbers_without_a_leak_are_quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error", LeakWarning)
        CARTRegressor(max_depth=2).fit(*load_diabetes(return_X_y=True))


def test_many_floating_point_labels_are_asked_about():
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(UserWarning, match=r"y holds 214 different floating-point numbers \(25, 31, 37, …\)"):
        CARTClassifier(max_depth=2).fit(X, y)
