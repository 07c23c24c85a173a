"""The number of threads changes no bit of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright import CARTClassifier, CARTRegressor

ROWS = 20_000


def make_frame() -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Enough rows for the work to be shared: reals, repeated values, gaps and a category column."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=ROWS) for i in range(6)})
    frame["x1"] = frame["x1"].round(1)
    frame.loc[rng.random(ROWS) < 0.1, "x2"] = np.nan
    letters = rng.integers(0, 12, size=ROWS)
    frame["letter"] = pd.Categorical.from_codes(letters, list("abcdefghijkl"))
    signal = frame["x0"] + frame["x1"] * frame["x3"] + np.isin(letters, [1, 5, 7])
    return frame, (signal + rng.normal(size=ROWS)).to_numpy()


def assert_same(trees: list[dict[str, Any]]) -> None:
    """Compare all arrays bit for bit."""
    for other in trees[1:]:
        for name, array in trees[0].items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)


@pytest.mark.parametrize(
    "limits", [{"max_depth": 12}, {"max_leaf_nodes": 200}], ids=["depth first", "best first"]
)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_one_two_and_eight_threads_grow_the_same_tree(criterion: str, limits: dict[str, Any]) -> None:
    frame, y = make_frame()
    trees = []
    for jobs in (1, 2, 8):
        if criterion in {"gini", "entropy"}:
            learner: Any = CARTClassifier(criterion=criterion, n_jobs=jobs, **limits)
            learner.fit(frame, np.digitize(y, [-1, 0.5]))
        else:
            learner = CARTRegressor(criterion=criterion, n_jobs=jobs, **limits)
            learner.fit(frame, np.exp(y / 4) if criterion == "poisson" else y)
        trees.append(learner.tree_.to_arrays())
    assert_same(trees)


def test_one_two_and_eight_threads_grow_the_same_tree_of_medians() -> None:
    frame, y = make_frame()
    numbers = frame.drop(columns="letter")[:4000]
    assert_same(
        [
            CARTRegressor(criterion="absolute_error", max_depth=8, n_jobs=jobs)
            .fit(numbers, y[:4000])
            .tree_.to_arrays()
            for jobs in (1, 2, 8)
        ]
    )


def test_one_two_and_eight_threads_predict_the_same() -> None:
    frame, y = make_frame()
    results = []
    for jobs in (1, 2, 8):
        learner = CARTRegressor(max_depth=10, n_jobs=jobs).fit(frame, y)
        results.append((learner.predict(frame), learner.apply(frame)))
    for predictions, leaves in results[1:]:
        np.testing.assert_array_equal(predictions, results[0][0])
        np.testing.assert_array_equal(leaves, results[0][1])
