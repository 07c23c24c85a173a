from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import treewright as tw
from tests.dask.rows import FEATURES, saved

dd = pytest.importorskip("dask.dataframe", reason="these tests need dask")
delayed = pytest.importorskip("dask").delayed
distributed = pytest.importorskip("distributed")
twd = pytest.importorskip("treewright.dask")
Pulse = pytest.importorskip("treewright.dask.watching").Pulse

pytestmark = [pytest.mark.dask, pytest.mark.filterwarnings("ignore")]

PARAMS: dict[str, Any] = {"n_estimators": 30, "max_leaf_nodes": 8}


def pids_of(client: Any) -> list[int]:
    return sorted(client.run(os.getpid).values())


def kill_all(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def when_boosting(client: Any, work: Any) -> threading.Thread:
    """Run something as soon as tasks of a fit are boosting."""

    def watch() -> None:
        for _ in range(3_000):
            running = [key for keys in client.processing().values() for key in keys]
            if any("treewright-boost" in str(key) for key in running):
                time.sleep(0.3)
                work()
                return
            time.sleep(0.02)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


@pytest.fixture(scope="module")
def wanted(table: pd.DataFrame) -> bytes:
    return saved(tw.LeafwiseBoostingRegressor(**PARAMS).fit(table[FEATURES], table["y"]))


@pytest.mark.parametrize("n_killed", [1, 2])
def test_a_killed_worker_costs_time_and_nothing_else(
    n_killed: int, table: pd.DataFrame, wanted: bytes, client: Any
) -> None:
    rows = dd.from_pandas(table, npartitions=6)
    booster = twd.LeafwiseBoostingRegressor(client=client, **PARAMS)
    victims = pids_of(client)[:n_killed]
    thread = when_boosting(client, lambda: kill_all(victims))
    booster.fit(rows[FEATURES], rows["y"])
    thread.join()
    assert saved(booster) == wanted
    assert not set(victims) & set(pids_of(client))


def test_a_worker_that_is_added_does_no_harm(
    table: pd.DataFrame, wanted: bytes, cluster: Any, client: Any
) -> None:
    rows = dd.from_pandas(table, npartitions=6)
    thread = when_boosting(client, lambda: cluster.scale(4))
    booster = twd.LeafwiseBoostingRegressor(client=client, **PARAMS).fit(rows[FEATURES], rows["y"])
    thread.join()
    assert saved(booster) == wanted
    cluster.scale(3)


def test_an_interrupted_fit_ends_everywhere(table: pd.DataFrame, client: Any) -> None:
    rows = dd.from_pandas(table, npartitions=4)
    main = os.getpid()
    thread = when_boosting(client, lambda: os.kill(main, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        twd.LeafwiseBoostingRegressor(client=client, n_estimators=10_000).fit(rows[FEATURES], rows["y"])
    thread.join()
    for _ in range(200):
        if not any(client.processing().values()):
            break
        time.sleep(0.1)
    assert not any(client.processing().values())
    assert all(not found for found in client.run(_meetings).values())


def test_two_fits_at_once_both_finish(table: pd.DataFrame, client: Any) -> None:
    rows = dd.from_pandas(table, npartitions=4)
    fitted: dict[int, bytes] = {}

    def fit(number: int) -> None:
        booster = twd.LeafwiseBoostingRegressor(n_estimators=3, client=client)
        fitted[number] = saved(booster.fit(rows[FEATURES], rows["y"]))

    threads = [threading.Thread(target=fit, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=240)
    local = tw.LeafwiseBoostingRegressor(n_estimators=3).fit(table[FEATURES], table["y"])
    assert fitted == {0: saved(local), 1: saved(local)}


def test_a_partition_that_changes_is_refused(client: Any) -> None:
    def other_every_time(n: int) -> pd.DataFrame:
        return pd.DataFrame({"x": np.random.default_rng().normal(size=n)})

    parts = [delayed(other_every_time, pure=False)(210_000) for _ in range(2)]
    with pytest.raises(ValueError, match=r"Partition 0 was not the same .* column 'x'"):
        twd.LeafwiseBoostingRegressor(n_estimators=1, client=client).fit(parts, np.arange(420_000.0))


def test_nothing_is_left_on_the_workers(table: pd.DataFrame, client: Any) -> None:
    rows = dd.from_pandas(table, npartitions=3)
    booster = twd.LeafwiseBoostingRegressor(n_estimators=2, client=client).fit(rows[FEATURES], rows["y"])
    del booster, rows
    for _ in range(100):
        left = [key for keys in client.has_what().values() for key in keys]
        if not left:
            break
        time.sleep(0.1)
    assert left == []
    assert all(not found for found in client.run(_meetings).values())


def _meetings(dask_worker: Any) -> list[str]:
    return list(getattr(dask_worker, "_treewright_meetings", {}))


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ("frame", None, "requires y"),
        ("table", "y", "takes Dask DataFrames"),
        ("none", "y", "takes Dask DataFrames"),
        ("empty", "empty", "0 sample"),
        ("mixed", "mixed", "same columns|numbers in some batches"),
        ("short", "short", "inconsistent numbers of samples"),
    ],
)
def test_wrong_rows_are_refused_with_a_sentence(X: str, y: str | None, words: str, client: Any) -> None:
    frame = pd.DataFrame({"x": np.arange(10.0), "y": np.arange(10.0)})
    rows = dd.from_pandas(frame, npartitions=2)
    mixed = [delayed(frame[["x"]]), delayed(pd.DataFrame({"x": list("ab")}))]
    given = {
        "frame": rows[["x"]],
        "table": frame[["x"]],
        "none": [],
        "empty": [delayed(frame[["x"]].iloc[:0])],
        "mixed": mixed,
        "short": rows[["x"]],
    }[X]
    target = {None: None, "y": frame["y"], "empty": frame["y"].iloc[:0], "mixed": np.arange(12.0)}.get(
        y, frame["y"].iloc[:7]
    )
    with pytest.raises((ValueError, TypeError), match=words):
        twd.LeafwiseBoostingRegressor(n_estimators=2, client=client).fit(given, target)


def test_a_loss_that_needs_all_rows_of_a_leaf_is_refused(table: pd.DataFrame, client: Any) -> None:
    rows = dd.from_pandas(table, npartitions=2)
    with pytest.raises(ValueError, match="absolute_error"):
        twd.LeafwiseBoostingRegressor(loss="absolute_error", n_estimators=1, client=client).fit(
            rows[FEATURES], rows["y"]
        )


def test_without_a_client_the_remedy_is_named() -> None:
    rows = dd.from_pandas(pd.DataFrame({"x": np.arange(10.0)}), npartitions=1)
    with pytest.raises(ValueError, match="needs a client"):
        twd.LeafwiseBoostingRegressor().fit(rows, np.arange(10.0))


def test_one_delayed_table_is_a_partition(client: Any) -> None:
    frame = pd.DataFrame({"x": np.arange(50.0), "y": np.arange(50.0) % 7})
    local = tw.LeafwiseBoostingRegressor(n_estimators=2).fit(frame[["x"]], frame["y"])
    remote = twd.LeafwiseBoostingRegressor(n_estimators=2, client=client)
    assert saved(remote.fit(delayed(frame[["x"]]), delayed(frame["y"]))) == saved(local)


def test_an_estimator_that_is_not_fitted_says_so() -> None:
    rows = dd.from_pandas(pd.DataFrame({"x": np.arange(10.0)}), npartitions=1)
    with pytest.raises(NotFittedError):
        twd.LeafwiseBoostingRegressor().predict(rows)


def test_a_worker_without_enough_memory_is_named_before_the_work(
    table: pd.DataFrame, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = Pulse.alive

    def with_limit(self: Pulse) -> dict[str, Any]:
        return {address: {**facts, "memory_limit": 1_000_000} for address, facts in alive(self).items()}

    monkeypatch.setattr(Pulse, "alive", with_limit)
    rows = dd.from_pandas(table, npartitions=3)
    for booster in (
        twd.LeafwiseBoostingRegressor(n_estimators=2, client=client),
        twd.RandomForestRegressor(n_estimators=2, max_bins=255, client=client),
        twd.ExtraTreesRegressor(n_estimators=2, client=client),
    ):
        with pytest.raises(MemoryError, match=r"The worker tcp://\S+ may use 1(\.0)? MB, and .* takes about"):
            booster.fit(rows[FEATURES], rows["y"])
