"""The benchmarks on tiny tables: that they run and say what they found, never how fast anything was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("resource", reason="processor times of other processes are read in the way of Unix")

from benchmarks import contest, peers, report
from benchmarks.datasets import DataMissingError, synthetic_classes, synthetic_numbers
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.run import SUITES, main

QUICK = Size(quick=True)
CONTESTS = [found for suite in SUITES.values() for found in suite]
FAST = [found for found in SUITES["cart"] if not found.name.startswith(("memory", "import"))]


@pytest.mark.parametrize("chosen", FAST, ids=lambda chosen: chosen.name)
def test_a_contest_of_time_measures_both_sides(chosen: Contest) -> None:
    try:
        outcome = chosen.run(QUICK)
    except DataMissingError as reason:
        pytest.skip(str(reason))
    assert outcome.name == chosen.name
    assert outcome.value is not None and outcome.value > 0
    for side in (outcome.ours, outcome.theirs):
        assert side["wall"] > 0
        assert side["wall"] == min(side["walls"])
    if chosen.name.startswith("fit"):
        assert outcome.ours["score"] == pytest.approx(outcome.theirs["score"], abs=1e-3)


def test_the_peak_of_memory_is_above_the_finished_tree() -> None:
    (chosen,) = (found for found in CONTESTS if found.name == "memory-numbers")
    try:
        # large enough that a page of memory is small beside the tree
        outcome = chosen.run(Size(quick=True, quick_rows=20_000))
    except DataMissingError as reason:
        pytest.skip(str(reason))
    assert outcome.ours["code_bytes"] >= 20_000 * 10  # at least one byte per cell
    assert outcome.ours["peak_bytes"] > outcome.ours["tree_bytes"] > 0
    assert outcome.value == outcome.ours["peak_bytes"] / outcome.ours["code_bytes"]


def test_an_import_takes_time() -> None:
    (chosen,) = (found for found in CONTESTS if found.name == "import")
    outcome = chosen.run(QUICK)
    assert outcome.value is not None and outcome.value > 1  # milliseconds
    assert outcome.ours["whole_process"]["wall"] > outcome.ours["wall"]


def test_sides_play_in_turns_and_ours_begins() -> None:
    order: list[str] = []
    played = contest.play(lambda: order.append("ours"), lambda: order.append("theirs"), turns=2, calls=2)
    assert order == ["ours", "ours", "theirs", "theirs"] * 2
    assert len(played.ours.walls) == len(played.theirs.cpus) == 2


def test_the_same_seed_makes_the_same_table() -> None:
    for make in (synthetic_classes, synthetic_numbers):
        first = make(50)
        make.cache_clear()
        second = make(50)
        assert first is not second
        assert first.x.tobytes() == second.x.tobytes()
        assert first.y.tobytes() == second.y.tobytes()


def test_a_tree_of_another_size_is_reported() -> None:
    tree = {"depth": 20, "leaves": 1000, "score": 1.0}
    assert peers.differences(tree, dict(tree, leaves=1019)) == []
    assert len(peers.differences(tree, dict(tree, leaves=1100, score=0.9))) == 2


def test_a_missed_target_is_marked_in_the_table() -> None:
    times = {"load_before": 0.1, "load_after": 0.2}
    good = Outcome("a", value=0.1, target=0.2, ours={"wall": 1.0, "cpu": 1.0}, machine=times)
    bad = Outcome("b", measure="µs", value=60.0, target=50.0, machine=times)
    page = report.markdown([good, bad], {"python": "3.11"})
    assert "| 0.1 | ≤ 0.2 | yes |" in page
    assert "| 60 µs | ≤ 50 µs | **no** |" in page


def test_the_command_writes_a_table_and_all_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--quick", "--only", "fit-iris", "--output", str(tmp_path / "table")]) == 0
    stored = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert [outcome["name"] for outcome in stored["outcomes"]] == ["fit-iris"]
    assert {"python", "numpy", "scikit-learn", "treewright", "compiler", "processor"} <= set(stored["about"])
    assert "fit iris" in (tmp_path / "table.md").read_text(encoding="utf-8")
    assert "fit-iris" in capsys.readouterr().out


def test_an_unknown_contest_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "nothing"])
    assert "there is no contest nothing" in capsys.readouterr().err
