"""A tree in Graphviz's language, as text; nothing here needs Graphviz."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from treewright.export.node_words import NodeWords
from treewright.export.source import model_of
from treewright.export.written import written

__all__ = ["export_dot"]


def export_dot(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    tree: int | None = None,
    max_depth: int | None = None,
    max_nodes: int = 127,
    feature_names: Sequence[str] | None = None,
    target_name: str | None = None,
) -> str:
    r"""Return a fitted tree in the DOT language, and write it to a file if asked to.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    tree : int, optional
        Which tree of an ensemble; must be said where there are several.
    max_depth : int, optional
        The deepest level to write, 0 for the root alone.
    max_nodes : int, default=127
        Open the heaviest nodes until so many are written; what is left out is summed up in its place.
    feature_names : sequence of str, optional
        Names to show instead of those of the training data.
    target_name : str, optional
        What is predicted; by default the name that the target had in `fit`.

    Returns
    -------
    str
        One line per node and per branch, without a line break at the end.

    Examples
    --------
    >>> from treewright import CARTClassifier, export_dot
    >>> print(export_dot(CARTClassifier().fit([[0.0], [1.0]], ["a", "b"])))
    digraph tree {
      label="CARTClassifier: 3 nodes, 2 leaves, depth 1";
      labelloc=t;
      node [shape=box, fontname="sans-serif"];
      edge [fontname="sans-serif"];
      n0 [label="x0 ≤ 0.5\nn=2\na 1 · b 1\ngini 0.500"];
      n1 [label="a\nn=1\na 1", style=rounded];
      n0 -> n1 [label="yes: ≤ 0.5"];
      n2 [label="b\nn=1\nb 1", style=rounded];
      n0 -> n2 [label="no: > 0.5"];
    }
    """
    found = model_of(model, "export_dot")
    nodes = NodeWords(found, tree, max_depth, max_nodes, feature_names, target_name)
    lines = [
        "digraph tree {",
        f"  label={_quoted([nodes.header])};",
        "  labelloc=t;",
        '  node [shape=box, fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    for place, item in enumerate(nodes.items):
        style = ", style=dashed" if nodes.is_cut(item) else ", style=rounded" if nodes.is_leaf(item) else ""
        name = nodes.name(place)
        lines.append(f"  {name} [label={_quoted(nodes.lines(item))}{style}];")
        if item.parent >= 0:
            lines.append(f"  {nodes.name(item.parent)} -> {name} [label={_quoted([item.branch])}];")
    return written("\n".join([*lines, "}"]), path)


def _quoted(lines: Sequence[str]) -> str:
    r"""Return lines as one string of DOT, where ``\n`` parts lines and ``&`` begins an entity."""
    escaped = [line.replace("\\", "\\\\").replace("&", "&amp;").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(escaped) + '"'
