"""Draw who may depend on whom into docs/architecture.md, from what the two checkers enforce.

python tools/draw_layers.py          write the diagrams
python tools/draw_layers.py --check  fail if the page shows others
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
from check_layers import EVERYBODY, LAYERS, TOP  # noqa: E402 - a tool beside this one

BEGIN, END = "<!-- layers: written by tools/draw_layers.py -->\n", "<!-- end of layers -->"


def heights() -> dict[str, int]:
    """How many folders stand below each folder of core/, on the longest way down."""
    found: dict[str, int] = {}
    while len(found) < len(LAYERS):
        ready = [folder for folder in LAYERS if folder not in found and LAYERS[folder] <= set(found)]
        if not ready:
            raise ValueError(f"these folders of core/ include each other: {sorted(set(LAYERS) - set(found))}")
        for folder in ready:
            found[folder] = 1 + max((found[below] for below in LAYERS[folder]), default=-1)
    return found


def core_diagram(root: Path = ROOT) -> str:
    """Return one line per folder of core/, the highest first, with what it may include."""
    height = heights()
    lines = [line(named(root / "core" / TOP), "everything below; alone knows Python")]
    for folder in sorted(LAYERS, key=lambda folder: (folder in EVERYBODY, -height[folder], folder)):
        below = sorted(LAYERS[folder], key=lambda name: (-height[name], name))
        words = "included by all" if folder in EVERYBODY else ", ".join(below) or "–"
        lines.append(line(named(root / "core" / folder), words))
    return "\n".join(lines)


def line(name: str, words: str) -> str:
    return f"{name:<36} {words}".rstrip()


def named(folder: Path) -> str:
    """Return the name of a folder with those inside it."""
    inside = sorted(path.name for path in folder.iterdir() if (path / "README.md").is_file())
    return f"{folder.name}/{{{','.join(inside)}}}" if inside else folder.name


def python_layers(root: Path = ROOT) -> list[list[str]]:
    """Return the layers of pyproject.toml, the highest first, without those that do not exist yet."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    package = root / "src" / "treewright"
    layers = []
    for layer in contract["layers"]:
        names = [name.strip(" ()") for name in layer.split("|")]
        exist = [
            name
            for name in names
            if name == "_core" or any(package.glob(f"{name}.py")) or (package / name).is_dir()
        ]
        layers += [exist] if exist else []
    return layers


def python_diagram(root: Path = ROOT) -> str:
    """Return one line per layer of src/treewright, the highest first."""
    package = root / "src" / "treewright"
    return "\n".join(
        " │ ".join(named(package / name) if (package / name).is_dir() else name for name in layer)
        for layer in python_layers(root)
    )


def drawn(root: Path = ROOT) -> str:
    """Return both diagrams as they stand on the page."""
    return (
        "\n`core/`: a folder may include itself and what stands behind it (`tools/check_layers.py`).\n\n"
        f"```text\n{core_diagram(root)}\n```\n\n"
        "`src/treewright/`: a module imports only what stands below it; neighbours on one line do not\n"
        "import each other (import-linter, `pyproject.toml`).\n\n"
        f"```text\n{python_diagram(root)}\n```\n\n"
    )


def page_part(page: Path) -> str:
    """Return what stands between the markers of the page."""
    return page.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


def main() -> int:
    page = ROOT / "docs" / "architecture.md"
    if "--check" in sys.argv:
        if page_part(page) != drawn():
            print("docs/architecture.md shows other layers: run tools/draw_layers.py", file=sys.stderr)
            return 1
        return 0
    head, rest = page.read_text(encoding="utf-8").split(BEGIN)
    page.write_text(f"{head}{BEGIN}{drawn()}{END}{rest.split(END, 1)[1]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
