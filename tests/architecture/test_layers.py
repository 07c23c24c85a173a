from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def load_tool(root: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, root / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
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


def private_imports(package: Path) -> list[str]:
    """Name every import of a module that starts with an underscore from outside of its own package."""
    found = []
    for path in sorted(package.rglob("*.py")):
        here = ("treewright", *path.relative_to(package).parent.parts)
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(statement, ast.ImportFrom) and statement.module is not None:
                modules = [f"{statement.module}.{alias.name}" for alias in statement.names]
            elif isinstance(statement, ast.Import):
                modules = [alias.name for alias in statement.names]
            else:
                continue
            for module in modules:
                parts = module.split(".")
                if parts[0] != "treewright" or parts[1:2] == ["_core"]:  # the engine is nobody's own
                    continue
                private = next((i for i, part in enumerate(parts) if part.startswith("_")), None)
                if private is not None and here[:private] != tuple(parts[:private]):
                    found.append(f"{path.relative_to(package)}: {module}")
    return found


def test_a_private_module_is_imported_only_inside_its_own_package(root: Path) -> None:
    assert private_imports(root / "src" / "treewright") == []


def test_the_search_for_private_imports_sees_modules_names_and_files_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "trees").mkdir()
    for name, text in {
        "trees/a.py": "from treewright.trees._b import c\nfrom treewright import _core\n",
        "forests.py": "from treewright.trees import _b\nimport treewright.trees._b\n",
        "algorithms.py": "from treewright.trees.a import _hidden\nfrom treewright._core import Dataset\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert private_imports(tmp_path) == [
        "algorithms.py: treewright.trees.a._hidden",
        "forests.py: treewright.trees._b",
        "forests.py: treewright.trees._b",
    ]


def test_relative_links_in_the_documentation_lead_somewhere(root: Path) -> None:
    assert load_tool(root, "check_links").check_tree(root) == []
