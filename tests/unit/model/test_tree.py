"""Tree: frozen arrays, scikit-learn's names, no recursion."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treewright.model import Tree
from treewright.model.edit import collapse


@pytest.fixture
def wine_trees(from_scikit_learn):
    fitted = DecisionTreeClassifier(random_state=0, min_samples_leaf=3).fit(*load_wine(return_X_y=True))
    return fitted, from_scikit_learn(fitted)


def chain(node_arrays, depth):
    """A tree in which every second node is a leaf: as deep as a tree of its size can be."""
    nodes = [{"rows": depth + 1, "weight": depth + 1.0, "loss": float(depth)}]
    for level in range(depth):
        rest = depth - level
        nodes[-1] |= {
            "kind": 1, "feature": 0, "threshold": float(level), "first_child": len(nodes), "n_children": 2,
            "gain": 1.0,
        }  # fmt: skip
        nodes += [{}, {"rows": rest, "weight": float(rest), "loss": rest - 1.0}]
    return Tree.from_arrays(node_arrays(nodes), [0])


def test_the_arrays_cannot_be_changed(arrays, schema):
    tree = Tree.from_arrays(arrays, schema.n_codes)
    for array in [*tree.to_arrays().values(), tree.threshold, tree.feature, tree.impurity, tree.value]:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_sizes_of_a_tree(arrays, schema):
    tree = Tree.from_arrays(arrays, schema.n_codes)
    assert (tree.node_count, tree.n_leaves, tree.max_depth) == (8, 5, 2)
    assert tree.node_depths.tolist() == [0, 1, 1, 2, 2, 2, 2, 2]
    assert (tree.n_features, tree.n_outputs, tree.n_values) == (4, 1, 2)


def test_a_chain_of_100_000_levels_has_that_depth(node_arrays):
    tree = chain(node_arrays, 100_000)
    assert tree.max_depth == 100_000
    assert pickle.loads(pickle.dumps(tree)).max_depth == 100_000


def test_names_and_marks_are_those_of_scikit_learn(wine_trees):
    theirs, ours = wine_trees
    theirs = theirs.tree_
    # Ours are numbered differently: walk both trees side by side.
    pairs = [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        for name in ("feature", "threshold", "impurity", "n_node_samples", "weighted_n_node_samples"):
            assert getattr(ours, name)[b] == pytest.approx(getattr(theirs, name)[a]), name
        assert ours.value[b].shape == theirs.value[a].shape
        if theirs.children_left[a] == -1:
            assert ours.children_left[b] == ours.children_right[b] == -1
        else:
            pairs.append((theirs.children_left[a], ours.children_left[b]))
            pairs.append((theirs.children_right[a], ours.children_right[b]))
    assert ours.node_count == theirs.node_count
    assert ours.n_leaves == theirs.n_leaves
    assert ours.max_depth == theirs.max_depth
    assert sorted(ours.compute_node_depths()) == sorted(theirs.compute_node_depths())


@pytest.mark.parametrize("normalize", [True, False])
def test_importances_are_those_of_scikit_learn(wine_trees, normalize):
    theirs, ours = wine_trees
    expected = theirs.tree_.compute_feature_importances(normalize)
    np.testing.assert_allclose(ours.compute_feature_importances(normalize), expected, atol=1e-12)


def test_importances_of_a_regression_tree_are_those_of_scikit_learn(from_scikit_learn):
    fitted = DecisionTreeRegressor(random_state=0, max_depth=6).fit(*load_diabetes(return_X_y=True))
    importances = from_scikit_learn(fitted).compute_feature_importances()
    np.testing.assert_allclose(importances, fitted.feature_importances_, atol=1e-12)


def test_a_single_leaf_has_importances_of_zero(node_arrays):
    assert Tree.from_arrays(node_arrays([{}]), [0, 0]).compute_feature_importances().tolist() == [0, 0]


def test_a_multiway_tree_says_that_it_has_no_left_and_right(arrays, schema):
    tree = Tree.from_arrays(arrays, schema.n_codes)
    assert not hasattr(tree, "children_left")
    with pytest.raises(AttributeError, match="node 2 sends rows to 3 branches; use first_child"):
        _ = tree.children_right


def test_pickle_and_deepcopy_keep_the_arrays_and_freeze_them_again(arrays, schema):
    tree = Tree.from_arrays(arrays, schema.n_codes)
    for copied in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        for name, array in copied.to_arrays().items():
            np.testing.assert_array_equal(array, arrays[name])
            assert not array.flags.writeable


def test_collapsing_a_node_drops_what_stood_below_it(arrays, schema):
    tree = Tree.from_arrays(arrays, schema.n_codes)
    mark = np.zeros(8, dtype=bool)
    mark[1] = True
    smaller = collapse(tree, mark)
    Tree.from_arrays(smaller.to_arrays(), schema.n_codes)  # still a valid tree
    assert smaller.kind.tolist() == [1, 0, 3, 0, 0, 0]
    assert smaller.to_arrays()["tables"].tolist() == arrays["tables"][3:].tolist()
    assert smaller.to_arrays()["table"].tolist() == [-1, -1, 0, -1, -1, -1]
    assert smaller.n_node_samples.tolist() == [12, 4, 8, 2, 4, 2]


def test_collapsing_leaves_and_nodes_below_others_changes_nothing_more(arrays, schema):
    tree = Tree.from_arrays(arrays, schema.n_codes)
    assert collapse(tree, tree.n_children == 0) is tree
    everything = collapse(tree, np.ones(8, dtype=bool))
    assert everything.node_count == 1
    assert everything.gain.tolist() == [0.0]


def test_collapsing_keeps_the_surrogates_of_the_nodes_that_stay(arrays, schema):
    arrays |= {
        "surrogate_begin": np.array([0, 1, 2, 2, 2, 2, 2, 2, 2], np.int64),
        "surrogate_feature": np.array([1, 3], np.int32),
        "surrogate_kind": np.array([2, 1], np.uint8),
        "surrogate_threshold": np.array([np.nan, 1.5]),
        "surrogate_table": np.array([10, -1], np.int64),
        "surrogate_flip": np.array([0, 1], np.uint8),
        "surrogate_agreement": np.array([0.9, 0.8]),
        "tables": np.append(arrays["tables"], np.array([0, 1, 4], np.uint32)),
    }
    tree = Tree.from_arrays(arrays, schema.n_codes)
    mark = np.zeros(8, dtype=bool)
    mark[1] = True
    smaller = collapse(tree, mark).to_arrays()
    Tree.from_arrays(smaller, schema.n_codes)
    assert smaller["surrogate_begin"].tolist() == [0, 1, 1, 1, 1, 1, 1]
    assert smaller["surrogate_agreement"].tolist() == [0.9]
    offset = smaller["surrogate_table"][0]
    assert smaller["tables"][offset : offset + 3].tolist() == [0, 1, 4]
