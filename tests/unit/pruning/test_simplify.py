"""Merging leaves that predict the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.unit.pruning.held_out_cases import make
from tests.unit.pruning.small_trees import class_trees

from treewright import CARTClassifier, CARTRegressor
from treewright.model import Tree
from treewright.pruning import merge_equal_leaves

pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.TreewrightWarning")


def has_equal_leaves(tree: Tree) -> bool:
    """Whether some node has only leaves below that predict the same as it does."""
    answer = tree.value[:, 0].argmax(axis=1)
    for node in np.flatnonzero(tree.n_children):
        children = np.arange(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        if (tree.n_children[children] == 0).all() and (answer[children] == answer[node]).all():
            return True
    return False


@settings(deadline=None, max_examples=100)
@given(tree=class_trees(most_inner=20))
def test_no_equal_leaves_are_left_side_by_side(tree):
    smaller = merge_equal_leaves(tree, classes=True)
    assert not has_equal_leaves(smaller)
    assert (smaller.node_count < tree.node_count) == has_equal_leaves(tree)


@pytest.mark.parametrize("kind", ["ID3", "CART"])
def test_the_predicted_classes_stay(kind):
    case = make(kind)
    smaller = merge_equal_leaves(case.tree, classes=True)
    assert smaller.n_leaves < case.tree.n_leaves
    np.testing.assert_array_equal(case.row_losses(smaller), case.row_losses(case.tree))


def test_ties_follow_the_declared_order():
    X, y = np.arange(4.0).reshape(-1, 1), np.array([0, 1, 1, 0])
    tree = CARTClassifier(max_depth=1, min_samples_leaf=2).fit(X, y).tree_
    assert tree.n_leaves == 2  # both halves are tied
    assert merge_equal_leaves(tree, classes=True, class_order=np.array([1, 0])).n_leaves == 1


def test_numbers_merge_only_when_they_are_equal():
    X = np.arange(6.0).reshape(-1, 1)
    equal = CARTRegressor().fit(X, [1.0, 2.0, 1.0, 2.0, 5.0, 5.0]).tree_
    assert merge_equal_leaves(equal, classes=False).n_leaves == equal.n_leaves
    arrays = {name: array.copy() for name, array in equal.to_arrays().items()}
    arrays["value"][:] = 0.1 + 1e-17
    assert merge_equal_leaves(Tree(arrays, [0]), classes=False).n_leaves == 1


def test_a_single_leaf_stays_one():
    leaf = CARTRegressor().fit([[1.0]], [3.0]).tree_
    assert merge_equal_leaves(leaf, classes=False).node_count == 1


@pytest.mark.parametrize("own", [[0.9, 0.1], [0.1, 0.9]])
def test_leaves_stay_when_the_node_itself_would_predict_something_else(own):
    tree = CARTClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1]).tree_
    arrays = {name: array.copy() for name, array in tree.to_arrays().items()}
    arrays["value"][0], arrays["value"][1:] = own, own[::-1]
    assert merge_equal_leaves(Tree(arrays, [0]), classes=True).n_leaves == 2
