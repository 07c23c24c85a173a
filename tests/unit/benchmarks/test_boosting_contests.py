"""The contests of boosting on tiny tables: that they run, and that what they compute from losses is right."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("pandas")
pytest.importorskip("resource", reason="processor times of other processes are read in the way of Unix")

import pandas as pd
from benchmarks import boosters, boosting, boosting_accuracy, boosting_defaults, boosting_report, contest
from benchmarks.boosters import CLASSES, COUNTS, NUMBERS
from benchmarks.contest import Times, race
from benchmarks.datasets import DataMissingError, real_counts, real_tasks
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.run import SUITES, main
from sklearn.metrics import log_loss, mean_poisson_deviance

QUICK = Size(quick=True, quick_rows=300)
#: These start processes.
SLOW = ("boosting-peak", "boosting-rows")


@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(found, id=found.name, marks=[pytest.mark.slow] if found.name in SLOW else [])
        for found in SUITES["boosting"]
    ],
)
def test_a_contest_of_boosters_finds_a_number(chosen: Contest) -> None:
    try:
        outcome = chosen.run(QUICK)
    except DataMissingError as reason:
        pytest.skip(str(reason))
    assert outcome.name == chosen.name
    # The peak of so small a fit may be below what the process holds in reserve.
    assert outcome.value is not None and outcome.value >= 0
    assert outcome.value > 0 or chosen.name == "boosting-peak"
    for side in (outcome.ours, outcome.theirs):
        if "loss" in side:
            assert side["wall"] > 0 and np.isfinite(side["loss"])
    assert chosen.name.startswith("boosting-")
    assert len(boosting_report.cells(outcome)) == len(boosting_report.HEAD)


def test_a_side_that_cannot_win_plays_once_and_ours_always(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = {"ours": 0, "fast": 0, "slow": 0}
    now = [0.0]
    # A clock of our own: how long the machine takes for a side is no business of this test.
    clock = SimpleNamespace(**dict.fromkeys(("perf_counter", "process_time", "thread_time"), lambda: now[0]))
    monkeypatch.setattr(contest, "time", clock)

    def work(side: str, seconds: float) -> None:
        turns[side] += 1
        now[0] += seconds

    played = race(
        [lambda: work("ours", 9.0), lambda: work("fast", 1.0), lambda: work("slow", 3.5)],
        turns=3,
    )
    assert turns == {"ours": 3, "fast": 3, "slow": 1}
    assert [times.walls for times, _ in played] == [[9.0, 9.0, 9.0], [1.0, 1.0, 1.0], [3.5]]


def entry(side: str, loss: float) -> boosting.Entry:
    return boosting.Entry(side, Times([1.0], [2.0], [0.1]), loss, None)


def test_a_peer_counts_when_it_is_at_most_one_percent_worse() -> None:
    entries = [entry("ours", 1.0), entry("near", 1.009), entry("far", 1.02)]
    assert [boosting.counts(found, entries) for found in entries] == [True, True, False]
    task = boosting.synthetic(QUICK)
    assert boosting.quality(task, entries[0], entries[1], entries) == []
    assert "far does not count" in boosting.quality(task, entries[0], entries[2], entries)[0]
    assert "ours is worse" in boosting.quality(task, entries[2], entries[0], entries)[0]


def test_rows_of_a_task_are_held_out() -> None:
    task = boosting.synthetic(QUICK)
    assert (len(task.train.y), len(task.test.y)) == (300, 60)
    assert not {row.tobytes() for row in task.train.x} & {row.tobytes() for row in task.test.x}


def test_losses_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    answer = random.dirichlet([1, 1, 1], 50)
    y = random.integers(0, 3, 50)
    weight = random.random(50)
    assert boosters.loss_of(answer, y, CLASSES, weight) == pytest.approx(
        log_loss(y, answer, sample_weight=weight)
    )
    counts, rates = random.poisson(1.0, 50).astype(float), random.random(50) + 0.1
    assert boosters.loss_of(rates, counts, COUNTS, weight) == pytest.approx(
        mean_poisson_deviance(counts, rates, sample_weight=weight)
    )
    assert boosters.loss_of(np.array([1.0, 3.0]), np.array([1.0, 1.0]), NUMBERS) == pytest.approx(2**0.5)


def test_a_class_that_training_did_not_have_costs_the_same_for_everybody() -> None:
    answer = np.array([[0.5, 0.5], [1.0, 0.0]])
    found = boosters.loss_of(answer, np.array([5, 3]), CLASSES, classes=np.array([2, 5]))
    assert found == pytest.approx((np.log(2) - np.log(boosters.LEAST)) / 2)


def test_the_constant_loses_the_entropy_or_the_deviation() -> None:
    assert boosters.constant_loss(np.array([0, 0, 1, 1]), CLASSES) == pytest.approx(np.log(2))
    assert boosters.constant_loss(np.array([1.0, 3.0]), NUMBERS) == pytest.approx(1.0)


def test_each_library_gets_categories_as_it_wants_them() -> None:
    many = [f"k{i}" for i in range(300)]
    frame = pd.DataFrame(
        {
            "few [a]": pd.Categorical(["a", None, "b"]),
            "many": pd.Categorical(["k7", "k1", None], categories=many),
            "number": [1.0, np.nan, 3.0],
        }
    )
    plain = boosters.plain_names(frame)
    assert list(plain.columns) == ["c0", "c1", "c2"]
    few = boosters.few_categories(frame)
    assert boosters.is_category(few["few [a]"].dtype)
    assert few["many"].tolist()[:2] == [7.0, 1.0] and np.isnan(few["many"][2])
    text = boosters.as_text(frame)
    assert text["few [a]"].tolist() == ["a", "missing", "b"]
    assert text["number"].dtype == np.float64
    matrix = np.zeros((2, 2))
    for prepare in (boosters.plain_names, boosters.few_categories, boosters.as_text):
        assert prepare(matrix) is matrix


def test_rates_times_exposures_are_counts() -> None:
    if "fremtpl2_freq" not in real_tasks():
        pytest.skip("the real tables are not beside the repository")
    frame, rates, exposure = real_counts("fremtpl2_freq", 200)
    assert frame.shape == (200, 9)
    assert "Exposure" not in frame.columns
    np.testing.assert_allclose(rates * exposure, np.round(rates * exposure), atol=1e-9)


def test_a_missing_library_is_named() -> None:
    with pytest.raises(DataMissingError, match="no-such-package is not installed"):
        boosters.library("no_such_module", "no-such-package")


def test_every_booster_is_examined_on_every_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not {"titanic", "abalone"} <= real_tasks().keys():
        pytest.skip("the real tables are not beside the repository")
    names = ["--only", "titanic", "--only", "abalone"]
    assert main(["boosting-accuracy", "--quick", *names, "--output", str(tmp_path / "page")]) == 0
    stored = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
    for outcome in stored["outcomes"]:
        losses = outcome["ours"]["losses"]
        ours = {side.name for side in boosting_accuracy.OURS}
        assert losses.keys() >= ours | {boosters.HISTGB.name}
        assert all(len(found) == 2 and np.isfinite(found).all() for found in losses.values())
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    for heading in ("## Mean ranks", "## Duels", "## Losses", "## Seconds of a fit"):
        assert heading in page
    assert "| RMSE | 1 |" in page and "| log loss | 1 |" in page
    assert "titanic" in capsys.readouterr().out


def test_the_page_ranks_the_lowest_loss_first() -> None:
    names = [side.name for side in (*boosting_accuracy.OURS, *boosters.PEERS)]

    def outcome(losses: list[float]) -> Outcome:
        return Outcome(
            "a",
            name="a",
            ours={
                "losses": {name: [loss] for name, loss in zip(names, losses, strict=True)},
                "seconds": {name: [1.0] for name in names},
                "loss": "RMSE",
                "categories": 0,
            },
        )

    outcomes = [outcome([1, 2, 3, 4, 5, 6, 7]), outcome([2, 1, 3, 4, 5, 6, 7])]
    title = "All, CatBoost with its 1000 rounds"
    lines = boosting_accuracy.rank_lines(outcomes, title, boosting_accuracy.RANKINGS[title])
    assert "| all | 2 | **1.50** | **1.50** | 3.00 | 4.00 | 5.00 | 6.00 | 7.00 |" in lines
    # Without the other two of ours it is the first on both tables.
    title = "Leafwise beside the other libraries"
    lines = boosting_accuracy.rank_lines(outcomes, title, boosting_accuracy.RANKINGS[title])
    assert "| all | 2 | **1.00** | 2.00 | 3.00 | 4.00 | 5.00 |" in lines


# --- the search for defaults
# ----------------------------------------------------------------------------------------------------


def test_an_alternative_changes_parameters_and_the_plan() -> None:
    change = {"learning_rate": 0.3, "min_rows_category": 7}
    side = boosting_defaults.side_of("Leafwise", change)
    assert side.name == "Leafwise: learning_rate=0.3, min_rows_category=7"
    booster = side.make(CLASSES, None, 0, None)
    assert booster.learning_rate == 0.3
    x = np.arange(200.0).reshape(-1, 1)
    seen = []
    plans = booster._plans
    booster._plans = lambda rows, seed: seen.append(plans(rows, seed)) or seen[-1]
    booster.set_params(n_estimators=2).fit(x, (x[:, 0] > 100).astype(int))
    assert [made.boost.min_rows_category for made in seen] == [7]


def test_tables_without_categories_are_spared_what_cannot_matter() -> None:
    both = [{side.name for side in boosting_defaults.sides(has, ())} for has in (True, False)]
    assert both[1] < both[0]
    assert "Leafwise: min_rows_category=50" in both[0] - both[1]
    assert "Newton: reg_lambda=5" in both[1]


def test_the_evidence_is_read_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "fits.jsonl"
    losses = {"LightGBM": 1.0, "Leafwise: base": 1.0, "Leafwise: max_leaf_nodes=15": 0.5}
    lines = [
        {"side": side, "table": table, "seed": 0, "rows": 100, "loss": loss, "scale": 0.0, "categories": 0}
        for side, loss in losses.items()
        for table in ("a", "b")
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    page = boosting_defaults.report(path, 100)
    assert "2 tables of at most 100 rows, 1 seeds." in page
    assert "| max_leaf_nodes=15 | 2 | 0.5000 | 2 : 0 | 0.5000 | 2 : 0 | a 0.500 | 1.00 |" in page
