"""A fitted model in other forms; `EXPORTERS` lists them by name."""

from __future__ import annotations

from collections.abc import Callable

from treewright.export.dot import export_dot
from treewright.export.html import export_html
from treewright.export.mermaid import export_mermaid
from treewright.export.notebook import tree_to_page, tree_to_svg
from treewright.export.rules import export_rules
from treewright.export.summary import export_summary
from treewright.export.svg import export_svg
from treewright.export.table import tree_to_html
from treewright.export.text import export_text

__all__ = [
    "EXPORTERS",
    "export_dot",
    "export_html",
    "export_mermaid",
    "export_rules",
    "export_summary",
    "export_svg",
    "export_text",
    "tree_to_html",
    "tree_to_page",
    "tree_to_svg",
]

EXPORTERS: dict[str, Callable[..., str]] = {
    "dot": export_dot,
    "html": export_html,
    "mermaid": export_mermaid,
    "rules": export_rules,
    "summary": export_summary,
    "svg": export_svg,
    "text": export_text,
}
