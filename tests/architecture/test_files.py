from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

MAX_LINES = 500
MAX_FILES = 40
SOURCES = {".py", ".h", ".cpp"}
# A home directory, or this very checkout, written into a file.
MACHINE_PATH = re.compile(r"(?<![\w.])(/home/\w+/|/Users/\w+/|/root/|[A-Z]:\\Users\\)")


def tracked_files(root: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout: the list of tracked files is unknown")
    return [root / name for name in listed.stdout.splitlines() if (root / name).is_file()]


def code_folders(root: Path) -> list[Path]:
    found = [root / "core", root / "src" / "treewright"]
    for top in list(found):
        found += [path for path in top.rglob("*") if path.is_dir() and path.name != "__pycache__"]
    return found


def test_every_folder_of_code_says_its_rule_in_a_readme(root: Path) -> None:
    missing = [folder for folder in code_folders(root) if not (folder / "README.md").is_file()]
    assert [str(folder.relative_to(root)) for folder in missing] == []


def test_no_source_file_is_longer_than_500_lines(root: Path) -> None:
    sources = [path for path in tracked_files(root) if path.suffix in SOURCES]
    lengths = {
        str(path.relative_to(root)): len(path.read_text(encoding="utf-8").splitlines()) for path in sources
    }
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def test_no_folder_holds_more_than_40_source_files(root: Path) -> None:
    counts = {
        str(folder.relative_to(root)): sum(path.suffix in SOURCES for path in folder.iterdir())
        for folder in code_folders(root)
    }
    assert {name: count for name, count in counts.items() if count > MAX_FILES} == {}


def test_no_tracked_file_names_a_directory_of_somebodys_machine(root: Path) -> None:
    checkout = str(root)
    found = []
    for path in tracked_files(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a binary file
        if path != Path(__file__).resolve() and (checkout in text or MACHINE_PATH.search(text)):
            found.append(str(path.relative_to(root)))
    assert found == []


def test_every_module_opens_with_a_docstring(root: Path) -> None:
    empty = re.compile(r"\A(#!.*\n)?(\"\"\"|r\"\"\")")
    sources = [path for path in (root / "src").rglob("*.py")]
    assert [str(p.relative_to(root)) for p in sources if not empty.match(p.read_text(encoding="utf-8"))] == []


def test_every_header_opens_with_a_comment_and_is_included_once(root: Path) -> None:
    headers = sorted((root / "core").rglob("*.h"))
    bad = []
    for path in headers:
        text = path.read_text(encoding="utf-8")
        if not text.startswith("//") or "#pragma once" not in text:
            bad.append(str(path.relative_to(root)))
    assert bad == []
