from __future__ import annotations

import ast
import importlib
import pkgutil
from importlib.metadata import version

import pytest

import treewright

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(treewright.__path__, "treewright.")
    if not module.name.endswith("__main__") and module.name != "treewright._core"
)

# Modules that need an extra, by what they import first.
EXTRAS = {
    "treewright.dask": "distributed",
    "treewright.export.onnx.model_file": "onnx",
    "treewright.export.onnx.pipelines": "skl2onnx",
    "treewright.export.onnx.running": "onnx",
    "treewright.export.pmml.running_jpmml": "jpmml_evaluator",
    "treewright.export.treelite_model": "treelite",
    "treewright.web.widgets": "anywidget",
}


@pytest.mark.parametrize("name", ["treewright", *MODULES])
def test_all_is_sorted_and_every_name_in_it_exists(name: str) -> None:
    for module_name, package in EXTRAS.items():
        if name == module_name or name.startswith(f"{module_name}."):
            pytest.importorskip(package, reason=f"{package} is not installed")
    module = importlib.import_module(name)
    public = list(getattr(module, "__all__", []))
    assert public == sorted(set(public))
    assert [entry for entry in public if not hasattr(module, entry)] == []


def test_all_of_the_package_lists_everything_it_imports_for_users() -> None:
    with open(str(treewright.__file__), encoding="utf-8") as source:
        body = ast.parse(source.read()).body
    imported = {
        alias.asname or alias.name
        for statement in body
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("treewright")
        for alias in statement.names
    }
    imported -= {"VERSION"}  # shown as __version__
    assert {name for name in imported if not name.startswith("_")} <= set(treewright.__all__)


def test_the_version_is_the_installed_one() -> None:
    assert treewright.__version__ == version("treewright")
