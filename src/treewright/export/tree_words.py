"""One line about a whole tree, for the top of a picture and its title."""

from __future__ import annotations

from treewright.export.excerpt import Excerpt
from treewright.model.model import Model
from treewright.model.text import printable

__all__ = ["header_of"]


def header_of(model: Model, excerpt: Excerpt, tree: int | None, target: str | None) -> str:
    """Return who made the tree, how large it is, what it predicts and what of it is left out."""
    view = excerpt.view
    which = "" if len(model.trees) == 1 else f", tree {model.tree_number(tree)} of {len(model.trees)}"
    nodes = "1 node" if len(view) == 1 else f"{len(view)} nodes"
    leaves = "1 leaf" if view.tree.n_leaves == 1 else f"{view.tree.n_leaves} leaves"
    parts = [f"{model.algorithm}{which}: {nodes}, {leaves}, depth {view.tree.max_depth}"]
    if target:
        parts.append(f"predicts {printable(target)}")
    if model.aggregation == "sum":
        n_outputs = len(model.arrays["start"])
        of_class = ""
        if model.classes is not None and n_outputs > 1:
            label = model.classes.tolist()[model.tree_number(tree) % n_outputs]
            of_class = f" of {printable(str(label))}"
        parts.append(f"leaves add to the raw score{of_class}")
    if excerpt.n_left_out:
        parts.append(f"… + {excerpt.n_left_out} nodes")
    if model.edited is not None:
        parts.append(f"edited by hand: {model.edited}")
    return " · ".join(parts)
