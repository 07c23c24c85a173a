"""What only people at a terminal see: progress, completion, plain letters; and pipes between commands."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.shell_completion import FishComplete, ShellComplete, ZshComplete
from tests.unit.cli.conftest import Run

import treewright
from treewright.cli import progress
from treewright.cli.main import treewright as group

VARIABLE = "_TREEWRIGHT_COMPLETE"


def offered(*words: str) -> list[str]:
    *before, last = words
    complete = ShellComplete(group, {}, "treewright", VARIABLE)
    return [f"{item.value}:{item.type}" for item in complete.get_completions(before, last)]


def test_the_tabulator_offers_commands_options_files_algorithms_and_columns(folder: Path) -> None:
    assert offered("ex") == ["explain:plain", "export:plain"]
    assert "--ascii:plain" in offered("explain", "m.tree", "--")
    assert offered("fit", "ten") == ["ten:file"]
    assert offered("show", "m") == ["m:file"]
    assert offered("fit", "tennis.csv", "-a", "r") == ["random_forest:plain", "rf:plain"]
    assert offered("compare", "tennis.csv", "-a", "c45,id") == ["c45,id3:plain"]
    assert offered("fit", "tennis.csv", "-t", "p") == ["play:plain"]
    assert offered("fit", "nowhere.csv", "-t", "p") == []
    assert {"svg:plain", "html:plain", "text:plain"} <= set(offered("show", "m.tree", "-f", ""))


def test_every_documented_shell_gets_a_script(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[3] / "docs" / "command_line.md").read_text(encoding="utf-8")
    for shell in ("bash", "zsh", "fish"):
        assert f"{VARIABLE}={shell}_source treewright" in page
    for cls in (ZshComplete, FishComplete):
        script = cls(group, {}, "treewright", VARIABLE).source()
        assert VARIABLE in script and "treewright" in script
    monkeypatch.setenv(VARIABLE, "zsh_source")
    ran = run("")
    assert ran.status == 0 and "compdef" in ran.out


FIT = "fit tennis.csv -t play -a rf -p n_estimators=20 --seed 1"


def test_progress_goes_to_a_terminal_and_leaves_results_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "find_spec", lambda name: None)
    quiet = run(f"{FIT} -o a.tree")
    assert quiet.err == ""
    with monkeypatch.context() as patch:
        patch.setattr(type(sys.stderr), "isatty", lambda self: self is sys.stderr, raising=False)
        shown = run(f"{FIT} -o b.tree")
    assert shown.out == quiet.out.replace("a.tree", "b.tree")
    assert "RandomForestClassifier: 20 of 20 trees" in shown.err
    assert shown.err.endswith("\r")  # the line is taken away
    assert Path("a.tree").read_bytes() == Path("b.tree").read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="a terminal of Unix")
def test_a_bar_of_rich_is_shown_where_it_is_installed(folder: Path) -> None:
    pytest.importorskip("rich")
    terminal, end = os.openpty()
    command = [sys.executable, "-m", "treewright", *FIT.split(), "-o", "a.tree"]
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100"}
    with subprocess.Popen(command, cwd=folder, env=env, stderr=end, stdout=subprocess.PIPE) as process:
        os.close(end)
        seen = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody writes any more
            while data := os.read(terminal, 65536):
                seen += data
        assert process.stdout is not None and b"20 trees" in process.stdout.read()
    os.close(terminal)
    assert process.returncode == 0
    assert b"RandomForestClassifier" in seen and b"/20" in seen
    assert b"\x1b[3" not in seen and b"\x1b[9" not in seen  # no colour


def test_plain_letters_are_plain_and_aligned(run: Run, cancer: Path) -> None:
    run("fit cancer.csv -t diagnosis -a cart -p prune=cost_complexity --cv 3 --seed 0 -o c.tree")
    for line in (
        "data cancer.csv",
        "show c.tree",
        "explain c.tree --top 2",
        "explain c.tree --row 0 --data cancer.csv",
        "explain c.tree --pruning --all",
        "prune c.tree --leaves 2 -o p.tree",
        "fit cancer.csv -t diagnosis -p max_depth=1 -o q.tree",
        "compare cancer.csv -t diagnosis -a cart --cv 2",
    ):
        ran = run(f"{line} --ascii")
        assert ran.status == 0 and ran.out.isascii(), (line, ran.out)
    lines = run("explain c.tree --top 3 --ascii").out.splitlines()
    assert len({line.index("<=") for line in lines[2:5]}) == 1


def piped(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


def test_tables_of_every_format_come_through_a_pipe(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.read_csv("tennis.csv")
    forms = {"csv": io.BytesIO(), "json": io.BytesIO(), "parquet": io.BytesIO(), "arrow": io.BytesIO()}
    frame.write_csv(forms["csv"])
    frame.write_ndjson(forms["json"])
    frame.write_parquet(forms["parquet"])
    frame.write_ipc(forms["arrow"])
    forms["tsv"] = io.BytesIO(forms["csv"].getvalue().replace(b",", b"\t"))
    shown = {}
    for name, file in forms.items():
        piped(monkeypatch, file.getvalue())
        ran = run("data -")
        assert ran.status == 0, (name, ran.err)
        shown[name] = ran.out
    assert len(set(shown.values())) == 1 and shown["csv"].startswith("standard input   14 rows")


def test_a_model_goes_through_a_pipe(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("fit tennis.csv -t play -a c45 -o t.tree")
    out = SimpleNamespace(buffer=io.BytesIO(), flush=lambda: None)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        ran = run("fit tennis.csv -t play -a c45 -o -")
    assert ran.status == 0 and "5 leaves" in ran.err and not Path("-").exists()
    piped(monkeypatch, out.buffer.getvalue())
    assert run("show -").out == run("show t.tree").out
    assert run("evaluate - -").status == 2


def test_pictures_hold_the_rows_of_a_table(run: Run, folder: Path) -> None:
    run("fit tennis.csv -t play -a c45 -o t.tree")
    for form in ("svg", "html"):
        assert run(f"show t.tree -f {form} --data tennis.csv -o t.{form}").out == ""
        assert len(Path(f"t.{form}").read_bytes()) > len(run(f"show t.tree -f {form}").out.encode())
    ran = run("show t.tree -f rules --data tennis.csv")
    assert ran.status == 2 and "-f svg and -f html" in ran.err


def test_every_report_has_json(run: Run) -> None:
    run("fit tennis.csv -t play -a cart -p prune=cost_complexity -p cv=2 --seed 0 -o t.tree")
    assert json.loads(run("explain t.tree --pruning --json").out)["rows"]
    assert json.loads(run("prune t.tree --leaves 1 -o p.tree --json").out)["leaves_after"] == 1
    assert set(json.loads(run("algorithms --json").out)) == set(treewright.ALGORITHMS)
    defaults = json.loads(run("algorithms c45 --json").out)["c45"]["classification"]["defaults"]
    assert defaults["confidence_factor"] == 0.25
