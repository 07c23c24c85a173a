from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def load_tool(root: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, root / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_engine_includes_only_downwards(root: Path) -> None:
    assert load_tool(root, "check_layers").check_core(root / "core") == []


def test_the_include_checker_sees_upward_unknown_and_python_includes(root: Path, tmp_path: Path) -> None:
    for folder, text in {
        "base": '#include "grow/plan.h"\n',
        "tree": "#include <nanobind/nanobind.h>\n",
        "bind": '#include <nanobind/nanobind.h>\n#include "grow/plan.h"\n',
        "grow": '#include "base/a.h"\n#include "nowhere.h"\n',
        "extra": "",
    }.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.h").write_text(text, encoding="utf-8")
    (tmp_path / "grow" / "plan.h").write_text("", encoding="utf-8")
    assert load_tool(root, "check_layers").check_core(tmp_path) == [
        "core/base/a.h:1: base must not include grow (grow/plan.h)",
        "core/extra: unknown folder, add its row to tools/check_layers.py",
        'core/grow/a.h:2: write "nowhere.h" as a path below core/',
        "core/tree/a.h:1: includes nanobind/nanobind.h, but only core/bind may know Python",
    ]


def test_the_library_imports_only_downwards(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli = pytest.importorskip(
        "importlinter.cli", reason="import-linter is not installed (make dev installs it)"
    )
    monkeypatch.chdir(root)
    status = cli.lint_imports(config_filename=str(root / "pyproject.toml"), no_cache=True)
    assert status == cli.EXIT_STATUS_SUCCESS


def test_modules_take_only_modules_from_the_package_itself(root: Path) -> None:
    package = root / "src" / "treewright"
    modules = {path.stem for path in package.iterdir()} | {"_core"}
    taken = {
        (str(path.relative_to(root)), alias.name)
        for path in package.rglob("*.py")
        if path != package / "__init__.py"
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(statement, ast.ImportFrom) and statement.module == "treewright"
        for alias in statement.names
        if alias.name not in modules
    }
    assert taken == set()


def test_relative_links_in_the_documentation_lead_somewhere(root: Path) -> None:
    assert load_tool(root, "check_links").check_tree(root) == []
