"""Arrays that are not a tree are refused with a sentence, whatever they hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.model.arrays import EVERY_BRANCH, TREE_ARRAYS
from treewright.model.tree import check_arrays

BROKEN = [
    ("kind", 3, 9, "node 3 has an unknown kind"),
    ("kind", 3, 1, "node 3 has a binary test but not two children|node 3 has no children"),
    ("kind", 0, 0, "leaf 0 has children"),
    ("n_children", 0, 3, "node 0 has a binary test but not two children"),
    ("n_children", 2, 0xFFFFFFFF, "beyond the last node"),
    ("n_children", 2, 2, "8 nodes but 6 links"),
    ("first_child", 1, 1, "node 1 stands after one of its children"),
    ("first_child", 1, -5, "node 1 stands after one of its children"),
    ("first_child", 2, 6, "beyond the last node"),
    ("first_child", 1, 5, "does not have exactly one parent"),
    ("first_child", 3, 4, "leaf 3 names a first child"),
    ("feature", 0, 4, "node 0 tests a feature that does not exist"),
    ("feature", 0, -1, "node 0 tests a feature that does not exist"),
    ("feature", 3, 2, "leaf 3 tests a feature"),
    ("feature", 1, 0, "node 1 tests categories of a numeric feature"),
    ("threshold", 0, np.nan, "node 0 has no threshold"),
    ("threshold", 3, 1.0, "node 3 has a threshold that it does not use"),
    ("table", 0, 0, "node 0 has a table that it does not use"),
    ("table", 1, -1, "node 1 has its table outside the tables"),
    ("table", 1, 9, "node 1 has its table outside the tables"),
    ("table", 1, 2**62, "node 1 has its table outside the tables"),
    ("table", 1, 3, "table that overlaps another one"),
    ("tables", 1, 2**31, "node 1 has a table that ends outside the tables"),
    ("tables", 0, 2, "node 1 has a table of the wrong format"),
    ("tables", 0, 7, "node 1 has a table of unknown format"),
    ("tables", 6, 3, "node 2 sends a category to a branch that does not exist"),
    ("missing", 0, 2, "node 0 sends missing values to a branch that does not exist"),
    ("missing", 3, 1, "leaf 3 has a branch for missing values"),
    ("value", 4, np.nan, "node 4 has a value that is not a finite number"),
    ("value", 4, np.inf, "node 4 has a value that is not a finite number"),
    ("weight", 4, -1.0, "node 4 has a negative weight"),
    ("weight", 4, np.nan, "node 4 has a weight that is not a finite number"),
    ("loss", 4, np.inf, "node 4 has an infinite loss"),
    ("gain", 4, 1.0, "leaf 4 has a gain"),
    ("rows", 4, -1, "node 4 has a negative number of rows"),
]


def test_a_good_tree_passes(arrays, schema):
    check_arrays(arrays, schema.n_codes)


@pytest.mark.parametrize(("name", "position", "value", "sentence"), BROKEN)
def test_one_wrong_entry_is_named(arrays, schema, name, position, value, sentence):
    arrays[name][position] = value
    with pytest.raises(ValueError, match=sentence):
        check_arrays(arrays, schema.n_codes)


def test_a_table_list_must_ascend_and_stay_within_the_categories(arrays, schema):
    arrays["tables"][:3] = [1, 1, 4]  # an unseen category: allowed
    check_arrays(arrays, schema.n_codes)
    arrays["tables"][2] = 5
    with pytest.raises(ValueError, match="node 1 lists a category that does not exist"):
        check_arrays(arrays, schema.n_codes)


def test_missing_values_may_go_down_every_branch(arrays, schema):
    arrays["missing"][0] = EVERY_BRANCH
    check_arrays(arrays, schema.n_codes)


@pytest.mark.parametrize("name", list(TREE_ARRAYS))
def test_a_wrong_type_is_named(arrays, schema, name):
    arrays[name] = arrays[name].astype(np.float32)
    with pytest.raises(ValueError, match=f"array '{name}' has dtype float32"):
        check_arrays(arrays, schema.n_codes)


@pytest.mark.parametrize("name", [n for n in TREE_ARRAYS if n not in ("tables", "surrogate_begin")])
def test_a_wrong_length_is_named(arrays, schema, name):
    arrays[name] = (
        np.append(arrays[name], arrays[name][:1], axis=0)
        if len(arrays[name])
        else np.zeros(1, arrays[name].dtype)
    )
    with pytest.raises(ValueError, match=r"entries for|no node owns them"):
        check_arrays(arrays, schema.n_codes)


def test_a_missing_array_and_no_node_at_all_are_refused(arrays, schema, node_arrays):
    with pytest.raises(ValueError, match="at least one"):
        check_arrays({**node_arrays([]), "value": np.zeros((0, 1))}, schema.n_codes)
    del arrays["loss"]
    with pytest.raises(ValueError, match="loss"):
        check_arrays(arrays, schema.n_codes)


def with_surrogates(arrays):
    return arrays | {
        "surrogate_begin": np.array([0, 1, 1, 1, 1, 1, 1, 1, 1], np.int64),
        "surrogate_feature": np.array([3], np.int32),
        "surrogate_kind": np.array([1], np.uint8),
        "surrogate_threshold": np.array([1.5]),
        "surrogate_table": np.array([-1], np.int64),
        "surrogate_flip": np.array([1], np.uint8),
        "surrogate_agreement": np.array([0.75]),
    }


@pytest.mark.parametrize(
    ("name", "position", "value", "sentence"),
    [
        ("surrogate_begin", 0, 1, "does not divide the surrogates"),
        ("surrogate_begin", 3, 5, "does not divide the surrogates"),
        ("surrogate_feature", 0, 4, "surrogate on an unknown feature"),
        ("surrogate_kind", 0, 3, "surrogate of unknown kind"),
        ("surrogate_kind", 0, 2, "surrogate with a threshold that it does not use"),
        ("surrogate_threshold", 0, np.nan, "surrogate without threshold"),
        ("surrogate_table", 0, 0, "surrogate with an unused table"),
        ("surrogate_flip", 0, 2, "flip is neither 0 nor 1"),
        ("surrogate_agreement", 0, np.nan, "impossible agreement"),
    ],
)
def test_a_wrong_surrogate_is_named(arrays, schema, name, position, value, sentence):
    arrays = with_surrogates(arrays)
    check_arrays(arrays, schema.n_codes)
    arrays[name][position] = value
    with pytest.raises(ValueError, match=sentence):
        check_arrays(arrays, schema.n_codes)


@given(data=st.data())
def test_arbitrary_bytes_in_the_arrays_give_a_sentence_or_a_tree(data):
    n_nodes = data.draw(st.integers(1, 6))
    arrays = {}
    for name, dtype in TREE_ARRAYS.items():
        length = n_nodes if name not in ("tables", "surrogate_begin") and "surrogate" not in name else 0
        if name == "tables":
            length = data.draw(st.integers(0, 8))
        raw = data.draw(st.binary(min_size=length * 8, max_size=length * 8))
        small = data.draw(st.booleans())
        array = np.frombuffer(raw, dtype=dtype)[:length].copy()
        if small and array.dtype.kind in "iu":
            array %= 5
        arrays[name] = array[:, np.newaxis] if name == "value" else array
    try:
        check_arrays(arrays, np.array([0, 3], np.uint32))
    except ValueError as error:
        assert str(error)
