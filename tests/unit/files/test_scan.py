from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import treewright as tw

FEATURES = ["a", "f32", "i8", "whole", "city", "level", "flag"]
CUTS = (0, 1, 1, 400, 1700, 3000)


def made(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"a": rng.normal(size=n), "f32": rng.normal(size=n).astype("float32")})
    table["i8"] = rng.integers(0, 50, n).astype("int8")
    table["whole"] = np.where(rng.random(n) < 0.1, np.nan, rng.integers(-3, 300, n))
    table["city"] = pd.Series(rng.choice([f"c{i}" for i in range(40)], n), dtype="object")
    table.loc[rng.random(n) < 0.1, "city"] = None
    table["level"] = pd.Categorical(rng.choice(list("abc"), n), categories=list("cbad"))
    table["flag"] = rng.random(n) < 0.3
    table["w"] = rng.integers(0, 3, n).astype(float)
    score = table.a + table.flag + (table.city == "c7") + rng.normal(size=n)
    table["late"] = np.where(score > 0.5, "yes", "no")
    return table


def parts(table: pd.DataFrame, cuts: tuple[int, ...] = CUTS) -> list[pd.DataFrame]:
    return [table.iloc[a:b].reset_index(drop=True) for a, b in pairwise(cuts)]


def saved(estimator: Any) -> bytes:
    file = io.BytesIO()
    estimator.save(file)
    return file.getvalue()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return made(3000)


@pytest.fixture(scope="module")
def folder(table: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    for number, part in enumerate(parts(table)):
        part.to_parquet(folder / f"part-{number}.parquet", index=False)
    return folder


ESTIMATORS = [
    tw.LeafwiseBoostingClassifier(n_estimators=5, random_state=0),
    tw.LeafwiseBoostingClassifier(n_estimators=5, early_stopping=True, random_state=0, subsample=0.5),
    tw.NewtonBoostingClassifier(n_estimators=3, random_state=0),
    tw.GradientBoostingClassifier(n_estimators=3, random_state=0),
    tw.RandomForestClassifier(n_estimators=3, max_bins=255, random_state=0),
    tw.ExtraTreesClassifier(n_estimators=3, random_state=0),
    tw.BaggingClassifier(n_estimators=2, random_state=0),
    tw.AdaBoostClassifier(n_estimators=3),
    tw.CARTClassifier(max_depth=4),
    tw.C45Classifier(),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("weight", [None, "w"])
def test_a_scan_of_parquet_files_gives_the_model_of_the_whole_table(
    estimator: Any, weight: str | None, table: pd.DataFrame, folder: Path
) -> None:
    whole = type(estimator)(**estimator.get_params())
    whole.fit(table[FEATURES], table["late"], None if weight is None else table[weight])
    rows = tw.scan(folder / "*.parquet", target="late", weight=weight, features=FEATURES)
    scanned = type(estimator)(**estimator.get_params()).fit(rows)
    assert saved(scanned) == saved(whole)
    assert np.array_equal(scanned.predict_proba(rows), whole.predict_proba(table[FEATURES]))
    assert np.array_equal(scanned.predict(rows), whole.predict(table[FEATURES]))


@pytest.mark.parametrize("n_rows", [450_000])
def test_tables_that_are_never_whole_in_memory_give_the_same_model(n_rows: int, tmp_path: Path) -> None:
    table = made(n_rows, seed=1)
    cuts = (0, 7, 100_000, 100_000, 300_001, n_rows)
    for number, part in enumerate(parts(table, cuts)):
        part.to_parquet(tmp_path / f"part-{number}.parquet", index=False, row_group_size=50_000)
    booster = tw.LeafwiseBoostingClassifier(n_estimators=3, random_state=0, n_jobs=2)
    rows = tw.scan(tmp_path, target="late", weight="w", features=FEATURES)
    scanned = saved(booster.fit(rows))
    assert scanned == saved(booster.fit(table[FEATURES], table["late"], table["w"]))


def sources(table: pd.DataFrame, folder: Path) -> Iterator[tuple[str, Any]]:
    files = sorted(str(path) for path in folder.glob("*.parquet"))
    chosen = [*FEATURES, "late"]
    frames = parts(table[chosen])
    yield "folder", folder
    yield "list of paths", files
    yield "dataset", ds.dataset(files)
    yield "lazy frame", pl.scan_parquet(files)
    yield "pandas", frames
    yield "arrow", [pa.Table.from_pandas(frame) for frame in frames]
    yield "polars", [pl.from_pandas(frame) for frame in frames]
    yield "function", lambda: iter(frames)
    yield "one frame", table[chosen]


@pytest.mark.parametrize("number", range(9))
def test_every_kind_of_source_gives_the_same_predictions(
    number: int, table: pd.DataFrame, folder: Path
) -> None:
    _, source = list(sources(table, folder))[number]
    booster = tw.LeafwiseBoostingClassifier(n_estimators=5, random_state=0)
    expected = booster.fit(table[FEATURES], table["late"]).predict_proba(table[FEATURES])
    rows = tw.scan(source, target="late", features=FEATURES)
    assert np.array_equal(booster.fit(rows).predict_proba(rows), expected)


def test_text_files_are_scanned_as_they_are_read_whole(tmp_path: Path) -> None:
    text = "x,code,flag,city,empty,y\n" + "".join(
        f"{i % 7 - 3},{10**17 + i % 3},{'true' if i % 2 else 'false'},{'NA' if i % 5 else 'Oslo'},,{i % 11}\n"
        for i in range(300)
    )
    whole, first, second = (tmp_path / name for name in ("whole.csv", "first.csv", "second.csv"))
    whole.write_text(text)
    lines = text.splitlines(keepends=True)
    first.write_text("".join(lines[:100]))
    second.write_text(lines[0] + "".join(lines[100:]))
    read = tw.files.open_table(whole).read()
    features = read.without(["y"])
    expected = tw.CARTRegressor(max_depth=4).fit(features, read.column("y").values)
    for source in (whole, [first, second]):
        rows = tw.scan(source, target="y")
        fitted = tw.CARTRegressor(max_depth=4).fit(rows)
        assert rows.n_rows == 300
        assert fitted.model_.schema == expected.model_.schema
        assert np.array_equal(fitted.predict(rows), expected.predict(features))


def test_dictionaries_that_differ_between_files_are_joined(tmp_path: Path) -> None:
    for number, words in enumerate((["b", "a"], ["a", "c"])):
        column = pa.array([words[i % 2] for i in range(50)]).dictionary_encode()
        target = pa.array(np.arange(50) % 3)
        pq.write_table(pa.table({"word": column, "y": target}), tmp_path / f"{number}.parquet")
    files = sorted(tmp_path.glob("*.parquet"))
    together = pa.concat_tables([pq.read_table(file) for file in files]).unify_dictionaries().to_pandas()
    tree = tw.CARTRegressor().fit(together[["word"]], together["y"])
    assert saved(tw.CARTRegressor().fit(tw.scan(files, target="y"))) == saved(tree)


def test_a_scan_predicts_by_names_and_ignores_other_columns(table: pd.DataFrame, folder: Path) -> None:
    tree = tw.CARTClassifier(max_depth=3).fit(table[["flag", "a"]], table["late"])
    assert np.array_equal(tree.predict(tw.scan(folder)), tree.predict(table[["flag", "a"]]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": "lat"}, "no column 'lat'"),
        ({"target": "late", "features": ["late"]}, "cannot be a feature"),
        ({"target": "late", "features": ["a", "a"]}, "twice"),
        ({}, "names no target"),
    ],
)
def test_wrong_columns_are_named(arguments: dict[str, Any], words: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=words):
        tw.CARTClassifier().fit(tw.scan(folder, **arguments))


def test_what_can_be_read_only_once_is_refused(table: pd.DataFrame) -> None:
    with pytest.raises(TypeError, match="only once"):
        tw.scan(iter([table]), target="late")
    with pytest.raises(FileNotFoundError):
        tw.scan("nowhere/*.parquet", target="late")
    with pytest.raises(TypeError, match="scan takes"):
        tw.scan(3, target="late")


def test_y_beside_a_target_is_refused(table: pd.DataFrame, folder: Path) -> None:
    with pytest.raises(ValueError, match="without y"):
        tw.CARTClassifier().fit(tw.scan(folder, target="late"), table["late"])


def test_batches_of_different_kinds_are_refused() -> None:
    batches = [pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}), pd.DataFrame({"x": ["a", "b"], "y": [0, 1]})]
    with pytest.raises(ValueError, match="'x' holds numbers in some batches and categories in others"):
        tw.CARTClassifier().fit(tw.scan(batches, target="y"))
    with pytest.raises(ValueError, match="Batch 1 has no column 'x'"):
        tw.CARTClassifier().fit(tw.scan([batches[0], batches[0][["y"]]], target="y"))


def test_rows_that_change_between_two_readings_are_refused() -> None:
    rng = np.random.default_rng(0)
    frames = [pd.DataFrame({"x": rng.normal(size=210_000), "y": np.arange(210_000) % 2}) for _ in range(2)]
    readings = []

    def batches() -> Iterator[pd.DataFrame]:
        readings.append(1)
        later = len(readings) > 5
        return iter([frames[0], frames[1].assign(x=frames[1]["x"] + later)])

    with pytest.raises(ValueError, match="not the same"):
        for _ in range(6):
            tw.LeafwiseBoostingClassifier(n_estimators=1).fit(tw.scan(batches, target="y"))


def test_an_empty_scan_is_refused(tmp_path: Path, table: pd.DataFrame) -> None:
    table.iloc[:0].to_parquet(tmp_path / "none.parquet")
    with pytest.raises(ValueError, match="0 sample"):
        tw.CARTClassifier().fit(tw.scan(tmp_path, target="late"))


@pytest.mark.parametrize("params", [{}, {"scoring": ["roc_auc", "loss"]}, {"max_bins": 9, "goss": True}])
@pytest.mark.parametrize("name", ["LeafwiseBoostingClassifier", "NewtonBoostingClassifier"])
def test_validation_rows_are_watched_batch_by_batch(
    name: str, params: dict[str, Any], table: pd.DataFrame, folder: Path
) -> None:
    if name.startswith("Newton"):
        params = {key: value for key, value in params.items() if key != "goss"}
    # Values between, below and above those of the training rows, and a category that they do not have.
    later = pd.concat(
        [made(700, seed=3), made(300, seed=4).assign(city="new", a=lambda t: t.a * 100)], ignore_index=True
    )
    later.loc[later.index[:5], "a"] = [np.inf, -np.inf, np.nan, 0.0, table.a.max()]
    batches = parts(later, (0, 3, 3, 800, 1000))
    settings: dict[str, Any] = {"n_estimators": 20, "early_stopping": True, "random_state": 0, **params}
    local = getattr(tw, name)(**settings)
    local.fit(
        table[FEATURES],
        table["late"],
        X_val=later[FEATURES],
        y_val=later["late"],
        sample_weight_val=later["w"],
    )
    rows = tw.scan(folder / "*.parquet", target="late", features=FEATURES)
    new = tw.scan(batches, target="late", weight="w", features=FEATURES)
    watching = getattr(tw, name)(**settings).fit(rows, X_val=new)
    assert saved(watching) == saved(local)
    assert np.array_equal(watching.validation_score_, local.validation_score_)
    several = getattr(tw, name)(**settings)
    several.fit(rows, X_val={"one": new, "two": later[FEATURES]}, y_val={"one": None, "two": later["late"]})
    assert np.array_equal(
        next(iter(several.validation_scores_["one"].values())), local.validation_score_, equal_nan=True
    )


def test_rows_that_are_set_aside_are_not_held_whole(
    table: pd.DataFrame, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"n_estimators": 12, "early_stopping": True, "random_state": 0}
    local = tw.LeafwiseBoostingClassifier(**settings).fit(table[FEATURES], table["late"])
    rows = tw.scan(folder / "*.parquet", target="late", features=FEATURES)

    def refuse(self: Any) -> Any:
        raise AssertionError("all rows were read into one matrix")

    monkeypatch.setattr("treewright.data.streamed_table.StreamedTable.to_matrix", refuse)
    assert saved(tw.LeafwiseBoostingClassifier(**settings).fit(rows)) == saved(local)
