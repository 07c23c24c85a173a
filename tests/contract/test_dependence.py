"""Every estimator says how its answers depend on features, equal to predicting every row and value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence, permutation_importance

from tests.contract.entries import ENTRIES, make_entry
from tests.contract.test_shap import rows_of


def answer(estimator: Any, X: Any) -> Any:
    if not hasattr(estimator, "predict_proba"):
        return estimator.predict(X)[:, np.newaxis]
    return estimator.predict_proba(X)


def brute(estimator: Any, X: pd.DataFrame, features: list[str], cells: list[tuple[Any, ...]]) -> Any:
    """Predict every row with every cell: (n_rows, n_cells, n_outputs)."""
    found = []
    for cell in cells:
        moved = X.copy()
        for feature, value in zip(features, cell, strict=True):
            moved[feature] = pd.Series([value] * len(X), dtype=X[feature].dtype, index=X.index)
        found.append(answer(estimator, moved))
    return np.stack(found, axis=1)


def close(found: Any, expected: Any) -> None:
    assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


@pytest.fixture(scope="module", params=ENTRIES, ids="-".join)
def fitted(request: pytest.FixtureRequest) -> tuple[Any, pd.DataFrame, Any]:
    X, y = rows_of(request.param)
    X, y = X[:150], y[:150]
    return make_entry(request.param).fit(X, y), X, y


def test_every_row_with_every_value_is_predicted(fitted: tuple[Any, pd.DataFrame, Any]) -> None:
    estimator, X, _ = fitted
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    for feature in X.columns:
        report = estimator.partial_dependence(
            feature, X, grid_resolution=6, kind="both", sample_weight=weights
        )
        cells = [(value,) for value in report.values[0]]
        expected = brute(estimator, X, [feature], cells)
        if report.classes is None:
            expected = expected[..., 0]
        close(report.individual, expected)
        close(report.average, np.average(expected, axis=0, weights=weights))
        alone = estimator.partial_dependence(feature, X, grid_resolution=6, sample_weight=weights)
        close(alone.average, report.average)


def test_so_is_every_pair_of_values(fitted: tuple[Any, pd.DataFrame, Any]) -> None:
    estimator, X, _ = fitted
    pair = [X.columns[0], X.columns[1]]
    report = estimator.partial_dependence(pair, X, grid_resolution=4)
    cells = [(a, b) for a in report.values[0] for b in report.values[1]]
    expected = brute(estimator, X, pair, cells).mean(axis=0).reshape(*map(len, report.values), -1)
    close(report.average, expected[..., 0] if report.classes is None else expected)


def test_threads_change_no_bit(fitted: tuple[Any, pd.DataFrame, Any]) -> None:
    estimator, X, _ = fitted
    many = pd.concat([X] * 20, ignore_index=True)
    first = estimator.set_params(n_jobs=1).partial_dependence(0, many, grid_resolution=5, kind="both")
    second = estimator.set_params(n_jobs=2).partial_dependence(0, many, grid_resolution=5, kind="both")
    assert np.array_equal(first.average, second.average)
    assert np.array_equal(first.individual, second.individual)


def test_effects_of_steps_add_up_to_a_mean_of_zero(fitted: tuple[Any, pd.DataFrame, Any]) -> None:
    estimator, X, _ = fitted
    for feature in X.columns:
        report = estimator.accumulated_effects(feature, X, n_bins=5)
        assert report.average.shape[0] == len(report.values[0])
        assert np.isfinite(report.average).all()
        if not report._numeric[0]:
            known = X[feature].dropna()
            shares = known.value_counts(normalize=True)
            weights = [shares[value] for value in report.values[0]]
            assert np.tensordot(weights, report.average, axes=1) == pytest.approx(0, abs=1e-12)


def test_effects_of_two_features_take_every_estimator(fitted: tuple[Any, pd.DataFrame, Any]) -> None:
    estimator, X, _ = fitted
    for pair in ((0, 1), (1, 0), (len(X.columns) - 1, 0)):
        report = estimator.accumulated_effects(pair, X, n_bins=3)
        assert report.average.shape[:2] == tuple(map(len, report.values))
        assert np.isfinite(report.average).all()


def test_scikit_learns_own_functions_take_every_estimator() -> None:
    for entry in ENTRIES:
        rng = np.random.default_rng(0)
        X = rng.integers(0, 4, size=(120, 3)).astype(float)
        y = X[:, 0] + X[:, 1] * (X[:, 2] > 1)
        if entry[1] == "classification":
            y = (y > 3).astype(int)
        params = {"categorical_features": [0, 1, 2]} if entry[0] == "id3" else {}
        estimator = make_entry(entry, **params).fit(X, y)
        found = partial_dependence(estimator, X, [0], kind="average", method="brute")
        own = estimator.partial_dependence(0, X)
        assert list(own.values[0]) == list(found["grid_values"][0])
        ours = own.average if own.classes is None else own.average[:, 1]
        assert ours == pytest.approx(found["average"][0], abs=1e-12), entry
        shuffled = permutation_importance(estimator, X, y, n_repeats=1, random_state=0)
        assert shuffled.importances.shape == (3, 1)


@pytest.mark.parametrize("kind", ["gain", "count", "cover", "permutation", "shap"])
def test_every_kind_of_importance(fitted: tuple[Any, pd.DataFrame, Any], kind: str) -> None:
    estimator, X, y = fitted
    if kind == "permutation":
        found = estimator.importances(kind, X=X, y=y, n_repeats=1, random_state=0)
    elif kind == "shap":
        if estimator.model_.aggregation == "weighted" and estimator.model_.classes is None:
            with pytest.raises(ValueError, match="weighted median"):
                estimator.importances(kind, X=X)
            return
        found = estimator.importances(kind, X=X)
        assert found == pytest.approx(estimator.shap(X).importance().importances_mean)
        weights = np.arange(len(X)) % 2
        assert estimator.importances(kind, X=X, sample_weight=weights) == pytest.approx(
            estimator.importances(kind, X=X[1::2])
        )
    else:
        found = estimator.importances(kind)
        lines = estimator.importances(kind, by_tree=True)
        weights = estimator.model_.arrays.get("estimator_weights") if kind == "gain" else None
        assert np.average(lines, axis=0, weights=weights) == pytest.approx(found)
        assert found.sum() == pytest.approx(1)
    if kind == "gain":
        assert np.array_equal(found, estimator.feature_importances_)
    assert found.shape == (X.shape[1],)
