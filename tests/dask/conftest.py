from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from tests.dask.rows import made

# Long enough for codes to stay on the workers.
N_ROWS = 410_000


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    return made(N_ROWS)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="these tests need dask and distributed")
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster) as client:
        client.wait_for_workers(3, timeout=120)
        yield client
