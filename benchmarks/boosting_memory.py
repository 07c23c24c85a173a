"""Contests of a booster's memory, and its cost per row from 10⁴ to 10⁷ rows, in fresh processes.

Run as a program it is the process that fits: ``python -m benchmarks.boosting_memory SIDE ROWS ROUNDS TURNS``.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import boosters
from benchmarks.boosters import CLASSES, Settings
from benchmarks.boosting import N_ROWS, settings_of
from benchmarks.datasets import DataMissingError, synthetic_classes
from benchmarks.memory import ROOT, STATUS, status_bytes
from benchmarks.outcome import Contest, Outcome, Size

SIDES = {side.name: side for side in (boosters.LEAFWISE, boosters.LIGHTGBM)}
ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)


def mb(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.0f} MB" if n_bytes >= 1e7 else f"{n_bytes / 1e6:.1f} MB"


def in_fresh_process(side: str, n_rows: int, rounds: int, turns: int = 1) -> dict[str, Any]:
    """Return seconds of the fastest fit and the peak of memory above the loaded table."""
    if not STATUS.is_file():
        raise DataMissingError("peaks of memory are read from /proc, which this system does not have")
    command = [sys.executable, "-m", "benchmarks.boosting_memory", side, str(n_rows), str(rounds), str(turns)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def measure_peak(size: Size) -> Outcome:
    """Fit each side in a process of its own; peaks of resident memory above the loaded table."""
    boosters.library("lightgbm", "lightgbm")
    n_rows, settings = size.rows(N_ROWS), settings_of(size)
    ours, theirs = (in_fresh_process(side, n_rows, settings.rounds) for side in SIDES)
    return Outcome(
        work=f"peak of memory of fit, synthetic classes, {n_rows} × 28, {settings.rounds} rounds",
        measure="× LightGBM's peak",
        value=ours["peak_bytes"] / max(1, theirs["peak_bytes"]),  # a tiny table needs no new memory
        target=0.8,
        ours=ours,
        theirs=theirs,
        notes=[
            f"above the loaded table of {mb(ours['table_bytes'])}: {mb(ours['peak_bytes'])}, LightGBM "
            f"{mb(theirs['peak_bytes'])}"
        ],
    )


def measure_rows(size: Size) -> Outcome:
    """Fit 10⁴ to 10⁷ rows: time per row and round, and the peak of memory."""
    settings = settings_of(size)
    found = []
    for full in ROWS:
        n_rows = max(100, full // 1000) if size.quick else full
        turns = size.repeats(3 if full <= N_ROWS else 1)
        found.append(
            {"rows": n_rows, **in_fresh_process(boosters.LEAFWISE.name, n_rows, settings.rounds, turns)}
        )
    for facts in found:
        facts["ns"] = facts["wall"] / facts["rows"] / settings.rounds * 1e9
    return Outcome(
        work=f"LeafwiseBoosting, synthetic classes × 28, {settings.rounds} rounds, by rows",
        measure="× time per row of the fewest rows",
        value=found[-1]["ns"] / found[0]["ns"],
        ours={**found[-1], "curve": found},
        notes=[
            "; ".join(
                f"{facts['rows']} rows {facts['wall']:.3g} s, {facts['ns']:.3g} ns a row and round, "
                f"peak {mb(facts['peak_bytes'])} above a table of {mb(facts['table_bytes'])}"
                for facts in found
            )
        ],
    )


def main() -> None:
    side = SIDES[sys.argv[1]]
    n_rows, rounds, turns = map(int, sys.argv[2:])
    data = synthetic_classes(n_rows)

    def make(rounds: int) -> Any:
        return side.make(CLASSES, Settings(rounds=rounds), 0, data.x)

    make(1).fit(data.x[:100], data.y[:100])  # loads what is loaded late
    with contextlib.suppress(OSError):  # forget the peak of loading, where the system allows it
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status_bytes("VmRSS")
    walls, cpus, peak = [], [], 0
    for turn in range(turns):
        wall, cpu = time.perf_counter(), time.process_time()
        make(rounds).fit(data.x, data.y)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        if turn == 0:
            peak = status_bytes("VmHWM") - before
    facts = {"wall": min(walls), "cpu": min(cpus), "walls": walls, "cpus": cpus, "side": side.name}
    print(json.dumps({**facts, "peak_bytes": peak, "table_bytes": data.x.nbytes}))


CONTESTS = (
    Contest("boosting-peak", "peak of memory, ours and LightGBM, 1 M × 28", measure_peak),
    Contest("boosting-rows", "time per row and memory, 10⁴ to 10⁷ rows", measure_rows),
)

if __name__ == "__main__":
    main()
