"""Every estimator divides its answer among the features: values add up, whatever threads and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.contract.entries import ENTRIES, make_entry

EXPLAINED = [entry for entry in ENTRIES if entry != ("adaboost", "regression")]


def rows_of(entry: tuple[str, str], n_classes: int = 3) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(list("abcd"), n),
            "age": rng.normal(size=n),
            "flag": rng.choice(["yes", "no"], n),
        }
    )
    y = frame["size"] * (frame["flag"] == "yes") + 2 * (frame["colour"] == "a") + frame["age"]
    if entry[0] == "id3":
        return frame[["colour", "flag"]], pd.qcut(y, n_classes, labels=False)
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    return frame, (pd.qcut(y, n_classes, labels=False) if entry[1] == "classification" else y)


def answers(estimator: Any, X: Any) -> Any:
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    return estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else estimator.predict(X)


@pytest.mark.parametrize("entry", EXPLAINED, ids="-".join)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_base_and_values_add_up_to_the_answer(entry: tuple[str, str], n_classes: int) -> None:
    X, y = rows_of(entry, n_classes)
    estimator = make_entry(entry).fit(X, y)
    report = estimator.shap(X, interactions=True)
    answer = answers(estimator, X)
    assert report.values.shape == (len(X), X.shape[1], *answer.shape[1:])
    assert report.base_values.shape == answer.shape
    assert np.abs(report.predictions - answer).max() <= 1e-10 * np.abs(answer).max()
    assert report.interactions.sum(axis=2) == pytest.approx(report.values, abs=1e-12)
    assert np.array_equal(report.interactions, report.interactions.swapaxes(1, 2))


@pytest.mark.parametrize("entry", EXPLAINED, ids="-".join)
def test_a_background_gives_the_difference_to_its_mean(entry: tuple[str, str]) -> None:
    X, y = rows_of(entry)
    estimator = make_entry(entry).fit(X, y)
    report = estimator.shap(X[:60], background=X[60:100], interactions=True)
    mean = answers(estimator, X[60:100]).mean(axis=0)
    assert report.base_values == pytest.approx(np.broadcast_to(mean, report.base_values.shape), rel=1e-6)
    assert report.predictions == pytest.approx(answers(estimator, X[:60]), rel=1e-10, abs=1e-12)
    assert report.interactions.sum(axis=2) == pytest.approx(report.values, abs=1e-12)
    parts = estimator.set_params(n_jobs=2).iter_shap(X[:60], background=X[60:100], batch_size=7)
    assert np.array_equal(np.concatenate([part.values for part in parts]), report.values)


@pytest.mark.parametrize("entry", EXPLAINED, ids="-".join)
def test_threads_and_batches_change_no_bit(entry: tuple[str, str]) -> None:
    X, y = rows_of(entry)
    estimator = make_entry(entry).fit(X, y)
    whole = estimator.set_params(n_jobs=1).shap(X, interactions=True)
    parts = list(estimator.set_params(n_jobs=2).iter_shap(X, batch_size=37, interactions=True))
    assert [len(part) for part in parts] == [37] * 10 + [30]
    for name in ("values", "base_values", "interactions", "data"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(joined, getattr(whole, name), equal_nan=True), name
    assert np.array_equal(estimator.shap(X[5:6]).values, whole.values[5:6])


def test_a_weighted_median_is_refused_with_a_reason() -> None:
    X, y = rows_of(("adaboost", "regression"))
    estimator = make_entry(("adaboost", "regression")).fit(X, y)
    with pytest.raises(ValueError, match=r"weighted median.*estimators_\[i\]"):
        estimator.shap(X)
    assert len(estimator.estimators_[0].shap(X)) == len(X)


@pytest.mark.parametrize("entry", EXPLAINED, ids="-".join)
def test_other_columns_than_in_fit_are_refused(entry: tuple[str, str]) -> None:
    X, y = rows_of(entry)
    estimator = make_entry(entry).fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        estimator.shap(X.rename(columns={"colour": "farbe"}))
