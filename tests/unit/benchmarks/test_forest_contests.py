"""The contests of forests on tiny tables: that they run, and that what they compute from losses is right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pandas")
pytest.importorskip("resource", reason="processor times of other processes are read in the way of Unix")

from benchmarks import forest_accuracy, forests, peers
from benchmarks.datasets import DataMissingError, real_features, real_tasks
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.run import SUITES, main

QUICK = Size(quick=True, quick_rows=300)
GROWING = ("forest-exact", "forest-extra", "forest-covertype", "forest-covertype-bins", "forest-nycflights")


def contest(name: str) -> Contest:
    (chosen,) = (found for found in SUITES["forests"] if found.name == name)
    return chosen


def run(chosen: Contest, size: Size = QUICK) -> Outcome:
    try:
        return chosen.run(size)
    except DataMissingError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(found, id=found.name, marks=[pytest.mark.slow] if found.name == "forest-peak" else [])
        for found in SUITES["forests"]
    ],
)
def test_a_contest_of_forests_finds_a_number(chosen: Contest) -> None:
    outcome = run(chosen)
    assert outcome.name == chosen.name
    # The peak of so small a forest may be below what the process holds in reserve.
    assert outcome.value is not None and outcome.value >= 0
    assert outcome.value > 0 or chosen.name == "forest-peak"
    if chosen.name in GROWING:
        for side in (outcome.ours, outcome.theirs):
            assert side["wall"] > 0 and side["leaves"] > 1 and side["score"] <= 1


def test_the_forests_of_both_sides_have_equal_settings() -> None:
    ours, theirs = peers.forests("ExtraTreesRegressor", n_estimators=7)
    shared = theirs.get_params().keys() & ours.get_params().keys()
    assert {"n_estimators", "max_features", "bootstrap", "min_samples_leaf", "n_jobs"} <= shared
    assert {name: ours.get_params()[name] for name in shared} == {
        name: theirs.get_params()[name] for name in shared
    }


def test_a_described_forest_has_the_sizes_of_its_trees() -> None:
    task = forests.synthetic(QUICK, "RandomForestClassifier")
    for forest in task.sides():
        forest.fit(task.data.x, task.data.y)
        facts = peers.describe_forest(forest)
        trees = [tree.tree_ for tree in forest.estimators_]
        assert facts["nodes"] == sum(tree.node_count for tree in trees)
        assert facts["leaves"] == round(np.mean([tree.n_leaves for tree in trees]))
        assert facts["depth"] == max(tree.max_depth for tree in trees)
        assert facts["tree_bytes"] > 20 * facts["nodes"]


def test_rows_held_out_are_not_learned_from() -> None:
    task = forests.synthetic(QUICK, "RandomForestClassifier")
    assert (len(task.data.y), len(task.test.y)) == (300, 60)
    assert not {row.tobytes() for row in task.data.x} & {row.tobytes() for row in task.test.x}


def test_a_worse_forest_is_reported_and_noise_is_not() -> None:
    random = np.random.default_rng(0)
    theirs = (random.random(1000) < 0.2).astype(np.float64)
    assert forests.quality(theirs, theirs) == []
    assert forests.quality(random.permutation(theirs), theirs) == []
    worse = np.where(random.random(1000) < 0.1, 1.0, theirs)
    assert "ours is worse" in forests.quality(worse, theirs)[0]
    assert forests.quality(theirs, worse) == []


def test_ranks_are_means_over_tables_and_equal_losses_share_one() -> None:
    tables = [{"a": [1.0, 3.0], "b": [4.0, 4.0]}, {"a": [2.0], "b": [2.0]}, {"a": [5.0], "b": [1.0]}]
    assert forest_accuracy.ranks(tables, ("a", "b")) == pytest.approx([1.5, 1.5])
    assert forest_accuracy.ranks(tables[:2], ("a", "b")) == pytest.approx([1.25, 1.75])


def test_a_duel_counts_only_clear_differences() -> None:
    clear = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.1, 2.11, 3.1, 4.09]}
    unclear = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.1, 1.9, 3.2, 3.9]}
    found = forest_accuracy.duel([clear, unclear], "a", "b")
    assert (found["wins"], found["defeats"]) == (1, 0)
    assert found["rank"] == 1.0
    assert forest_accuracy.duel([clear], "b", "a")["defeats"] == 1
    assert forest_accuracy.duel([{"a": [2.0], "b": [1.0]}, {"a": [1.0], "b": [2.0]}], "a", "b")[
        "ratio"
    ] == pytest.approx(1.0)


def test_a_class_without_a_vote_loses_no_more_than_half_a_tree() -> None:
    class Sure:
        classes_ = np.array([0, 1])

        def predict_proba(self, x: np.ndarray) -> np.ndarray:
            return np.tile([1.0, 0.0], (len(x), 1))

    # Class 2 was not among the rows it learned from.
    found = forest_accuracy.losses_of(Sure(), np.zeros((4, 1)), np.array([0, 0, 1, 2]), is_classes=True)
    assert found["error"] == 0.5
    assert found["log loss"] == pytest.approx(-np.log(0.005) / 2)


def test_every_side_is_examined_on_every_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not {"titanic", "abalone"} <= real_tasks().keys():
        pytest.skip("the real tables are not beside the repository")
    names = ["--only", "titanic", "--only", "abalone"]
    assert main(["forest-accuracy", "--quick", *names, "--output", str(tmp_path / "page")]) == 0
    stored = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
    for outcome in stored["outcomes"]:
        for by_method in outcome["ours"]["losses"].values():
            assert len(by_method) == 6  # two forests; ours, ours on codes, scikit-learn's
            assert all(np.isfinite(found).all() for found in by_method.values())
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    for heading in ("## Who is better", "## Log loss", "## Error", "## RMSE"):
        assert heading in page
    assert "titanic" in capsys.readouterr().out


def test_only_features_are_read_from_a_real_table() -> None:
    if "titanic" not in real_tasks():
        pytest.skip("the real tables are not beside the repository")
    frame, y = real_features("titanic", 200)
    assert frame.shape == (200, 9)
    assert set(y) == {0, 1}
    assert "survived" not in frame.columns
    for column in frame.select_dtypes("category"):
        assert list(frame[column].cat.categories) == sorted(frame[column].cat.categories)
