"""Check that every relative link in the Markdown files leads to a file, and every #anchor to a heading."""

from __future__ import annotations

import re
import sys
from pathlib import Path

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
SKIPPED = {".venv", ".git", "build", "dist", "node_modules"}


def anchor_of(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    words = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return words.replace(" ", "-")


def anchors_of(path: Path) -> set[str]:
    return {
        anchor_of(heading) for heading in HEADING.findall(FENCE.sub("", path.read_text(encoding="utf-8")))
    }


def check_page(page: Path, root: Path) -> list[str]:
    """Return one sentence for each broken link of one page."""
    problems = []
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue  # the network is not asked
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        if not target.exists():
            problems.append(f"{page.relative_to(root)}: {link} leads nowhere")
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            problems.append(f"{page.relative_to(root)}: {link} has no such heading")
    return problems


def check_tree(root: Path) -> list[str]:
    """Return the broken links of all pages below root."""
    pages = sorted(p for p in root.rglob("*.md") if not SKIPPED & set(p.relative_to(root).parts))
    return [problem for page in pages for problem in check_page(page, root)]


def main() -> int:
    problems = check_tree(Path(__file__).resolve().parents[1])
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"links: {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
