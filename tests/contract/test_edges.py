"""Odd but legal tables, and what an estimator must not do to its surroundings."""

import os
import pathlib
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from tests.contract.data import mixed_frame, numeric_table


def known_rows(X, y):
    """Return the rows without a missing value."""
    known = ~pd.DataFrame(X).isna().any(axis=1).to_numpy()
    return X[known], y[known]


def test_a_constant_target_gives_a_single_leaf_without_a_warning(new, task):
    X, _ = numeric_table(task)
    estimator = new().fit(X, np.full(len(X), 7))
    assert (estimator.get_depth(), estimator.get_n_leaves(), estimator.tree_.node_count) == (0, 1, 1)
    assert (estimator.predict(X) == 7).all()
    assert estimator.feature_importances_.tolist() == [0, 0, 0, 0]
    if task == "classification":
        assert estimator.predict_proba(X).tolist() == [[1.0]] * len(X)


def test_one_row_is_enough(new):
    estimator = new().fit([[1.0, np.nan]], [3])
    assert estimator.predict([[5.0, 5.0], [np.nan, np.nan]]).tolist() == [3, 3]


def test_a_column_without_a_known_value_is_ignored(new, task, answer):
    X, y = numeric_table(task)
    empty = np.column_stack([np.full(len(X), np.nan), X])
    estimator = new().fit(empty, y)
    assert estimator.feature_importances_[0] == 0
    np.testing.assert_array_equal(answer(estimator, empty), answer(new().fit(X, y), X))
    empty[:, 0] = 1.0
    np.testing.assert_array_equal(answer(estimator, empty), answer(new().fit(X, y), X))


def test_columns_without_any_value_give_a_single_leaf(new):
    X = np.full((10, 2), np.nan)
    assert new().fit(X, [0, 1] * 5).get_n_leaves() == 1
    frame = pd.DataFrame({"a": [None] * 10, "b": pd.Categorical([None] * 10, categories=["x", "y"])})
    assert new().fit(frame, [0, 1] * 5).get_n_leaves() == 1


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


def test_infinite_values_are_the_largest_and_smallest(new, task, answer):
    X, y = numeric_table(task)
    X[::9, 0], X[4::9, 0] = np.inf, -np.inf
    finite = np.where(np.isinf(X), np.sign(X) * 1e6, X)
    np.testing.assert_allclose(answer(new().fit(X, y), X), answer(new().fit(finite, y), finite))


@pytest.mark.parametrize(
    "names", [["my age", "a,b", "[x]<1>"], ["größe", "北京", "😀"], ["", " ", "\n"], ["x", "x ", "X"]]
)
def test_any_column_names_are_kept_verbatim(new, task, names):
    X, y = numeric_table(task)
    frame = pd.DataFrame(X[:, :3], columns=names)
    estimator = new(max_depth=2).fit(frame, y)
    assert estimator.feature_names_in_.tolist() == names
    assert estimator.model_.view().root.split.describe(0).startswith(names[estimator.tree_.feature[0]])
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
def test_the_counts_of_the_nodes_are_those_of_the_decision_paths(new, task, table):
    X, y = table(task)
    estimator = new().fit(X, y)
    passed = np.asarray(estimator.decision_path(X).sum(axis=0)).ravel()
    np.testing.assert_array_equal(passed, estimator.tree_.n_node_samples)


@pytest.mark.parametrize("table", [numeric_table, mixed_frame])
def test_the_counts_of_the_leaves_are_those_that_apply_finds(new, task, shares_rows, table):
    X, y = table(task)
    if shares_rows:
        X, y = known_rows(X, y)
    estimator = new().fit(X, y)
    tree = estimator.tree_
    ends = np.bincount(estimator.apply(X), minlength=tree.node_count)
    leaf = tree.n_children == 0
    np.testing.assert_array_equal(ends[leaf], tree.n_node_samples[leaf])


def test_the_decision_path_is_a_csr_matrix_from_the_root_to_the_leaf(new, task, shares_rows):
    X, y = numeric_table(task)
    if shares_rows:
        X, y = known_rows(X, y)
    estimator = new(max_depth=3).fit(X, y)
    path, leaves = estimator.decision_path(X), estimator.apply(X)
    assert path.format == "csr"
    assert path.shape == (len(X), estimator.tree_.node_count)
    for row, leaf in enumerate(leaves):
        nodes = path.indices[path.indptr[row] : path.indptr[row + 1]]
        assert nodes[0] == 0
        assert nodes[-1] == leaf
        assert len(nodes) == estimator.tree_.node_depths[leaf] + 1


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
