from __future__ import annotations

import datetime
import os
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.unit.data.containers import EVERYTHING, FRAMES, NAMES

from treewright.data import Feature, Schema, Table, read_table

NAN = np.nan
EXPECTED = [[1.5, 1, 2], [NAN, 2, 1], [3.0, NAN, NAN], [4.0, 1, 2]]


def read(X, **options) -> Table:
    return read_table(X, estimator_name="CARTClassifier", **options)


def one(values, **options) -> tuple[Feature, np.ndarray]:
    table = read(pd.DataFrame({"c": values}), **options)
    return table.schema.features[0], table.columns[0]


# ------------------------------------------------------------------------------------------ containers


@pytest.mark.parametrize("container", EVERYTHING)
def test_every_container_gives_the_same_table(container):
    table = read(EVERYTHING[container]())
    assert [f.kind for f in table.schema.features] == ["numeric", "nominal", "nominal"]
    assert [f.categories for f in table.schema.features] == [None, ("red", "blue"), (False, True)]
    assert table.n_rows == 4
    np.testing.assert_array_equal(table.to_matrix(), EXPECTED)


@pytest.mark.parametrize("container", FRAMES)
def test_frames_keep_their_names_and_arrays_have_none(container):
    schema = read(FRAMES[container]()).schema
    assert schema.names is not None
    assert schema.names.dtype == object
    assert schema.names.tolist() == NAMES


@pytest.mark.parametrize("fitted", EVERYTHING)
@pytest.mark.parametrize("given", EVERYTHING)
@pytest.mark.filterwarnings("ignore:X (has|does not have)")
def test_the_container_may_change_between_fit_and_prediction(fitted, given):
    schema = read(EVERYTHING[fitted]()).schema
    np.testing.assert_array_equal(read(EVERYTHING[given](), schema=schema).to_matrix(), EXPECTED)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_float_array_is_used_as_it_is(dtype, order):
    X = np.array([[1, NAN], [np.inf, 2]], dtype=dtype, order=order)
    table = read(X)
    assert table.matrix is X
    assert table.to_matrix() is X
    assert read(X, schema=table.schema).matrix is X
    assert [f.name for f in table.schema.features] == ["x0", "x1"]
    assert table.schema.names is None


def test_a_read_only_memory_map_is_used_without_a_copy(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6.0).reshape(3, 2))
    X = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.shares_memory(read(X).to_matrix(), X)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int64", "uint64", "bool", "float16", "longdouble", ">f8", ">i4"]
)
def test_other_numbers_become_float64(dtype):
    X = np.array([[0, 1], [1, 0]], dtype=dtype)
    table = read(X)
    assert table.matrix.dtype == np.float64
    assert table.matrix.dtype.isnative
    np.testing.assert_array_equal(table.matrix, [[0, 1], [1, 0]])
    assert table.schema.all_numeric


def test_numeric_columns_of_a_frame_are_not_copied():
    X = pl.DataFrame({"a": np.arange(5.0), "b": np.arange(5)})
    table = read(X)
    assert np.shares_memory(table.columns[0], X["a"].to_numpy())
    assert table.columns[1].dtype == np.int64


def test_numbers_beside_text_in_a_list_stay_numbers():
    table = read([[1, "a"], [2, "b"]])
    assert [f.kind for f in table.schema.features] == ["numeric", "nominal"]


def test_a_text_array_is_nominal():
    table = read(np.array([["b", "1"], ["a", "2"]]))
    assert [f.categories for f in table.schema.features] == [("b", "a"), ("1", "2")]


def test_reading_does_not_import_any_frame_library():
    # scikit-learn imports pandas where it finds it; only what comes on top of that is ours.
    code = (
        "import sys, numpy as np, sklearn.utils.multiclass; before = set(sys.modules)\n"
        "import treewright.data as d\n"
        "d.read_table(np.ones((2, 2)), estimator_name='E'); d.read_table([[1, 'a']], estimator_name='E')\n"
        "print(sorted({'pandas', 'polars', 'pyarrow'} & set(sys.modules) - before))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert run.stdout.strip() == "[]", run.stderr


# ------------------------------------------------------------------------------------------ kinds


def test_declared_categories_keep_their_order_even_when_absent():
    feature, codes = one(pd.Categorical(["x", None, "y"], categories=["z", "y", "x"]))
    assert feature == Feature("c", "nominal", ("z", "y", "x"))
    assert codes.tolist() == [3, 0, 2]
    assert codes.dtype == np.uint32


def test_an_ordered_categorical_is_ordinal():
    feature, codes = one(pd.Categorical(["hi", "lo"], categories=["lo", "mid", "hi"], ordered=True))
    assert feature == Feature("c", "ordinal", ("lo", "mid", "hi"))
    assert codes.tolist() == [3, 1]


def test_intervals_as_declared_categories_are_kept_as_text():
    feature, _ = one(pd.cut([1.0, 5.0], bins=[0, 3, 6]))
    assert feature == Feature("c", "ordinal", ("(0, 3]", "(3, 6]"))


def test_a_polars_enum_is_nominal_with_all_declared_values():
    table = read(pl.DataFrame({"c": pl.Series(["x", None], dtype=pl.Enum(["y", "x"]))}))
    assert table.schema.features[0] == Feature("c", "nominal", ("y", "x"))
    assert table.columns[0].tolist() == [2, 0]


def test_a_polars_categorical_has_the_values_that_are_present():
    pl.Series(["other", "words"], dtype=pl.Categorical)  # the library may keep one table for all
    table = read(pl.DataFrame({"c": pl.Series(["x", None, "a"], dtype=pl.Categorical)}))
    assert table.schema.features[0] == Feature("c", "nominal", ("x", "a"))
    assert table.columns[0].tolist() == [1, 0, 2]


@pytest.mark.parametrize("ordered", [False, True])
def test_an_arrow_dictionary_keeps_its_declared_order(ordered):
    array = pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0], pa.int8()), ["b", "a", "z"], ordered=ordered
    )
    table = read(pa.table({"c": array}))
    assert table.schema.features[0] == Feature("c", "ordinal" if ordered else "nominal", ("b", "a", "z"))
    assert table.columns[0].tolist() == [2, 0, 1]


def test_arrow_chunks_with_different_dictionaries_are_unified():
    chunks = pa.chunked_array(
        [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()]
    )
    table = read(pa.table({"c": chunks}))
    assert table.schema.features[0].categories == ("a", "b", "c")
    assert table.columns[0].tolist() == [1, 2, 2, 3]


def test_an_arrow_dictionary_may_contain_null():
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "b"]))
    table = read(pa.table({"c": array}))
    assert table.schema.features[0].categories == ("a", "b")
    assert table.columns[0].tolist() == [1, 0, 2]


@pytest.mark.parametrize("dtype", ["Int64", "Int8", "UInt16", "Float32", "int64[pyarrow]", "double[pyarrow]"])
def test_nullable_numbers_are_numeric_with_nan(dtype):
    feature, values = one(pd.array([1, None, 3], dtype=dtype))
    assert feature.kind == "numeric"
    np.testing.assert_array_equal(values, [1, NAN, 3])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"c": [Decimal("1.5"), None, Decimal(2)]}),
        pl.DataFrame({"c": [Decimal("1.5"), None, Decimal(2)]}),
        pa.table({"c": [Decimal("1.5"), None, Decimal(2)]}),
        pa.table({"c": [Decimal("1.5"), None, Decimal(2)]}).to_pandas(types_mapper=pd.ArrowDtype),
    ],
    ids=["objects", "polars", "pyarrow", "pandas arrow"],
)
def test_decimals_become_floats(X):
    np.testing.assert_array_equal(read(X).columns[0], [1.5, NAN, 2.0])


def test_an_object_column_of_numbers_is_numeric():
    feature, values = one(pd.Series([1, 2.5, None, np.int8(3), pd.NA, True], dtype=object))
    assert feature.kind == "numeric"
    np.testing.assert_array_equal(values, [1, 2.5, NAN, 3, NAN, 1])


@pytest.mark.parametrize(
    "X", [pd.DataFrame({"c": [None, None]}, dtype=object), pl.DataFrame({"c": [None, None]})]
)
def test_a_column_without_any_value_accepts_everything_at_prediction(X):
    schema = read(X).schema
    assert schema.features[0] == Feature("c", "nominal", ())
    assert read(pd.DataFrame({"c": ["a", None]}), schema=schema).columns[0].tolist() == [1, 0]
    assert read(pd.DataFrame({"c": [1.0, NAN]}), schema=schema).columns[0].tolist() == [1, 0]


def test_sparse_columns_of_pandas_are_numbers():
    feature, values = one(pd.arrays.SparseArray([0.0, 0.0, 2.0]))
    assert feature.kind == "numeric"
    assert values.tolist() == [0, 0, 2]


def test_infinity_is_a_value():
    _, values = one([np.inf, -np.inf, 0.0])
    assert values.tolist() == [np.inf, -np.inf, 0.0]


# ------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}),
        pd.DataFrame({"when": pd.to_timedelta([1], "s")}),
        pd.DataFrame({"when": [datetime.date(2020, 1, 1)]}),
        pd.DataFrame({"when": pd.period_range("2020", periods=1, freq="D")}),
        pl.DataFrame({"when": [datetime.date(2020, 1, 1)]}),
        pl.DataFrame({"when": [datetime.time(1)]}),
        pl.DataFrame({"when": [datetime.timedelta(1)]}),
        pa.table({"when": [datetime.datetime(2020, 1, 1)]}),
    ],
)
def test_dates_are_refused_with_the_column_and_advice(X):
    with pytest.raises(ValueError, match=r"column 'when' holds dates.*days since a reference date"):
        read(X)


def test_date_arrays_are_refused():
    with pytest.raises(ValueError, match="X holds dates"):
        read(np.array([["2020-01-01"]], dtype="datetime64[D]"))


BIG = 2**53 + 1


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"id": [1, BIG]}),
        pd.DataFrame({"id": pd.array([None, BIG], dtype="Int64")}),
        pd.DataFrame({"id": pd.Series([None, BIG], dtype=object)}),
        pl.DataFrame({"id": [None, BIG]}),
        pl.DataFrame({"id": pl.Series([1, BIG], dtype=pl.Int128)}),
        pa.table({"id": pa.array([1, BIG], pa.uint64())}),
    ],
)
def test_integers_beyond_two_to_the_53_are_refused_by_column_and_value(X):
    with pytest.raises(ValueError, match=f"column 'id' holds the integer {BIG}"):
        read(X)


@pytest.mark.parametrize(
    "X", [[[1, BIG]], np.array([[1, BIG]]), np.array([[1, BIG]], np.uint64), [[1, -BIG]], [[1, 10**400]]]
)
def test_large_integers_in_arrays_are_refused_by_position(X):
    with pytest.raises(ValueError, match="column 1 holds the integer"):
        read(X)


def test_two_to_the_53_itself_is_accepted():
    assert read([[2**53, -(2**53)]]).matrix.tolist() == [[2.0**53, -(2.0**53)]]


def test_large_integers_may_be_categories():
    X = pl.DataFrame({"id": [BIG, None, BIG + 1]})
    table = read(X, categorical_features=["id"])
    assert table.schema.features[0].categories == (BIG, BIG + 1)
    assert read(X, schema=table.schema).columns[0].tolist() == [1, 0, 2]


def test_text_mixed_with_numbers_is_refused_with_examples():
    with pytest.raises(ValueError, match=r"column 'c' mixes text \('a'\) with other values \(1\)"):
        one(pd.Series([None, 1, "a"], dtype=object))


@pytest.mark.parametrize("value", [{"foo": "bar"}, [1], object()])
def test_other_objects_raise_what_scikit_learn_raises(value):
    X = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=object)
    X[0, 0] = value
    with pytest.raises(TypeError, match=r"column 0 .*argument must be .* string.* number"):
        read(X)


@pytest.mark.parametrize(
    "X", [pl.DataFrame({"c": [[1], [2]]}), pl.DataFrame({"c": [{"a": 1}]}), pd.DataFrame({"c": [[1]]})]
)
def test_nested_columns_are_refused(X):
    with pytest.raises(TypeError, match="column 'c' holds"):
        read(X)


@pytest.mark.parametrize(
    "X", [np.array([[b"a"]]), pl.DataFrame({"c": [b"a"]}), np.array([[b"a"]], dtype=object)]
)
def test_bytes_are_refused(X):
    with pytest.raises(ValueError, match="holds bytes"):
        read(X)


@pytest.mark.parametrize(
    "X", [[[1j]], np.array([[1j]]), np.array([[1j]], dtype=object), pd.DataFrame({"c": [1j]})]
)
def test_complex_numbers_are_refused_in_scikit_learns_words(X):
    with pytest.raises(ValueError, match="Complex data not supported"):
        read(X)


def test_structured_arrays_are_refused():
    with pytest.raises(ValueError, match="structured array"):
        read(np.zeros(3, dtype=[("a", "f8"), ("b", "f8")]))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.ones(3), "Expected 2D array, got 1D array instead:.*\n.*\nReshape your data"),
        ([1.0, 2.0], "Reshape your data"),
        (3.0, "Expected 2D array, got scalar array instead"),
        (None, "got scalar array"),
        (np.ones((1, 1, 1)), "Found array with dim 3, while dim <= 2 is required by CARTClassifier."),
        (pd.Series([1.0]), "Expected a 2-dimensional container but got"),
        (pl.Series([1.0]), "Expected a 2-dimensional container but got"),
        (
            np.ones((0, 3)),
            r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required",
        ),
        (
            np.ones((12, 0)),
            r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required by CARTClassifier\.",
        ),
        (np.ones((12, 0), dtype=int), r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pd.DataFrame(index=[1, 2]), r"0 feature\(s\)"),
    ],
)
def test_wrong_shapes_are_refused_in_scikit_learns_words(X, words):
    with pytest.raises(ValueError, match=words):
        read(X)


def test_repeated_column_names_are_refused():
    with pytest.raises(ValueError, match="Column names must be unique"):
        read(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_lazy_frames_are_refused_with_advice():
    with pytest.raises(TypeError, match="collect"):
        read(pl.LazyFrame({"a": [1]}))


# ------------------------------------------------------------------------------------------
# categorical_features

MIXED = pd.DataFrame({"n": [3, 1, 3], "city": ["Paris", "Rome", "Paris"], "f": [0.5, NAN, 0.25]})


@pytest.mark.parametrize(
    "chosen", [["n", "city"], [0, 1], [True, True, False], np.array([0, 1]), ("city", "n")]
)
def test_listed_columns_are_nominal_whatever_their_type(chosen):
    table = read(MIXED, categorical_features=chosen)
    assert table.schema.features == (
        Feature("n", "nominal", (1, 3)),
        Feature("city", "nominal", ("Paris", "Rome")),
        Feature("f", "numeric"),
    )
    assert table.columns[0].tolist() == [2, 1, 2]


def test_listed_floats_are_sorted_and_nan_is_missing():
    table = read(MIXED, categorical_features=["f", "city"])
    assert table.schema.features[2].categories == (0.25, 0.5)
    assert table.columns[2].tolist() == [2, 0, 1]


def test_listed_mixtures_are_accepted_by_first_appearance():
    X = pd.DataFrame({"c": pd.Series(["b", 1, None, "a", 1], dtype=object)})
    table = read(X, categorical_features=["c"])
    assert table.schema.features[0].categories == ("b", 1, "a")
    assert table.columns[0].tolist() == [1, 2, 0, 3, 2]


def test_listed_columns_of_a_float_array_are_found_again_by_value():
    X = np.array([[7.0, 1.0], [5.0, 2.0], [NAN, 3.0]])
    table = read(X, categorical_features=[0])
    assert table.schema.features[0] == Feature("x0", "nominal", (5.0, 7.0))
    again = read(np.array([[5, 1], [6, 1], [7, 1]]), schema=table.schema)
    assert again.columns[0].tolist() == [1, 3, 2]


@pytest.mark.parametrize("chosen", [None, ["n"], []])
def test_text_that_is_not_listed_is_refused_with_the_remedy(chosen):
    message = (
        r"column 'city' holds text \('Paris', …\)\. Pass categorical_features=\"from_dtype\" "
        r"or list it in categorical_features\."
    )
    with pytest.raises(ValueError, match=message):
        read(MIXED, categorical_features=chosen)


def test_without_categories_booleans_and_number_categories_are_numbers():
    X = pd.DataFrame({"b": [True, False], "c": pd.Categorical([7, 5])})
    table = read(X, categorical_features=None)
    assert table.schema.all_numeric
    np.testing.assert_array_equal(table.to_matrix(), [[1, 7], [0, 5]])


def test_an_ordered_categorical_stays_ordinal_beside_a_list():
    X = pd.DataFrame({"a": ["x"], "o": pd.Categorical(["l"], categories=["l", "h"], ordered=True)})
    assert [f.kind for f in read(X, categorical_features=["a"]).schema.features] == ["nominal", "ordinal"]
    assert [f.kind for f in read(X, categorical_features=["a", "o"]).schema.features] == [
        "nominal",
        "nominal",
    ]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("dtype", 'must be "from_dtype", None'),
        (["town"], "'town' which is not a valid feature name"),
        ([3], r"must be in \[0, n_features - 1\]"),
        ([-1], r"must be in \[0, n_features - 1\]"),
        ([True], r"boolean mask must have shape \(n_features,\)"),
        ([1.5], "array-like of bool, int or str"),
        ([0, "city", None], "array-like of bool, int or str"),
    ],
)
def test_wrong_choices_are_refused(chosen, words):
    with pytest.raises(ValueError, match=words):
        read(MIXED, categorical_features=chosen)


def test_names_cannot_be_chosen_without_names():
    with pytest.raises(ValueError, match="without feature names"):
        read(np.ones((2, 2)), categorical_features=["a"])


# ------------------------------------------------------------------------------------------ prediction

ABC = pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]})


@pytest.mark.parametrize("convert", [lambda d: d, pl.from_pandas, pa.Table.from_pandas])
def test_reordered_columns_are_refused_in_scikit_learns_words_with_the_remedy(convert):
    schema = read(ABC).schema
    with pytest.raises(ValueError) as caught:
        read(convert(ABC[["c", "b", "a"]]), schema=schema)
    assert str(caught.value) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names must be in the same order as they were in fit.\n"
        "Got 'c', 'b', 'a'; expected 'a', 'b', 'c'. Reorder with X[est.feature_names_in_]."
    )


def test_missing_and_unexpected_names_are_listed_as_in_scikit_learn():
    with pytest.raises(ValueError) as caught:
        read(ABC.rename(columns={"a": "z"}), schema=read(ABC).schema)
    assert str(caught.value) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- z\nFeature names seen at fit time, yet now missing:\n- a\n"
    )


@pytest.mark.parametrize("X", [np.ones((1, 3)), np.ones((1, 3), int), [[1, 2, 3]]])
def test_missing_names_are_warned_about_in_scikit_learns_words(X):
    words = "X does not have valid feature names, but CARTClassifier was fitted with feature names"
    with pytest.warns(UserWarning, match=words):
        read(X, schema=read(ABC).schema)


def test_names_that_were_absent_at_fit_are_warned_about():
    with pytest.warns(
        UserWarning, match="X has feature names, but CARTClassifier was fitted without feature names"
    ):
        read(ABC, schema=read(np.ones((1, 3))).schema)


@pytest.mark.parametrize("X", [np.ones((2, 1)), np.ones((2, 1), int), [[1.0]]])
def test_another_number_of_columns_is_refused_in_scikit_learns_words(X):
    schema = read(np.ones((2, 4))).schema
    with pytest.raises(
        ValueError, match="X has 1 features, but CARTClassifier is expecting 4 features as input"
    ):
        read(X, schema=schema)


def test_no_rows_are_refused_at_prediction_too():
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        read(np.ones((0, 2)), schema=read(np.ones((1, 2))).schema)


def test_column_names_that_are_not_text_count_as_no_names():
    assert read(pd.DataFrame([[1.0, 2.0]])).schema.names is None


def test_names_of_mixed_types_are_refused():
    with pytest.raises(
        TypeError, match="Feature names are only supported if all input features have string names"
    ):
        read(pd.DataFrame([[1.0, 2.0]], columns=["a", 1]))


def test_unseen_categories_get_their_own_code_and_unseen_ordinals_are_missing():
    nominal = pd.Categorical(["a"], categories=["b", "a"])
    ordinal = pd.Categorical(["l"], categories=["l", "h"], ordered=True)
    schema = read(pd.DataFrame({"n": nominal, "o": ordinal})).schema
    given = pd.DataFrame({"n": ["a", "c", None], "o": ["h", "m", None]})
    table = read(given, schema=schema)
    assert [c.tolist() for c in table.columns] == [[2, 3, 0], [2, 0, 0]]
    np.testing.assert_array_equal(table.to_matrix(), [[2, 2], [3, NAN], [NAN, NAN]])


def test_categories_are_matched_by_value_not_by_code():
    schema = read(pd.DataFrame({"c": pd.Categorical(["x", "y"], categories=["x", "y"])})).schema
    given = pd.DataFrame({"c": pd.Categorical(["x", "y", "z"], categories=["z", "y", "x"])})
    assert read(given, schema=schema).columns[0].tolist() == [1, 2, 3]


def test_text_where_numbers_were_is_refused():
    with pytest.raises(ValueError, match="column 'a' held numbers during fit and holds text now"):
        read(ABC.assign(a="word"), schema=read(ABC).schema)


@pytest.mark.parametrize("value", [None, True, 1, Decimal(1), pd.NA])
def test_a_single_row_of_any_number_type_fits_a_numeric_column(value):
    X = ABC.astype(object)
    X["a"] = pd.Series([value], dtype=object)
    expected = NAN if value is None or value is pd.NA else 1.0
    np.testing.assert_array_equal(read(X, schema=read(ABC).schema).to_matrix(), [[expected, 2, 3]])


def test_booleans_match_zero_and_one():
    schema = read(pd.DataFrame({"b": [True, False]})).schema
    with pytest.warns(UserWarning, match="valid feature names"):
        assert read(np.array([[0.0], [1.0], [NAN], [2.0]]), schema=schema).columns[0].tolist() == [1, 2, 0, 3]


# ------------------------------------------------------------------------------------------ Table


@pytest.mark.parametrize("rows", [np.array([2, 0]), np.array([True, False, True, False])])
@pytest.mark.parametrize("container", EVERYTHING)
def test_take_keeps_the_rows_asked_for(container, rows):
    table = read(EVERYTHING[container]())
    taken = table.take(rows)
    assert taken.n_rows == 2
    np.testing.assert_array_equal(taken.to_matrix(), table.to_matrix()[rows])


def test_take_of_a_matrix_keeps_a_matrix():
    taken = read(np.arange(6.0).reshape(3, 2)).take(np.array([2, 2]))
    assert taken.matrix.tolist() == [[4, 5], [4, 5]]
    assert [c.tolist() for c in taken.columns] == [[4, 4], [5, 5]]


def test_the_prediction_matrix_is_float32_only_when_that_is_exact():
    small = pd.DataFrame({"a": np.ones(2, np.float32), "b": np.array([1, 2], np.int16), "c": ["x", "y"]})
    assert read(small).to_matrix().dtype == np.float32
    assert read(small.assign(b=[1, 2**24 + 1])).to_matrix().dtype == np.float64


def test_the_users_table_is_never_changed():
    X = pd.DataFrame({"a": [1.0, NAN], "c": ["x", None]})
    before = X.copy(deep=True)
    read(X).to_matrix()
    pd.testing.assert_frame_equal(X, before)


def test_a_schema_is_shared_between_tables_of_the_same_width():
    assert read(np.ones((1, 3))).schema is read(np.ones((9, 3))).schema
    assert isinstance(read(np.ones((1, 3))).schema, Schema)
