from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.architecture.test_files import code_folders
from tests.architecture.test_layers import load_tool


def page(root: Path) -> Path:
    return root / "docs" / "architecture.md"


def test_the_page_draws_the_layers_that_the_checkers_enforce(root: Path) -> None:
    tool = load_tool(root, "draw_layers")
    assert tool.page_part(page(root)) == tool.drawn(), "run tools/draw_layers.py"


def test_every_folder_of_code_has_a_row_on_the_map(root: Path) -> None:
    rows = set(re.findall(r"^\| `([\w/]+)` \|", page(root).read_text(encoding="utf-8"), re.MULTILINE))
    missing = []
    for top in (root / "core", root / "src" / "treewright"):
        folders = [folder for folder in code_folders(root) if top in folder.parents]
        missing += [str(folder.relative_to(root)) for folder in folders if named(folder, top) not in rows]
    assert missing == []


def named(folder: Path, top: Path) -> str:
    name = folder.relative_to(top).as_posix()
    return f"core/{name}" if top.name == "core" else name


def test_every_python_layer_is_written_into_the_contract(root: Path) -> None:
    layers = load_tool(root, "draw_layers").python_layers()
    known = {name for layer in layers for name in layer}
    package = root / "src" / "treewright"
    exist = {path.stem for path in package.glob("*.py")} | {
        path.name for path in package.iterdir() if (path / "__init__.py").is_file()
    }
    assert exist - known == {"__init__"}


def test_layers_that_include_each_other_cannot_be_drawn(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = load_tool(root, "draw_layers")
    monkeypatch.setattr(tool, "LAYERS", {"base": set(), "grow": {"tree"}, "tree": {"grow"}})
    with pytest.raises(ValueError, match=r"\['grow', 'tree'\]"):
        tool.heights()


def test_a_stub_that_was_not_committed_is_seen(root: Path, tmp_path: Path) -> None:
    tool = load_tool(root, "check_stub")
    stub = tmp_path / tool.STUB
    stub.parent.mkdir(parents=True)
    stub.write_text("def old() -> None: ...\n", encoding="utf-8")
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert tool.check_stub(tmp_path) == []
    stub.write_text("def new() -> None: ...\n", encoding="utf-8")
    assert len(tool.check_stub(tmp_path)) == 1


def test_every_readme_says_more_than_the_name_of_its_folder(root: Path) -> None:
    readmes = [folder / "README.md" for folder in code_folders(root)]
    texts = {path: re.sub(r"\A#.*\n", "", path.read_text(encoding="utf-8")).strip() for path in readmes}
    assert [str(path.relative_to(root)) for path, text in texts.items() if len(text) < 40] == []


def test_every_file_that_the_map_names_exists(root: Path) -> None:
    sources = [
        path for top in ("core", "src", "tests", "tools", "benchmarks") for path in (root / top).rglob("*.*")
    ]
    paths = {path.relative_to(root).as_posix() for path in sources}
    pages = [page(root), root / "CONTRIBUTING.md", root / "tools" / "README.md"]
    pages += [folder / "README.md" for folder in code_folders(root)]
    missing = []
    for one in pages:
        for name in re.findall(r"`([\w/]+\.(?:h|c|cpp|py))`", one.read_text(encoding="utf-8")):
            placeholder = re.fullmatch(r"(.*[/_])?x", name.rsplit(".", 1)[0])
            if not placeholder and not any(f"/{path}".endswith(f"/{name}") for path in paths):
                missing.append(f"{one.relative_to(root)}: {name}")
    assert missing == []
