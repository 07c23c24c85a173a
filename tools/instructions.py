"""Count the instructions of ten fits and predictions under valgrind, and compare two checkouts.

python tools/instructions.py OTHER             this checkout against another one; status 1 above --most
python tools/instructions.py OTHER --part fit  only the cases with this in their name

Both engines must be built in place (`make build`). One thread; only the call itself is counted, its part in
the engine and the whole. Neither clocks nor other work on the machine matter. Takes a few minutes.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MARKS = """
#include <valgrind/callgrind.h>
void marks_start(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void marks_stop(const char* name) { CALLGRIND_DUMP_STATS_AT(name); CALLGRIND_STOP_INSTRUMENTATION; }
"""
OPTIONS = ["--tool=callgrind", "--instr-atstart=no", "--quiet"]

Case = tuple[str, Callable[[], object]]


def cases() -> Iterator[Case]:
    """Yield the name of each case and its call, made ready."""
    import numpy as np  # noqa: PLC0415 - the checkout's library is on the path only now

    import treewright as tw  # noqa: PLC0415

    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 8))
    X[:, 5:] = random.integers(0, 6, size=(4000, 3))
    X[random.random(X.shape) < 0.02] = np.nan
    score = np.nan_to_num(X)[:, :3].sum(axis=1) + random.normal(size=4000)
    classes = (score > 0).astype(int) + (score > 2)
    two = (score > 0).astype(int)

    def fit(estimator: Any, target: Any) -> Callable[[], object]:
        return lambda: estimator.fit(X, target)

    categories = {"categorical_features": [5, 6, 7]}
    forest = {"n_estimators": 5, "random_state": 0, "n_jobs": 1}
    rounds = {"n_estimators": 5, "n_jobs": 1}
    yield "fit CART, classes", fit(tw.CARTClassifier(), classes)
    yield "fit CART, numbers and categories", fit(tw.CARTRegressor(**categories), score)
    yield "fit C4.5", fit(tw.C45Classifier(**categories), classes)
    yield "fit random forest", fit(tw.RandomForestClassifier(**forest), classes)
    yield "fit extra trees", fit(tw.ExtraTreesRegressor(**forest), score)
    yield "fit leafwise boosting", fit(tw.LeafwiseBoostingClassifier(**rounds), two)
    yield "fit Newton boosting", fit(tw.NewtonBoostingRegressor(**rounds), score)
    yield "fit gradient boosting", fit(tw.GradientBoostingClassifier(n_estimators=5), two)
    for name, estimator, target in (
        ("predict CART", tw.CARTClassifier(), classes),
        ("predict random forest", tw.RandomForestClassifier(**forest), classes),
        ("predict leafwise boosting", tw.LeafwiseBoostingClassifier(**rounds), two),
    ):
        fitted = estimator.fit(X, target)
        fitted.predict(X)  # the first time compiles the trees
        yield name, lambda fitted=fitted: fitted.predict(X)


def measure(root: Path, part: str, marks: Path) -> None:
    """Run the cases; this is the process under valgrind."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    sys.path.insert(0, str(root / "src"))
    shim = ctypes.CDLL(str(marks))
    for name, call in cases():
        if part in name:
            shim.marks_start()
            call()
            shim.marks_stop(name.encode())


def counts_of(root: Path, part: str) -> dict[str, tuple[int, int]]:
    """For each case of a checkout: instructions of its engine, and all instructions."""
    with tempfile.TemporaryDirectory() as folder:
        source, marks = Path(folder, "marks.c"), Path(folder, "marks.so")
        source.write_text(MARKS, encoding="utf-8")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", marks, source], check=True)
        valgrind = ["valgrind", *OPTIONS, f"--callgrind-out-file={folder}/out"]
        subprocess.run(
            [*valgrind, sys.executable, __file__, str(root), "--measure", str(marks), "--part", part],
            check=True,
            # One order of sets and dictionaries, and no threads besides ours.
            env=os.environ | {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        found = {}
        for dump in sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:])):
            text = dump.read_text(encoding="utf-8")
            trigger = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            if trigger:
                found[trigger[1]] = split_by_engine(text)
        return found


def split_by_engine(dump: str) -> tuple[int, int]:
    """Add up the self cost of the engine's functions, and of all, in one dump of callgrind."""
    names: dict[str, str] = {}
    engine = total = 0
    in_engine = inclusive = False
    for line in dump.splitlines():
        if line.startswith("ob="):
            number, _, name = line[3:].partition(" ")
            names.setdefault(number, name)
            in_engine = "treewright/_core" in names[number]
        elif line.startswith("cob="):
            number, _, name = line[4:].partition(" ")
            if name:
                names.setdefault(number, name)
        elif line.startswith("calls="):
            inclusive = True  # the next line is the cost of what was called, counted there
        elif line and line[0] in "0123456789+-*":
            if not inclusive:
                cost = int((*line.split(), 0)[1])  # a cost of 0 is left out
                total += cost
                engine += cost * in_engine
            inclusive = False
    return engine, total


def main() -> int:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("other", type=Path, help="the checkout to compare with")
    parser.add_argument(
        "--here", type=Path, default=Path(__file__).resolve().parents[1], help="this checkout"
    )
    parser.add_argument("--part", default="", help="part of the names of the cases")
    parser.add_argument("--most", type=float, default=1.02, help="largest ratio of the engine's instructions")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.other.resolve(), asked.part, asked.measure)
        return 0
    if shutil.which("valgrind") is None or shutil.which("cc") is None:
        print("instructions: not counted, valgrind or a C compiler is not installed")
        return 0
    before = counts_of(asked.other.resolve(), asked.part)
    now = counts_of(asked.here.resolve(), asked.part)
    print(
        f"{'million instructions':<36}{'engine: other':>14}{'here':>10}{'ratio':>8}{'whole call: ratio':>20}"
    )
    worst = 0.0
    for name, (engine, total) in now.items():
        old_engine, old_total = before[name]
        ratio = engine / old_engine
        worst = max(worst, ratio)
        print(
            f"{name:<36}{old_engine / 1e6:>14.1f}{engine / 1e6:>10.1f}{ratio:>8.4f}{total / old_total:>20.4f}"
        )
    return 1 if worst > asked.most else 0


if __name__ == "__main__":
    raise SystemExit(main())
