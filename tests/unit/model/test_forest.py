"""Forest: lean arrays that answer like the trees they were packed from."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.unit.model.forest_cases import CRITERIA, bagged, forest_model, pack, unpack

from treewright import CARTClassifier
from treewright.model import Forest, Tree
from treewright.model import forest as forest_module
from treewright.model.tree import check_arrays


@pytest.fixture
def forest():
    return forest_model().trees


def assert_same_tree(tree, arrays):
    found = tree.to_arrays()
    for name, expected in arrays.items():
        np.testing.assert_allclose(found[name], expected, rtol=1e-12, atol=1e-12, err_msg=name)
        assert found[name].dtype == expected.dtype, name


@pytest.mark.parametrize("criterion", CRITERIA)
def test_an_unpacked_tree_is_the_tree_as_far_as_a_forest_knows_it(criterion):
    fitted = bagged(criterion, n_trees=3)
    forest = forest_model(criterion, n_trees=3).trees
    for number, estimator in enumerate(fitted):
        tree, own = forest[number], estimator.tree_
        assert_same_tree(tree, unpack(forest.to_arrays(), number, criterion))
        check_arrays(tree.to_arrays(), forest.n_codes)
        for name in ("kind", "feature", "first_child", "threshold", "table", "missing", "rows"):
            np.testing.assert_array_equal(tree.to_arrays()[name], own.to_arrays()[name], err_msg=name)
        leaf = own.n_children == 0
        np.testing.assert_array_equal(tree.value[leaf], own.value[leaf])
        if criterion != "absolute_error":
            np.testing.assert_allclose(tree.value, own.value, atol=1e-12)
            np.testing.assert_allclose(tree.gain, own.gain, rtol=1e-6, atol=1e-6)
        if forest.has_classes:
            np.testing.assert_allclose(tree.loss, own.loss, rtol=1e-6, atol=1e-6)
        else:
            assert np.isnan(tree.loss).all()


def test_a_forest_is_a_sequence_of_trees(forest):
    assert len(forest) == 4 and all(isinstance(tree, Tree) for tree in forest)
    assert [tree.node_count for tree in forest] == forest.node_counts.tolist()
    assert [tree.n_leaves for tree in forest] == forest.leaf_counts.tolist()
    assert [tree.max_depth for tree in forest] == forest.depths.tolist()
    assert forest[-1].node_count == forest[3].node_count
    for wrong in (4, -5):
        with pytest.raises(IndexError, match="the forest has the trees 0 to 3"):
            forest[wrong]


def test_only_the_last_few_trees_stay_unpacked(forest):
    assert forest[0] is forest[0]
    list(forest)
    assert len(forest._kept) == 1
    joined = forest.extended(forest)
    for number in range(8):
        joined[number]
    assert len(joined._kept) == forest_module.KEPT_TREES and joined[7] is joined[7]


def test_many_threads_get_the_same_tree(forest):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: forest[2], range(64)))
    assert len({id(tree) for tree in found}) == 1


def test_a_slice_is_the_forest_of_these_trees(forest):
    for first, last in ((0, 2), (1, 3), (3, 4), (0, 4)):
        part = forest[first:last]
        assert isinstance(part, Forest) and len(part) == last - first
        for number, tree in enumerate(part):
            assert_same_tree(tree, forest[first + number].to_arrays())
    assert forest[:4].equals(forest)
    with pytest.raises(IndexError, match="trees that follow each other"):
        forest[::2]
    with pytest.raises(IndexError, match="one or more trees"):
        forest[2:2]


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_two_parts_join_to_the_whole_bit_for_bit(criterion):
    forest = forest_model(criterion).trees
    for cut in (1, 2, 3):
        assert forest[:cut].extended(forest[cut:]).equals(forest)
    twice = forest.extended(forest)
    assert len(twice.arrays["distributions"]) == len(forest.arrays["distributions"])
    assert twice[4:].equals(forest)


def test_forests_that_do_not_fit_are_not_joined(forest):
    for criterion in ("entropy", "squared_error"):
        with pytest.raises(ValueError, match="different features, classes or criteria"):
            forest.extended(forest_model(criterion).trees)


def test_sizes_are_known_without_unpacking(forest, monkeypatch):
    monkeypatch.setattr(forest_module._core, "unpack_tree", None)
    nodes = len(forest.arrays["feature"])
    assert (forest.node_count, forest.n_values, forest.n_features) == (nodes, 3, 3)
    assert forest.nbytes == sum(array.nbytes for array in forest.arrays.values())
    per_node = 23 + (forest.nbytes - 23 * nodes) / nodes
    assert forest.bytes_per_node == pytest.approx(per_node)
    assert f"4 trees, {nodes} nodes" in repr(forest)
    assert forest.depths.shape == forest.leaf_counts.shape == (4,)


@pytest.mark.parametrize(
    "duplicate",
    [lambda f: pickle.loads(pickle.dumps(f)), copy.deepcopy, copy.copy],
    ids=["pickle", "deep", "copy"],
)
def test_copies_are_the_same_and_read_only_without_unpacking(forest, duplicate, monkeypatch):
    monkeypatch.setattr(forest_module._core, "unpack_tree", None)
    copied = duplicate(forest)
    assert copied.equals(forest) and copied._kept == {}
    assert not any(array.flags.writeable for array in copied.arrays.values())


def test_nothing_of_a_forest_can_be_changed(forest):
    with pytest.raises(TypeError):
        forest.arrays["number"] = np.zeros(1)
    for array in forest.arrays.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_equality_sees_every_array(forest):
    for name, array in forest.arrays.items():
        changed = {**forest.arrays, name: array.copy()}
        changed[name].reshape(-1)[-1:] += 1
        assert not forest.equals(Forest(changed, forest.n_codes, "gini"))
    assert not forest.equals(Forest(forest.arrays, forest.n_codes, "entropy"))


def test_a_forest_of_stumps_has_no_depth():
    fitted = CARTClassifier().fit([[0.0], [0.0]], [0, 1])
    forest = Forest.from_arrays(pack([fitted.tree_] * 3, True), [0], "gini")
    assert forest.depths.tolist() == [0, 0, 0] and forest.leaf_counts.tolist() == [1, 1, 1]
    assert forest[1].node_count == 1


@pytest.mark.parametrize("criterion", ["squared_error", "gain_ratio", ""])
def test_a_criterion_that_does_not_fit_is_refused(forest, criterion):
    with pytest.raises(ValueError, match=r"is grown by one of|do not hold what"):
        Forest(forest.arrays, forest.n_codes, criterion)
