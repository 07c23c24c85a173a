from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.dask.rows import FEATURES, made, saved

dd = pytest.importorskip("dask.dataframe", reason="these tests need dask")
da = pytest.importorskip("dask.array")
delayed = pytest.importorskip("dask").delayed
twd = pytest.importorskip("treewright.dask")

pytestmark = [pytest.mark.dask, pytest.mark.filterwarnings("ignore")]

SETTINGS = [
    ("LeafwiseBoostingClassifier", "late", {"n_estimators": 3}),
    ("LeafwiseBoostingClassifier", "three", {"n_estimators": 2, "subsample": 0.5, "max_features": None}),
    ("LeafwiseBoostingClassifier", "late", {"n_estimators": 6, "early_stopping": True}),
    ("LeafwiseBoostingRegressor", "y", {"n_estimators": 3, "goss": True, "monotonic_cst": {"a": 1}}),
    ("NewtonBoostingRegressor", "y", {"n_estimators": 2, "max_features_tree": 4}),
    (
        "LeafwiseBoostingRegressor",
        "y",
        {"n_estimators": 3, "target_statistics": ["city"], "early_stopping": True},
    ),
    ("NewtonBoostingClassifier", "three", {"n_estimators": 2, "interaction_cst": [["a", "b"], ["city"]]}),
]


@pytest.mark.parametrize(("name", "target", "params"), SETTINGS)
@pytest.mark.parametrize("weight", [None, "w"])
def test_a_cluster_gives_the_model_of_one_process(
    name: str, target: str, params: dict[str, Any], weight: str | None, table: pd.DataFrame, client: Any
) -> None:
    local = getattr(tw, name)(random_state=0, n_jobs=2, **params)
    local.fit(table[FEATURES], table[target], None if weight is None else table[weight])
    rows = dd.from_pandas(table, npartitions=5)
    remote = getattr(twd, name)(random_state=0, n_jobs=2, client=client, **params)
    remote.fit(rows[FEATURES], rows[target], None if weight is None else rows[weight])
    assert saved(remote) == saved(local)
    assert type(remote.to_local()) is type(local)
    assert np.array_equal(remote.to_local().predict(table[FEATURES]), local.predict(table[FEATURES]))


def test_partitions_of_any_sizes_and_empty_ones_change_nothing(table: pd.DataFrame, client: Any) -> None:
    local = tw.LeafwiseBoostingRegressor(n_estimators=2).fit(table[FEATURES], table["y"])
    cuts = [0, 0, 17, 200_001, 200_001, 399_999, len(table), len(table)]
    parts = [table.iloc[a:b] for a, b in pairwise(cuts)]
    remote = twd.LeafwiseBoostingRegressor(n_estimators=2, client=client)
    remote.fit([delayed(part[FEATURES]) for part in parts], [delayed(part["y"]) for part in parts])
    assert saved(remote) == saved(local)


def test_parquet_files_with_dictionaries_of_their_own_change_nothing(tmp_path: Path, client: Any) -> None:
    table = made(420_000, seed=4)
    for number, part in enumerate(np.array_split(np.arange(len(table)), 4)):
        table.iloc[part].to_parquet(tmp_path / f"part-{number}.parquet", index=False)
    whole = pd.concat([pd.read_parquet(path) for path in sorted(tmp_path.iterdir())], ignore_index=True)
    local = tw.LeafwiseBoostingClassifier(n_estimators=2).fit(whole[FEATURES], whole["late"])
    rows = dd.read_parquet(tmp_path)
    remote = twd.LeafwiseBoostingClassifier(n_estimators=2).fit(rows[FEATURES], rows["late"])
    assert saved(remote) == saved(local)


@pytest.mark.parametrize("weight", [None, "w"])
def test_forests_and_short_tables_give_the_same_model(weight: str | None, client: Any) -> None:
    table = made(3_000, seed=5)
    rows = dd.from_pandas(table, npartitions=4)
    for name, target, params in (
        ("RandomForestClassifier", "late", {"n_estimators": 7, "max_bins": 255}),
        ("RandomForestClassifier", "late", {"n_estimators": 7, "oob_score": True}),
        ("RandomForestRegressor", "y", {"n_estimators": 2, "quantiles": True, "max_samples": 0.5}),
        ("RandomForestRegressor", "y", {"n_estimators": 3, "target_statistics": True}),
        ("ExtraTreesClassifier", "three", {"n_estimators": 3}),
        ("ExtraTreesRegressor", "y", {"n_estimators": 4, "bootstrap": True}),
        ("BaggingClassifier", "late", {"n_estimators": 2}),
        ("BaggingRegressor", "y", {"n_estimators": 5, "max_features": 0.5}),
        ("BaggingClassifier", "late", {"n_estimators": 2, "estimator": tw.C45Classifier()}),
        ("LeafwiseBoostingClassifier", "late", {"n_estimators": 5}),
    ):
        given = None if weight is None else table[weight], None if weight is None else rows[weight]
        local = getattr(tw, name)(random_state=0, **params).fit(table[FEATURES], table[target], given[0])
        remote = getattr(twd, name)(random_state=0, **params).fit(rows[FEATURES], rows[target], given[1])
        assert saved(remote) == saved(local), name


def test_long_forests_are_grown_from_codes(table: pd.DataFrame, client: Any) -> None:
    params = {"n_estimators": 4, "max_bins": 64, "max_depth": 5, "random_state": 1}
    local = tw.RandomForestClassifier(**params).fit(table[FEATURES], table["late"])
    rows = dd.from_pandas(table, npartitions=5)
    remote = twd.RandomForestClassifier(**params).fit(rows[FEATURES], rows["late"])
    assert saved(remote) == saved(local)


def test_arrays_are_rows_too(client: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(405_000, 5)), rng.normal(size=405_000)
    local = tw.LeafwiseBoostingRegressor(n_estimators=2).fit(X, y)
    rows = da.from_array(X, chunks=(100_000, 2))
    remote = twd.LeafwiseBoostingRegressor(n_estimators=2).fit(rows, da.from_array(y, chunks=100_000))
    assert saved(remote) == saved(local)
    found = remote.predict(rows)
    assert isinstance(found, da.Array)
    assert np.array_equal(found.compute(), local.predict(X))


def test_predictions_of_a_frame_keep_its_index_and_types(table: pd.DataFrame, client: Any) -> None:
    few = table.iloc[:2_000].set_index(pd.Index(np.arange(5_000, 7_000), name="number"))
    rows = dd.from_pandas(few, npartitions=3)
    remote = twd.LeafwiseBoostingClassifier(n_estimators=3).fit(rows[FEATURES], rows["late"])
    local = remote.to_local()
    labels = remote.predict(rows[FEATURES]).compute()
    assert labels.index.equals(few.index)
    assert (labels.to_numpy() == local.predict(few[FEATURES])).all()
    shares = remote.predict_proba(rows[FEATURES]).compute()
    assert list(shares.columns) == ["no", "yes"]
    assert np.array_equal(shares.to_numpy(), local.predict_proba(few[FEATURES]))


def test_validation_rows_stop_at_the_same_round(table: pd.DataFrame, client: Any) -> None:
    later = made(5_000, seed=9)
    params: dict[str, Any] = {"n_estimators": 8, "early_stopping": True, "n_iter_no_change": 2}
    given = {"X_val": later[FEATURES], "y_val": later["y"]}
    local = tw.LeafwiseBoostingRegressor(**params).fit(table[FEATURES], table["y"], **given)
    rows, new = dd.from_pandas(table, npartitions=3), dd.from_pandas(later, npartitions=2)
    remote = twd.LeafwiseBoostingRegressor(**params)
    remote.fit(rows[FEATURES], rows["y"], X_val=new[FEATURES], y_val=new["y"])
    assert saved(remote) == saved(local)
    assert np.array_equal(remote.validation_score_, local.validation_score_)


class StopsAfter:
    """A callback that writes down scores and says when it is enough."""

    def __init__(self, n_rounds: int) -> None:
        self.n_rounds, self.scores = n_rounds, []  # type: ignore[var-annotated]

    def __call__(self, report: Any) -> bool:
        self.scores.append(report.train_score)
        return len(self.scores) >= self.n_rounds


def test_callbacks_are_called_by_the_client_and_may_stop(table: pd.DataFrame, client: Any) -> None:
    local, remote = StopsAfter(3), StopsAfter(3)
    one = tw.LeafwiseBoostingRegressor(n_estimators=6, callbacks=[local]).fit(table[FEATURES], table["y"])
    rows = dd.from_pandas(table, npartitions=3)
    other = twd.LeafwiseBoostingRegressor(n_estimators=6, callbacks=[remote], client=client)
    other.fit(rows[FEATURES], rows["y"])
    assert remote.scores == local.scores
    assert len(remote.scores) == 3
    assert len(other.model_.trees) == len(one.model_.trees) == 3


def mean_miss(y: Any, answer: Any, weight: Any) -> float:
    return float(np.average(np.abs(y - answer), weights=weight))


@pytest.mark.parametrize(
    ("name", "target", "scoring"),
    [
        ("LeafwiseBoostingRegressor", "y", mean_miss),
        ("LeafwiseBoostingClassifier", "late", ["roc_auc", "loss"]),
        ("LeafwiseBoostingClassifier", "three", "neg_log_loss"),
    ],
)
@pytest.mark.parametrize("is_given", [True, False])
def test_metrics_of_any_kind_score_rows_of_workers(
    name: str, target: str, scoring: Any, is_given: bool, table: pd.DataFrame, client: Any
) -> None:
    later = made(3_000, seed=9)
    params: dict[str, Any] = {"n_estimators": 5, "early_stopping": True, "n_iter_no_change": 2}
    params |= {"random_state": 0, "max_leaf_nodes": 6, "scoring": scoring, "learning_rate": 0.9}
    local = getattr(tw, name)(**params)
    remote = getattr(twd, name)(**params)
    rows, new = dd.from_pandas(table, npartitions=3), dd.from_pandas(later, npartitions=2)
    here, there = {}, {}
    if is_given:
        here = {"X_val": {"a": later[FEATURES], "b": later[FEATURES][:99]}}
        here |= {"y_val": {"a": later[target], "b": later[target][:99]}}
        there = {"X_val": {"a": new[FEATURES], "b": later[FEATURES][:99]}}
        there |= {"y_val": {"a": new[target], "b": later[target][:99]}}
    local.fit(table[FEATURES], table[target], table["w"], **here)
    remote.fit(rows[FEATURES], rows[target], rows["w"], **there)
    assert saved(remote) == saved(local)
    for one, scores in local.validation_scores_.items():
        for metric, values in scores.items():
            assert np.array_equal(remote.validation_scores_[one][metric], values)


def test_a_metric_that_fails_on_a_worker_says_so(table: pd.DataFrame, client: Any) -> None:
    def broken(y: Any, answer: Any, weight: Any) -> float:
        raise ZeroDivisionError("no such thing")

    rows = dd.from_pandas(table, npartitions=3)
    booster = twd.LeafwiseBoostingRegressor(early_stopping=True, scoring=broken, client=client)
    with pytest.raises(ZeroDivisionError, match="no such thing"):
        booster.fit(rows[FEATURES], rows["y"])
