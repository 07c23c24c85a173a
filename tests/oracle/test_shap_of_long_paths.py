"""Values of trees whose paths have many features, beside sums over sizes of sets, leaf by leaf."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright
from tests.oracle.reference_shap import PlainTree

N_ROWS, N_FEATURES = 400, 24


def table(seed: int, *, n_rows: int, missing: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {f"x{i}": rng.normal(size=n_rows).round(1) for i in range(N_FEATURES - 4)}
    columns |= {f"c{i}": rng.choice(list("abcde"), n_rows) for i in range(4)}
    frame = pd.DataFrame(columns)
    return frame.mask(rng.random(frame.shape) < missing)


ESTIMATORS: dict[str, Any] = {
    "one number": treewright.ExtraTreesRegressor(2, max_features=1, random_state=0),
    "two classes": treewright.RandomForestClassifier(2, max_features=2, random_state=0),
    "five classes": treewright.RandomForestClassifier(2, max_features=2, random_state=0),
    "surrogates": treewright.CARTRegressor(surrogates=2),
    "several branches": treewright.C45Classifier(prune=None, min_samples_leaf=1),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_leaves_of_long_paths_give_what_the_definition_says(name: str) -> None:
    missing = 0.0 if name == "several branches" else 0.05  # there such rows would take every branch
    n_rows = 4 * N_ROWS if name == "several branches" else N_ROWS  # its trees are flatter
    X, rng = table(1, n_rows=n_rows, missing=missing), np.random.default_rng(2)
    y = rng.normal(size=n_rows)
    if name not in ("one number", "surrogates"):
        y = pd.cut(y, 5 if name == "five classes" else 2, labels=False)
    model = ESTIMATORS[name].fit(X, y)
    asked = table(3, n_rows=3, missing=missing)
    if missing:
        asked.loc[2, "c1"] = "never seen"
    fitted, matrix, _ = model._encode(asked)
    n_outputs = 1 if fitted.classes is None else len(fitted.classes)
    expected = np.zeros((len(asked), fitted.n_features, n_outputs))
    longest = 0
    for tree in fitted.trees:
        arrays = tree.to_arrays()
        values = np.asarray(arrays["value"], dtype=np.float64)
        plain = PlainTree(arrays, fitted.schema.n_codes, values)
        for row in range(len(asked)):
            expected[row] += plain.leaf_by_leaf(matrix[row], fitted.n_features) / len(fitted.trees)
        longest = max(longest, plain.longest)
    found = model.shap(asked).values
    assert longest > (7 if name == "several branches" else 10)  # more than tables by pattern hold
    assert found.reshape(expected.shape) == pytest.approx(expected, abs=1e-12)
    others = table(5, n_rows=3, missing=missing)
    against = np.zeros_like(expected)
    for tree in fitted.trees:
        arrays = tree.to_arrays()
        plain = PlainTree(arrays, fitted.schema.n_codes, np.asarray(arrays["value"], dtype=np.float64))
        for row in range(len(asked)):
            for other in model._encode(others)[1]:
                share = 1 / (len(fitted.trees) * len(others))
                against[row] += share * plain.leaf_by_leaf(matrix[row], fitted.n_features, other)
    if name != "surrogates":  # their other columns stand in for it: no product of features
        found_against = model.shap(asked, background=others).values
        assert found_against.reshape(expected.shape) == pytest.approx(against, abs=1e-12)
    many = pd.concat([table(4, n_rows=301, missing=missing), asked])
    for n_jobs in (1, 3):
        again = model.set_params(n_jobs=n_jobs).shap(many).values[-len(asked) :]
        assert np.array_equal(again, found)
