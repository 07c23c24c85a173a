"""The picture of one tree as plain data, for those who write it as SVG and those who draw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from treewright.draw.marks import Picture
from treewright.draw.tree_picture import draw_tree
from treewright.export.node_cards import NodeCards
from treewright.export.source import model_of
from treewright.export.tree_words import header_of

__all__ = ["picture_of_tree"]


def picture_of_tree(
    model: Any,
    asker: str,
    *,
    X: Any = None,
    y: Any = None,
    tree: int | None = None,
    detail: Literal["auto", "full", "compact", "minimal"] = "auto",
    max_depth: int | None = None,
    max_nodes: int = 127,
    highlight: Any = None,
    orientation: Literal["auto", "down", "right"] = "auto",
    palette: str | Sequence[str] = "okabe_ito",
    feature_names: Sequence[str] | None = None,
    target_name: str | None = None,
) -> Picture:
    """Return the picture of a tree.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    asker : str
        The function that asks; errors name it.
    X, y, tree, detail, max_depth, max_nodes, highlight, orientation, palette, feature_names, target_name
        As in `export_svg`.
    """
    found = model_of(model, asker)
    if orientation not in ("auto", "down", "right"):
        raise ValueError(f"orientation must be 'auto', 'down' or 'right', got {orientation!r}.")
    nodes = NodeCards(
        found,
        tree,
        detail=detail,
        max_depth=max_depth,
        max_nodes=max_nodes,
        highlight=highlight,
        palette=palette,
        feature_names=feature_names,
        rows=_rows(X, y),
    )
    target = target_name if target_name is not None else found.target_name
    header = header_of(found, nodes.excerpt, tree, target)
    return draw_tree(
        nodes.cards(),
        nodes.excerpt.parents,
        title=header,
        sentence=nodes.sentence(),
        header=header,
        legend=nodes.legend(),
        orientation=None if orientation == "auto" else orientation,
    )


def _rows(X: Any, y: Any) -> tuple[Any, Any] | None:
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError("X and y belong together: pass both to draw the rows in the nodes, or neither.")
    return X, y
