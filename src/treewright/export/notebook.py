"""A tree in a notebook: its picture, and a table of the same nodes to unfold. No script, nothing fetched."""

from __future__ import annotations

from typing import Final

from treewright.draw.colours import DARK, LIGHT
from treewright.export.svg import export_svg
from treewright.export.table import tree_to_html
from treewright.model.model import Model

__all__ = ["tree_to_page", "tree_to_svg"]

MAX_NODES = 60
# A picture follows the system; these pages have a theme of their own, and say so.
THEMES: Final = (
    (LIGHT, '[data-jp-theme-light="true"]', ".vscode-light", '[data-theme="light"]', '[theme="light"]'),
    (DARK, '[data-jp-theme-light="false"]', ".vscode-dark", '[data-theme="dark"]', '[theme="dark"]'),
)


def tree_to_svg(model: Model) -> str:
    """Return the picture of a model's only tree as a notebook shows it."""
    return export_svg(model, max_nodes=MAX_NODES)


def tree_to_page(model: Model) -> str:
    """Return the picture and the table of a model's only tree as HTML."""
    return (
        f"<style>{_themes()}</style>"
        f'<div class="tw-tree" style="overflow-x:auto">{tree_to_svg(model)}</div>'
        f"<details><summary>As a table</summary>{tree_to_html(model, max_nodes=MAX_NODES)}</details>"
    )


def _themes() -> str:
    """Return rules that give the picture the colours of JupyterLab, VS Code, Sphinx's themes or Colab."""
    return "".join(
        ",".join(f"{page} .tw-tree>svg" for page in pages)
        + "{"
        + ";".join(f"--tw-{part}:{colour}!important" for part, colour in colours.items())
        + "}"
        for colours, *pages in THEMES
    )
