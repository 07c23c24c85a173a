"""Contests of a forest's size: in memory, on disk, and the peak while it is grown.

Run as a program it is the fresh process that grows: ``python -m benchmarks.forest_memory SIDE TREES FOLDER``.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from benchmarks import peers
from benchmarks.datasets import DataMissingError
from benchmarks.forests import hundred_trees, synthetic
from benchmarks.memory import ROOT, STATUS, status_bytes
from benchmarks.outcome import Contest, Outcome, Size

FOREST = "RandomForestClassifier"


def mb(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.1f} MB"


def measure_size(size: Size) -> Outcome:
    """Compare the bytes of all arrays of the trees."""
    task, grown = hundred_trees(size)
    ours, theirs = (peers.describe_forest(fitted) for fitted in (grown.our_result, grown.their_result))
    per_node = [side["tree_bytes"] / side["nodes"] for side in (ours, theirs)]
    return Outcome(
        work=f"size in memory, {task.work}",
        measure="× scikit-learn's bytes",
        value=ours["tree_bytes"] / theirs["tree_bytes"],
        target=0.35,
        ours=ours,
        theirs=theirs,
        notes=[
            f"{per_node[0]:.1f} and {per_node[1]:.1f} bytes a node; {mb(ours['tree_bytes'])} and "
            f"{mb(theirs['tree_bytes'])} (scikit-learn: arrays of nodes and values); leaves per tree"
        ],
    )


def measure_file(size: Size) -> Outcome:
    """Compare ``save`` with joblib's file of scikit-learn's forest, as its documentation advises."""
    task, grown = hundred_trees(size)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        grown.our_result.save(folder / "forest.tree")
        joblib.dump(grown.their_result, folder / "forest.joblib")
        joblib.dump(grown.their_result, folder / "small.joblib", compress=3)
        ours, theirs, small = (
            (folder / file).stat().st_size for file in ("forest.tree", "forest.joblib", "small.joblib")
        )
    return Outcome(
        work=f"size on disk, {task.work}",
        measure="× scikit-learn's bytes",
        value=ours / theirs,
        target=0.35,
        ours={"file_bytes": ours},
        theirs={"file_bytes": theirs, "compressed_bytes": small},
        notes=[
            f"our file, which is always compressed, {mb(ours)}; joblib's {mb(theirs)}; "
            f"joblib's with compress=3 {mb(small)}, a ratio of {ours / small:.2f}"
        ],
    )


def measure_peak(size: Size) -> Outcome:
    """Grow each side in a process of its own; peaks of resident memory above the loaded table."""
    if not STATUS.is_file():
        raise DataMissingError("peaks of memory are read from /proc, which this system does not have")
    task = synthetic(size, FOREST)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "x.npy", task.data.x)
        np.save(Path(folder) / "y.npy", task.data.y)
        ours, theirs = (in_fresh_process(side, task.n_trees, folder) for side in ("ours", "theirs"))
    return Outcome(
        work=f"peak of memory of fit {task.work}",
        measure="× scikit-learn's peak",
        value=ours["peak_bytes"] / max(1, theirs["peak_bytes"]),  # a tiny forest needs no new memory
        target=0.6,
        ours=ours,
        theirs=theirs,
        notes=[
            f"above the loaded table of {mb(task.data.x.nbytes)}: {mb(ours['peak_bytes'])}, of that the "
            f"finished trees {mb(ours['tree_bytes'])}; scikit-learn {mb(theirs['peak_bytes'])}, of that the "
            f"finished trees {mb(theirs['tree_bytes'])}"
        ],
    )


def in_fresh_process(side: str, n_trees: int, folder: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.forest_memory", side, str(n_trees), folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def main() -> None:
    side, n_trees, folder = sys.argv[1:]
    x, y = (np.load(Path(folder) / name) for name in ("x.npy", "y.npy"))
    forest = peers.forests(FOREST, n_estimators=int(n_trees))[side == "theirs"]
    forest.fit(x[:50], y[:50])  # loads what is loaded late
    with contextlib.suppress(OSError):  # forget the peak of loading, where the system allows it
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status_bytes("VmRSS")
    forest.fit(x, y)
    peak = status_bytes("VmHWM") - before
    print(json.dumps({"peak_bytes": peak, **peers.describe_forest(forest)}))


CONTESTS = (
    Contest("forest-size", "bytes of 100 full trees in memory, 100 k × 28", measure_size),
    Contest("forest-file", "bytes of 100 full trees on disk, 100 k × 28", measure_file),
    Contest("forest-peak", "peak of memory while 100 full trees grow, 100 k × 28", measure_peak),
)

if __name__ == "__main__":
    main()
