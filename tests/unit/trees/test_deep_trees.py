"""A tree of 100 000 levels is used, pruned, copied, saved and freed like any other."""

import copy
import io
import pickle

import numpy as np
import pytest

import treewright
from treewright.pruning.path import prune

LEVELS = 100_000


@pytest.fixture(scope="module")
def deep():
    model = treewright.CARTRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).model_
    arrays = chain_arrays(LEVELS - 1)
    return treewright.CARTRegressor.from_model(
        model.with_trees((treewright.model.Tree.from_arrays(arrays, [0]),))
    )


def chain_arrays(depth):
    """Return a chain: level k asks x <= k; yes is a leaf with the value k, no goes on."""
    n_nodes = 2 * depth + 1
    inner = np.append(0, np.arange(2, n_nodes - 1, 2))
    arrays = {
        name: np.zeros(n_nodes, dtype)
        for name, dtype in treewright.model.arrays.NODE_ARRAYS.items()
        if name != "value"
    }
    arrays["feature"][:] = arrays["first_child"][:] = arrays["table"][:] = -1
    arrays["threshold"][:] = np.nan
    arrays["kind"][inner] = 1
    arrays["feature"][inner] = 0
    arrays["n_children"][inner] = 2
    arrays["first_child"][inner] = 2 * np.arange(depth) + 1
    arrays["threshold"][inner] = np.arange(depth)
    arrays["rows"][:] = arrays["weight"][:] = 1
    arrays["rows"][inner] = arrays["weight"][inner] = depth + 1 - np.arange(depth)
    arrays["loss"][inner] = np.arange(depth, 0, -1)
    arrays["gain"][inner] = 1.0
    value = np.zeros((n_nodes, 1))
    value[2 * np.arange(depth) + 1, 0] = np.arange(depth)
    value[-1] = depth
    empty = {name: np.zeros(0, dtype) for name, dtype in treewright.model.arrays.TREE_ARRAYS.items()}
    return empty | arrays | {"value": value}


def test_its_depth_is_known(deep):
    assert (deep.get_depth(), deep.get_n_leaves()) == (LEVELS - 1, LEVELS)


def test_it_predicts(deep):
    x = np.array([[0.0], [70_000.0], [LEVELS + 5.0]])
    assert deep.predict(x).tolist() == [0.0, 70_000.0, LEVELS - 1]
    assert deep.decision_path(x).sum(axis=1).ravel().tolist()[0][1] == 70_002


def test_it_is_copied_and_saved(deep):
    file = io.BytesIO()
    deep.save(file)
    for copied in (treewright.load(file), pickle.loads(pickle.dumps(deep)), copy.deepcopy(deep)):
        assert copied.get_depth() == LEVELS - 1
        assert copied.predict([[123.0]]).tolist() == [123.0]


def test_it_is_pruned(deep):
    assert prune(deep.tree_, 0.5 / LEVELS).node_count == deep.tree_.node_count
    assert prune(deep.tree_, 1.5 / LEVELS).node_count == 1


def test_growing_goes_as_deep_as_the_target_asks():
    # y doubles from row to row: the largest values are always split off first, two rows per level.
    n_rows = 300
    y = 2.0 ** np.arange(n_rows)
    grown = treewright.CARTRegressor().fit(np.arange(n_rows)[:, np.newaxis], y)
    assert grown.get_depth() == n_rows // 2 + 2
    np.testing.assert_allclose(grown.predict(np.arange(n_rows)[:, np.newaxis]), y)
