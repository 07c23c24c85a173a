"""What each command does with a table and a model, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.unit.cli.conftest import Run, write_csv

import treewright


@pytest.fixture
def numbers(folder: Path) -> Path:
    """A table of numbers with gaps, a category and a weight; y is a number."""
    random = np.random.default_rng(0)
    rows = []
    for _ in range(120):
        x, city = round(random.normal(), 3), ["Rom", "Bonn"][random.integers(2)]
        y = round(2 * x + (city == "Rom") + 0.1 * random.normal(), 3)
        rows.append([x if random.random() > 0.2 else "", city, y, random.integers(1, 4)])
    write_csv(folder / "numbers.csv", ["x", "city", "y", "w"], rows)
    return folder / "numbers.csv"


def test_the_model_of_the_command_line_is_that_of_python(run: Run, folder: Path) -> None:
    assert run("fit tennis.csv -t play -a c45 -o t.tree").status == 0
    estimator = treewright.load(folder / "t.tree")
    rows = [line.split(",") for line in (folder / "tennis.csv").read_text().splitlines()[1:]]
    X, y = [row[:-1] for row in rows], [row[-1] for row in rows]
    same = treewright.C45Classifier().fit(X, y)
    names = estimator.feature_names_in_
    shown = treewright.export_text(same, feature_names=names, target_name="play")
    assert treewright.export_text(estimator) == shown
    assert names.tolist() == ["outlook", "temperature", "humidity", "wind"]


def test_rows_without_a_target_are_left_out_with_a_note(run: Run, folder: Path) -> None:
    rows = [[i, "" if i in (3, 7) else "ab"[i > 9], 1] for i in range(20)]
    write_csv(folder / "gaps.csv", ["x", "y", "empty"], rows)
    fitted = run("fit gaps.csv -t y -a cart -o g.tree --json")
    assert fitted.status == 0
    assert "note: 2 of 20 rows of gaps.csv have no value of y and are left out" in fitted.err
    assert treewright.load(folder / "g.tree").tree_.n_node_samples[0] == 18
    measured = run("evaluate g.tree gaps.csv --json")
    assert measured.status == 0 and "2 of 20 rows" in measured.err
    write_csv(folder / "none.csv", ["x", "y"], [[i, ""] for i in range(5)])
    refused = run("fit none.csv -t y -a cart -o n.tree")
    assert refused.status == 1 and "the target 'y' has no value in any row" in refused.err


def test_a_table_with_decimal_commas_goes_from_fit_to_predictions(run: Run, folder: Path) -> None:
    lines = [f"{i},5;{i}.000,25;2024-01-{i + 1:02d};{i}%;{'ab'[i > 9]}" for i in range(20)]
    (folder / "euro.csv").write_text("\n".join(["x;big;day;share;y", *lines]) + "\n")
    fitted = run("fit euro.csv -t y -a cart -o e.tree --ignore big --ignore day --ignore share")
    assert fitted.status == 0 and fitted.err == ""
    assert "x ≤ 10" in run("show e.tree").out
    assert [line[0] for line in run("predict e.tree euro.csv").out.splitlines()[1:]] == ["a"] * 10 + [
        "b"
    ] * 10
    (folder / "one.csv").write_text("x\n1,234\n")
    refused = run("predict e.tree one.csv --sep ;")
    assert refused.status == 1 and "Numbers with a comma are read with --decimal ','" in refused.err
    assert run("predict e.tree one.csv --sep ; --decimal ,").out.splitlines()[1].startswith("a,")
    noted = run("fit euro.csv -t y -a cart -o e.tree").err
    assert "'big' looks like numbers with signs between thousands" in noted
    assert "'day' looks like dates" in noted
    assert "'share' looks like percentages" in noted


def test_fit_warns_of_text_that_names_its_rows(run: Run, folder: Path) -> None:
    write_csv(folder / "named.csv", ["who", "y"], [[f"person {i}", "ab"[i % 2]] for i in range(30)])
    ran = run("fit named.csv -t y -a cart -o n.tree")
    assert "note: 'who' has a different value in each row: leave it out with --ignore who." in ran.err


@pytest.mark.parametrize("name", sorted(treewright.ALGORITHMS))
def test_every_algorithm_goes_from_a_table_to_predictions(run: Run, numbers: Path, name: str) -> None:
    for task in treewright.ALGORITHMS[name]:
        source, target = ("tennis.csv", "play") if task == "classification" else ("numbers.csv", "y")
        few = "" if name in ("id3", "c45", "cart") else "-p n_estimators=3"
        fitted = run(f"fit {source} -t {target} -a {name} {few} --seed 1 -o m.tree --json")
        assert fitted.status == 0, fitted.err
        assert json.loads(fitted.out)["task"] == task
        for command in (
            f"evaluate m.tree {source}",
            "show m.tree",
            "show m.tree --tree 0",
            "export m.tree --to text --tree 0",
        ):
            ran = run(command)
            assert ran.status == 0 and ran.out, (command, ran.err)
        single = name in ("id3", "c45", "cart")
        explained = run(f"explain m.tree --node 0 {'' if single else f'--tree 0 --data {source}'}")
        assert explained.status == 0, explained.err
        ran = run(f"predict m.tree {source}")
        estimator = treewright.load("m.tree")
        lines = ran.out.splitlines()
        n_rows = len(Path(source).read_text().splitlines()) - 1
        assert len(lines) == n_rows + 1
        header = lines[0].split(",")
        assert header[0] == "prediction"
        assert len(header) == (1 if task == "regression" else 1 + len(estimator.classes_))


def test_a_model_becomes_an_onnx_file_only_if_both_say_the_same(run: Run, folder: Path) -> None:
    run("fit tennis.csv -t play -a c45 -o t.tree")
    ran = run("export t.tree --to onnx --check tennis.csv -o t.onnx")
    assert ran.status == 0 and "14 rows compared" in ran.err and "onnx" in ran.err, ran.err
    assert (folder / "t.onnx").read_bytes() == treewright.export_onnx(treewright.load("t.tree"))


def test_predictions_go_to_every_kind_of_file(run: Run, folder: Path) -> None:
    run("fit tennis.csv -t play -a id3 -o t.tree")
    text = run("predict t.tree tennis.csv").out
    assert text.splitlines()[:2] == ["prediction,probability_no,probability_yes", "no,1.0,0.0"]
    assert run("predict t.tree tennis.csv -o p.csv").out == ""
    assert (folder / "p.csv").read_text() == text
    run("predict t.tree tennis.csv -o p.tsv")
    assert (folder / "p.tsv").read_text() == text.replace(",", "\t")
    run("predict t.tree tennis.csv -o p.jsonl")
    first = json.loads((folder / "p.jsonl").read_text().splitlines()[0])
    assert first == {"prediction": "no", "probability_no": 1.0, "probability_yes": 0.0}
    pq = pytest.importorskip("pyarrow.parquet")
    run("predict t.tree tennis.csv -o p.parquet")
    assert pq.read_table(folder / "p.parquet").column("prediction").to_pylist()[:2] == ["no", "no"]
    assert run("predict t.tree tennis.csv --no-probabilities").out.startswith("prediction\nno\n")


def test_columns_are_found_by_name_and_others_are_ignored(run: Run, folder: Path) -> None:
    run("fit tennis.csv -t play -a cart -o t.tree")
    whole = run("predict t.tree tennis.csv").out
    lines = [line.split(",") for line in (folder / "tennis.csv").read_text().splitlines()]
    write_csv(folder / "other.csv", ["id", *lines[0][::-1][1:]], [[7, *row[::-1][1:]] for row in lines[1:]])
    ran = run("predict t.tree other.csv")
    assert ran.out == whole
    assert "note: column 'id' of other.csv not used" in ran.err
    write_csv(folder / "less.csv", lines[0][1:], [row[1:] for row in lines[1:]])
    ran = run("predict t.tree less.csv")
    assert (ran.status, ran.out) == (1, "")
    assert "less.csv lacks column 'outlook', which the model was fitted on" in ran.err


def test_weights_ignored_columns_kinds_and_seeds_reach_the_fit(run: Run, numbers: Path) -> None:
    ran = run("fit numbers.csv -t y -a rf -p n_estimators=4 --weight w --ignore city --seed 3 -o m.tree")
    assert ran.status == 0 and "y holds numbers: regression" in ran.err
    estimator = treewright.load("m.tree")
    assert estimator.feature_names_in_.tolist() == ["x"] and estimator.random_state == 3
    ran = run("fit numbers.csv -t w -a cart --task classification --kind x=numeric -o m.tree")
    assert ran.status == 0 and treewright.load("m.tree").classes_.tolist() == [1, 2, 3]
    assert run("evaluate m.tree numbers.csv").out.splitlines()[1].startswith("  accuracy")


def test_a_settings_file_says_what_options_say_and_options_win(run: Run, folder: Path) -> None:
    (folder / "model.toml").write_text(
        'target = "play"\nalgorithm = "cart"\nignore = ["wind"]\n[params]\nmax_depth = 1\n', encoding="utf-8"
    )
    assert run("fit tennis.csv --config model.toml -o t.tree").status == 0
    estimator = treewright.load("t.tree")
    assert estimator.get_depth() == 1 and "wind" not in estimator.feature_names_in_
    assert run("fit tennis.csv --config model.toml -p max_depth=2 -a c45 -o t.tree").status == 0
    assert type(treewright.load("t.tree")).__name__ == "C45Classifier"
    (folder / "model.toml").write_text("tagret = 1\n", encoding="utf-8")
    ran = run("fit tennis.csv --config model.toml -o t.tree")
    assert ran.status == 2 and "no setting 'tagret'. Did you mean 'target'?" in ran.err


def test_reports_come_as_json(run: Run) -> None:
    run("fit tennis.csv -t play -a c45 -o t.tree")
    assert json.loads(run("explain t.tree --node 0 --json").out)["node"] == 0
    assert json.loads(run("data tennis.csv --json").out)["rows"] == 14
    scores = json.loads(run("evaluate t.tree tennis.csv --metric f1_macro --json").out)["scores"]
    assert scores == {"f1_macro": 1.0}
    compared = json.loads(run("compare tennis.csv -t play -a id3,cart --cv 2 --json").out)
    assert set(compared["algorithms"]) == {"id3", "cart"}


def test_a_row_is_explained_by_its_number_or_as_json(run: Run) -> None:
    run("fit tennis.csv -t play -a c45 -o t.tree")
    by_number = run("explain t.tree --row 0 --data tennis.csv")
    row = json.dumps({"outlook": "sunny", "temperature": "hot", "humidity": "high", "wind": "weak"})
    assert by_number.out == run("explain t.tree --row", row).out
    assert by_number.out.startswith("Predicted no")
    ran = run("explain t.tree --row 14 --data tennis.csv")
    assert ran.status == 2 and "tennis.csv has 14 rows, counted from 0" in ran.err
    ran = run("explain t.tree --row", '{"outlok": "rain"}')
    assert ran.status == 2 and "no column 'outlok'. Did you mean 'outlook'?" in ran.err


def test_a_tree_is_pruned_by_rule_price_or_leaves(run: Run, cancer: Path) -> None:
    run("fit cancer.csv -t diagnosis -a cart --seed 0 -o c.tree")
    assert run("prune c.tree --leaves 4 -o p.tree").out.splitlines()[0].startswith("22 → 4 leaves")
    assert treewright.load("p.tree").get_n_leaves() == 4
    assert run("prune c.tree --alpha 0.02 -o p.tree").status == 0
    assert run("prune c.tree --rule 1se --data cancer.csv --cv 3 -o p.tree").status == 0
    for wrong in ("prune c.tree -o p.tree", "prune c.tree --leaves 3 --alpha 1 -o p.tree"):
        assert run(wrong).status == 2
    ran = run("prune c.tree --rule 1se -o p.tree")
    assert ran.status == 2 and "cv" in ran.err


def test_validation_rows_are_watched_by_boosters_and_measured_for_all(run: Run, numbers: Path) -> None:
    for name in ("leafwise", "cart"):
        extra = "-p n_estimators=5" if name == "leafwise" else ""
        ran = run(f"fit numbers.csv -t y -a {name} {extra} --valid numbers.csv --seed 0 -o m.tree")
        assert ran.status == 0, ran.err
        assert "validation: rmse" in ran.out
    ran = run("fit tennis.csv -t play -a cart --cv 3 -o m.tree")
    assert "cross-validated, 3 folds: accuracy" in ran.out


def test_algorithms_are_listed_with_their_parameters(run: Run) -> None:
    listed = run("algorithms").out
    assert all(name in listed for name in treewright.ALGORITHMS)
    assert "confidence_factor : float, default=0.25" in run("algorithms c45").out
    assert run("algorithms id3 --task regression").status == 2


def test_what_a_fit_has_to_say_is_said_once_however_many_folds_there_are(run: Run, folder: Path) -> None:
    write_csv(folder / "numbers.csv", ["a", "b"], [[i * i, "yn"[i % 2]] for i in range(90)])
    ran = run("compare numbers.csv -t b -a id3 --cv 3")
    assert ran.status == 0 and ran.err.count("ID3 takes each number for a symbol") == 1, ran.err
    assert "-a c45" in ran.err and "sklearn" not in ran.err and "categorical_features" not in ran.err


def test_descriptions_of_algorithms_are_for_a_terminal(run: Run) -> None:
    for name in ("cart", "random_forest", "leafwise"):
        described = run(f"algorithms {name}").out
        assert "``" not in described and "`" in described
