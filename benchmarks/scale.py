"""Rows beyond memory and on a cluster, against all rows in one process: ``python -m benchmarks.scale``.

Every side runs in fresh processes. Processor time is that of all processes of a side, so that a busy machine
does not count; peaks are resident memory above the loaded libraries.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.machine import about_machine
from benchmarks.memory import ROOT

N_COLUMNS = 28
RESULTS = Path(__file__).parent / "results" / "scale.md"
FEATURES = [f"x{i}" for i in range(N_COLUMNS)]
SIDES = ("read", "scan", "plain", "dask", "lightgbm", "xgboost")


def write_rows(folder: Path, n_rows: int) -> None:
    """Write Parquet files of numbers with a class."""
    rng = np.random.default_rng(0)
    for number, n in enumerate([n_rows // 4] * 4):
        values = rng.normal(size=(n, N_COLUMNS)).astype(np.float32).astype(np.float64)
        score = values[:, :14] @ (0.8 ** np.arange(14)) + values[:, 0] * values[:, 1]
        table = pd.DataFrame(values, columns=FEATURES)
        table["y"] = (score + rng.logistic(size=n) > 0).astype(int)
        table.to_parquet(folder / f"{number}.parquet", index=False)


def peak() -> int:
    """Return the highest resident size of this process since it was last forgotten, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def worker_facts() -> tuple[float, int]:
    """Return processor seconds and the peak of a worker."""
    return time.process_time(), peak()


def run_side(side: str, folder: Path, rounds: int, leaves: int) -> dict[str, Any]:
    """Fit once, in this process or on two workers of one thread, and return what it took."""
    warnings.simplefilter("ignore")
    if side in ("read", "scan", "plain"):
        return _run_here(side, folder, rounds, leaves)
    return _run_on_workers(side, folder, rounds, leaves)


def _run_here(side: str, folder: Path, rounds: int, leaves: int) -> dict[str, Any]:
    import treewright as tw  # noqa: PLC0415 - each side loads its own libraries

    booster = tw.LeafwiseBoostingClassifier(n_estimators=rounds, max_leaf_nodes=leaves, n_jobs=2)
    few = np.random.default_rng(0).normal(size=(50, 2))
    tw.LeafwiseBoostingClassifier(n_estimators=1).fit(few, few[:, 0] > 0)
    Path("/proc/self/clear_refs").write_text("5")
    before, begun, cpu = peak(), time.perf_counter(), time.process_time()
    if side == "scan":
        booster.fit(tw.scan(str(folder / "*.parquet"), target="y"))
    else:
        table = pd.read_parquet(folder)
        if side == "plain":
            Path("/proc/self/clear_refs").write_text("5")
            before, begun, cpu = peak(), time.perf_counter(), time.process_time()
        booster.fit(table[FEATURES], table["y"])
    return {
        "wall": time.perf_counter() - begun,
        "cpu": time.process_time() - cpu,
        "peak": peak() - before,
    }


def _run_on_workers(side: str, folder: Path, rounds: int, leaves: int) -> dict[str, Any]:
    import dask.dataframe as dd  # noqa: PLC0415 - each side loads its own libraries
    from dask import delayed  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "memory_limit": 0}
    with LocalCluster(dashboard_address=None, **settings) as cluster, Client(cluster) as client:
        # Not read_parquet, which joins small files for some columns only: the others refuse such parts.
        paths = sorted(folder.glob("*.parquet"))
        rows = dd.from_delayed([delayed(pd.read_parquet)(path) for path in paths])
        estimator = _estimator(side, client, rounds, leaves)
        client.run(_load, side)
        first = client.run(worker_facts)
        begun, cpu = time.perf_counter(), time.process_time()
        estimator.fit(rows[FEATURES], rows["y"])
        wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
        last = client.run(worker_facts)
    return {
        "wall": wall,
        "cpu": cpu + sum(last[name][0] - first[name][0] for name in last),
        "peak": max(last[name][1] - first[name][1] for name in last),
    }


def _load(side: str) -> None:
    __import__({"dask": "treewright.dask.training"}.get(side, side))


def _estimator(side: str, client: Any, rounds: int, leaves: int) -> Any:
    if side == "dask":
        from treewright.dask import LeafwiseBoostingClassifier  # noqa: PLC0415

        return LeafwiseBoostingClassifier(n_estimators=rounds, max_leaf_nodes=leaves, client=client)
    if side == "lightgbm":
        from lightgbm import DaskLGBMClassifier  # noqa: PLC0415

        return DaskLGBMClassifier(n_estimators=rounds, num_leaves=leaves, client=client, verbose=-1)
    from xgboost.dask import DaskXGBClassifier  # noqa: PLC0415

    booster = DaskXGBClassifier(
        n_estimators=rounds, max_leaves=leaves, max_depth=0, grow_policy="lossguide", tree_method="hist"
    )
    booster.client = client
    return booster


def in_fresh_process(side: str, folder: Path, rounds: int, leaves: int) -> dict[str, Any]:
    """Return what a side took, or why it gave nothing."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.scale", "--side", side]
    command += ["--folder", str(folder), "--rounds", str(rounds), "--leaves", str(leaves)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        return {"error": (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1][:150]}
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return facts


def page(n_rows: int, rounds: int, leaves: int, found: dict[str, dict[str, Any]]) -> str:
    """Return the results as Markdown."""
    facts = about_machine() | {"load": f"{os.getloadavg()[0]:.1f} (of other work on these cores, too)"}
    lines = ["# Rows beyond memory, rows on a cluster", ""]
    lines += [
        f"Written by `python -m benchmarks.scale`: {n_rows} × {N_COLUMNS} numbers in four Parquet files, two "
        f"classes, {rounds} rounds of {leaves} leaves. Processor seconds of all processes of a side; wall "
        "times mean nothing on a busy machine. Peaks are of the process that fits, or of the larger of two "
        "workers, above what was there before.",
        "",
    ]
    lines += [f"{name}: {value}  " for name, value in facts.items()]
    lines += ["", "| side | processor s | wall s | peak MB |", "|---|---|---|---|"]
    names = {
        "read": "files read whole + plain `fit`, 2 threads",
        "scan": "`fit(treewright.scan(…))`, 2 threads",
        "plain": "plain `fit` of rows in memory, 2 threads",
        "dask": "`treewright.dask`, 2 workers × 1 thread, encoding included",
        "lightgbm": "`lightgbm.DaskLGBMClassifier`, the same",
        "xgboost": "`xgboost.dask.DaskXGBClassifier`, the same",
    }
    for side, one in found.items():
        if "error" in one:
            lines.append(f"| {names[side]} | none: {one['error']} | | |")
        else:
            lines.append(
                f"| {names[side]} | {one['cpu']:.1f} | {one['wall']:.1f} | {one['peak'] / 1e6:.0f} |"
            )
    lines += ["", "| ratio of processor times | measured |", "|---|---|"]
    for one, other in (("scan", "read"), ("dask", "plain"), ("dask", "lightgbm"), ("dask", "xgboost")):
        if "error" not in found[one] and "error" not in found[other]:
            lines.append(f"| {one} / {other} | {found[one]['cpu'] / found[other]['cpu']:.2f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure all sides and write the page; with --side one of them, for itself."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--side", choices=SIDES)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.side is not None:
        print(json.dumps(run_side(given.side, given.folder, given.rounds, given.leaves)))
        return
    with tempfile.TemporaryDirectory() as name:
        write_rows(Path(name), given.rows)
        found = {side: in_fresh_process(side, Path(name), given.rounds, given.leaves) for side in SIDES}
    RESULTS.write_text(page(given.rows, given.rounds, given.leaves, found))
    print(RESULTS.read_text())


if __name__ == "__main__":
    main()
