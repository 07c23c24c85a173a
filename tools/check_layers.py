"""Check the include direction of the engine: a folder of core/ includes only what its row below lists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

# Folder → folders it may include, besides itself. Everybody may include base. See docs/architecture.md.
LAYERS: dict[str, set[str]] = {
    "base": set(),
    "data": set(),
    "tree": set(),
    "target": set(),
    "criterion": {"target"},
    "objective": {"target"},
    "split": {"data", "tree", "target", "criterion"},
    "grow": {"data", "tree", "target", "criterion", "split"},
    "predict": {"data", "tree"},
    "prune": {"data", "tree", "target", "criterion", "predict"},
    "explain": {"data", "tree", "predict"},
    "forest": {"data", "tree", "target", "criterion", "split", "grow", "prune", "predict"},
    "boost": {"data", "tree", "target", "criterion", "objective", "split", "grow", "predict", "prune"},
}
EVERYBODY = {"base"}
TOP = "bind"  # may include everything, and alone knows Python
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
PYTHON_HEADERS = re.compile(r"^(nanobind/|Python\.h$|pybind11/|numpy/)")


def check_file(path: Path, core: Path) -> list[str]:
    """Return one sentence for each forbidden include of one file."""
    folder = path.relative_to(core).parts[0]
    if folder != TOP and folder not in LAYERS:
        return [f"core/{folder}: unknown folder, add its row to tools/check_layers.py"]
    problems = []
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        quote, target = match.groups()
        where = f"core/{path.relative_to(core)}:{text.count(chr(10), 0, match.start(2)) + 1}"
        if folder != TOP and PYTHON_HEADERS.match(target):
            problems.append(f"{where}: includes {target}, but only core/{TOP} may know Python")
        if quote == "<":
            continue
        if "/" not in target or not (core / target).is_file():
            problems.append(f'{where}: write "{target}" as a path below core/')
            continue
        other = target.split("/")[0]
        if folder != TOP and other != folder and other not in LAYERS[folder] | EVERYBODY:
            problems.append(f"{where}: {folder} must not include {other} ({target})")
    return problems


def check_core(core: Path) -> list[str]:
    """Return the problems of all files below core/, in a stable order."""
    files = sorted(path for path in core.rglob("*") if path.suffix in {".h", ".cpp"})
    return [problem for path in files for problem in check_file(path, core)]


def main() -> int:
    problems = check_core(Path(__file__).resolve().parents[1] / "core")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"C++ layers: {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
