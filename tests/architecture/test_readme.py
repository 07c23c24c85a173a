from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from treewright.demo import demonstrate


def blocks(root: Path, language: str) -> list[str]:
    text = (root / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_example_runs(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = blocks(root, "python")
    assert not re.search(r"import (pandas|polars|pyarrow)", example)  # a plain installation has none of them
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)
    assert (tmp_path / "tennis.tree").is_file() and (tmp_path / "tennis.html").is_file()
    assert list(names["same"].predict(names["X"])) == list(names["y"])  # type: ignore[attr-defined, call-overload]


def test_the_commands_run_on_the_table_that_is_named_above_them(root: Path, tmp_path: Path) -> None:
    (table,) = re.findall(r"`(src/\S+\.csv)`", (root / "README.md").read_text(encoding="utf-8"))
    shutil.copy(root / table, tmp_path)
    (commands,) = [block for block in blocks(root, "sh") if "treewright fit" in block]
    ran = []
    for line in commands.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "treewright"
        if words[0] == "app":  # runs until it is stopped
            continue
        subprocess.run([sys.executable, "-m", program, *words], cwd=tmp_path, check=True, capture_output=True)
        ran.append(words[0])
    assert ran == ["fit", "show", "explain", "predict"]
    assert len((tmp_path / "answers.csv").read_text(encoding="utf-8").splitlines()) == 15


def test_the_printed_tree_and_report_are_those_of_the_demo(root: Path) -> None:
    tree, report = blocks(root, "text")
    assert tree.rstrip() in demonstrate()
    assert report.rstrip() in demonstrate()
