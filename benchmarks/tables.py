"""Every real table and a grid of shapes × algorithm: ratio, losses and memory on one page.

``python -m benchmarks.tables`` measures what is not stored yet for this engine, each case in a process of its
own, and writes results/tables.md; it may be stopped and started again. Ratios are ours ÷ the fastest peer
whose loss is at most 1 % above the lowest.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright
from benchmarks import boosters, shapes
from benchmarks.boosters import CLASSES, NUMBERS, Settings, Side
from benchmarks.contest import race
from benchmarks.datasets import real_features, real_tasks
from benchmarks.machine import Watch, about_machine
from benchmarks.memory import ROOT, STATUS, status_bytes
from treewright import _core

RESULTS = Path(__file__).resolve().parent / "results" / "tables"
MOST_ROWS = 200_000
#: Rows above which a forest has fewer trees; a case shall take a minute, not ten.
MANY_CELLS = 2_000_000
WORSE = 1.01
GOALS = {
    "RandomForest": (0.20, 0.40),
    "ExtraTrees": (0.35, 0.55),
    "Leafwise": (0.35, 0.60),
    "CART": (0.12, 0.30),
}


def as_codes(x: Any) -> Any:
    """Return what scikit-learn's trees take: categories as codes, missing values as NaN."""
    codes = {
        name: x[name].cat.codes.astype(np.float32).where(x[name].notna())
        if boosters.is_category(x[name].dtype)
        else x[name].astype(np.float32)
        for name in x.columns
    }
    return pd.DataFrame(codes).to_numpy()


def forest_sides(name: str, n_trees: int) -> tuple[Side, ...]:
    """Return both forests of one kind."""

    def maker(library: Any) -> Callable[[str, Settings | None, int, Any], Any]:
        def make(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
            kind = getattr(library, name + ("Classifier" if task == CLASSES else "Regressor"))
            return kind(n_estimators=n_trees, n_jobs=2, random_state=seed)

        return make

    return (
        Side("ours", boosters.as_it_is, maker(treewright)),
        Side("scikit-learn", as_codes, maker(ensemble)),
    )


def make_cart(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    kind = treewright.CARTClassifier if task == CLASSES else treewright.CARTRegressor
    return kind(n_jobs=2)


def make_sklearn_tree(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    kind = DecisionTreeClassifier if task == CLASSES else DecisionTreeRegressor
    return kind(random_state=seed)


def sides_of(algorithm: str, n_cells: int) -> tuple[Side, ...]:
    """Return our side first, then the peers."""
    if algorithm == "CART":
        return (
            Side("ours", boosters.as_it_is, make_cart),
            Side("scikit-learn", as_codes, make_sklearn_tree),
        )
    if algorithm == "Leafwise":
        return (boosters.LEAFWISE, boosters.LIGHTGBM, boosters.XGBOOST, boosters.HISTGB)
    return forest_sides(algorithm, 10 if n_cells > MANY_CELLS else 40)


@dataclass(frozen=True)
class Case:
    """A table and an algorithm."""

    table: str
    algorithm: str

    def load(self, most_rows: int) -> tuple[pd.DataFrame, NDArray[Any], str]:
        """Return the rows, the targets and what they are."""
        for shape in shapes.GRID:
            if shape.name == self.table:
                x, y = shapes.make(shape)
                return x, y, CLASSES if shape.classes else NUMBERS
        x, y = real_features(self.table, most_rows)
        return x, y, CLASSES if real_tasks()[self.table] else NUMBERS


def peak_of(work: Callable[[], Any]) -> float | None:
    """Return by how many MB resident memory rises, None where the system does not tell."""
    if not STATUS.is_file():
        return None
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status_bytes("VmRSS")
    work()
    return max(0, status_bytes("VmHWM") - before) / 1e6


def measure(case: Case, most_rows: int, turns: int) -> dict[str, Any]:
    """Fit all sides in turns and compare their losses on every fifth row, which nobody learns from."""
    x, y, task = case.load(most_rows)
    test = np.arange(len(y)) % 5 == 0
    settings = Settings(rounds=100, leaves=31) if case.algorithm == "Leafwise" else None
    sides = sides_of(case.algorithm, x.size)
    tables = [side.prepare(x) for side in sides]
    train = [boosters.take(table, np.flatnonzero(~test)) for table in tables]
    works = [
        lambda side=side, rows=rows: boosters.fit(side.make(task, settings, 0, rows), rows, y[~test])
        for side, rows in zip(sides, train, strict=True)
    ]
    peaks = [peak_of(work) for work in works]  # the first fit of each also loads what is loaded late
    watch = Watch()
    results = race(works, turns=turns)
    found = []
    for side, table, peak, (times, fitted) in zip(sides, tables, peaks, results, strict=True):
        answer = boosters.predicted(fitted, boosters.take(table, np.flatnonzero(test)), task)
        classes = fitted.classes_ if task == CLASSES else None
        loss = boosters.loss_of(answer, y[test], task, classes=classes)
        facts = {"side": side.name, "wall": times.wall, "cpu": times.cpu, "peak": peak, "loss": loss}
        found.append(facts)
    return {
        "shape": f"{len(y)} × {x.shape[1]}",
        "loss": boosters.LOSS_NAMES[task],
        "sides": found,
        "busy": bool(watch.warnings()),
    }


def engine() -> str:
    """Return the version and a fingerprint of the compiled engine: other engines are measured anew."""
    code = hashlib.sha256(Path(str(_core.__file__)).read_bytes()).hexdigest()[:10]
    return f"{treewright.__version__}+{code}"


def all_cases() -> Iterator[Case]:
    """Yield every table × algorithm, algorithms in turns, so that an early end shows some of each."""
    for table in [*real_tasks(), *(shape.name for shape in shapes.GRID)]:
        for algorithm in GOALS:
            yield Case(table, algorithm)


def fastest_peer(result: dict[str, Any], clock: str) -> dict[str, Any]:
    """Return the fastest peer that counts: its loss is close to the lowest of all sides."""
    lowest = min(side["loss"] for side in result["sides"])
    peers = result["sides"][1:]
    good = [side for side in peers if side["loss"] <= WORSE * lowest + 1e-9] or peers
    fastest: dict[str, Any] = min(good, key=lambda side: float(side[clock]))
    return fastest


def ratio_of(result: dict[str, Any]) -> float:
    """Return the ratio of wall times, of processor times where the machine was busy."""
    clock = "cpu" if result["busy"] else "wall"
    return float(result["sides"][0][clock]) / max(1e-9, float(fastest_peer(result, clock)[clock]))


def markdown(stored: dict[str, dict[str, Any]], machine: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "# Every table and shape × algorithm",
        "",
        "Written by `make bench-tables`. Two threads, all sides in turns in one process, best of several;",
        "loss on every fifth row, which nobody learned from. The peer is the fastest whose loss is at most",
        "1 % above the lowest: scikit-learn on codes for forests and CART; LightGBM, XGBoost or",
        "HistGradientBoosting for boosting, 100 rounds of 31 leaves. ° marks ratios and seconds of processor",
        "time, taken where other programs were busy; threads of some peers wait by spinning, which counts",
        "there. Memory is by how much it rose during a first fit.",
        "",
        f"{len(stored)} of {len(list(all_cases()))} cases are measured.",
        "",
        f"{machine['processor']}, {machine['cores']} cores, scikit-learn {machine['scikit-learn']}.",
    ]
    for algorithm, (mean_goal, worst_goal) in GOALS.items():
        own = {key.split("|")[0]: result for key, result in stored.items() if f"|{algorithm}|" in key}
        if not own:
            continue
        ratios = [ratio_of(result) for result in own.values()]
        mean = float(np.exp(np.mean(np.log(ratios))))
        lines += [
            "",
            f"## {algorithm}",
            "",
            f"{len(own)} cases: geometric mean {mean:.2f} (goal {mean_goal}), worst {max(ratios):.2f} "
            f"(goal {worst_goal}).",
            "",
            "| table | rows × columns | ratio | s | peer's | peer | loss | ours | peer's | MB | peer's |",
            "|---|---|---:|---:|---:|---|---|---:|---:|---:|---:|",
        ]
        for table, result in own.items():
            lines.append(line_of(table, result))
    return "\n".join(lines) + "\n"


def line_of(table: str, result: dict[str, Any]) -> str:
    """Return a line of the page."""
    clock = "cpu" if result["busy"] else "wall"
    ours, peer = result["sides"][0], fastest_peer(result, clock)
    peaks = ["–" if side["peak"] is None else f"{side['peak']:.0f}" for side in (ours, peer)]
    mark = "°" if result["busy"] else ""
    fields = (
        table, result["shape"], f"{ratio_of(result):.2f}{mark}", f"{ours[clock]:.3g}", f"{peer[clock]:.3g}",
        peer["side"], result["loss"], f"{ours['loss']:.4g}", f"{peer['loss']:.4g}", *peaks,
    )  # fmt: skip
    return "| " + " | ".join(fields) + " |"


def measured_apart(case: Case, most_rows: int, turns: int, seconds: float) -> dict[str, Any] | None:
    """Return what a process of its own measures; None, and a line that says why, when that fails."""
    command = [
        sys.executable, "-m", "benchmarks.tables", "--case", case.table, case.algorithm,
        "--rows", str(most_rows), "--turns", str(turns),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        print(f"{case.table}, {case.algorithm}: left out after {seconds:.0f} s", file=sys.stderr)
        return None
    except subprocess.CalledProcessError as failed:
        print(f"{case.table}, {case.algorithm}: {failed.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", nargs=2, metavar=("TABLE", "ALGORITHM"), help="measure one, print JSON")
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help="most rows of a real table")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=120, help="start no case after this time")
    parser.add_argument("--only", nargs="*", default=[], help="algorithms")
    parser.add_argument("--output", type=Path, default=RESULTS, help="files without their endings")
    options = parser.parse_args(arguments)
    if options.case:
        print(json.dumps(measure(Case(*options.case), options.rows, options.turns)))
        return
    store, page = options.output.with_suffix(".json"), options.output.with_suffix(".md")
    stored: dict[str, Any] = json.loads(store.read_text(encoding="utf-8")) if store.is_file() else {}
    end = time.monotonic() + 60 * options.minutes
    own_engine = engine()
    for case in all_cases():
        key = f"{case.table}|{case.algorithm}|{own_engine}"
        left = end - time.monotonic()
        if key in stored or left <= 0 or (options.only and case.algorithm not in options.only):
            continue
        result = measured_apart(case, options.rows, options.turns, min(left, 600.0))
        if result is None:
            continue
        older = f"{case.table}|{case.algorithm}|"
        stored = {name: known for name, known in stored.items() if not name.startswith(older)}
        stored[key] = result
        store.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
        page.write_text(markdown(stored, about_machine()), encoding="utf-8")
        print(f"{case.table}, {case.algorithm}: {ratio_of(result):.2f}", flush=True)


if __name__ == "__main__":
    main()
