"""What a process holds: threads, open files, memory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

__all__ = ["descriptors", "needs_proc", "resident_bytes", "threads", "wait_until"]

needs_proc = pytest.mark.skipif(
    not os.path.isdir("/proc/self/task"), reason="this system does not tell what a process holds"
)


def threads() -> int:
    """Return the number of threads."""
    return len(os.listdir("/proc/self/task"))


def descriptors() -> int:
    """Return the number of open files."""
    return len(os.listdir("/proc/self/fd"))


def resident_bytes() -> int:
    """Return the memory in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait until something holds; tell whether it came to that."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
