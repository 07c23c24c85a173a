from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from treewright.data import (
    Labels,
    check_poisson_target,
    check_squared_error_target,
    check_target_range,
    encode_labels,
    encode_numbers,
)

NAN = np.nan


def labels(y, n_rows=None) -> Labels:
    return encode_labels(y, len(y) if n_rows is None else n_rows, estimator_name="CARTClassifier")


def target(y, n_rows=None) -> np.ndarray:
    return encode_numbers(y, len(y) if n_rows is None else n_rows, estimator_name="CARTRegressor")


# ------------------------------------------------------------------------------------------ labels


@pytest.mark.parametrize(
    "y",
    [
        np.array([3, 1, 3, 7]),
        np.array([3, 1, 3, 7], dtype=np.uint8),
        np.array([-(2**63), 2**63 - 1, 0, 0]),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([True, False, True]),
        np.array([True, True]),
        np.array([1.0, 2.0, 1.0]),
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        np.array([5] * 3),
        np.array([0, 10**6, 5]),
        np.array([3, 1, 3, 7], dtype=">i4"),
        np.arange(20)[::2],
    ],
)
def test_classes_are_what_numpy_unique_gives(y):
    classes, codes = np.unique(y, return_inverse=True)
    result = labels(y)
    np.testing.assert_array_equal(result.classes, classes)
    assert result.classes.dtype.kind == classes.dtype.kind
    assert result.classes.dtype.itemsize == classes.dtype.itemsize
    np.testing.assert_array_equal(result.codes, codes)
    assert result.codes.dtype == np.int32
    np.testing.assert_array_equal(result.class_order, classes)


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=20))
def test_integers_are_encoded_as_by_sorting(values):
    classes, codes = np.unique(values, return_inverse=True)
    result = labels(np.array(values))
    assert result.classes.tolist() == classes.tolist()
    assert result.codes.tolist() == codes.tolist()


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        lambda y: pd.Series(y, dtype=object),
        lambda y: pd.Series(y, dtype="category"),
        pl.Series,
        lambda y: pl.Series(y, dtype=pl.Categorical),
        lambda y: pa.chunked_array([y]),
        lambda y: pa.chunked_array([y]).dictionary_encode(),
    ],
)
def test_every_container_gives_the_same_text_classes(make):
    result = labels(make(["no", "yes", "maybe", "no"]))
    assert result.classes.tolist() == ["maybe", "no", "yes"]
    assert result.codes.tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (pd.Series([2, 1, 2]), "i"),
        (pd.Series([2, 1, 2], dtype="Int64"), "i"),
        (pd.Series([2, 1, 2], dtype=object), "i"),
        (np.array([2, 1, 2], dtype=object), "i"),
        (pl.Series([2, 1, 2]), "i"),
        (pd.Series([2, 1, 2], dtype="category"), "i"),
        (pd.Series([True, False, True], dtype="boolean"), "b"),
        (pl.Series([True, False, True]), "b"),
        (np.array([True, False, True], dtype=object), "b"),
        (pd.Series([2.0, 1.0, 2.0]), "f"),
    ],
)
def test_numbers_and_booleans_keep_their_kind(y, kind):
    result = labels(y)
    assert result.classes.dtype.kind == kind
    assert result.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"])),
        pd.Categorical(["b", "a"], categories=["c", "b", "a"]),
        pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"])),
    ],
)
def test_declared_classes_keep_order_and_absent_ones_while_classes_are_sorted(y):
    result = labels(y)
    assert result.class_order.tolist() == ["c", "b", "a"]
    assert result.classes.tolist() == ["a", "b"]
    assert result.codes.tolist() == [1, 0]
    assert result.ranks.tolist() == [2, 1]


def test_declared_numbers_keep_their_order():
    result = labels(pd.Series(pd.Categorical([10, 2], categories=[10, 2, 5])))
    assert result.class_order.tolist() == [10, 2, 5]
    assert result.classes.tolist() == [2, 10]


def test_continuous_labels_are_refused_in_scikit_learns_words():
    with pytest.raises(
        ValueError, match=r"Unknown label type: continuous\. Maybe you are trying to fit a classifier"
    ):
        labels(np.array([0.5, 1.0]))


@pytest.mark.parametrize("y", [["a", 1], np.array(["a", 1], dtype=object), np.array([{}, 1], dtype=object)])
def test_mixed_labels_are_refused(y):
    with pytest.raises((ValueError, TypeError), match="Unknown label type"):
        labels(y)


@pytest.mark.parametrize("y", [np.array(["2020"], dtype="M8[D]"), np.array([datetime.date(2020, 1, 1)])])
def test_dates_are_no_labels(y):
    with pytest.raises(ValueError, match="Unknown label type"):
        labels(y)


def test_too_many_classes_are_warned_about_in_scikit_learns_words():
    with pytest.warns(UserWarning, match="The number of unique classes is greater than 50%"):
        labels(np.arange(21))
    with pytest.warns(UserWarning, match="The number of unique classes is greater than 50%"):
        labels([str(i) for i in range(21)])


# ------------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize(
    "y",
    [
        [1, 2],
        np.array([1, 2], dtype=np.float32),
        np.array([1, 2], dtype=object),
        pd.Series([1, 2]),
        pd.Series([1, 2], dtype="Int64"),
        pl.Series([1, 2]),
        pa.chunked_array([[1, 2]]),
        np.array([1, 2], dtype=">f8"),
    ],
)
def test_every_container_gives_the_same_numbers(y):
    result = target(y)
    assert result.dtype == np.float64
    assert result.dtype.isnative
    assert result.tolist() == [1.0, 2.0]


def test_a_float64_target_is_not_copied():
    y = np.array([0.5, 1.5])
    assert target(y) is y


@pytest.mark.parametrize("y", [["a", "b"], np.array(["1", "2"]), pd.Series(["a", "b"], dtype="category")])
def test_text_is_no_number(y):
    with pytest.raises(ValueError, match=r"CARTRegressor (needs|predicts) numbers"):
        target(y)


def test_a_large_but_finite_target_is_accepted():
    assert target(np.array([1e308, 1e308])).tolist() == [1e308, 1e308]


@pytest.mark.parametrize(
    ("y", "words"), [([1.0, -0.5], "negative which is not allowed"), ([0.0, 0.0], "not strictly positive")]
)
def test_poisson_targets_are_checked_in_scikit_learns_words(y, words):
    with pytest.raises(ValueError, match=words):
        check_poisson_target(np.array(y))


def test_a_poisson_target_with_some_zeros_is_accepted():
    check_poisson_target(np.array([0.0, 3.0]))


# ------------------------------------------------------------------------------------------ both


@pytest.mark.parametrize("encode", [labels, target])
@pytest.mark.parametrize(
    "y",
    [
        np.array([0.0, NAN, 1.0]),
        [0, None, 1],
        pd.Series([0, None, 1], dtype="Int64"),
        pl.Series([0, None, 1]),
        pd.Series([0.0, NAN, 1.0]),
        pl.Series([True, None, False]),
    ],
)
def test_a_missing_target_is_refused_with_its_row_and_the_remedy(encode, y):
    with pytest.raises(
        ValueError, match=r"Input y contains NaN\. The target is missing in row 1; .*y\.notna\(\)"
    ):
        encode(y)


@pytest.mark.parametrize(
    "y",
    [["a", None], pd.Series(["a", None]), pd.Series(["a", None], dtype="category"), pl.Series(["a", None])],
)
def test_a_missing_text_label_is_refused(y):
    with pytest.raises(ValueError, match="Input y contains NaN"):
        labels(y)


def test_only_the_first_missing_rows_are_listed():
    with pytest.raises(ValueError, match="rows 0, 1, 2 and 7 more"):
        target(np.full(10, NAN))


@pytest.mark.parametrize("encode", [labels, target])
def test_infinity_is_refused_in_scikit_learns_words(encode):
    with pytest.raises(
        ValueError, match=r"Input y contains infinity or a value too large for dtype\('float64'\)\."
    ):
        encode(np.array([np.inf, 1.0]))


@pytest.mark.parametrize("encode", [labels, target])
@pytest.mark.parametrize(
    "y", [np.array([[1], [2]]), [[1], [2]], pd.DataFrame({"y": [1, 2]}), pl.DataFrame({"y": [1, 2]})]
)
def test_a_column_vector_is_accepted_with_scikit_learns_warning(encode, y):
    with pytest.warns(
        DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"
    ):
        result = encode(y)
    assert len(result.codes if isinstance(result, Labels) else result) == 2


@pytest.mark.parametrize(
    ("encode", "wrapper"), [(labels, "MultiOutputClassifier"), (target, "MultiOutputRegressor")]
)
@pytest.mark.parametrize("y", [np.ones((2, 2)), pd.DataFrame({"a": [1, 2], "b": [1, 2]})])
def test_several_targets_are_refused_with_the_wrapper_to_use(encode, wrapper, y):
    with pytest.raises(ValueError, match=rf"got an array of shape \(2, 2\) instead.*{wrapper}"):
        encode(y)


@pytest.mark.parametrize("encode", [labels, target])
def test_no_target_is_refused_in_scikit_learns_words(encode):
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        encode(None, 3)


@pytest.mark.parametrize("encode", [labels, target])
@pytest.mark.parametrize("y", [np.array([1, 2]), [1.0, 2.0], pd.Series([1, 2])])
def test_another_length_is_refused_in_scikit_learns_words(encode, y):
    with pytest.raises(
        ValueError, match=r"Found input variables with inconsistent numbers of samples: \[3, 2\]"
    ):
        encode(y, 3)


@pytest.mark.parametrize("encode", [labels, target])
def test_sparse_scalar_and_complex_targets_are_refused(encode):
    with pytest.raises(TypeError, match="Sparse y"):
        encode(sparse.csr_matrix([[1], [2]]), 2)
    with pytest.raises(ValueError, match="y should be a 1d array"):
        encode(3, 1)
    with pytest.raises(ValueError, match="Complex data not supported"):
        encode(np.array([1j]))


@pytest.mark.parametrize("encode", [labels, target])
def test_an_empty_target_does_not_match_any_rows(encode):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        encode([], 3)


def test_the_refusal_of_mixed_labels_does_not_speak_of_features():
    with pytest.raises(ValueError, match=r"mixes text.*\.astype\(str\)\.$"):
        labels([1, "a"])


def test_targets_of_different_length_are_named():
    with pytest.raises(ValueError, match="The rows of y differ in length: row 0 has a list of 1"):
        labels([[1], [1, 2]])


def test_masked_targets_are_missing():
    with pytest.raises(ValueError, match="The target is missing in row 1"):
        target(np.ma.masked_array([1.0, 2.0], mask=[False, True]))


@pytest.mark.parametrize("weights", [None, np.array([1e9, 1e9])])
def test_numbers_whose_squares_overflow_are_refused(weights):
    with pytest.raises(ValueError, match=r"y contains -1e\+154.*Divide y by a constant"):
        check_squared_error_target(np.array([1.0, -1e154]), weights)
    check_squared_error_target(np.array([1e100, -1e100]), weights)


@pytest.mark.parametrize("y", [[1.0, -1e101], [1e308, 1e308], [0.0, 1e-101], [5e-324, 1e-323]])
def test_numbers_whose_squares_overflow_or_vanish_are_out_of_range(y):
    with pytest.raises(ValueError, match=r"Divide y by a constant|Multiply y with a constant"):
        check_target_range(np.array(y))


@pytest.mark.parametrize("y", [[], [5e-324, 5e-324], [-0.0, 0.0], [1e-99, 0.0], [1e100, -1e100]])
def test_numbers_with_squares_are_in_range(y):
    check_target_range(np.array(y))
