"""Contests of C4.5: time against scikit-learn's entropy tree, memory, and how both grow with the rows.

Run as a program it is the fresh process that fits: ``python -m benchmarks.c45 TABLE``.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from benchmarks.contest import play
from benchmarks.datasets import DataMissingError, real_frame
from benchmarks.memory import ROOT, STATUS, status_bytes
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.peers import N_JOBS
from treewright import C45Classifier
from treewright.data import read_table

TEST_SHARE = 3  # every third row is held out


def ordinal_codes(frame: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Return the table as scikit-learn can take it: categories as codes, one float32 matrix."""
    matrix = np.empty(frame.shape, dtype=np.float32)
    for position, name in enumerate(frame.columns):
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy()
            matrix[:, position] = np.where(codes < 0, np.nan, codes)
        else:
            matrix[:, position] = column.to_numpy(dtype=np.float32, na_value=np.nan)
    return matrix


def compare_with_entropy_tree(name: str, size: Size, turns: int) -> Outcome:
    """Grow and prune C4.5 on the table, and scikit-learn's entropy tree on its codes."""
    frame, y = real_frame(name, size.part())
    matrix = ordinal_codes(frame)
    held_out = np.arange(len(y)) % TEST_SHARE == 0
    train, train_y = frame[~held_out].reset_index(drop=True), y[~held_out]
    train_matrix = np.ascontiguousarray(matrix[~held_out])
    played = play(
        lambda: C45Classifier(n_jobs=N_JOBS).fit(train, train_y),
        lambda: DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0).fit(
            train_matrix, train_y
        ),
        turns=size.repeats(turns),
    )
    test = frame[held_out].reset_index(drop=True)
    scores = (
        float(played.our_result.score(test, y[held_out])),
        float(played.their_result.score(matrix[held_out], y[held_out])),
    )
    facts = [
        {"depth": int(tree.get_depth()), "leaves": int(tree.get_n_leaves()), "score": score}
        for tree, score in zip((played.our_result, played.their_result), scores, strict=True)
    ]
    return Outcome(
        work=f"fit and prune C4.5 on {name.replace('_', ' ')}, {len(train_y)} × {frame.shape[1]}",
        value=played.ours.wall / played.theirs.wall,
        target=1.0,
        ours={**played.ours.facts(), **facts[0]},
        theirs={**played.theirs.facts(), **facts[1]},
        notes=["score is the accuracy on the held-out third of the rows"],
    )


def fit_times(tables: Iterator[tuple[pd.DataFrame, Any]], turns: int) -> list[tuple[int, float, int]]:
    """Return rows, best seconds and leaves for each table."""
    found = []
    for frame, y in tables:
        best, leaves = np.inf, 0
        for _ in range(turns):
            start = time.perf_counter()
            leaves = C45Classifier(n_jobs=N_JOBS).fit(frame, y).get_n_leaves()
            best = min(best, time.perf_counter() - start)
        found.append((len(frame), best, leaves))
    return found


def growth_outcome(work: str, times: list[tuple[int, float, int]]) -> Outcome:
    """Compare seconds per row of the largest and the smallest table: 1 would be exactly linear."""
    per_row = [seconds / rows for rows, seconds, _ in times]
    return Outcome(
        work=work,
        measure="× time per row",
        value=per_row[-1] / per_row[0],
        target=None,
        ours={"wall": times[-1][1], "times": times},
        theirs={},
        notes=["; ".join(f"{rows} rows {seconds:.3g} s, {leaves} leaves" for rows, seconds, leaves in times)],
    )


def census_growth(size: Size) -> Outcome:
    """Fit random parts of the census table, each about three times as large as the one before."""
    frame, y = real_frame("census_income_kdd", size.part())
    order = np.random.default_rng(0).permutation(len(y))

    def parts() -> Iterator[tuple[pd.DataFrame, Any]]:
        for n_rows in (10_000, 30_000, 100_000, len(y)):
            rows = np.sort(order[:n_rows])
            yield frame.iloc[rows].reset_index(drop=True), y[rows]

    return growth_outcome("fit and prune C4.5 on census income kdd, by rows", fit_times(parts(), 3))


def many_categories(size: Size) -> Outcome:
    """Fit a table with a column of 100 000 categories beside three numeric ones."""

    def tables() -> Iterator[tuple[pd.DataFrame, Any]]:
        for n_rows in (250_000, 500_000, 1_000_000):
            rows = size.rows(n_rows)
            random = np.random.default_rng(0)
            category = random.integers(100_000, size=rows)
            x = random.random((rows, 3))
            y = (x[:, 0] + (category % 7) / 7 + random.random(rows) / 2 > 1.2).astype(np.int64)
            frame = pd.DataFrame(x, columns=["a", "b", "c"])
            frame["category"] = pd.Categorical(category, categories=range(100_000))
            yield frame, y

    return growth_outcome("fit and prune C4.5 on 100 000 categories, by rows", fit_times(tables(), 2))


def census_memory(size: Size) -> Outcome:
    """Fit the census table in a fresh process; the peak above the loaded table in multiples of the codes."""
    if not STATUS.is_file():
        raise DataMissingError("peaks of memory are read from /proc, which this system does not have")
    real_frame("census_income_kdd", size.part())  # says so when it is missing
    command = [sys.executable, "-m", "benchmarks.c45", "census_income_kdd"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    facts: dict[str, Any] = json.loads(done.stdout)
    return Outcome(
        work="memory of fit and prune C4.5 on census income kdd",
        measure="× codes",
        value=facts["peak_bytes"] / facts["code_bytes"],
        target=3.0,
        ours=facts,
        theirs={},
        notes=[
            f"codes {facts['code_bytes'] / 1e6:.1f} MB, "
            f"peak above the table {facts['peak_bytes'] / 1e6:.1f} MB"
        ],
    )


def main() -> None:
    frame, y = real_frame(sys.argv[1], None)
    C45Classifier().fit(frame.iloc[:200], y[:200])  # loads what is loaded late
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status_bytes("VmRSS")
    C45Classifier(n_jobs=N_JOBS).fit(frame, y)
    peak = status_bytes("VmHWM") - before
    codes = read_table(frame, estimator_name="benchmark").to_dataset(0, N_JOBS).code_bytes
    print(json.dumps({"peak_bytes": peak, "code_bytes": int(codes)}))


def entropy_contest(name: str, turns: int) -> Contest:
    """Return a contest against scikit-learn on one table."""
    run: Callable[[Size], Outcome] = lambda size: compare_with_entropy_tree(name, size, turns)  # noqa: E731
    return Contest(f"c45-{name}", f"C45Classifier, grown and pruned, {name}", run)


CONTESTS = (
    entropy_contest("adult", 7),
    entropy_contest("letter", 7),
    Contest("c45-census", "C45Classifier, census income kdd, by rows", census_growth),
    Contest("c45-census-memory", "peak of C45Classifier, census income kdd", census_memory),
    Contest("c45-categories", "C45Classifier, 1 M rows with 100 000 categories, by rows", many_categories),
)

if __name__ == "__main__":
    main()
