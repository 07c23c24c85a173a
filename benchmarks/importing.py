"""Contest of `import treewright` on top of `import sklearn`, each time in a fresh process with .pyc files."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time

from benchmarks.contest import Times
from benchmarks.outcome import Contest, Outcome, Size

#: Prints wall and processor seconds of the second import.
ON_TOP = """
import time
import sklearn
wall, cpu = time.perf_counter(), time.process_time()
import treewright
treewright.CARTClassifier  # names are loaded when they are used
print(time.perf_counter() - wall, time.process_time() - cpu)
"""
ALONE = "import sklearn"


def run_fresh(code: str, times: Times) -> str:
    """Run code in a new interpreter, add its wall and processor seconds, return its output."""
    # Without .pyc files one would measure the compiler.
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    times.walls.append(time.perf_counter() - wall)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    times.cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return done.stdout


def measure_import(size: Size) -> Outcome:
    """Import both in turns, after one round that fills the caches."""
    inside, with_ours, alone = Times(), Times(), Times()
    if not size.quick:
        run_fresh(ON_TOP, Times())
    for _ in range(size.repeats(15)):
        wall, cpu = map(float, run_fresh(ON_TOP, with_ours).split())
        inside.walls.append(wall)
        inside.cpus.append(cpu)
        run_fresh(ALONE, alone)
    whole = (with_ours.wall - alone.wall) * 1e3
    return Outcome(
        work="import treewright after import sklearn",
        measure="ms",
        value=inside.wall * 1e3,
        target=60.0,
        ours={**inside.facts(), "whole_process": with_ours.facts()},
        theirs={"whole_process": alone.facts()},
        notes=[f"whole processes differ by {whole:.0f} ms; without us {alone.wall * 1e3:.0f} ms"],
    )


CONTESTS = (Contest("import", "import treewright after import sklearn", measure_import),)
