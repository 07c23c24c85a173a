from __future__ import annotations

import re
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


def test_the_printed_tree_and_report_are_those_of_the_demo(root: Path) -> None:
    tree, report = blocks(root, "text")
    assert tree.rstrip() in demonstrate()
    assert report.rstrip() in demonstrate()
