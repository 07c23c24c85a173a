"""A fitted model in other forms; `EXPORTERS` lists them by name."""

from __future__ import annotations

from collections.abc import Callable

from treewright.export.code.c import export_c
from treewright.export.code.javascript import export_javascript
from treewright.export.code.python import export_python
from treewright.export.code.sql import export_sql
from treewright.export.dot import export_dot
from treewright.export.html import export_html
from treewright.export.json import export_json
from treewright.export.mermaid import export_mermaid
from treewright.export.notebook import tree_to_page, tree_to_svg
from treewright.export.onnx.export import export_onnx
from treewright.export.pmml.pmml import export_pmml
from treewright.export.rules import export_rules
from treewright.export.sklearn import to_sklearn
from treewright.export.summary import export_summary
from treewright.export.svg import export_svg
from treewright.export.table import tree_to_html
from treewright.export.text import export_text
from treewright.export.treelite import export_treelite, to_treelite

__all__ = [
    "EXPORTERS",
    "PROGRAMS",
    "export_c",
    "export_dot",
    "export_html",
    "export_javascript",
    "export_json",
    "export_mermaid",
    "export_onnx",
    "export_pmml",
    "export_python",
    "export_rules",
    "export_sql",
    "export_summary",
    "export_svg",
    "export_text",
    "export_treelite",
    "to_sklearn",
    "to_treelite",
    "tree_to_html",
    "tree_to_page",
    "tree_to_svg",
]

# What programs read and run: all of these take `check`.
PROGRAMS: dict[str, Callable[..., str | bytes]] = {
    "c": export_c,
    "javascript": export_javascript,
    "json": export_json,
    "onnx": export_onnx,
    "pmml": export_pmml,
    "python": export_python,
    "sql": export_sql,
    "treelite": export_treelite,
}
EXPORTERS: dict[str, Callable[..., str | bytes]] = {
    "dot": export_dot,
    "html": export_html,
    "mermaid": export_mermaid,
    "rules": export_rules,
    "summary": export_summary,
    "svg": export_svg,
    "text": export_text,
    **PROGRAMS,
}
