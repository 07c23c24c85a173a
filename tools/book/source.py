"""The folder that Sphinx reads: the pages of docs/ with their links, and all that is made of code.

A README.md is the index of its folder: the pages that it links to, in this order, are the chapters below it.
"""

from __future__ import annotations

import re
import shutil
from os.path import relpath
from pathlib import Path, PurePosixPath

from tools.book.gallery import write_gallery
from tools.book.llms import write_llms
from tools.book.notebooks import notebook_of
from tools.book.reference import write_reference
from tools.book.sessions import PROMPT

__all__ = ["write_source"]

Place = PurePosixPath
FENCE = re.compile(r"(^```.*?^```\n?)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\[[^\]]*\])\(([^)\s]+)\)")
# Pages of the repository that the book shows besides docs/, and where.
OTHERS = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
# Made of code, so that no page of docs/ could link to it.
PARTS = ("gallery/index", "reference/index")
INDEXES = ("README.md", "guides.md", "project.md")
BOOK_INDEXES = ("index.md", "guides.md", "project.md")


def places(root: Path) -> dict[Path, Place]:
    """Return where each page of the repository stands in the book."""
    docs = root / "docs"
    found = {}
    for page in sorted(docs.rglob("*.md")):
        name = Place(page.relative_to(docs).as_posix())
        found[page] = name.with_name("index.md") if name.name == "README.md" else name
    for page in sorted((root / "benchmarks" / "results").glob("*.md")):
        found[page] = Place("benchmarks") / page.name
    found |= {root / name: Place(place) for name, place in OTHERS.items()}
    return found


def with_links(text: str, page: Path, where: dict[Path, Place]) -> str:
    """Return a page whose links lead to where things stand in the book; what is not in it is only named."""
    here = where[page]

    def moved(match: re.Match[str]) -> str:
        name, _, anchor = match[2].partition("#")
        if not name or re.match(r"[a-z]+:", match[2]):
            return match[0]
        target = (page.parent / name).resolve()
        if target.is_dir():
            target = target / "README.md"
        if target in where:
            link = relpath(where[target], here.parent)
            return f"{match[1]}({link}{'#' + anchor if anchor else ''})"
        return match[0] if "docs" in target.parts and target.exists() else match[1][1:-1]

    parts = FENCE.split(text)
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def chapters(text: str, here: Place, known: set[Place], taken: set[Place]) -> list[str]:
    """Return the pages that an index links to and no other index has, in its order."""
    found = []
    for _, link in LINK.findall("".join(FENCE.split(text)[::2])):
        place = Place(Path("/", here.parent, link.partition("#")[0]).resolve().relative_to("/"))
        if place in known and place not in taken and place != here:
            taken.add(place)
            found.append(relpath(place.with_suffix(""), here.parent))
    return found


def contents(names: list[str]) -> str:
    return "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n" if names else ""


def write_source(root: Path, folder: Path) -> None:
    """Write the folder anew."""
    shutil.rmtree(folder, ignore_errors=True)
    docs, where = root / "docs", places(root)
    images = shutil.ignore_patterns("*.md", "*.py", "__pycache__")
    shutil.copytree(docs, folder, ignore=images)
    extra = folder.parent / "extra"
    extra.mkdir(exist_ok=True)
    known, taken = set(where.values()), {Place("index.md")}
    for page, place in sorted(where.items(), key=lambda one: len(one[1].parts)):  # the whole first
        text = with_links(page.read_text(encoding="utf-8"), page, where)
        if place == Place("index.md"):
            names = [link for _, link in LINK.findall(text) if Place(link).name in BOOK_INDEXES]
            taken |= {Place(name) for name in names}
            text += contents([*names[:-1], *PARTS, names[-1]])
        elif page.name in INDEXES:
            text += contents(chapters(text, place, known, taken))
        elif PROMPT.search(text):
            (folder / place.parent).mkdir(parents=True, exist_ok=True)
            (folder / place.with_suffix(".ipynb")).write_text(notebook_of(text, place), encoding="utf-8")
            text += f"\n\n---\n\nDownload this page {{download}}`as a notebook <{place.stem}.ipynb>`.\n"
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    write_gallery(docs / "gallery", folder / "gallery")
    names = write_reference(folder / "reference")
    write_llms(root, where, extra)
    print(f"source: {len(where)} pages, {names} names")
