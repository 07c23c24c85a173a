"""`_core.Predictor` against scikit-learn's own prediction from the same tree."""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from treewright import _core

Arrays = dict[str, NDArray[Any]]
N_CODES = np.zeros(6, np.uint32)


def arrays_from_sklearn(tree: Any) -> tuple[Arrays, NDArray[np.int64]]:
    """Renumber a scikit-learn tree so that children are adjacent; also return its ids in our order."""
    order, first_child, to_visit = [0], {}, [0]
    while to_visit:
        node = to_visit.pop()
        left = tree.children_left[order[node]]
        if left >= 0:
            first_child[node] = len(order)
            to_visit += [len(order) + 1, len(order)]
            order += [left, tree.children_right[order[node]]]
    ids = np.array(order)
    n = len(ids)
    leaf = tree.children_left[ids] < 0
    arrays = {
        "kind": np.where(leaf, 0, 1).astype(np.uint8),
        "feature": np.where(leaf, -1, tree.feature[ids]).astype(np.int32),
        "first_child": np.array([first_child.get(node, -1) for node in range(n)], np.int32),
        "n_children": np.where(leaf, 0, 2).astype(np.uint32),
        "threshold": np.where(leaf, np.nan, tree.threshold[ids]),
        "table": np.full(n, -1, np.int64),
        "missing": np.where(leaf | (tree.missing_go_to_left[ids] == 1), 0, 1).astype(np.uint32),
        "value": tree.value[ids, 0, :],
        "rows": tree.n_node_samples[ids].astype(np.int64),
        "weight": tree.weighted_n_node_samples[ids],
        "loss": tree.impurity[ids] * tree.weighted_n_node_samples[ids],
        "gain": np.zeros(n),
        "tables": np.zeros(0, np.uint32),
    }
    return arrays, ids


def rows_with_missing_values(n_rows: int) -> NDArray[np.float32]:
    random = np.random.default_rng(1)
    matrix = random.normal(size=(n_rows, 6)).round(2).astype(np.float32)
    matrix[random.random(matrix.shape) < 0.1] = np.nan
    return matrix


@pytest.fixture(scope="module")
def peer() -> DecisionTreeClassifier:
    matrix = rows_with_missing_values(3000)
    known = np.nan_to_num(matrix)
    labels = (known[:, 0] * known[:, 1] + known[:, 2] > 0).astype(int) + (np.isnan(matrix[:, 3])).astype(int)
    return DecisionTreeClassifier(random_state=0).fit(matrix, labels)


@pytest.fixture(scope="module")
def compiled(peer: DecisionTreeClassifier) -> tuple[_core.Predictor, NDArray[np.int64]]:
    arrays, ids = arrays_from_sklearn(peer.tree_)
    return _core.Predictor([arrays], N_CODES), ids


LAYOUTS = {
    "C order": np.ascontiguousarray,
    "F order": np.asfortranarray,
    "every second column": lambda matrix: np.repeat(matrix, 2, axis=1)[:, ::2],
    "every second row": lambda matrix: np.repeat(matrix, 2, axis=0)[::2],
    "backwards": lambda matrix: np.ascontiguousarray(matrix[::-1, ::-1])[::-1, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_leaves_and_values_equal_those_of_scikit_learn(
    peer: DecisionTreeClassifier,
    compiled: tuple[_core.Predictor, NDArray[np.int64]],
    layout: str,
    dtype: type,
    n_threads: int,
) -> None:
    predictor, ids = compiled
    matrix = rows_with_missing_values(20_011)
    given = LAYOUTS[layout](matrix.astype(dtype))
    given.flags.writeable = False
    leaves = predictor.apply(given, n_threads)
    assert leaves.dtype == np.int32 and leaves.shape == (20_011, 1)
    np.testing.assert_array_equal(ids[leaves[:, 0]], peer.apply(matrix))
    values = predictor.values(given, n_threads=n_threads)
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, peer.predict_proba(matrix))


def test_decision_paths_equal_those_of_scikit_learn(
    peer: DecisionTreeClassifier, compiled: tuple[_core.Predictor, NDArray[np.int64]]
) -> None:
    predictor, ids = compiled
    matrix = rows_with_missing_values(9000)
    indptr, indices = predictor.decision_path(matrix)
    assert indptr.dtype == np.int64 and indices.dtype == np.int64
    expected = peer.decision_path(matrix)
    deepest = np.maximum.reduceat(expected.indices, expected.indptr[:-1])
    if not np.array_equal(deepest, peer.apply(matrix)):
        pytest.skip("the paths of this scikit-learn ignore missing values: they do not end in its own leaves")
    np.testing.assert_array_equal(indptr, expected.indptr)
    for i in range(0, 9000, 7):
        path = indices[indptr[i] : indptr[i + 1]]
        assert (np.diff(path) > 0).all()
        assert set(ids[path]) == set(expected.indices[indptr[i] : indptr[i + 1]])


def test_several_trees_give_a_column_of_leaves_each_and_the_sum_of_their_values(
    peer: DecisionTreeClassifier,
) -> None:
    arrays, _ = arrays_from_sklearn(peer.tree_)
    forest = _core.Predictor([arrays, arrays], N_CODES)
    single = _core.Predictor([arrays], N_CODES)
    matrix = rows_with_missing_values(100)
    assert (forest.n_trees, forest.n_features, forest.n_outputs) == (2, 6, 3)
    np.testing.assert_array_equal(forest.apply(matrix), np.repeat(single.apply(matrix), 2, axis=1))
    np.testing.assert_array_equal(forest.values(matrix), 2 * single.values(matrix))
    with pytest.raises(ValueError, match="single tree"):
        forest.decision_path(matrix)


def test_no_rows_give_empty_results(compiled: tuple[_core.Predictor, NDArray[np.int64]]) -> None:
    predictor, _ = compiled
    empty = np.zeros((0, 6))
    assert predictor.apply(empty).shape == (0, 1)
    assert predictor.values(empty).shape == (0, 3)
    indptr, indices = predictor.decision_path(empty)
    assert indptr.tolist() == [0] and indices.size == 0


def test_matrices_of_the_wrong_shape_or_type_are_refused(
    compiled: tuple[_core.Predictor, NDArray[np.int64]],
) -> None:
    predictor, _ = compiled
    with pytest.raises(ValueError, match="The matrix has 5 columns, expected 6"):
        predictor.apply(np.zeros((3, 5)))
    for wrong in (
        np.zeros(6),
        np.zeros((1, 6, 1)),
        np.zeros((1, 6), int),
        np.array(1.0),
        np.zeros((1, 6), ">f8"),
    ):
        with pytest.raises(TypeError):
            predictor.apply(wrong)
        with pytest.raises(TypeError):
            predictor.values(wrong)


def test_a_predictor_needs_a_tree() -> None:
    with pytest.raises(ValueError, match="at least one tree"):
        _core.Predictor([], N_CODES)


def test_one_predictor_serves_several_threads_at_once(
    compiled: tuple[_core.Predictor, NDArray[np.int64]],
) -> None:
    predictor, _ = compiled
    matrix = rows_with_missing_values(20_000)
    expected = predictor.values(matrix)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: predictor.values(matrix, 2), range(8)):
            np.testing.assert_array_equal(found, expected)


def chain(n_levels: int) -> Arrays:
    """Node k is split at k + 0.5, its left child is a leaf."""
    n = 2 * n_levels + 1
    node = np.arange(n)
    inner = (node % 2 == 0) & (node < n - 1)
    return {
        "kind": inner.astype(np.uint8),
        "feature": np.where(inner, 0, -1).astype(np.int32),
        "first_child": np.where(inner, node + 1, -1).astype(np.int32),
        "n_children": np.where(inner, 2, 0).astype(np.uint32),
        "threshold": np.where(inner, node / 2 + 0.5, np.nan),
        "table": np.full(n, -1, np.int64),
        "missing": np.zeros(n, np.uint32),
        "value": np.where(node % 2 == 1, (node - 1) / 2, n_levels).reshape(-1, 1),
        "rows": np.ones(n, np.int64),
        "weight": np.ones(n),
        "loss": np.zeros(n),
        "gain": np.zeros(n),
        "tables": np.zeros(0, np.uint32),
    }


def test_a_tree_of_100000_levels_predicts() -> None:
    predictor = _core.Predictor([chain(100_000)], np.zeros(1, np.uint32))
    matrix = np.array([0.0, 5, 99_999, 100_000, 1e9]).reshape(-1, 1)
    assert predictor.values(matrix)[:, 0].tolist() == [0, 5, 99_999, 100_000, 100_000]
    indptr, _ = predictor.decision_path(matrix)
    assert np.diff(indptr).tolist() == [2, 7, 100_001, 100_001, 100_001]


@pytest.mark.skipif(
    not hasattr(signal, "pthread_kill") or threading.current_thread() is not threading.main_thread(),
    reason="needs POSIX signals and the main thread",
)
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_stops_a_long_prediction(n_threads: int) -> None:
    predictor = _core.Predictor([chain(100_000)], np.zeros(1, np.uint32))
    matrix = np.full((1_000_000, 1), 1e9)  # would take minutes
    timer = threading.Timer(0.3, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    begin = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        predictor.apply(matrix, n_threads)
    timer.join()
    assert time.perf_counter() - begin < 5  # generous: the machine may be busy
