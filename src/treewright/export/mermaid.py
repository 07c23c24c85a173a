"""A tree as a Mermaid flowchart, which many pages draw from text."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, Literal

from treewright.export.node_words import NodeWords
from treewright.export.source import model_of
from treewright.export.written import written

__all__ = ["export_mermaid"]

WAYS = {"down": "TD", "right": "LR"}


def export_mermaid(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    tree: int | None = None,
    max_depth: int | None = None,
    max_nodes: int = 127,
    orientation: Literal["down", "right"] = "down",
    feature_names: Sequence[str] | None = None,
    target_name: str | None = None,
) -> str:
    """Return a fitted tree as a Mermaid flowchart, and write it to a file if asked to.

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
    orientation : {"down", "right"}, default="down"
        Where the tree grows to.
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
    >>> from treewright import CARTClassifier, export_mermaid
    >>> print(export_mermaid(CARTClassifier().fit([[0.0], [1.0]], ["a", "b"])))
    %% CARTClassifier: 3 nodes, 2 leaves, depth 1
    flowchart TD
      n0["x0 ≤ 0.5<br/>n=2<br/>a 1 · b 1<br/>gini 0.500"]
      n1(["a<br/>n=1<br/>a 1"])
      n0 -->|"yes: ≤ 0.5"| n1
      n2(["b<br/>n=1<br/>b 1"])
      n0 -->|"no: #62; 0.5"| n2
    """
    found = model_of(model, "export_mermaid")
    if orientation not in WAYS:
        raise ValueError(f"orientation must be 'down' or 'right', got {orientation!r}.")
    nodes = NodeWords(found, tree, max_depth, max_nodes, feature_names, target_name)
    lines = [f"%% {re.sub(r'[{}]', '', nodes.header)}", f"flowchart {WAYS[orientation]}"]
    for place, item in enumerate(nodes.items):
        name, words = nodes.name(place), "<br/>".join(map(_escaped, nodes.lines(item)))
        lines.append(f'  {name}(["{words}"])' if nodes.is_leaf(item) else f'  {name}["{words}"]')
        if item.parent >= 0:
            arrow = "-.->" if nodes.is_cut(item) else "-->"
            lines.append(f'  {nodes.name(item.parent)} {arrow}|"{_escaped(item.branch)}"| {name}')
    return written("\n".join(lines), path)


def _escaped(words: str) -> str:
    """Write signs that mean something to Mermaid or to HTML as their numbers."""
    return re.sub(r'["#&<>`|]', lambda sign: f"#{ord(sign.group())};", words)
