"""A tree as a static HTML table for notebooks: one row per node, no script, nothing fetched."""

from __future__ import annotations

import html

from treewright.export.condition import Possible, condition, narrowed
from treewright.export.node_facts import Hidden, NodeFacts, depth_that_fits, usual_facts
from treewright.model.model import Model
from treewright.model.node import Node, with_missing

__all__ = ["tree_to_html"]

MAX_NODES = 60
MAX_LEVELS = 20
TITLES = {"id": "node", "n": "rows", "value": "value", "impurity": "impurity", "sums": "sums"}


def tree_to_html(model: Model, tree: int | None = None, max_nodes: int = MAX_NODES) -> str:
    """Return a tree as a table.

    Parameters
    ----------
    model : Model
        The model.
    tree : int, optional
        Which tree of it; must be said where there are several.
    max_nodes : int, default=60
        Show whole levels until there are more nodes than this.
    """
    view = model.view(tree)
    show = ("id", *usual_facts(model))
    facts = NodeFacts(model, view, show, tree)
    limit = min(MAX_LEVELS, depth_that_fits(view.tree.node_depths, max_nodes))
    hidden = Hidden(view, facts, view.tree.node_depths <= limit) if view.tree.max_depth > limit else None
    rows: list[str] = []
    waiting: list[tuple[Node, str, Possible]] = [(view.root, "all rows", {})]
    while waiting:
        node, words, possible = waiting.pop()
        answer = facts.answer(node) if node.is_leaf else ""
        rows.append(_row(node.depth, words, answer, facts.cells(node)))
        split = node.split
        if split is None:
            continue
        if hidden is not None and node.depth >= limit:
            rows.append(_row(node.depth + 1, hidden.describe(node), "", ()))
            continue
        feature = int(view.tree.feature[node.id])
        name = view.schema.features[feature].name
        for branch, child in reversed(list(enumerate(node.children))):
            test = condition(split, branch, name, possible.get(feature), empty=child.rows == 0)
            text = with_missing(test, child.takes_missing)
            waiting.append((child, text, narrowed(possible, feature, split, branch)))
    leaves, depth = view.tree.n_leaves, view.tree.max_depth
    which = "" if tree is None or len(model.trees) == 1 else f", tree {tree}"
    caption = f"{model.algorithm}{which}: {len(view)} nodes, {leaves} leaves, depth {depth}"
    titles = ["test", "answer", *(TITLES[name] for name in show)]
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(rows)
        + "\n</tbody></table>"
    )


def _row(depth: int, words: str, answer: str, cells: tuple[str, ...]) -> str:
    left = f'<th scope="row" style="text-align:left;padding-left:{1 + 2 * depth}em">{html.escape(words)}</th>'
    right = "".join(f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in (answer, *cells))
    return f"<tr>{left}{right}</tr>"
