"""The leaf-wise booster against the installed lightgbm package, tree by tree over many rounds.

Where both part, the first split that differs is worked out in double precision: see `rules`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.golden.lightgbm_leafwise.rules import TIE, Parting, Verdict, judge
from tests.golden.lightgbm_leafwise.trees import (
    GrownTree,
    Table,
    our_trees,
    package_trees,
    partition,
)

pytest.importorskip("lightgbm", reason="lightgbm is not installed")

ROUNDS = 50
SQUARED = {"objective": "regression"}
LOGISTIC = {"objective": "binary"}
GAPS = {"gaps": 0.15}
# Values of two digits at most: bins hold many rows, so that many cuts are equally good.
COARSE = {"width": 2.0}

#: All hessians are equal, so the package's guess of the rows of a side is right.
EQUAL: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "squared error": (SQUARED | {"num_leaves": 31}, {}),
    "lambda": (SQUARED | {"num_leaves": 12, "lambda_l2": 5.0}, {}),
    "many leaves, lambda": (SQUARED | {"num_leaves": 63, "lambda_l2": 1.0}, {}),
    "rows of a leaf": (SQUARED | {"num_leaves": 31, "min_data_in_leaf": 20}, {}),
    "missing": (SQUARED | {"num_leaves": 31}, GAPS),
    "missing, lambda": (SQUARED | {"num_leaves": 31, "lambda_l2": 1.0}, GAPS),
    "few values": (SQUARED | {"num_leaves": 100, "lambda_l2": 1.0}, COARSE),
    "least gain": (SQUARED | {"num_leaves": 60, "min_gain_to_split": 1.0}, {}),
    "hessian of a leaf": (SQUARED | {"num_leaves": 31, "min_sum_hessian_in_leaf": 8.5}, {}),
}
#: Hessians differ, and what else may be the reason of a parting.
DIFFERENT: dict[str, tuple[dict[str, Any], dict[str, Any], set[Verdict]]] = {
    "weights": (SQUARED | {"num_leaves": 31}, {"weighted": True}, set()),
    "weights, missing": (SQUARED | {"num_leaves": 31, "lambda_l2": 1.0}, {"weighted": True} | GAPS, set()),
    "logistic": (LOGISTIC | {"num_leaves": 31}, {}, {Verdict.NOTHING}),
    "logistic, no limit of rows": (
        LOGISTIC | {"num_leaves": 31, "min_data_in_leaf": 0},
        {},
        {Verdict.NOTHING},
    ),
    "logistic, lambda, few values": (LOGISTIC | {"num_leaves": 31, "lambda_l2": 1.0}, COARSE, set()),
    "logistic, missing": (LOGISTIC | {"num_leaves": 31, "lambda_l2": 1.0}, GAPS, set()),
    # The first tree has nodes of one class: gains there are 0 up to rounding.
    "logistic, hessian of a leaf": (
        LOGISTIC | {"num_leaves": 31, "min_sum_hessian_in_leaf": 5.0},
        {},
        {Verdict.NOTHING},
    ),
    "logistic, rows of a leaf": (
        LOGISTIC | {"num_leaves": 31, "lambda_l2": 1.0, "min_data_in_leaf": 20},
        {},
        {Verdict.KEPT},
    ),
}


def table(seed: int, objective: str, gaps: float = 0.0, weighted: bool = False, width: float = 25.0) -> Table:
    """Return rows with targets and weights that single precision holds: the package has no other."""
    rng = np.random.default_rng(seed)
    x = np.clip(np.round(rng.normal(size=(500, 5)) * width), -80, 80)
    t = x * (25.0 / width)
    signal = np.sin(t[:, 0] / 15) + (t[:, 1] > 5) * t[:, 2] / 20 - (t[:, 3] > 0) * (t[:, 4] < 10)
    noisy = signal + rng.normal(size=len(x)) / 2
    x[rng.random(x.shape) < gaps] = np.nan
    y = np.round(noisy * 1024) / 1024 if objective == "regression" else (noisy > 0.2).astype(np.float64)
    weights = np.round(rng.uniform(0.5, 3.0, size=len(x)) * 64) / 64 if weighted else None
    return Table(x, y, weights)


def judged(rows: Table, settings: dict[str, Any], rounds: int) -> list[Parting]:
    """Grow a tree of ours from the scores before each of the package's trees, and compare the two."""
    raw, theirs = package_trees(rows, settings, rounds)
    found = []
    for tree in theirs:
        (our,) = our_trees(rows, settings, 1, raw)
        found.append(judge(rows, settings, raw, our, tree))
        if found[-1].verdict is Verdict.SAME:
            np.testing.assert_allclose(our.step, tree.step, rtol=1e-5, atol=1e-6)
        raw = raw + tree.step
    return found


def first_parting(ours: list[GrownTree], theirs: list[GrownTree]) -> int | None:
    pairs = enumerate(zip(ours, theirs, strict=True))
    return next((n for n, (a, b) in pairs if not np.array_equal(partition(a), partition(b))), None)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", EQUAL)
def test_all_trees_of_a_long_run_are_the_same_where_hessians_are_equal(name: str, seed: int) -> None:
    settings, about = EQUAL[name]
    rows = table(seed, settings["objective"], **about)
    raw, theirs = package_trees(rows, settings, ROUNDS)
    ours = our_trees(rows, settings, len(theirs), raw)
    parted = first_parting(ours, theirs)
    if parted is None:
        assert len(theirs) > ROUNDS // 3
        total, their_total = (np.sum([tree.step for tree in trees], axis=0) for trees in (ours, theirs))
        np.testing.assert_allclose(total, their_total, rtol=1e-6, atol=1e-7)
        return
    for tree in theirs[:parted]:
        raw = raw + tree.step
    parting = judge(rows, settings, raw, ours[parted], theirs[parted])
    assert parting.verdict is Verdict.TIE, parting


@pytest.mark.parametrize("name", DIFFERENT)
def test_where_hessians_differ_trees_part_at_ties_and_where_the_package_guesses_rows(name: str) -> None:
    settings, about, reasons = DIFFERENT[name]
    found = judged(table(2, settings["objective"], **about), settings, ROUNDS)
    allowed = {Verdict.SAME, Verdict.TIE, Verdict.GUESS} | reasons
    assert {parting.verdict for parting in found} <= allowed, [p for p in found if p.verdict not in allowed]
    for parting in found:
        if parting.verdict is Verdict.TIE:
            assert abs(parting.ours - parting.theirs) <= TIE * parting.ours
        if parting.verdict in (Verdict.GUESS, Verdict.KEPT):
            # Each side takes the best of what its rule allows, and our rule allows more.
            assert parting.ours == pytest.approx(parting.our_best, rel=TIE)
            assert parting.theirs == pytest.approx(parting.their_best, rel=TIE)


def test_few_trees_part_where_the_limit_of_rows_is_off() -> None:
    settings = LOGISTIC | {"num_leaves": 12, "min_data_in_leaf": 0}
    found = [
        parting.verdict for seed in range(3) for parting in judged(table(seed, "binary"), settings, ROUNDS)
    ]
    assert found.count(Verdict.SAME) > 0.9 * len(found)
    assert set(found) <= {Verdict.SAME, Verdict.TIE, Verdict.GUESS, Verdict.NOTHING}


def test_a_side_with_exactly_the_least_hessian_may_fail_in_the_package() -> None:
    settings = SQUARED | {"num_leaves": 31, "min_sum_hessian_in_leaf": 9.0}
    found = [parting.verdict for parting in judged(table(0, "regression", gaps=0.05), settings, ROUNDS)]
    assert set(found) == {Verdict.SAME, Verdict.LIMIT}


def test_the_guess_of_rows_makes_the_package_drop_a_column_that_we_still_ask() -> None:
    """Bins of 1, 1, 4 and 7 rows are guessed to have 0, 2, 5 and 7, one more than the node has.

    The only cut that gains anything has one row on the left, −1 by the guess: the column counts as one
    without a cut and is not asked below, where it would gain most.
    """
    settings = LOGISTIC | {"num_leaves": 31, "lambda_l2": 1.0, "min_data_in_leaf": 0}
    found = judged(table(15, "binary", **COARSE), settings, 31)
    assert all(parting.verdict is Verdict.SAME for parting in found[:-1])
    assert found[-1].verdict is Verdict.GUESS and found[-1].dropped
    assert found[-1].ours > 1.1 * found[-1].theirs
