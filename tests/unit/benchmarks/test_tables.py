"""The page of every table and shape: tables of the grid, what counts as peer, going on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas")
pytest.importorskip("resource", reason="processor times are read in the way of Unix")

import numpy as np
from benchmarks import shapes, tables
from benchmarks.shapes import Shape
from benchmarks.tables import Case


def result(ours: float, *peers: tuple[str, float, float], busy: bool = False) -> dict[str, Any]:
    sides = [
        {"side": name, "wall": wall, "cpu": 2 * wall, "peak": 1.0, "loss": loss}
        for name, wall, loss in (("ours", ours, 1.0), *peers)
    ]
    return {"shape": "2 × 2", "loss": "RMSE", "sides": sides, "busy": busy}


def test_a_shape_of_the_grid_is_what_its_name_says() -> None:
    shape = Shape(200, 10, 3, values=7, categories=0.4)
    x, y = shapes.make(shape)
    assert x.shape == (200, 10)
    assert (x.dtypes == "category").sum() == 4
    assert sorted(np.unique(y)) == [0, 1, 2]
    assert shape.name == "200 × 10, 3 classes, 7 values, 40% categories"
    assert len({shape.name for shape in shapes.GRID}) == len(shapes.GRID)
    assert all(shape.rows * shape.columns <= 5 * 10**7 for shape in shapes.GRID)


def test_a_peer_that_predicts_worse_does_not_count() -> None:
    found = result(1.0, ("fast", 0.5, 1.02), ("good", 4.0, 1.005))
    assert tables.fastest_peer(found, "wall")["side"] == "good"
    assert tables.ratio_of(found) == 0.25
    assert tables.ratio_of(result(1.0, ("only", 2.0, 9.0))) == 0.5


def test_cases_that_are_stored_are_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Case] = []

    def measured(case: Case, *_: Any) -> dict[str, Any] | None:
        asked.append(case)
        return None if case.table == "b" else result(1.0, ("peer", 2.0, 1.0), busy=True)

    monkeypatch.setattr(tables, "all_cases", lambda: iter([Case("a", "CART"), Case("b", "CART")]))
    monkeypatch.setattr(tables, "measured_apart", measured)
    for _ in range(2):
        tables.main(["--output", str(tmp_path / "tables")])
    assert asked == [Case("a", "CART"), Case("b", "CART"), Case("b", "CART")]
    stored = json.loads((tmp_path / "tables.json").read_text(encoding="utf-8"))
    assert list(stored) == [f"a|CART|{tables.engine()}"]
    assert "| a | 2 × 2 | 0.50° |" in (tmp_path / "tables.md").read_text(encoding="utf-8")


def test_both_sides_of_a_small_shape_are_measured() -> None:
    found = tables.measure(Case("300 × 5, 2 classes", "CART"), 300, 1)
    assert [side["side"] for side in found["sides"]] == ["ours", "scikit-learn"]
    assert all(side["wall"] > 0 and side["loss"] > 0 for side in found["sides"])
