"""The lines that the page prints: they run, and make the model of the page."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.web.calling import call, load, started

import treewright
from treewright.cli.main import treewright as command_line
from treewright.web.bundled import BUNDLED
from treewright.web.command import start_session
from treewright.web.downloads import download
from treewright.web.session import Session


@pytest.mark.parametrize("bundled", ["tennis", "loans", "cancer", "diabetes"])
@pytest.mark.parametrize("smaller", [{}, {"rule": "1se", "folds": 4}, {"alpha": 0.01}])
def test_the_python_of_the_page_makes_the_model_of_the_page(bundled: str, smaller: dict[str, Any]) -> None:
    session = started(bundled)
    call(session, "act", action="next")
    best = call(session, "candidates", node=1)["candidates"]
    call(session, "act", action="split", node=1, feature=best[1]["feature"])
    call(session, "act", action="grow", levels=2)
    if smaller:
        call(session, "choose", **smaller)
    names: dict[str, Any] = {}
    exec("\n".join(call(session, "state")["python"]), names)
    own = session.kept.get("pruned") or session.grower.to_estimator()  # type: ignore[union-attr]
    assert names["est"].get_n_leaves() == own.get_n_leaves()
    assert treewright.export_text(names["est"]) == treewright.export_text(own)


def test_the_python_of_a_file_reads_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{i % 5},{i % 3},{1 + i % 2},{'xy'[i % 5 > 2]}" for i in range(40))
    (tmp_path / "my table.csv").write_text(f"a,b,w,y\n{rows}\n")
    session = Session(source=start_session("my table.csv").source)
    call(session, "columns", roles={"w": "weight"}, kinds={"b": "nominal"})
    call(session, "start", algorithm="cart", params={"max_depth": 2})
    state = call(session, "act", action="grow")
    names: dict[str, Any] = {}
    exec("\n".join(state["python"]), names)
    assert treewright.export_text(names["est"]) == treewright.export_text(session.grower.to_estimator())  # type: ignore[union-attr]
    assert state["command"] == [
        "treewright fit 'my table.csv' -t y --kind b=nominal --weight w -a cart --seed 0 -p max_depth=2 "
        "-o my_table.tree"
    ]


def run_lines(lines: list[str]) -> None:
    """Do what somebody does who copies the lines into a terminal."""
    for line in lines:
        words = shlex.split(line)
        if words[0] == "python":
            subprocess.run([sys.executable, *words[1:]], check=True)
        else:
            assert words[0] == "treewright"
            command_line(words[1:], standalone_mode=False)


@pytest.mark.parametrize("bundled", BUNDLED)
def test_the_command_line_of_a_bundled_table_makes_the_model_of_the_page(
    bundled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = started(bundled)
    call(session, "act", action="grow")
    call(session, "choose", rule="min", folds=4)
    run_lines(call(session, "state")["command"])
    made = treewright.load(tmp_path / f"{bundled}.tree")
    assert treewright.export_text(made) == treewright.export_text(session.kept["pruned"])


def test_the_command_line_of_a_pruned_tree_knows_weights_and_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    a, b = generator.integers(0, 6, 300), generator.normal(size=300).round(3)
    noisy = (a % 2) + b + generator.normal(size=300) > 0.5
    rows = zip(a, b, generator.integers(0, 3, 300), noisy, strict=True)
    lines = "".join(f"{code},{size},{weight},{'pq'[int(label)]}\n" for code, size, weight, label in rows)
    (tmp_path / "my table.csv").write_text(f"code = x,size,how often,y\n{lines}")
    session = Session(source=start_session("my table.csv").source)
    call(session, "columns", roles={"how often": "weight"}, kinds={"code = x": "nominal"})
    call(session, "start", algorithm="cart", params={})
    call(session, "act", action="grow")
    for rule in ("min", "1se"):
        call(session, "choose", rule=rule, folds=5)
        run_lines(call(session, "state")["command"])
        made = treewright.load(tmp_path / "my_table.tree")
        assert treewright.export_text(made) == treewright.export_text(session.kept["pruned"])
    assert session.kept["pruned"].get_n_leaves() > 1


def test_the_command_line_says_where_the_tree_is_not_grown_to_its_end() -> None:
    session = started("tennis")
    state = call(session, "act", action="next")
    assert "not grown the tree to its end" in state["command"][1]
    state = call(session, "act", action="grow")
    assert [line for line in state["command"] if line.startswith("#")] == []


def test_the_command_line_of_a_comparison_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session()
    lines = "".join(f"{i % 4},{i % 3},{1 + i % 2},{'xy'[i % 4 > 1]}\n" for i in range(40))
    load(session, "two words.csv", f"an input,left out,w,the target\n{lines}")
    (tmp_path / "two words.csv").write_text(f"an input,left out,w,the target\n{lines}")
    call(session, "columns", roles={"left out": "ignored", "w": "weight"}, kinds={"an input": "nominal"})
    command = call(session, "compare", algorithms=["cart", "c45"], folds=3)["command"]
    assert command == [
        "treewright compare 'two words.csv' -t 'the target' --ignore 'left out' --kind 'an input=nominal' "
        "--weight w -a cart,c45 --cv 3"
    ]
    run_lines(command)


def test_a_downloaded_model_has_the_name_that_the_lines_load() -> None:
    session = Session()
    load(session, "größe (1).csv", "a,y\n1,p\n2,q\n3,p\n")
    call(session, "start", algorithm="cart", params={})
    state = call(session, "act", action="split", node=0, feature="a", threshold=1.5)
    assert state["command"][-1] == f"treewright show {download(session, 'model').name}"
