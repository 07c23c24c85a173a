"""Nodes and splits in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data import Feature, Schema
from treewright.model import Tree, TreeView
from treewright.model.number import format_threshold, shortest_between, threshold_digits


@pytest.fixture
def view(arrays, schema):
    return TreeView(Tree.from_arrays(arrays, schema.n_codes), schema)


def test_each_kind_of_split_is_described_by_the_names_of_the_schema(view):
    threshold, subset, multiway = (view[node].split for node in (0, 1, 2))
    assert [threshold.describe(0), threshold.describe(1)] == [
        "worst radius ≤ 16.795",
        "worst radius > 16.795",
    ]
    assert [subset.describe(0), subset.describe(1)] == ["outlook = overcast", "outlook in {sunny, rain}"]
    assert [multiway.describe(b) for b in range(3)] == ["größe = S", "größe = M", "größe = L"]
    assert (threshold.missing_branch, subset.missing_branch, multiway.missing_branch) == (1, 0, None)
    with pytest.raises(IndexError, match="0 to 1, not 2"):
        threshold.describe(2)


def test_a_node_knows_its_place_and_its_numbers(view):
    node = view[6]
    assert (node.depth, node.branch, node.parent.id, node.is_leaf) == (2, 1, 2, True)
    assert [step.id for step in node.path] == [0, 2, 6]
    assert [step.condition for step in node.path] == ["", "worst radius > 16.795", "größe = M"]
    assert (node.rows, node.weight, node.loss, node.gain, node.value.tolist()) == (
        4,
        4.0,
        0.0,
        0.0,
        [0.0, 1.0],
    )
    assert view.root.impurity == 0.5
    assert "worst radius ≤ 16.795, 12 rows" in repr(view.root)


def test_walking_goes_down_the_first_branch_first(view):
    assert [node.id for node in view.walk()] == [0, 1, 3, 4, 2, 5, 6, 7]
    assert [node.id for node in view.leaves()] == [3, 4, 5, 6, 7]
    assert [node.id for node in view] == list(range(8))
    with pytest.raises(IndexError, match="nodes 0 to 7"):
        view[8]


def one_split(node_arrays, feature, threshold):
    nodes = [{"kind": 1, "feature": 0, "first_child": 1, "n_children": 2, "threshold": threshold}, {}, {}]
    nodes[0] |= {"rows": 2, "weight": 2.0}
    schema = Schema((feature,), named=True)
    return TreeView(Tree.from_arrays(node_arrays(nodes), schema.n_codes), schema).root.split


def test_an_ordinal_split_names_the_last_category_below_it(node_arrays):
    grade = Feature("grade", "ordinal", ("low", "mid", "high"))
    split = one_split(node_arrays, grade, 2.5)
    assert [split.describe(0), split.describe(1)] == ["grade ≤ mid", "grade > mid"]
    assert (split.categories(0), split.categories(1)) == (("low", "mid"), ("high",))


def test_a_threshold_above_everything_separates_known_from_missing(node_arrays):
    split = one_split(node_arrays, Feature("age", "numeric"), np.inf)
    assert [split.describe(0), split.describe(1)] == ["age is known", "age is missing"]


@pytest.mark.parametrize(
    ("threshold", "text"),
    [
        (16.795000076293945, "16.795"),
        (0.1 + 0.2, "0.3"),
        (2.0, "2"),
        (0.0, "0"),
        (-0.5, "-0.5"),
        (1234567.5, "1234567.5"),
        (123456789012.5, "123456789012.5"),
        (1.25e-9, "1.25e-09"),
        (3.5e20, "3.5e+20"),
        (-np.inf, "-∞"),
    ],
)
def test_thresholds_are_written_with_few_digits(threshold, text):
    assert format_threshold(threshold) == text


def test_thresholds_that_would_look_the_same_get_more_digits():
    thresholds = np.array([0.123456711, 0.123456722, 5.0])
    texts = [format_threshold(value, threshold_digits(value, thresholds)) for value in thresholds.tolist()]
    assert texts == ["0.12345671", "0.12345672", "5"]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6))
def test_different_thresholds_never_look_the_same(values):
    thresholds = np.unique(np.array(values))
    texts = {format_threshold(value, threshold_digits(value, thresholds)) for value in thresholds.tolist()}
    assert len(texts) == len({value + 0.0 for value in values})


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_the_shortest_number_in_a_gap_separates_its_ends(a, b):
    low, high = min(a, b), max(a, b)
    if low == high:
        return
    middle = low + (high - low) / 2
    if not low <= middle < high:
        return
    assert low <= float(shortest_between(low, high, middle)) <= high


def test_the_shortest_number_in_a_gap_is_short():
    assert shortest_between(16.77, 16.82, 16.795000076293945) == "16.8"
    assert shortest_between(79.0, 81.0, 80.0) == "80"
    assert shortest_between(1000.0, 3000.0, 2000.0) == "2000"
