"""Odd but legal tables, and what an estimator must not do to its surroundings."""

import os
import pathlib
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from tests.contract.data import mixed_frame, numeric_table, trees_of
from treewright.exceptions import ConstantTargetWarning


def known_rows(X, y):
    """Return the rows without a missing value."""
    known = ~pd.DataFrame(X).isna().any(axis=1).to_numpy()
    return X[known], y[known]


def test_a_constant_target_gives_a_constant_model_and_only_boosters_warn(new, task, is_booster):
    X, _ = numeric_table(task)
    with pytest.warns(ConstantTargetWarning) if is_booster else nullcontext():
        estimator = new().fit(X, np.full(len(X), 7))
    for tree in [] if is_booster else trees_of(estimator):
        assert (tree.max_depth, tree.n_leaves, tree.node_count) == (0, 1, 1)
    assert (estimator.predict(X) == 7).all()
    assert estimator.feature_importances_.tolist() == [0, 0, 0, 0]
    if task == "classification":
        assert estimator.predict_proba(X).tolist() == [[1.0]] * len(X)


def test_one_row_is_enough(new, task, is_booster):
    if is_booster:
        pytest.skip("boosters need a target that varies")
    estimator = new().fit([[1.0, np.nan]], [3])
    assert estimator.predict([[5.0, 5.0], [np.nan, np.nan]]).tolist() == [3, 3]


def test_a_column_without_a_known_value_is_ignored(new, task, answer, draws_features, shallow):
    X, y = numeric_table(task)
    empty = np.column_stack([np.full(len(X), np.nan), X])
    estimator = new(**shallow).fit(empty, y)
    assert estimator.feature_importances_[0] == 0
    if draws_features:
        return  # the other columns have other numbers now, so that others are drawn
    np.testing.assert_array_equal(answer(estimator, empty), answer(new(**shallow).fit(X, y), X))
    empty[:, 0] = 1.0
    np.testing.assert_array_equal(answer(estimator, empty), answer(new(**shallow).fit(X, y), X))


def test_columns_without_any_value_give_a_single_leaf(new, entry):
    X = np.full((10, 2), np.nan)
    if entry == ("adaboost", "classification"):
        with pytest.raises(ValueError, match="no better than chance for 2 classes"):
            new().fit(X, [0, 1] * 5)
        return
    assert all(tree.n_leaves == 1 for tree in trees_of(new().fit(X, [0, 1] * 5)))
    frame = pd.DataFrame({"a": [None] * 10, "b": pd.Categorical([None] * 10, categories=["x", "y"])})
    assert all(tree.n_leaves == 1 for tree in trees_of(new().fit(frame, [0, 1] * 5)))


@pytest.mark.parametrize("missing", ["default", "learned", "majority", "surrogate"])
def test_unseen_categories_and_missing_values_are_predicted(new, task, answer, accepts, missing):
    if missing != "default" and not accepts("missing"):
        pytest.skip("the algorithm has one rule for missing values")
    frame, y = mixed_frame(task)
    estimator = new(**({} if missing == "default" else {"missing": missing})).fit(frame, y)
    odd = frame.assign(city="Atlantis")
    assert np.isfinite(answer(estimator, odd)).all()
    nothing = frame.head(3).assign(**{"age [years]": np.nan, "city": None, "member?": None})
    assert np.isfinite(answer(estimator, nothing)).all()
    declared = frame.assign(
        city=frame["city"].astype(pd.CategoricalDtype(["北京", "Atlantis", "Paris", "Rom", "København"]))
    )
    np.testing.assert_array_equal(answer(estimator, declared), answer(estimator, frame))


def test_infinite_values_are_the_largest_and_smallest(new, entry, task, answer, whole):
    if entry[0] == "extra_trees":
        pytest.skip("cuts are drawn between the smallest and the largest value, whatever these are")
    X, y = numeric_table(task)
    X[::9, 0], X[4::9, 0] = np.inf, -np.inf
    finite = np.where(np.isinf(X), np.sign(X) * 1e6, X)
    # A row outside of a bag may lie between a finite value and its infinite neighbour.
    np.testing.assert_allclose(answer(new(**whole).fit(X, y), X), answer(new(**whole).fit(finite, y), finite))


@pytest.mark.parametrize(
    "names", [["my age", "a,b", "[x]<1>"], ["größe", "北京", "😀"], ["", " ", "\n"], ["x", "x ", "X"]]
)
def test_any_column_names_are_kept_verbatim(new, task, names):
    X, y = numeric_table(task)
    frame = pd.DataFrame(X[:, :3], columns=names)
    estimator = new(max_depth=2).fit(frame, y)
    assert estimator.feature_names_in_.tolist() == names
    split = next(node.split for node in estimator.model_.view(0) if not node.is_leaf)
    assert split.describe(0).startswith(split.feature.name)
    assert split.feature.name in names
    estimator.predict(frame)


def test_reordered_renamed_or_missing_columns_are_refused(new, task):
    frame, y = mixed_frame(task)
    estimator = new().fit(frame, y)
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        estimator.predict(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- town"):
        estimator.predict(frame.rename(columns={"city": "town"}))
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- city"):
        estimator.predict(frame.drop(columns="city"))


@pytest.mark.parametrize("table", [numeric_table, mixed_frame])
def test_the_counts_of_the_nodes_are_those_of_the_decision_paths(new, task, table, whole, is_booster):
    if is_booster:
        pytest.skip("boosters have no decision path")
    X, y = table(task)
    estimator = new(**whole).fit(X, y)
    path = estimator.decision_path(X)
    passed = np.asarray((path[0] if whole else path).sum(axis=0)).ravel()
    counts = np.concatenate([tree.n_node_samples for tree in trees_of(estimator)])
    np.testing.assert_array_equal(passed, counts)


@pytest.mark.parametrize("table", [numeric_table, mixed_frame])
def test_the_counts_of_the_leaves_are_those_that_apply_finds(new, task, shares_rows, table, whole):
    X, y = table(task)
    if shares_rows:
        X, y = known_rows(X, y)
    estimator = new(**whole).fit(X, y)
    leaves = estimator.apply(X).reshape(len(X), -1)
    for number, tree in enumerate(trees_of(estimator)):
        ends = np.bincount(leaves[:, number], minlength=tree.node_count)
        leaf = tree.n_children == 0
        np.testing.assert_array_equal(ends[leaf], tree.n_node_samples[leaf])


def test_the_decision_path_is_a_csr_matrix_from_the_root_to_the_leaf(
    new, task, shares_rows, is_forest, is_booster
):
    if is_booster:
        pytest.skip("boosters have no decision path")
    X, y = numeric_table(task)
    if shares_rows:
        X, y = known_rows(X, y)
    estimator = new(max_depth=3).fit(X, y)
    path, leaves = estimator.decision_path(X), estimator.apply(X).reshape(len(X), -1)
    trees = trees_of(estimator)
    if is_forest:
        path, begin = path
        assert begin.tolist() == np.cumsum([0, *(tree.node_count for tree in trees)]).tolist()
        parts = [path[:, first:last] for first, last in pairwise(begin)]
    else:
        parts = [path]
    for tree, part, ends in zip(trees, parts, leaves.T, strict=True):
        assert part.format == "csr"
        assert part.shape == (len(X), tree.node_count)
        for row, leaf in enumerate(ends):
            nodes = part.indices[part.indptr[row] : part.indptr[row + 1]]
            assert nodes[0] == 0
            assert nodes[-1] == leaf
            assert len(nodes) == tree.node_depths[leaf] + 1


def test_sparse_input_equals_dense_input(new, task, answer):
    X, y = numeric_table(task)
    X = np.where(np.abs(np.nan_to_num(X)) < 0.7, 0.0, np.nan_to_num(X))
    expected = answer(new().fit(X, y), X)
    np.testing.assert_array_equal(answer(new().fit(csr_matrix(X), y), csr_matrix(X)), expected)


def test_arrays_passed_in_are_not_touched(new, task):
    X, y = numeric_table(task)
    weights = np.ones(len(y))
    before = X.copy(), y.copy(), weights.copy()
    new().fit(X, y, sample_weight=weights).predict(X)
    for now, then in zip((X, y, weights), before, strict=True):
        np.testing.assert_array_equal(now, then)
    frame, y = mixed_frame(task)
    copied = frame.copy()
    new().fit(frame, y).predict(frame)
    pd.testing.assert_frame_equal(frame, copied)


def test_read_only_memory_mapped_input_works(new, task, tmp_path, answer):
    X, y = numeric_table(task)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", y)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r"), np.load(tmp_path / "y.npy", mmap_mode="r")
    estimator = new().fit(*mapped)
    np.testing.assert_array_equal(answer(estimator, mapped[0]), answer(new().fit(X, y), X))


def test_several_threads_may_use_one_estimator(new, task, answer):
    X, y = numeric_table(task, 3000)
    estimator = new().fit(X, y)
    expected = answer(estimator, X)
    fresh = type(estimator).from_model(estimator.model_.with_trees(estimator.model_.trees))
    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(lambda _: answer(fresh, X), range(24)):
            np.testing.assert_array_equal(found, expected)


def test_several_threads_may_fit_at_once(new, task):
    X, y = numeric_table(task, 1000)
    expected = new().fit(X, y).predict(X)
    with ThreadPoolExecutor(4) as pool:
        for fitted in pool.map(lambda _: new(n_jobs=2).fit(X, y), range(8)):
            np.testing.assert_array_equal(fitted.predict(X), expected)


def test_fit_prints_nothing_and_writes_no_file(new, entry, task, tmp_path):
    root = pathlib.Path(__file__).parents[2]
    script = f"""
        import warnings
        from tests.contract.data import mixed_frame
        from treewright import make
        from treewright.exceptions import ManySymbolsWarning
        warnings.simplefilter("ignore", ManySymbolsWarning)
        X, y = mixed_frame({task!r}, 3000)
        make({entry[0]!r}, {task!r}, n_jobs=2).fit(X, y).predict(X)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "src")])}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)],
        cwd=tmp_path, env=environment, capture_output=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_can_fit_and_predict(new, task):
    X, y = numeric_table(task, 20_000)
    expected = new(n_jobs=2).fit(X, y).predict(X)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            same = np.array_equal(new(n_jobs=2).fit(X, y).predict(X), expected)
            os.write(writer, b"same" if same else b"different")
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read() == b"same"
    os.waitpid(child, 0)


def test_an_interrupted_or_failed_fit_leaves_the_estimator_unfitted(new):
    estimator = new()
    with pytest.raises(ValueError, match="inconsistent"):
        estimator.fit([[1.0], [2.0]], [1])
    assert not hasattr(estimator, "model_")
