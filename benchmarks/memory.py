"""Contest of memory: the peak while fitting above the loaded input, in multiples of the bytes of the codes.

Run as a program it is the fresh process that fits: ``python -m benchmarks.memory ours|theirs FOLDER``.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.datasets import Data, DataMissingError, real_table, synthetic_classes, synthetic_numbers
from benchmarks.outcome import Contest, Outcome, Size
from treewright import _core

ROOT = Path(__file__).resolve().parents[1]
STATUS = Path("/proc/self/status")


def memory_contest(name: str, about: str, data: Callable[[Size], Data]) -> Contest:
    """Return a contest that fits one table in fresh processes."""
    return Contest(name, about, lambda size: compare_peaks(data(size)))


def compare_peaks(data: Data) -> Outcome:
    """Fit each side in a process of its own and divide the peaks by the bytes of the codes."""
    if not STATUS.is_file():
        raise DataMissingError("peaks of memory are read from /proc, which this system does not have")
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "x.npy", data.x)
        np.save(Path(folder) / "y.npy", data.y)
        ours, theirs = (_in_fresh_process(role, folder) for role in ("ours", "theirs"))
    code_bytes = ours["code_bytes"]
    return Outcome(
        work=f"memory of fit {data.name}, {data.shape}",
        measure="× codes",
        value=ours["peak_bytes"] / code_bytes,
        target=3.0,
        ours=ours,
        theirs=theirs,
        notes=[
            f"codes {_mb(code_bytes)}, input {_mb(data.x.nbytes)}, peak above it {_mb(ours['peak_bytes'])}, "
            f"of that the finished tree {_mb(ours['tree_bytes'])}; scikit-learn {_mb(theirs['peak_bytes'])}"
        ],
    )


def _mb(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.1f} MB"


def _in_fresh_process(role: str, folder: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.memory", role, folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def status_bytes(field: str) -> int:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"/proc/self/status has no {field}")


def measure_peak(role: str, x: Any, y: Any) -> dict[str, Any]:
    """Fit in this process and return the growth of its resident memory at the highest point."""
    make = peers.ours if role == "ours" else peers.theirs
    is_classes = y.dtype.kind == "i"
    make(is_classes).fit(x[:50], y[:50])  # loads what is loaded late
    # The kernel keeps the highest resident size; asking it to forget excludes what loading the table needed,
    # which is little for plain arrays, so a system that forbids asking is no obstacle.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status_bytes("VmRSS")
    fitted = make(is_classes).fit(x, y)
    peak = status_bytes("VmHWM") - before
    return {"peak_bytes": peak, "tree_bytes": _tree_bytes(fitted)}


def _tree_bytes(fitted: Any) -> int:
    state = fitted.tree_.to_arrays() if hasattr(fitted.tree_, "to_arrays") else None
    if state is None:
        state = {"nodes": fitted.tree_.__getstate__()["nodes"], "values": fitted.tree_.value}
    return sum(array.nbytes for array in state.values())


def main() -> None:
    role, folder = sys.argv[1:]
    x, y = (np.load(Path(folder) / name) for name in ("x.npy", "y.npy"))
    facts = measure_peak(role, x, y)
    if role == "ours":  # encoded once more, after the peak was read
        facts["code_bytes"] = int(_core.Dataset.from_matrix(x, 0, peers.N_JOBS).code_bytes)
    print(json.dumps(facts))


CONTESTS = (
    memory_contest(
        "memory-classes", "peak of CARTClassifier, 100 k × 28 synthetic",
        lambda size: synthetic_classes(size.rows(100_000)),
    ),
    memory_contest(
        "memory-covertype", "peak of CARTClassifier, covertype",
        lambda size: real_table("covertype", size.part()),
    ),
    memory_contest(
        "memory-numbers", "peak of CARTRegressor, 1 M × 10 synthetic",
        lambda size: synthetic_numbers(size.rows(1_000_000)),
    ),
)  # fmt: skip

if __name__ == "__main__":
    main()
