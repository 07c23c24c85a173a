"""A fitted model in other forms; `EXPORTERS` lists them by name."""

from __future__ import annotations

from collections.abc import Callable

from treewright.export.rules import export_rules
from treewright.export.summary import export_summary
from treewright.export.table import tree_to_html
from treewright.export.text import export_text

__all__ = ["EXPORTERS", "export_rules", "export_summary", "export_text", "tree_to_html"]

EXPORTERS: dict[str, Callable[..., str]] = {
    "rules": export_rules,
    "summary": export_summary,
    "text": export_text,
}
