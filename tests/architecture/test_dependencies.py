from __future__ import annotations

import ast
import itertools
import re
import sys
import tomllib
from pathlib import Path

# The module to import, where it is not called like the package.
MODULES = {"scikit-learn": "sklearn", "xgboost-cpu": "xgboost"}
# Packages that are used without being imported, and the text that uses them.
USED_BY = {
    "pytest-xdist": ("Makefile", "-n $(JOBS)"),
    "catboost": ("benchmarks", "catboost"),  # by name, because each of them may be missing
    "pyarrow": ("src/treewright/data", "pyarrow"),
    "clang-format": ("Makefile", "$(BIN)/clang-format"),
    "clang-tidy": ("Makefile", "$(BIN)/clang-tidy"),
    "import-linter": ("Makefile", "$(BIN)/lint-imports"),
    "mypy": ("Makefile", "$(BIN)/mypy"),
    "ruff": ("Makefile", "$(BIN)/ruff"),
    "codespell": ("Makefile", "$(BIN)/codespell"),
    "myst-parser": ("tools/book/conf.py", "myst_parser"),
    "numpydoc": ("tools/book/conf.py", "numpydoc"),
    "pydata-sphinx-theme": ("tools/book/conf.py", "pydata_sphinx_theme"),
    "scipy-stubs": ("src/treewright", "scipy"),
    "anywidget": ("src/treewright/web", "anywidget"),
    "onnxruntime": ("src/treewright/export/onnx", "onnxruntime"),
    "starlette": ("src/treewright/web", "starlette"),
    "uvicorn": ("src/treewright/web", "uvicorn"),
}


def package_of(requirement: str) -> str:
    return re.split(r"[\[<>=~! ]", requirement)[0]


def project(root: Path) -> dict[str, object]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def imported_below(*folders: Path) -> set[str]:
    found: set[str] = set()
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(statement, ast.Import):
                found |= {alias.name.split(".")[0] for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom) and statement.module:
                found.add(statement.module.split(".")[0])
            elif isinstance(statement, ast.Call) and ast.unparse(statement.func).endswith("importorskip"):
                found.add(str(getattr(statement.args[0], "value", "")).split(".")[0])
    return found


def test_every_dependency_of_the_library_is_imported_by_it(root: Path) -> None:
    imported = imported_below(root / "src")
    packages = [package_of(requirement) for requirement in project(root)["dependencies"]]
    assert [package for package in packages if MODULES.get(package, package) not in imported] == []
    assert "numpy" in packages


def test_every_package_of_an_extra_is_used(root: Path) -> None:
    imported = imported_below(root / "tests", root / "benchmarks", root / "tools")
    unused = []
    for requirement in itertools.chain(*project(root)["optional-dependencies"].values()):
        package = package_of(requirement)
        if package == "treewright" or MODULES.get(package, package) in imported:
            continue
        name, text = USED_BY.get(package, ("Makefile", package))
        files = [root / name] if (root / name).is_file() else (root / name).rglob("*.py")
        if not any(text in path.read_text(encoding="utf-8") for path in files):
            unused.append(package)
    assert unused == []


def test_the_library_imports_nothing_that_it_does_not_ask_for(root: Path) -> None:
    asked = {package_of(requirement) for requirement in project(root)["dependencies"]}
    brought = {"scipy", "joblib"}  # scikit-learn needs them itself
    allowed = {MODULES.get(package, package) for package in asked} | brought | {"treewright"}
    assert imported_below(root / "src") - allowed - sys.stdlib_module_names <= {
        "__future__",
        "dask",
        "distributed",
        "jpmml_evaluator",
        "matplotlib",
        "onnx",
        "pandas",
        "polars",
        "py4j",  # comes with jpmml_evaluator
        "pyarrow",
        "anywidget",
        "rich",
        "skl2onnx",
        "starlette",
        "traitlets",  # comes with anywidget
        "treelite",
        "uvicorn",
    }
