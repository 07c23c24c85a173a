"""Any number of workers, in any order, with encrypted connections or little memory: the same bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import treewright as tw
from tests.dask.processes import wait_until
from tests.dask.rows import FEATURES, made, saved

dask = pytest.importorskip("dask", reason="these tests need dask")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
training = pytest.importorskip("treewright.dask.training")
twd = pytest.importorskip("treewright.dask")

pytestmark = [pytest.mark.dask, pytest.mark.filterwarnings("ignore")]

PLAIN = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
N_ROWS = 460_000  # without those that stopping early sets aside still enough to stay on the workers
CUTS = [0, 0, 90_000, 90_017, 300_000, 300_000, N_ROWS, N_ROWS]  # some partitions are empty

SETTINGS: list[tuple[str, str, dict[str, Any]]] = [
    ("LeafwiseBoostingClassifier", "three", {"n_estimators": 2, "subsample": 0.5, "max_features": 0.7}),
    ("LeafwiseBoostingRegressor", "y", {"n_estimators": 5, "goss": True, "early_stopping": True}),
    ("RandomForestClassifier", "late", {"n_estimators": 3, "max_bins": 64, "max_depth": 5}),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files with dictionaries of their own, a category that one file alone has, and no rows at all."""
    folder = tmp_path_factory.mktemp("rows")
    table = made(N_ROWS, seed=3)
    table["w"] += 1  # rows of weight 0 are left out, and too few would be left
    rng = random.Random(0)
    for number, (begin, end) in enumerate(pairwise(CUTS)):
        part = table.iloc[begin:end].reset_index(drop=True)
        # A dictionary of nothing has no type, and the first one decides how wide codes of all files are.
        cities = sorted(part["city"].unique()) or [f"c{i}" for i in range(300)]
        rng.shuffle(cities)
        part["city"] = pd.Categorical(part["city"], categories=cities)
        part["level"] = part["level"].cat.remove_unused_categories().astype(str)
        part.to_parquet(folder / f"part-{number}.parquet", index=False)
    return folder


@pytest.fixture(scope="module")
def wanted(folder: Path) -> list[bytes]:
    table = pd.read_parquet(folder)
    assert len(table) == N_ROWS
    return [
        saved(getattr(tw, name)(random_state=0, **params).fit(table[FEATURES], table[target], table["w"]))
        for name, target, params in SETTINGS
    ]


@pytest.fixture(scope="module")
def shrinking() -> Iterator[Any]:
    """Seven workers; tests take some away."""
    with distributed.LocalCluster(n_workers=7, memory_limit=0, **PLAIN) as cluster:
        yield cluster


def read(folder: Path, columns: str | list[str]) -> list[Any]:
    return [dask.delayed(read_part)(path, columns) for path in sorted(folder.iterdir())]


def read_part(path: Path, columns: str | list[str]) -> Any:
    return pd.read_parquet(path)[columns]


@pytest.mark.parametrize("n_workers", [7, 3, 2, 1])
def test_any_number_of_workers_in_any_order_gives_the_same_bytes(
    n_workers: int, folder: Path, wanted: list[bytes], shrinking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shrinking.scale(n_workers)
    shuffle, members_of, used = random.Random(n_workers), training._members, []

    def in_another_order(*arguments: Any) -> list[str]:
        members = members_of(*arguments)
        used.append(len(members))
        return shuffle.sample(members, len(members))

    monkeypatch.setattr(training, "_members", in_another_order)
    with distributed.Client(shrinking) as client:
        client.wait_for_workers(n_workers, timeout=120)
        assert wait_until(lambda: len(client.scheduler_info(n_workers=-1)["workers"]) == n_workers)
        for (name, target, params), bytes_wanted in zip(SETTINGS, wanted, strict=True):
            remote = getattr(twd, name)(random_state=0, client=client, **params)
            remote.fit(read(folder, FEATURES), read(folder, target), read(folder, "w"))
            assert saved(remote) == bytes_wanted, name
    assert used == [n_workers] * 2, "both boosters had all workers"


def listening(dask_worker: Any) -> set[int]:
    """Return the ports at which a worker waits for connections; to be run on workers."""
    connections = dask_worker.monitor.proc.net_connections(kind="inet")
    return {one.laddr.port for one in connections if one.status == "LISTEN"}


def test_encrypted_connections_are_used_and_no_port_is_opened(folder: Path, wanted: list[bytes]) -> None:
    pytest.importorskip("cryptography", reason="certificates are made by cryptography")
    security = distributed.security.Security.temporary()
    settings = {"n_workers": 2, "memory_limit": 0, "protocol": "tls://", "security": security}
    with distributed.LocalCluster(**settings, **PLAIN) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=120)
        before = client.run(listening)
        assert all(address.startswith("tls://") for address in before)
        seen: list[dict[str, set[int]]] = []

        def look(report: Any) -> bool:
            seen.append(client.run(listening))
            return False

        name, target, params = SETTINGS[0]
        remote = getattr(twd, name)(random_state=0, client=client, callbacks=[look], **params)
        remote.fit(read(folder, FEATURES), read(folder, target), read(folder, "w"))
        assert saved(remote) == wanted[0]
        assert seen == [before] * params["n_estimators"]


def spilled(dask_worker: Any) -> int:
    """Return how many results a worker has put to disk; to be run on workers."""
    return len(dask_worker.data.slow)


def test_codes_that_have_no_room_wait_on_disk(folder: Path, wanted: list[bytes]) -> None:
    most: list[int] = []
    memory = {"distributed.worker.memory.target": 0.0005}  # half a megabyte; codes of a partition take more
    with dask.config.set(memory):
        cluster = distributed.LocalCluster(n_workers=2, memory_limit="1 GB", **PLAIN)
    with cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=120)

        def look(report: Any) -> bool:
            most.append(sum(client.run(spilled).values()))
            return False

        name, target, params = SETTINGS[0]
        remote = getattr(twd, name)(random_state=0, client=client, callbacks=[look], **params)
        remote.fit(read(folder, FEATURES), read(folder, target), read(folder, "w"))
    assert saved(remote) == wanted[0]
    assert max(most) > 0


def test_workers_whose_memory_is_full_are_named(folder: Path) -> None:
    memory = {"distributed.worker.memory.pause": 0.01, "treewright.deadline": 16.0}
    with dask.config.set(memory):  # the libraries alone take more than that
        cluster = distributed.LocalCluster(n_workers=2, memory_limit="1 GB", **PLAIN)
        with cluster, distributed.Client(cluster) as client:
            assert wait_until(lambda: len(client.scheduler_info()["workers"]) == 2, 120)
            booster = twd.LeafwiseBoostingRegressor(client=client)
            with pytest.raises(
                MemoryError, match=r"The worker tcp://\S+ uses .* may use 1(\.0)? GB, and begins"
            ):
                booster.fit(read(folder, FEATURES), read(folder, "y"))
            assert not hasattr(booster, "model_")
            assert wait_until(lambda: not any(client.processing().values()))


def pause(dask_worker: Any) -> None:
    """Let a worker begin no more tasks, as Dask does when memory is full; to be run on workers."""
    dask_worker.status = distributed.Status.paused


def test_a_worker_whose_memory_fills_up_before_it_boosts_is_named(
    folder: Path, shrinking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shrinking.scale(2)
    paused: list[str] = []

    def pause_one(client: Any, deadline: float, members: list[str], *arguments: Any) -> None:
        if not paused:
            paused.append(members[-1])
            client.run(pause, workers=paused)

    monkeypatch.setattr(training, "_check_room", pause_one)
    with dask.config.set({"treewright.deadline": 16.0}), distributed.Client(shrinking) as client:
        assert wait_until(lambda: len(client.scheduler_info(n_workers=-1)["workers"]) == 2, 120)
        booster = twd.LeafwiseBoostingRegressor(client=client)
        with pytest.raises(MemoryError) as caught:
            booster.fit(read(folder, FEATURES), read(folder, "y"))
        assert paused[0] in str(caught.value)
