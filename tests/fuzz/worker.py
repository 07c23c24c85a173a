"""A process that runs cases one after the other and tells what it found.

It may die at any time: which case it is busy with stands in a file from which its parent reads it.
"""

from __future__ import annotations

import faulthandler
import json
import os
import re
import resource
import signal
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

from tests.fuzz.planted import Planted
from tests.fuzz.target import FaultError, Target
from tests.fuzz.targets import TARGETS

__all__ = ["main", "signature"]

# What a worker may have in all: a case that asks for more gets MemoryError, not the machine.
ADDRESS_SPACE = 6 << 30
MOST_FINDINGS = 20


def signature(error: BaseException) -> str:
    """Return what two occurrences of one fault have in common: kind, place, words without numbers."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "treewright" in Path(frame.filename).parts] or frames
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else "?"
    words = re.sub(r"[-+\d.e]*\d|'[^']*'|\"[^\"]*\"", "#", str(error))[:120]
    return f"{type(error).__name__} at {place}: {words}"


def peak_megabytes() -> float:
    """Return the most memory that this process ever had (`ru_maxrss` would begin with that of its parent)."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split(maxsplit=1)[0]) / 1024


def run_case(target: Target, case: bytes) -> str:
    """Run a case within its limits of memory."""
    before = peak_megabytes()
    outcome = target.run(case)
    if peak_megabytes() - before > target.megabytes:
        raise FaultError(f"the case took {peak_megabytes() - before:.0f} MB of memory")
    return outcome


def work(
    target: Target, first: int, until: float, most_cases: float, progress: int, found: TextIO
) -> dict[str, Any]:
    """Run the cases of ascending seeds until the time is over."""
    outcomes: Counter[str] = Counter()
    n_found = 0
    seed = first
    while time.monotonic() < until and seed - first < most_cases and n_found < MOST_FINDINGS:
        os.pwrite(progress, seed.to_bytes(8, "little"), 0)
        # Counts time on a processor, so a busy machine makes no hang; the signal ends native code, too.
        signal.setitimer(signal.ITIMER_PROF, target.cpu_seconds)
        try:
            outcomes[run_case(target, target.draw(seed))] += 1
        except (Exception, KeyboardInterrupt) as error:
            outcomes["found"] += 1
            text = "".join(traceback.format_exception(error))
            n_found += 1
            # Written at once, because the next case may be the last one.
            found.write(json.dumps({"seed": seed, "signature": signature(error), "text": text}) + "\n")
            found.flush()
        signal.setitimer(signal.ITIMER_PROF, 0)
        seed += 1
    return {"next": seed, "outcomes": outcomes}


def main(name: str, first: int, seconds: float, most_cases: float, folder: Path) -> None:
    """Run one target and write the result to `folder/result.json`."""
    with open(folder / "trace.txt", "w") as trace, open(folder / "found.jsonl", "w") as found:
        faulthandler.enable(trace)
        _quiet(folder / "errors.txt")
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to end
        warnings.simplefilter("ignore")
        progress = os.open(folder / "seed", os.O_RDWR | os.O_CREAT)
        # Ready: what follows is the work of cases, not of starting.
        os.pwrite(progress, first.to_bytes(8, "little"), 0)
        target = Planted() if name == Planted.name else TARGETS[name]
        target.draw(first)  # imports and caches are not memory of a case
        result = work(target, first, time.monotonic() + seconds, most_cases, progress, found)
        (folder / "result.json").write_text(json.dumps(result))


def _quiet(errors: Path) -> None:
    """Send what is printed away, and what is complained about to a file."""
    for path, number in ((Path(os.devnull), 1), (errors, 2)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
