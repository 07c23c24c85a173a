"""A scheduler, workers and a client as processes of their own, to be killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]


class Processes:
    """One scheduler and some workers, without nannies: who is killed stays dead."""

    def __init__(self, folder: Path, n_workers: int = 2, **settings: str) -> None:
        self._file = folder / "scheduler.json"
        where = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._environment = {**os.environ, "PYTHONPATH": where, **settings}
        self._plain = ("--scheduler-file", str(self._file), "--no-dashboard")
        self.scheduler = self._start("distributed.cli.dask_scheduler", *self._plain, "--port", "0")
        self.workers: list[subprocess.Popen[bytes]] = []
        for _ in range(n_workers):
            self.add_worker()
        for _ in range(600):
            with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                self.address: str = json.loads(self._file.read_text())["address"]
                return
            time.sleep(0.1)
        raise TimeoutError("no scheduler")

    def add_worker(self) -> None:
        """Start one more."""
        arguments = (*self._plain, "--nthreads", "1", "--no-nanny")
        self.workers.append(self._start("distributed.cli.dask_worker", *arguments))

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", module, *arguments],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def fit_in_another_process(self, code: str) -> subprocess.Popen[bytes]:
        """Run a program with the scheduler's address as its argument."""
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", code, self.address],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGCONT)
                process.kill()
            process.wait()


def is_boosting(client: Any) -> bool:
    running = [key for keys in client.processing().values() for key in keys]
    return any("treewright-boost" in str(key) for key in running)


def wait_until(condition: Any, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return bool(condition())


def busy_in_treewright() -> int:
    """Return how many threads of this process are boosting; to be run on workers."""
    names = [frame.f_code.co_name for first in sys._current_frames().values() for frame in _outwards(first)]
    return names.count("boost_share")


def _outwards(frame: Any) -> Any:
    while frame is not None:
        yield frame
        frame = frame.f_back


def left_on(dask_worker: Any) -> list[str]:
    """Return the runs that a worker remembers; to be run on workers."""
    return list(getattr(dask_worker, "_treewright_meetings", {}))
