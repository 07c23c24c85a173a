"""`_core.ForestPredictor` against scikit-learn's forests and single trees; arrays that are no forest."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier
from tests.unit.core.forest_arrays import (
    N_CODES,
    Arrays,
    bootstrap_rule,
    dataset_of,
    labels_of,
    matrix_of,
    random_columns,
    sklearn_forest,
)

from treewright import _core

N_TREES = 12


def grow(columns: list[NDArray[Any]], target: NDArray[Any], **plan_values: Any) -> Arrays:
    plan = _core.GrowPlan()
    for name, value in plan_values.items():
        setattr(plan, name, value)
    dataset, rule = dataset_of(columns), bootstrap_rule(len(target))
    if target.dtype == np.int32:
        return _core.grow_class_forest(dataset, target, 3, None, plan, rule, 0, N_TREES)
    plan.criterion = _core.Criterion.squared_error
    return _core.grow_mean_forest(dataset, target, None, plan, rule, 0, N_TREES)


@pytest.fixture(scope="module")
def columns() -> list[NDArray[Any]]:
    return random_columns(800)


@pytest.fixture(scope="module")
def class_forest(columns: list[NDArray[Any]]) -> Arrays:
    return grow(columns, labels_of(columns), max_features=2)


@pytest.fixture(scope="module")
def mean_forest(columns: list[NDArray[Any]]) -> Arrays:
    return grow(columns, labels_of(columns) + columns[0], max_features=2)


def numbers(n_rows: int, dtype: Any, missing: bool = False) -> NDArray[Any]:
    random = np.random.default_rng(5)
    matrix = random.normal(size=(n_rows, 6)).round(3).astype(dtype)
    if missing:
        matrix[random.random(matrix.shape) < 0.1] = np.nan
    return matrix


LAYOUTS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "C order": np.ascontiguousarray,
    "F order": np.asfortranarray,
    "every second column": lambda matrix: np.repeat(matrix, 2, axis=1)[:, ::2],
    "backwards": lambda matrix: np.ascontiguousarray(matrix[::-1, ::-1])[::-1, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_are_those_of_the_same_scikit_learn_forest(layout: str, dtype: Any) -> None:
    matrix = numbers(700, np.float32, missing=True)
    labels = (np.nan_to_num(matrix[:, 0] * matrix[:, 1]) > 0).astype(int) + (matrix[:, 2] > 1)
    peer = RandomForestClassifier(15, random_state=0, max_depth=7).fit(matrix, labels)
    arrays, ids = sklearn_forest(peer, has_classes=True)
    predictor = _core.ForestPredictor(arrays, np.zeros(6, np.uint32))
    asked = LAYOUTS[layout](matrix.astype(dtype))
    np.testing.assert_allclose(predictor.values(asked, 2), peer.predict_proba(matrix), rtol=0, atol=1e-15)
    leaves = predictor.apply(asked)
    expected = peer.apply(matrix)
    for tree, order in enumerate(ids):
        np.testing.assert_array_equal(order[leaves[:, tree]], expected[:, tree])


def test_means_are_those_of_the_same_scikit_learn_forest() -> None:
    matrix = numbers(700, np.float64)
    peer = ExtraTreesRegressor(15, random_state=0).fit(matrix, matrix[:, 0] * matrix[:, 1])
    arrays, _ = sklearn_forest(peer, has_classes=False)
    predictor = _core.ForestPredictor(arrays, np.zeros(6, np.uint32))
    asked = matrix.astype(np.float32)  # scikit-learn rounds, Treewright compares what it is given
    np.testing.assert_allclose(predictor.values(asked)[:, 0], peer.predict(asked), rtol=1e-14)
    each = np.column_stack([tree.predict(asked) for tree in peer.estimators_])
    np.testing.assert_array_equal(predictor.leaf_values(asked), each)


@pytest.mark.parametrize("name", ["class_forest", "mean_forest"])
@pytest.mark.parametrize("n_rows", [1, 5, 800])
def test_a_forest_predicts_what_its_unpacked_trees_predict(
    name: str, n_rows: int, columns: list[NDArray[Any]], request: pytest.FixtureRequest
) -> None:
    arrays: Arrays = request.getfixturevalue(name)
    criterion = _core.Criterion.gini if name == "class_forest" else _core.Criterion.squared_error
    matrix = matrix_of(columns)[:n_rows]
    matrix[0, 2] = 6  # a category that training did not see
    predictor = _core.ForestPredictor(arrays, N_CODES)
    trees = [_core.unpack_tree(arrays, tree, criterion) for tree in range(N_TREES)]
    single = [_core.Predictor([tree], N_CODES) for tree in trees]
    together = _core.Predictor(trees, N_CODES)
    np.testing.assert_array_equal(predictor.values(matrix), together.values(matrix) / N_TREES)
    np.testing.assert_array_equal(predictor.apply(matrix), together.apply(matrix))
    if name == "class_forest":
        classes = np.column_stack([tree.values(matrix).argmax(axis=1) for tree in single])
        np.testing.assert_array_equal(predictor.leaf_values(matrix), classes)
        shares = np.column_stack([(classes == k).sum(axis=1) for k in range(3)]) / N_TREES
        np.testing.assert_array_equal(predictor.votes(matrix), shares)
        np.testing.assert_array_equal(together.votes(matrix), shares)
    else:
        values = np.column_stack([tree.values(matrix)[:, 0] for tree in single])
        np.testing.assert_array_equal(predictor.leaf_values(matrix), values)


def test_predictions_do_not_depend_on_threads_or_on_the_other_rows(
    class_forest: Arrays, columns: list[NDArray[Any]]
) -> None:
    predictor = _core.ForestPredictor(class_forest, N_CODES)
    matrix = np.tile(matrix_of(columns), (40, 1))
    values = predictor.values(matrix, 1)
    np.testing.assert_array_equal(predictor.values(matrix, 2), values)
    np.testing.assert_array_equal(predictor.values(matrix, 3), values)
    np.testing.assert_array_equal(
        np.vstack([predictor.values(matrix[i : i + 1]) for i in range(50)]), values[:50]
    )
    np.testing.assert_array_equal(predictor.votes(matrix, 2), predictor.votes(matrix, 1))


def test_an_unpacked_tree_adds_up(class_forest: Arrays, columns: list[NDArray[Any]]) -> None:
    tree = _core.unpack_tree(class_forest, 0, _core.Criterion.gini)
    labels = labels_of(columns)
    counts = _core.draw_bag(bootstrap_rule(len(labels)), len(labels), 0)
    shares = np.bincount(labels, counts, minlength=3) / counts.sum()
    np.testing.assert_allclose(tree["value"][0], shares, rtol=1e-12)
    np.testing.assert_allclose(tree["loss"][0], counts.sum() * (1 - (shares**2).sum()), rtol=1e-12)
    assert tree["rows"][0] == (counts > 0).sum()
    inner = np.flatnonzero(tree["kind"])
    first = tree["first_child"][inner]
    gain = tree["loss"][inner] - tree["loss"][first] - tree["loss"][first + 1]
    np.testing.assert_allclose(tree["gain"][inner], gain, atol=1e-9)


def test_a_regression_tree_knows_its_gains_but_not_its_losses(mean_forest: Arrays) -> None:
    tree = _core.unpack_tree(mean_forest, 1, _core.Criterion.squared_error)
    assert np.isnan(tree["loss"]).all()
    assert (tree["gain"][tree["kind"] > 0] > 0).all()
    assert np.isnan(_core.unpack_tree(mean_forest, 1, _core.Criterion.absolute_error)["gain"][0])


def test_a_tree_that_does_not_exist_cannot_be_unpacked(class_forest: Arrays) -> None:
    with pytest.raises(ValueError, match="no tree 12"):
        _core.unpack_tree(class_forest, N_TREES, _core.Criterion.gini)
    with pytest.raises(ValueError, match="criterion"):
        _core.unpack_tree(class_forest, 0, _core.Criterion.squared_error)


def damaged(arrays: Arrays, name: str, at: Any, value: Any) -> Arrays:
    changed = {**arrays, name: arrays[name].copy()}
    changed[name][at] = value
    return changed


@pytest.mark.parametrize(
    ("name", "at", "value", "words"),
    [
        ("begin", 0, 1, "does not start with 0"),
        ("begin", 1, 2**62, "ascending|too many nodes"),
        ("begin", -1, 3, "does not end"),
        ("child", 0, 0, "do not come after"),
        ("child", 0, 2**32 - 1, "outside the tree"),
        ("number", 0, np.nan, "threshold|table"),
        ("feature", 0, 99, "feature 99"),
        ("feature", 0, -5, "feature -5"),
        ("flags", 0, 255, "flags"),
        ("weight", 3, np.nan, "weight"),
        ("distributions", (0, 0), np.nan, "shares"),
        ("distributions", (0, 1), np.inf, "shares"),
        ("tables", 0, 7, "format 7|table"),
        ("tables", 1, 2**32 - 1, "table"),
    ],
)
def test_damaged_arrays_raise(class_forest: Arrays, name: str, at: Any, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _core.ForestPredictor(damaged(class_forest, name, at, value), N_CODES)


@pytest.mark.parametrize("name", ["begin", "number", "child", "feature", "flags", "weight", "rows", "tables"])
def test_arrays_of_another_type_shape_or_length_raise(class_forest: Arrays, name: str) -> None:
    array = class_forest[name]
    for wrong in [
        array.astype(complex),
        array[:, np.newaxis],
        np.repeat(array, 2)[::2],
        array.tolist(),
        None,
    ]:
        with pytest.raises(ValueError, match=f"'{name}' must be"):
            _core.ForestPredictor({**class_forest, name: wrong}, N_CODES)
    with pytest.raises(ValueError, match=f"'{name}' is missing"):
        _core.ForestPredictor({key: array for key, array in class_forest.items() if key != name}, N_CODES)
    with pytest.raises(ValueError, match="Not a valid forest"):
        _core.ForestPredictor({**class_forest, name: array[:-1].copy()}, N_CODES)


def test_random_bytes_never_end_the_process(class_forest: Arrays, columns: list[NDArray[Any]]) -> None:
    random = np.random.default_rng(0)
    matrix = matrix_of(columns)[:20]
    names = ["begin", "number", "child", "feature", "flags", "weight", "distributions", "tables"]
    outcomes = set()
    for _ in range(300):
        name = names[random.integers(len(names))]
        changed = {**class_forest, name: class_forest[name].copy()}
        changed[name].reshape(-1).view(np.uint8)[random.integers(changed[name].nbytes)] = random.integers(256)
        try:
            _core.ForestPredictor(changed, N_CODES).values(matrix)
            _core.unpack_tree(changed, 3, _core.Criterion.gini)
            outcomes.add("walked")
        except ValueError:
            outcomes.add("refused")
    assert outcomes == {"walked", "refused"}


def test_wrong_matrices_are_refused(class_forest: Arrays, mean_forest: Arrays) -> None:
    predictor = _core.ForestPredictor(class_forest, N_CODES)
    with pytest.raises(ValueError, match="4 columns, expected 5"):
        predictor.values(np.zeros((3, 4)))
    for wrong in [np.zeros(5), np.zeros((3, 5), int)]:
        with pytest.raises(TypeError, match="2-D and of float32 or float64"):
            predictor.values(wrong)
    with pytest.raises(ValueError, match="do not vote"):
        _core.ForestPredictor(mean_forest, N_CODES).votes(np.zeros((3, 5)))
    assert predictor.values(np.zeros((0, 5))).shape == (0, 3)


def test_a_forest_of_leaves_predicts(columns: list[NDArray[Any]]) -> None:
    arrays = grow(columns, labels_of(columns), max_depth=0)
    predictor = _core.ForestPredictor(arrays, N_CODES)
    for n_rows in (1, 20):
        assert np.ptp(predictor.values(matrix_of(columns)[:n_rows]), axis=0).max() == 0


def test_one_predictor_serves_many_threads_at_once(class_forest: Arrays, columns: list[NDArray[Any]]) -> None:
    predictor = _core.ForestPredictor(class_forest, N_CODES)
    matrix = matrix_of(columns)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: predictor.values(matrix), range(8)))
    for values in found:
        np.testing.assert_array_equal(values, found[0])


def test_a_predictor_keeps_the_arrays_that_it_reads(columns: list[NDArray[Any]]) -> None:
    arrays = grow(columns, labels_of(columns) + columns[0])
    matrix = matrix_of(columns)
    expected = _core.ForestPredictor(arrays, N_CODES).values(matrix)
    predictor = _core.ForestPredictor({**arrays}, N_CODES)
    arrays.clear()
    np.testing.assert_array_equal(predictor.values(matrix), expected)


def test_ctrl_c_stops_a_prediction(class_forest: Arrays, columns: list[NDArray[Any]]) -> None:
    predictor = _core.ForestPredictor(class_forest, N_CODES)
    matrix = np.tile(matrix_of(columns), (2500, 1))
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    start = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            predictor.values(matrix, 2)
    timer.join()
    assert time.perf_counter() - start < 5
