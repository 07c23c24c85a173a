"""Fits that cannot go on: they end, everywhere, with a sentence. Real processes, real signals."""

from __future__ import annotations

import os
import signal
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.dask.processes import Processes, busy_in_treewright, is_boosting, left_on, wait_until
from tests.dask.rows import saved

dask = pytest.importorskip("dask", reason="these tests need dask")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
twd = pytest.importorskip("treewright.dask")

pytestmark = [pytest.mark.dask, pytest.mark.filterwarnings("ignore")]

N_ROWS = 410_000
FOR_EVER = 3_000  # rounds: a minute, unless something ends them


def numbers(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})


def written_parts(folder: Path, n_parts: int = 4) -> list[Any]:
    for part in range(n_parts):
        np.save(folder / f"{part}.npy", numbers(N_ROWS // n_parts, part).to_numpy())
    return [dask.delayed(read_part)(str(folder / f"{part}.npy")) for part in range(n_parts)]


def read_part(path: str) -> pd.DataFrame:
    return pd.DataFrame(np.load(path), columns=["x", "z"])


def whole(folder: Path, n_parts: int = 4) -> pd.DataFrame:
    parts = [read_part(str(folder / f"{part}.npy")) for part in range(n_parts)]
    return pd.concat(parts, ignore_index=True)


TARGET = np.sin(np.arange(N_ROWS) * 0.1)


def while_boosting(client: Any, work: Any) -> threading.Thread:
    def watch() -> None:
        if wait_until(lambda: is_boosting(client), 120):
            time.sleep(0.5)
            work()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def ready(client: Any) -> None:
    """Wait for workers that have loaded what they need, so that deadlines measure nothing else."""
    client.wait_for_workers(2, timeout=120)
    client.run(import_module, "treewright.dask.training")


def is_quiet(client: Any) -> bool:
    """Tell whether nothing of a fit is left on the workers: no task, no result, no run, no thread."""
    return (
        not any(client.processing().values())
        and not any(client.has_what().values())
        and not any(client.run(left_on).values())
        and not any(client.run(busy_in_treewright).values())
    )


@pytest.mark.parametrize("place", [0, 1])
def test_a_frozen_worker_is_named_within_the_deadline(place: int, tmp_path: Path) -> None:
    with Processes(tmp_path) as cluster, distributed.Client(cluster.address) as client:
        ready(client)
        victim = sorted(client.scheduler_info()["workers"])[place]
        pid = client.run(os.getpid, workers=[victim])[victim]
        frozen_at: list[float] = []

        def freeze() -> None:
            os.kill(pid, signal.SIGSTOP)
            frozen_at.append(time.monotonic())

        thread = while_boosting(client, freeze)
        booster = twd.LeafwiseBoostingRegressor(n_estimators=FOR_EVER, max_leaf_nodes=4, client=client)
        deadline = 10.0
        with dask.config.set({"treewright.deadline": deadline}):
            with pytest.raises(RuntimeError, match=f"no answer within 10 s from {victim}"):
                booster.fit(written_parts(tmp_path), TARGET)
        # Whoever waits for the root gives it half as long again; clearing up asks everybody once more.
        assert time.monotonic() - frozen_at[0] < 1.5 * deadline + 10
        thread.join()
        assert not hasattr(booster, "model_")
        os.kill(pid, signal.SIGCONT)
        assert wait_until(lambda: is_quiet(client)), "the others, and the one that woke up, have let go"


def test_a_worker_that_freezes_before_boosting_is_named_too(tmp_path: Path) -> None:
    with Processes(tmp_path) as cluster, distributed.Client(cluster.address) as client:
        ready(client)
        os.kill(cluster.workers[1].pid, signal.SIGSTOP)
        booster = twd.LeafwiseBoostingRegressor(n_estimators=2, client=client)
        with dask.config.set({"treewright.deadline": 10.0}):
            with pytest.raises(RuntimeError, match=r"no answer within 10 s from tcp://"):
                booster.fit(written_parts(tmp_path), TARGET)


def test_rows_of_workers_that_are_all_lost_are_computed_anew(tmp_path: Path) -> None:
    with Processes(tmp_path) as cluster, distributed.Client(cluster.address) as client:
        ready(client)

        def kill() -> None:
            for worker in cluster.workers:
                worker.kill()
            cluster.add_worker()

        thread = while_boosting(client, kill)
        params: dict[str, Any] = {"n_estimators": 60, "max_leaf_nodes": 4}
        booster = twd.LeafwiseBoostingRegressor(client=client, **params)
        booster.fit(written_parts(tmp_path), TARGET)
        thread.join()
        local = tw.LeafwiseBoostingRegressor(**params).fit(whole(tmp_path), TARGET)
        assert saved(booster) == saved(local)


def test_a_partition_that_comes_back_different_gives_no_model(tmp_path: Path) -> None:
    with Processes(tmp_path) as cluster, distributed.Client(cluster.address) as client:
        ready(client)
        parts = written_parts(tmp_path)

        def change_and_kill() -> None:
            for part in range(4):
                np.save(tmp_path / f"{part}.npy", numbers(N_ROWS // 4, 99 + part).to_numpy())
            for worker in cluster.workers:
                worker.kill()
            cluster.add_worker()

        thread = while_boosting(client, change_and_kill)
        booster = twd.LeafwiseBoostingRegressor(n_estimators=FOR_EVER, max_leaf_nodes=4, client=client)
        with pytest.raises(ValueError, match=r"Partition \d was not the same when it was computed again"):
            booster.fit(parts, TARGET)
        thread.join()
        assert not hasattr(booster, "model_")
        del booster
        assert wait_until(lambda: is_quiet(client))


def test_rows_that_were_scattered_and_lost_give_an_error(tmp_path: Path) -> None:
    with Processes(tmp_path) as cluster, distributed.Client(cluster.address) as client:
        ready(client)
        parts = client.scatter([numbers(N_ROWS // 2, part) for part in range(2)])

        def kill() -> None:  # all of them: another worker may hold a copy
            for worker in cluster.workers:
                worker.kill()
            cluster.add_worker()

        thread = while_boosting(client, kill)
        booster = twd.LeafwiseBoostingRegressor(n_estimators=FOR_EVER, max_leaf_nodes=4, client=client)
        with pytest.raises((RuntimeError, distributed.client.FutureCancelledError), match=r"lost|cancelled"):
            booster.fit(parts, TARGET)
        thread.join()
        assert not hasattr(booster, "model_")


def test_without_its_scheduler_a_fit_ends_everywhere(tmp_path: Path) -> None:
    with Processes(tmp_path) as cluster, distributed.Client(cluster.address, timeout="3s") as client:
        ready(client)
        thread = while_boosting(client, cluster.scheduler.kill)
        booster = twd.LeafwiseBoostingRegressor(n_estimators=FOR_EVER, max_leaf_nodes=4, client=client)
        with pytest.raises(RuntimeError, match="connection to the scheduler is gone"):
            booster.fit(written_parts(tmp_path), TARGET)
        thread.join()
        assert wait_until(lambda: all(worker.poll() is not None for worker in cluster.workers))


CLIENT = """
import sys
import numpy as np
from distributed import Client
import treewright.dask as twd
from tests.dask.test_endings import FOR_EVER, TARGET, written_parts
from pathlib import Path
with Client(sys.argv[1]):
    twd.LeafwiseBoostingRegressor(n_estimators=FOR_EVER, max_leaf_nodes=4).fit(
        written_parts(Path({folder!r})), TARGET)
"""


def test_without_its_client_a_fit_ends_and_the_next_one_begins(tmp_path: Path) -> None:
    soon = {"DASK_DISTRIBUTED__SCHEDULER__LOCKS__LEASE_TIMEOUT": "3s"}
    with Processes(tmp_path, **soon) as cluster, distributed.Client(cluster.address) as client:
        ready(client)
        other = cluster.fit_in_another_process(CLIENT.format(folder=str(tmp_path)))
        assert wait_until(lambda: is_boosting(client), 180)
        assert wait_until(lambda: any(client.run(busy_in_treewright).values()))
        other.kill()
        other.wait()
        assert wait_until(lambda: is_quiet(client))
        parts = written_parts(tmp_path)
        booster = twd.LeafwiseBoostingRegressor(n_estimators=2, client=client).fit(parts, TARGET)
        assert saved(booster) == saved(
            tw.LeafwiseBoostingRegressor(n_estimators=2).fit(whole(tmp_path), TARGET)
        )


def test_a_cancelled_fit_ends(tmp_path: Path) -> None:
    with Processes(tmp_path) as cluster, distributed.Client(cluster.address) as client:
        ready(client)

        def cancel() -> None:
            futures = [distributed.Future(key, client=client) for key in list(client.futures)]
            client.cancel(futures, force=True)

        thread = while_boosting(client, cancel)
        booster = twd.LeafwiseBoostingRegressor(n_estimators=FOR_EVER, max_leaf_nodes=4, client=client)
        with pytest.raises(RuntimeError, match="tasks were cancelled"):
            booster.fit(written_parts(tmp_path), TARGET)
        thread.join()
        assert wait_until(lambda: is_quiet(client))
