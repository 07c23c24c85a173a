from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import treewright as tw
from treewright.cli.main import treewright as main


def run(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return str(result.output)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = tmp_path / "rows"
    rows.mkdir()
    for number in range(3):
        x = rng.normal(size=200)
        part = pd.DataFrame({"x": x, "city": rng.choice(["a", "b"], 200), "w": rng.integers(1, 3, 200) * 1.0})
        part["late"] = np.where(part.x + (part.city == "a") > 0, "yes", "no")
        part.to_parquet(rows / f"{number}.parquet", index=False)
    return rows


def test_a_folder_a_pattern_and_a_long_file_give_the_model_of_the_whole_table(folder: Path) -> None:
    whole = pd.concat([pd.read_parquet(path) for path in sorted(folder.iterdir())], ignore_index=True)
    one = folder.parent / "whole.parquet"
    whole.to_parquet(one, index=False)
    options = ("-t", "late", "--weight", "w", "-a", "leafwise", "-p", "n_estimators=5", "--seed", 0)
    wanted = tw.LeafwiseBoostingClassifier(n_estimators=5, random_state=0)
    wanted.fit(whole[["x", "city"]], whole["late"], whole["w"])
    models = []
    for number, (source, *flags) in enumerate([(folder,), (folder / "*.parquet",), (one, "--scan"), (one,)]):
        model = folder.parent / f"{number}.tree"
        text = run("fit", source, *flags, *options, "-o", model)
        assert "600 rows, 2 features → 5 trees" in text
        models.append(tw.load(model))
    for model in models:
        assert np.array_equal(
            model.predict_proba(whole[["x", "city"]]), wanted.predict_proba(whole[["x", "city"]])
        )


def test_predictions_of_many_files_stream_to_parquet(folder: Path) -> None:
    rows = tw.scan(folder, target="late", features=["x", "city"])
    booster = tw.LeafwiseBoostingClassifier(n_estimators=5, random_state=0).fit(rows)
    model, out = folder.parent / "m.tree", folder.parent / "answers.parquet"
    booster.save(model)
    run("predict", model, folder / "*.parquet", "-o", out)
    found = pq.read_table(out)
    assert found.column_names == ["prediction", "probability_no", "probability_yes"]
    assert found["prediction"].to_pylist() == booster.predict(rows).tolist()
    again = folder.parent / "again.parquet"
    assert tw.write_predictions(booster, rows, again) == 600
    assert pq.read_table(again).equals(found)
    assert tw.write_predictions(booster, rows, folder.parent / "answers.csv", probabilities=False) == 600
    with pytest.raises(TypeError, match="takes rows from"):
        tw.write_predictions(booster, pd.DataFrame({"x": [1.0]}), again)


def test_what_needs_the_table_in_memory_is_refused_in_one_line(folder: Path) -> None:
    for option in (("--cv", 3), ("--kind", "x=nominal")):
        result = CliRunner().invoke(
            main, ["fit", str(folder), "-t", "late", "-o", "m.tree", *map(str, option)]
        )
        assert result.exit_code != 0
        assert "--scan" in result.output
    result = CliRunner().invoke(main, ["fit", str(folder), "-t", "lat", "-o", "m.tree"])
    assert "no column 'lat'" in result.output
