"""The machine: what it is, and whether something else kept it busy while we measured."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

PACKAGES = ("treewright", "scikit-learn", "numpy", "scipy")
#: Named when they are installed.
OPTIONAL = ("lightgbm", "xgboost-cpu", "catboost")
BUSY_LOAD = 1.5
#: Cores taken by other programs, on average, above which a wall time is no fact.
BUSY_CORES = 0.25
_STAT = Path("/proc/stat")


def about_machine() -> dict[str, Any]:
    """Return processor, cores, system and versions."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: importlib.metadata.version(package) for package in PACKAGES},
        **_optional_versions(),
        "compiler": _compiler(),
        "commit": _commit(),
    }


def _optional_versions() -> dict[str, str]:
    found = {}
    for package in OPTIONAL:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _compiler() -> str:
    """Return the compiler that CMake found for the engine in place."""
    folder = Path(__file__).resolve().parents[1] / "build" / "dev" / "CMakeFiles"
    for path in sorted(folder.glob("*/CMakeCXXCompiler.cmake"), reverse=True):
        facts = dict(
            line.strip()[4:-1].split(" ", 1)
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith("set(CMAKE_CXX_COMPILER_") and " " in line
        )
        words = (facts.get(f"CMAKE_CXX_COMPILER_{key}", "?") for key in ("ID", "VERSION"))
        return " ".join(word.strip('"') for word in words)
    return "unknown"


def _commit() -> str:
    root = Path(__file__).resolve().parents[1]
    words = []
    for command in (["git", "rev-parse", "--short", "HEAD"], ["git", "status", "--porcelain", "-uno"]):
        try:
            done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return "unknown"
        words.append(done.stdout.strip())
    return words[0] + (" with changes" if words[1] else "")


def _own_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _all_seconds() -> float | None:
    """Return the seconds all cores have been busy since the start of the machine, where Linux tells."""
    if not _STAT.is_file():
        return None
    user, nice, system, _idle, _waiting, *rest = map(
        int, _STAT.read_text(encoding="ascii").splitlines()[0].split()[1:]
    )
    interrupts = sum(rest[:2])
    return (user + nice + system + interrupts) / os.sysconf("SC_CLK_TCK")


class Watch:
    """Compares the machine before and after a contest.

    The load average remembers a minute of our own work, so what other programs took is counted as well.
    """

    def __init__(self) -> None:
        self._load = os.getloadavg()[0]
        self._started, self._own, self._all = time.perf_counter(), _own_seconds(), _all_seconds()

    def facts(self) -> dict[str, Any]:
        """Return loads, seconds, and the cores that other programs took on average."""
        seconds = time.perf_counter() - self._started
        now = _all_seconds()
        others = None
        if now is not None and self._all is not None:
            others = max(0.0, now - self._all - (_own_seconds() - self._own)) / max(seconds, 1e-3)
        return {
            "load_before": self._load,
            "load_after": os.getloadavg()[0],
            "seconds": seconds,
            "cores_of_others": others,
        }

    def warnings(self) -> list[str]:
        """Return sentences for a busy machine."""
        others = self.facts()["cores_of_others"]
        if others is not None and others > BUSY_CORES:
            return [f"other programs took {others:.1f} cores meanwhile: wall times are no facts"]
        return []


def busy_warning() -> str | None:
    """Return a warning when the machine is busy before anything was started."""
    load = os.getloadavg()[0]
    if load <= BUSY_LOAD:
        return None
    return f"the load average is {load:.1f} (> {BUSY_LOAD}): on a busy machine results are not facts"
