"""How much memory this process may still take, so that hopeless work is refused before it starts."""

from __future__ import annotations

import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Return the bytes that can still be allocated, container limits included; None when unknown."""
    limits = [limit for limit in (_system_memory(), _container_memory()) if limit is not None]
    return min(limits, default=None)


def format_bytes(count: float) -> str:
    """Return a number of bytes for people: ``"3.2 GB"``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.4g} TB"


def _system_memory() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        # Not Linux: all of the machine's memory is the best bound there is.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _container_memory() -> int | None:
    for limit, usage, cache in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            free = int((_CGROUP / limit).read_text()) - int((_CGROUP / usage).read_text())
        except (OSError, ValueError):  # no such file, or "max": unlimited
            continue
        # Usage counts cached files, which the kernel gives back on demand.
        return free + _statistic((_CGROUP / limit).parent / "memory.stat", cache)
    return None


def _statistic(path: Path, name: str) -> int:
    try:
        lines = path.read_text().splitlines()
        return next((int(line.split()[1]) for line in lines if line.split()[0] == name), 0)
    except (OSError, ValueError, IndexError):
        return 0
