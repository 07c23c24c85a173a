from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from treewright.data import encode_labels, encode_weights

Y = np.array(["a", "b", "b", "b", "c"])
LABELS = encode_labels(Y, 5, estimator_name="CARTClassifier")


def test_no_weights_are_no_array():
    weights = encode_weights(None, 5)
    assert weights.values is None
    assert weights.keep is None


@pytest.mark.parametrize("given", [1, 1.0, np.ones(5), [1] * 5, pd.Series([1] * 5)])
def test_weights_of_one_are_no_weights(given):
    assert encode_weights(given, 5).values is None


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, lambda w: np.array(w, np.float32)])
def test_every_container_gives_the_same_weights(make):
    weights = encode_weights(make([1.0, 2.0, 0.5]), 3)
    assert weights.values.tolist() == [1, 2, 0.5]
    assert weights.values.dtype == np.float64
    assert weights.keep is None


def test_a_number_is_the_weight_of_every_row():
    assert encode_weights(2, 3).values.tolist() == [2, 2, 2]


def test_rows_of_weight_zero_are_left_out():
    weights = encode_weights([0, 2, 0, 3], 4)
    assert weights.keep.tolist() == [1, 3]
    assert weights.values.tolist() == [2, 3]
    assert encode_weights([0, 1], 2).values is None


def test_the_users_weights_are_not_changed():
    given = np.array([1.0, 2.0, 0.0, 1.0, 1.0])
    encode_weights(given, 5, labels=LABELS, class_weight="balanced")
    assert given.tolist() == [1, 2, 0, 1, 1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1, -1], "Negative values in data passed to `sample_weight`"),
        (-1, "Negative values"),
        ([1, np.nan], "Input sample_weight contains NaN"),
        ([1, np.inf], "Input sample_weight contains infinity"),
        ([0, 0], "Sample weights must contain at least one non-zero number"),
        (0, "Sample weights must contain at least one non-zero number"),
        ([1, 2, 3], r"sample_weight.shape == \(3,\), expected \(2,\)!"),
        (np.ones((2, 2)), "Sample weights must be 1D array or scalar, got 2D array"),
        ([1e308, 1e308], r"A row has weight 1e\+308.* Divide the weights by their mean"),
        ([1, 1e-200], "A row has weight 1e-200"),
        ([1j, 1], "Complex data not supported"),
    ],
)
def test_wrong_weights_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        encode_weights(given, 2)


# ------------------------------------------------------------------------------------------ class_weight


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 2, "b": 0.5, "c": 3}, {"a": 2}])
def test_class_weights_equal_scikit_learns(class_weight):
    weights = encode_weights(None, 5, labels=LABELS, class_weight=class_weight)
    np.testing.assert_allclose(weights.values, compute_sample_weight(class_weight, Y), rtol=1e-15)


def test_balancing_counts_a_weight_of_two_as_the_row_twice():
    once = encode_weights([2, 1, 1, 1, 1], 5, labels=LABELS, class_weight="balanced").values
    twice_y = Y[[0, 0, 1, 2, 3, 4]]
    twice_labels = encode_labels(twice_y, 6, estimator_name="CARTClassifier")
    twice = encode_weights(None, 6, labels=twice_labels, class_weight="balanced").values
    np.testing.assert_allclose(once, [twice[0] * 2, *twice[2:]])


def test_balancing_ignores_rows_of_weight_zero():
    weights = encode_weights([0, 1, 1, 1, 1], 5, labels=LABELS, class_weight="balanced")
    assert weights.keep.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(weights.values, [2 / 3, 2 / 3, 2 / 3, 2])


def test_a_class_of_weight_zero_is_left_out():
    weights = encode_weights(None, 5, labels=LABELS, class_weight={"b": 0})
    assert weights.keep.tolist() == [0, 4]


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ("even", 'class_weight must be "balanced", a dict or None'),
        ([1, 2, 3], 'class_weight must be "balanced", a dict or None'),
        ({"a": 1, "z": 2}, r"The classes, \['b', 'c'\], are not in class_weight"),
        ({"a": -1}, "not negative"),
        ({"a": np.nan}, "finite"),
        ({"a": 0, "b": 0, "c": 0}, "every row has weight zero"),
    ],
)
def test_wrong_class_weights_are_refused(class_weight, words):
    with pytest.raises(ValueError, match=words):
        encode_weights(None, 5, labels=LABELS, class_weight=class_weight)


# ------------------------------------------------------------------------------------------ priors


def shares(weights: np.ndarray) -> np.ndarray:
    return np.bincount(LABELS.codes, weights=weights) / weights.sum()


@pytest.mark.parametrize("priors", [[0.2, 0.3, 0.5], {"c": 0.5, "a": 0.2, "b": 0.3}])
@pytest.mark.parametrize("sample_weight", [None, [1, 2, 3, 4, 5]])
def test_the_shares_of_the_classes_equal_the_priors(priors, sample_weight):
    weights = encode_weights(sample_weight, 5, labels=LABELS, priors=priors).values
    np.testing.assert_allclose(shares(weights), [0.2, 0.3, 0.5])
    np.testing.assert_allclose(weights.sum(), 5 if sample_weight is None else 15)


def test_priors_equal_to_the_shares_of_the_rows_change_nothing():
    assert encode_weights(None, 5, labels=LABELS, priors=[0.2, 0.6, 0.2]).values is None


def test_class_weights_multiply_the_priors():
    weights = encode_weights(None, 5, labels=LABELS, priors=[0.2, 0.3, 0.5], class_weight={"a": 2}).values
    np.testing.assert_allclose(shares(weights), np.array([0.4, 0.3, 0.5]) / 1.2)


@pytest.mark.parametrize(
    ("priors", "words"),
    [
        ([0.5, 0.5], "one share per class"),
        ([0.5, 0.5, 0.5], "must sum to 1"),
        ([1.5, -0.5, 0.0], "must not be negative"),
        ([np.nan, 0.5, 0.5], "must sum to 1"),
        ({"a": 1.0}, "exactly one entry per class"),
        ({"a": 0.2, "b": 0.3, "c": 0.4, "d": 0.1}, "exactly one entry per class"),
    ],
)
def test_wrong_priors_are_refused(priors, words):
    with pytest.raises(ValueError, match=words):
        encode_weights(None, 5, labels=LABELS, priors=priors)


def test_priors_for_a_class_without_weight_are_refused():
    with pytest.raises(ValueError, match="gives the class 'a' a share, but all its rows have weight zero"):
        encode_weights([0, 1, 1, 1, 1], 5, labels=LABELS, priors=[0.2, 0.3, 0.5])


def test_priors_and_balancing_exclude_each_other():
    with pytest.raises(ValueError, match="pass only one"):
        encode_weights(None, 5, labels=LABELS, priors=[0.2, 0.3, 0.5], class_weight="balanced")


@pytest.mark.parametrize("given", [["a"] * 5, [{}] * 5, np.array(["2020"] * 5, dtype="M8[D]")])
def test_weights_that_are_no_numbers_are_refused_by_name(given):
    with pytest.raises(ValueError, match="sample_weight must hold numbers"):
        encode_weights(given, 5)


def test_class_weights_and_priors_that_are_no_numbers_are_refused_by_name():
    with pytest.raises(ValueError, match=r"class_weight must hold numbers.*'x'"):
        encode_weights(None, 5, labels=LABELS, class_weight={"a": "x"})
    with pytest.raises(ValueError, match=r"priors must hold numbers.*'x'"):
        encode_weights(None, 5, labels=LABELS, priors={"a": "x", "b": 0.5, "c": 0.5})
    with pytest.raises(ValueError, match="priors must hold numbers"):
        encode_weights(None, 5, labels=LABELS, priors=["x", 0.5, 0.5])


def test_masked_weights_are_missing():
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        encode_weights(np.ma.masked_array([1.0, 2.0], mask=[True, False]), 2)


def test_weights_that_are_partly_lists_are_refused_by_row():
    with pytest.raises(
        ValueError, match="rows of sample_weight differ in length: row 0 has a single value, row 1"
    ):
        encode_weights([1, [2]], 2)
