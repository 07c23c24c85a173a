"""Contests of pruning: the whole path, and its cross-validation against one fit per fold and α."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks import peers
from benchmarks.contest import Times, play
from benchmarks.datasets import Data, synthetic_classes
from benchmarks.outcome import Contest, Outcome, Size
from treewright.pruning import PruningReport, weakest_links

FOLDS = 10


def folds_of(data: Data) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    return list(splitter.split(data.x, data.y))


def cross_validated(data: Data) -> PruningReport:
    """Fit with ``prune="cost_complexity"``: grow, compute the path, cross-validate it."""
    tree = peers.ours(True).set_params(prune="cost_complexity", cv=folds_of(data))
    return tree.fit(data.x, data.y).explain_pruning()


def documented_recipe(data: Data) -> tuple[float, float]:
    """scikit-learn's recipe: the path of the full tree, then one fit per fold and α."""
    alphas = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(data.x, data.y).ccp_alphas
    best = (-1.0, 0.0)
    for alpha in np.unique(np.maximum(alphas, 0.0)):
        tree = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha)
        best = max(
            best, (float(cross_val_score(tree, data.x, data.y, cv=folds_of(data)).mean()), float(alpha))
        )
    return best


def best_time(work: Callable[[], Any], turns: int) -> tuple[Times, Any]:
    times, result = Times(), None
    for _ in range(turns):
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        times.cpus.append(time.process_time() - cpu)
        times.walls.append(time.perf_counter() - wall)
    return times, result


def measure_path(size: Size) -> Outcome:
    """Compare the path of a tree with the growing of it."""
    random = np.random.default_rng(0)
    x = random.standard_normal((size.rows(400_000), 4), dtype=np.float32)
    y = random.integers(0, 2, len(x))
    grown, estimator = best_time(lambda: peers.ours(True).fit(x, y), size.repeats(3))
    tree = estimator.tree_
    found, sequence = best_time(lambda: weakest_links(tree), size.repeats(5))
    return Outcome(
        work=f"path of a tree with {tree.n_leaves} leaves ÷ growing it",
        measure="ratio to growing",
        value=found.wall / grown.wall,
        target=1.0,
        ours={**found.facts(), "subtrees": len(sequence), "leaves": tree.n_leaves},
        theirs=grown.facts(),
        notes=["the other side is our own fit of the same tree"],
    )


def measure_folds(size: Size) -> Outcome:
    """Compare cross-validated pruning with that many single fits."""
    data = synthetic_classes(size.rows(100_000))
    fitted, _ = best_time(lambda: peers.ours(True).fit(data.x, data.y), size.repeats(3))
    found, report = best_time(lambda: cross_validated(data), size.repeats(2))
    return Outcome(
        work=f"{FOLDS}-fold cross-validated pruning of {data.shape} ÷ {FOLDS + 1} fits",
        measure=f"ratio to {FOLDS + 1} fits",
        value=found.wall / ((FOLDS + 1) * fitted.wall),
        target=1.3,
        ours={**found.facts(), "subtrees": len(report.rows), "leaves": report.leaves_after},
        theirs=fitted.facts(),
        notes=["the other side is our own single fit"],
    )


def measure_recipe(size: Size) -> Outcome:
    """Compare with scikit-learn's documented recipe on 2 000 rows."""
    data = synthetic_classes(size.rows(2000) if not size.quick else 200)
    played = play(lambda: cross_validated(data), lambda: documented_recipe(data), turns=size.repeats(1))
    best = min(row.cv_mean for row in played.our_result.rows)
    return Outcome(
        work=f"choose α by {FOLDS} folds, {data.shape}",
        value=played.ours.wall / played.theirs.wall,
        target=0.02,
        ours={**played.ours.facts(), "score": 1 - best},
        theirs={**played.theirs.facts(), "score": played.their_result[0]},
    )


CONTESTS = (
    Contest("pruning-path", "the whole cost-complexity path of a tree with 100 k leaves", measure_path),
    Contest("pruning-folds", "10-fold cross-validated pruning, 100 k × 28", measure_folds),
    Contest("pruning-recipe", "choice of α on 2 000 rows against one fit per fold and α", measure_recipe),
)
