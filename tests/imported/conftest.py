"""Other libraries use one thread here: tests run side by side, and threads that wait for each other spin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    with threadpool_limits(limits=1):
        yield
