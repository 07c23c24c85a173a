"""A run of the harness: workers one after the other, side by side, until the time is over."""

from __future__ import annotations

import json
import math
import multiprocessing
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz import worker
from tests.fuzz.target import Target

__all__ = ["Campaign", "Finding"]

ROOT = Path(__file__).resolve().parents[2]
# A worker is replaced after so long: a leak of one case does not add up to the limit of another.
WORKER_SECONDS = 30.0
# A worker that uses no processor and does not end waits for itself; a busy machine gets a lot of time.
MOST_WAITING = 300.0
MOST_FILES_PER_FAULT = 3
# One process imports the library and everything that cases need; workers are copies of it, so that they begin
# at once: importing took a fifth of the time of all of them.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.fuzz.worker"])


@dataclass(frozen=True)
class Finding:
    """A case that went wrong."""

    target: str
    seed: int
    signature: str
    text: str


@dataclass
class Campaign:
    """What a run did so far.

    Attributes
    ----------
    folder : Path
        Where cases that went wrong are written.
    outcomes : dict
        How often each target ended in which way.
    findings : list
        What went wrong.
    """

    folder: Path
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def run(
        self, target: Target, first_seed: int, seconds: float, jobs: int, most_cases: float = math.inf
    ) -> None:
        """Give a target so many seconds in so many processes at a time."""
        end = time.monotonic() + seconds
        # Far apart, so that no two processes ever try the same case.
        seeds = [first_seed + (job << 32) for job in range(jobs)]
        self.outcomes.setdefault(target.name, Counter())
        done = self.outcomes[target.name]
        while (left := end - time.monotonic()) > 1 and done.total() < most_cases:
            workers = [
                _Worker(target, seed, min(left, WORKER_SECONDS), most_cases - done.total()) for seed in seeds
            ]
            seeds = [self._take(busy) for busy in workers]

    def _take(self, busy: _Worker) -> int:
        """Wait for a worker, take what it found and return the seed to go on with."""
        with busy:
            return self._take_over(busy.target, busy.wait(), busy)

    def _take_over(self, target: Target, death: str | None, ended: _Worker) -> int:
        result = ended.result()
        for kind, count in result["outcomes"].items():
            self.outcomes[target.name][kind] += count
        for found in ended.findings():
            self._add(target, Finding(target.name, **found))
        if death is None:
            return int(result["next"])
        self.outcomes[target.name]["found"] += 1
        self._add(target, Finding(target.name, ended.seed(), death, ended.trace()))
        return ended.seed() + 1

    def _add(self, target: Target, finding: Finding) -> None:
        same = sum(f.signature == finding.signature for f in self.findings)
        self.findings.append(finding)
        if same >= MOST_FILES_PER_FAULT:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        stem = f"{target.name}_{finding.seed}"
        path = self.folder / f"{stem}.case{target.suffix}"
        path.write_bytes(target.draw(finding.seed))
        words = f"{finding.signature}\nseed {finding.seed}\n\n{finding.text}"
        (self.folder / f"{stem}.report.txt").write_text(words)
        print(f"FOUND {finding.signature}\n      {path}", flush=True)

    def counts(self) -> Counter[str]:
        """Return how often each fault was found, by its signature."""
        return Counter(f"{finding.target}: {finding.signature}" for finding in self.findings)


class _Worker:
    """A process that runs cases of one target."""

    def __init__(self, target: Target, first: int, seconds: float, most_cases: float) -> None:
        self.target = target
        self._first, self._seconds = first, seconds
        self._folder = tempfile.TemporaryDirectory()
        words = (target.name, first, seconds, most_cases, Path(self._folder.name))
        self._process = FORKS.Process(target=worker.main, args=words, daemon=True)
        self._process.start()

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self._end()
        self._folder.cleanup()

    def wait(self) -> str | None:
        """Return how the process died, None if it ended well."""
        self._process.join(self._seconds + MOST_WAITING)
        code = self._process.exitcode
        if code is None:
            self._end()
            return f"hang: no end after {MOST_WAITING:.0f} s of waiting"
        if code == -signal.SIGPROF:
            return f"hang: more than {self.target.cpu_seconds} s of processor time"
        if code < 0:
            return f"crash: {signal.Signals(-code).name}"
        return f"the process ended with {code}" if code else None

    def _end(self) -> None:
        if self._process.is_alive():  # Ctrl-C in the parent, or a hang
            self._process.kill()
            self._process.join()

    def result(self) -> dict[str, Any]:
        """Return what the process reported; when it died, how far it came."""
        path = Path(self._folder.name, "result.json")
        if path.is_file():
            return json.loads(path.read_text())  # type: ignore[no-any-return]
        n_found = len(self.findings())
        counts = {"before a crash": self.seed() - self._first - n_found, "found": n_found}
        return {"next": 0, "outcomes": counts}

    def findings(self) -> list[dict[str, Any]]:
        """Return what the process found, also when it died later."""
        path = Path(self._folder.name, "found.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []

    def seed(self) -> int:
        """Return the seed of the last case that was begun."""
        path = Path(self._folder.name, "seed")
        return int.from_bytes(path.read_bytes()[:8], "little") if path.is_file() else self._first

    def trace(self) -> str:
        """Return where the process was when it died."""
        paths = [Path(self._folder.name, name) for name in ("errors.txt", "trace.txt")]
        return "\n".join(path.read_text() for path in paths if path.is_file())
