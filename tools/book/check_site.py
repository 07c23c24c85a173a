"""Every link of the finished site leads to a file and an anchor of it, and no page asks the network."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

__all__ = ["check_site"]

# What a browser fetches by itself, without a click.
FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
OUTSIDE = re.compile(r"^(?:[a-z]+:)?//")
OTHER = re.compile(r"^(?:mailto|data|javascript):")


class Page(HTMLParser):
    """What a page offers and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append((tag, name, value))


def check_site(site: Path) -> list[str]:
    """Return one sentence for each link that leads nowhere, or to the network without being asked."""
    written = [
        path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    ]  # not the theme's parts
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in written}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(site)
        for tag, attribute, link in page.links:
            if OTHER.match(link):
                continue
            if OUTSIDE.match(link):
                if (tag, attribute) in FETCHED and "canonical" not in link:
                    problems.append(f"{name}: {tag} is fetched from {link}")
                continue
            file, _, anchor = unquote(link).partition("#")
            target = (path.parent / file.partition("?")[0]).resolve() if file else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                problems.append(f"{name}: {link} leads nowhere")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                problems.append(f"{name}: {link} has no such place")
    for style in site.rglob("*.css"):
        for link in re.findall(r"url\(['\"]?([^'\")]+)", style.read_text(encoding="utf-8", errors="replace")):
            if OUTSIDE.match(link):
                problems.append(f"{style.relative_to(site)}: {link} is fetched")
    return problems


def main(site: Path) -> int:
    problems = check_site(site)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"site: {len(list(site.rglob('*.html')))} pages, {len(problems)} problem(s)")
    return 1 if problems else 0
