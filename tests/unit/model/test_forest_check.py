"""Forest arrays that are none are refused with a sentence that names tree and node, by NumPy and natively."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.model.forest_cases import forest_model

from treewright import _core
from treewright.model import Forest
from treewright.model.forest_arrays import check_forest_arrays


def arrays_of(criterion="gini"):
    model = forest_model(criterion, n_trees=2)
    return {name: array.copy() for name, array in model.trees.arrays.items()}, model.schema.n_codes


def second_tree(arrays, kind):
    """Return the place of a node of the second tree: its root, a subset test or a leaf."""
    first = int(arrays["begin"][1])
    wanted = {
        "root": np.ones(len(arrays["feature"]), bool),
        "subset": (arrays["flags"] & 2) != 0,
        "leaf": arrays["feature"] == -1,
        "threshold": (arrays["feature"] != -1) & ((arrays["flags"] & 2) == 0),
    }[kind]
    return first + int(np.argmax(wanted[first:]))


WRONG = [
    ("child", "root", 0, "stands after one of its children"),
    ("child", "root", 10**6, "a child beyond the last node of its tree"),
    ("child", "root", 2, "does not have exactly one parent"),
    ("child", "leaf", 10**6, "class distribution that does not exist"),
    ("feature", "root", 77, "tests a feature that does not exist"),
    ("feature", "root", -2, "tests a feature that does not exist"),
    ("flags", "root", 4, "an unknown flag"),
    ("flags", "leaf", 1, "is a leaf, but has flags"),
    ("number", "threshold", np.nan, "has a number that is not one"),
    ("number", "leaf", 3.0, "a number beside its class distribution"),
    ("number", "subset", 1e18, "its table outside the tables"),
    ("number", "subset", -1.0, "its table outside the tables"),
    ("number", "subset", 0.5, "its table outside the tables"),
    ("number", "subset", np.inf, "its table outside the tables"),
    ("weight", "root", -1.0, "a weight that is not a finite number of at least 0"),
    ("weight", "root", np.inf, "a weight that is not a finite number of at least 0"),
]


@pytest.mark.parametrize(("name", "where", "value", "sentence"), WRONG)
def test_one_wrong_entry_is_named(name, where, value, sentence):
    arrays, n_codes = arrays_of()
    check_forest_arrays(arrays, n_codes)
    place = second_tree(arrays, where)
    arrays[name][place] = value
    with pytest.raises(ValueError, match=sentence) as caught:
        check_forest_arrays(arrays, n_codes)
    assert "of tree 1 " in str(caught.value)


def test_numbers_are_checked_too():
    arrays, n_codes = arrays_of("squared_error")
    check_forest_arrays(arrays, n_codes)
    leaf = second_tree(arrays, "leaf")
    arrays["number"][leaf] = np.inf
    with pytest.raises(ValueError, match="a value that is not a finite number"):
        check_forest_arrays(arrays, n_codes)
    arrays["number"][leaf], arrays["child"][leaf] = 1.0, 3
    with pytest.raises(ValueError, match="in a forest without classes"):
        check_forest_arrays(arrays, n_codes)


@pytest.mark.parametrize(
    ("begin", "sentence"),
    [([0], "no tree"), ([1, 5], "does not divide"), ([0, 5, 3], "does not divide"), ([0, 0, -1], "divide")],
)
def test_begin_must_divide_the_nodes(begin, sentence):
    arrays, n_codes = arrays_of()
    with pytest.raises(ValueError, match=sentence):
        check_forest_arrays({**arrays, "begin": np.array(begin, np.int64)}, n_codes)


def test_shapes_and_types_are_checked():
    arrays, n_codes = arrays_of()
    for name, array in arrays.items():
        with pytest.raises(ValueError, match=f"'{name}'"):
            check_forest_arrays({**arrays, name: array.astype(np.float16)}, n_codes)
        with pytest.raises(ValueError, match=f"'{name}'"):
            check_forest_arrays({**arrays, name: array[np.newaxis]}, n_codes)
        with pytest.raises(ValueError, match=name):
            check_forest_arrays({key: a for key, a in arrays.items() if key != name}, n_codes)
    with pytest.raises(ValueError, match="entries for"):
        check_forest_arrays({**arrays, "rows": arrays["rows"][1:]}, n_codes)
    for shape in ((0, 3), (2, 0)):
        with pytest.raises(ValueError, match="has no class"):
            check_forest_arrays({**arrays, "distributions": np.zeros(shape)}, n_codes)
    with pytest.raises(ValueError, match="something else than shares"):
        check_forest_arrays({**arrays, "distributions": -arrays["distributions"]}, n_codes)
    wide = {**arrays, "feature": arrays["feature"].astype(np.int32)}
    check_forest_arrays(wide, n_codes)


def test_tables_are_checked():
    arrays, n_codes = arrays_of()
    node = second_tree(arrays, "subset")
    start = int(arrays["number"][node])
    n_bytes = arrays["tables"].copy()
    for word, value, sentence in (
        (start, 2, "of unknown format"),
        (start + 1, 2**32 - 1, "ends outside the tables"),
        (
            start + 1,
            int(n_bytes[start + 1]) + 2,
            "overlaps another one|ends outside|ascending|does not exist",
        ),
    ):
        arrays["tables"] = n_bytes.copy()
        arrays["tables"][word] = value
        with pytest.raises(ValueError, match=sentence):
            check_forest_arrays(arrays, n_codes)
    # A list in place of the bits: ascending codes of categories that exist.
    for listed, sentence in (([1, 3], None), ([3, 1], "not ascending"), ([1, 99], "does not exist")):
        arrays["tables"] = np.concatenate([n_bytes, [1, 2, *listed]]).astype(np.uint32)
        arrays["number"][node] = len(n_bytes)
        if sentence is None:
            check_forest_arrays(arrays, n_codes)
        else:
            with pytest.raises(ValueError, match=sentence):
                check_forest_arrays(arrays, n_codes)


def test_a_numeric_feature_has_no_categories():
    arrays, n_codes = arrays_of()
    arrays["flags"][second_tree(arrays, "threshold")] |= 2
    with pytest.raises(ValueError, match="tests categories of a numeric feature"):
        check_forest_arrays(arrays, n_codes)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_both_checks_agree_and_what_they_accept_is_harmless(data):
    arrays, n_codes = CASES[data.draw(st.sampled_from(sorted(CASES)))]
    arrays = {name: array.copy() for name, array in arrays.items()}
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from([n for n, a in arrays.items() if a.size]))
        raw = arrays[name].view(np.uint8).reshape(-1)
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    here = accepts(lambda: check_forest_arrays(arrays, n_codes))
    native = accepts(lambda: _core.ForestPredictor(arrays, n_codes))
    # NumPy's also refuses numbers that nothing reads.
    assert native or not here
    if here:
        criterion = "gini" if len(arrays["distributions"]) else "squared_error"
        forest = Forest(arrays, n_codes, criterion)
        assert [tree.node_count for tree in forest] == forest.node_counts.tolist()
        matrix = np.array([[0.0, 1.0, 0.0], [np.nan, np.nan, np.nan], [9.0, 8.0, -np.inf]])
        _core.ForestPredictor(arrays, n_codes).values(matrix, 1)
    else:
        accepts(lambda: _core.unpack_tree(arrays, 0, _core.Criterion.gini))


CASES = {criterion: arrays_of(criterion) for criterion in ("gini", "squared_error")}


def accepts(check):
    try:
        check()
    except ValueError as error:
        assert str(error)
        return False
    return True
