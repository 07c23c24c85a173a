"""A tree in a notebook: its picture, and a table of the same nodes to unfold. No script, nothing fetched."""

from __future__ import annotations

from treewright.export.svg import export_svg
from treewright.export.table import tree_to_html
from treewright.model.model import Model

__all__ = ["tree_to_page", "tree_to_svg"]

MAX_NODES = 60


def tree_to_svg(model: Model) -> str:
    """Return the picture of a model's only tree as a notebook shows it."""
    return export_svg(model, max_nodes=MAX_NODES)


def tree_to_page(model: Model) -> str:
    """Return the picture and the table of a model's only tree as HTML."""
    return (
        f'<div style="overflow-x:auto">{tree_to_svg(model)}</div>'
        f"<details><summary>As a table</summary>{tree_to_html(model, max_nodes=MAX_NODES)}</details>"
    )
