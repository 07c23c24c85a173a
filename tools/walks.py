"""Draw and count the five walks of docs/architecture.md: where a call goes, file by file.

python tools/walks.py              the Python half of all walks, and a table
python tools/walks.py --core       with the engine's half (builds a traced module: minutes the first time)
python tools/walks.py --write      put both into docs/architecture.md
python tools/walks.py --root PATH  another checkout

How it counts (docs/decisions/0018-counting-walks.md): a file counts when a function of it runs; a hop is a
call from a method of one class body to a method of another class body of the same object; filling in a plan
is no call of the engine; of core/, the folders base and bind do not count.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))
from walk_core import build_traced, entries_of_calls, hooked  # noqa: E402 - a tool beside this one

BEGIN, END = "<!-- walks: written by tools/walks.py -->\n", "<!-- end of walks -->"
# Before the house was rebuilt: Python files, files of core/, hops, calls of the engine; first as a review
# counted them by hand, then as this script counts them.
BEFORE = {
    "CART fit": ((25, 33, 12, 2), (22, 39, 10, 2)),
    "Leafwise fit": ((27, 45, 8, 6), (29, 53, 6, 5)),
    "predict": ((5, 6, 3, 1), (4, 7, 1, 1)),
    "explain_split": ((24, 15, 7, 2), (31, 36, 6, 2)),
    "load": ((12, 0, 4, 1), (23, 2, 4, 1)),
}
TITLES = {
    "CART fit": "`CARTClassifier().fit(X, y)`",
    "Leafwise fit": "`LeafwiseBoostingClassifier().fit(X, y)`",
    "predict": "`predict(X)` of a tree",
    "explain_split": "`explain_split(node, X, y)` of a tree",
    "load": "`treewright.load(file)` of a tree",
}


@dataclass(frozen=True)
class Walk:
    """One traced walk: its drawing, and what was counted."""

    name: str
    lines: list[str]
    n_files: int
    n_core_files: int | None
    n_hops: int
    n_calls: int

    def drawn(self) -> str:
        """Return the walk as a section of the page."""
        counts = f"{self.n_files} Python files, {self.n_hops} hops, {self.n_calls} calls of the engine"
        core = [] if self.n_core_files is None else [f"{self.n_core_files} files of core/", ""]
        text = "\n".join([counts, *core, *self.lines])
        return f"### {TITLES[self.name]}\n\n```text\n{text}\n```\n"


def trace(name: str, root: Path, module: Path | None = None) -> Walk:
    """Take one walk in a fresh process."""
    environment = dict(os.environ) if module is None else hooked(dict(os.environ), module.parent)
    arguments = [str(TOOLS / "walk_trace.py"), str(root), name, *([] if module is None else [str(module)])]
    ran = subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.PIPE, check=True)
    seen = json.loads(ran.stdout)
    inside = {} if module is None else entries_of_calls(root, module)
    lines = []
    for entry in seen["entries"]:
        if "file" in entry:
            lines.append(line_of(entry["depth"], entry["file"], entry["function"]))
        else:
            lines.append("  " * entry["depth"] + entry["core"])
            lines += [
                line_of(entry["depth"] + 1 + below["depth"], below["file"], below["function"])
                for below in inside.get(entry["call"], [])
            ]
    n_files = sum("file" in entry for entry in seen["entries"])
    n_core = None if module is None else sum(len(entries) for entries in inside.values())
    return Walk(name, lines, n_files, n_core, len(seen["hops"]), seen["core_calls"])


def line_of(depth: int, file: str, function: str) -> str:
    indented = "  " * depth + file
    return f"{indented:<58} {function}"


def table(walks: list[Walk]) -> str:
    """Numbers of before and numbers of today, side by side."""
    columns = ["walk", "before, by hand", "before, by this script", "now"]
    rows = [columns, ["", *["py + C++ / hops / calls"] * 3]]
    for walk in walks:
        today = (walk.n_files, walk.n_core_files, walk.n_hops, walk.n_calls)
        rows.append(
            [walk.name, *("{} + {} / {} / {}".format(*counts) for counts in (*BEFORE[walk.name], today))]
        )
    return "\n".join("".join(f"{cell:<25}" for cell in row).rstrip() for row in rows).replace("None", "?")


def python_part(section: str) -> list[str]:
    """Return the lines of a drawn section that do not need the traced engine."""
    of_core = re.compile(r" *core/|\d+ files of core/")
    return [line for line in section.splitlines() if line and not of_core.match(line)]


def page_part(page: Path) -> str:
    """Return what stands between the markers of the page."""
    return page.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


def write(page: Path, walks: list[Walk]) -> None:
    head, rest = page.read_text(encoding="utf-8").split(BEGIN)
    tail = rest.split(END, 1)[1]
    drawn = "\n".join(walk.drawn() for walk in walks)
    page.write_text(f"{head}{BEGIN}\n{drawn}\n{END}{tail}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--core", action="store_true", help="also trace the engine")
    parser.add_argument("--write", action="store_true", help="write the walks into docs/architecture.md")
    parser.add_argument("--check", action="store_true", help="fail if docs/architecture.md shows other walks")
    parser.add_argument("--root", type=Path, default=TOOLS.parent, help="the checkout to walk through")
    parser.add_argument("--build", type=Path, help="where the traced engine is built")
    asked = parser.parse_args()
    root = asked.root.resolve()
    module = None
    if asked.core or asked.write or asked.check:
        module = build_traced(root, asked.build or root / "build" / "traced")
    walks = [trace(name, root, module) for name in BEFORE]
    page = root / "docs" / "architecture.md"
    if asked.write:
        write(page, walks)
    elif asked.check:
        if page_part(page).strip() != "\n".join(walk.drawn() for walk in walks).strip():
            print("docs/architecture.md shows other walks: run tools/walks.py --write", file=sys.stderr)
            return 1
    else:
        print("\n".join(walk.drawn() for walk in walks))
    print(table(walks))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
