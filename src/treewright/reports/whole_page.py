"""A whole HTML file of sections: one text that needs nothing else, for light and dark pages and for paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from treewright.reports.style import REPORT_STYLE

__all__ = ["Section", "whole_page"]

STYLE: Final = (
    """
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--grey:#57606a;--line:#d0d7de;--mark:#0a58ca}
@media(prefers-color-scheme:dark){:root{--page:#0d1117;--ink:#e6edf3;--grey:#a3adb8;--line:#30363d;--mark:#6cb0ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:78rem;padding:1.5rem;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:1.6rem;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem;padding-top:.6rem;border-top:1px solid var(--line)}
a{color:var(--mark)}
.lead,footer{color:var(--grey)}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.6rem 0}
pre{overflow-x:auto;font:13px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;margin:.5rem 0}
.picture{overflow-x:auto}
.picture svg{max-width:none}
summary{cursor:pointer}
section>details{border-bottom:1px solid var(--line);padding:.3rem 0}
:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
@media print{nav{display:none}body{max-width:none;padding:0}section{break-inside:avoid-page}}
"""
    + REPORT_STYLE
)


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    name : str
        What links to it use.
    title : str
        Its heading.
    body : str
        HTML.
    """

    name: str
    title: str
    body: str


def whole_page(
    title: str, lead: str, sections: Sequence[Section], *, footer: str = "", head: str = "", tail: str = ""
) -> str:
    """Return the file.

    Parameters
    ----------
    title, lead : str
        The heading, and a line below it.
    sections : sequence of Section
        The parts, in their order.
    footer : str
        A line at the end.
    head, tail : str
        HTML that is put into the head and behind the last section: what makes the page more than paper.
    """
    links = "".join(f'<li><a href="#{part.name}">{escape(part.title)}</a></li>' for part in sections)
    body = "\n".join(
        f'<section id="{part.name}"><h2>{escape(part.title)}</h2>\n{part.body}\n</section>'
        for part in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n{head}</head>\n<body>\n"
        f'<header><h1>{escape(title)}</h1>\n<p class="lead">{escape(lead)}</p>\n'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>\n<main>\n{body}\n{tail}</main>\n'
        f"<footer><p>{escape(footer)}</p></footer>\n</body>\n</html>"
    )
