"""A tree as a picture: one SVG text that needs nothing else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

from treewright.draw.svg import to_svg
from treewright.export.picture import picture_of_tree
from treewright.export.written import written

__all__ = ["export_svg"]


def export_svg(
    model: Any,
    path: str | os.PathLike[str] | None = None,
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
) -> str:
    """Return a picture of a fitted tree as SVG, and write it to a file if asked to.

    Every node is a card: an inner node shows its test in words, a leaf what it predicts. Lines are as thick
    as the square root of the weight that goes along them; where a test is a question, yes is on the left
    (on top when the tree grows to the right).
    The text holds no script and fetches nothing, and follows the reader's choice of light or dark pages.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    X, y : table and target, optional
        Rows as `fit` takes them, best those of the fit. Inner nodes that are drawn in full then show their
        own rows: classes over the tested feature with the threshold as a wedge, categories by branch, or
        numbers with the mean of each side.
    tree : int, optional
        Which tree of an ensemble; must be said where there are several.
    detail : {"auto", "full", "compact", "minimal"}, default="auto"
        How much to tell about each node. "auto": everything up to 31 nodes, else less.
    max_depth : int, optional
        The deepest level to draw, 0 for the root alone.
    max_nodes : int, default=127
        Open the heaviest nodes until so many are drawn; what is left out is summed up in its place.
    highlight : table of one row, optional
        Mark the way of this row. Its nodes are drawn before all others.
    orientation : {"auto", "down", "right"}, default="auto"
        Where the tree grows to. "auto": downwards if that fits on a screen.
    palette : "okabe_ito" or sequence of str, default="okabe_ito"
        Colours of the classes, as ``#rrggbb``.
    feature_names : sequence of str, optional
        Names to show instead of those of the training data.
    target_name : str, optional
        What is predicted; by default the name that the target had in `fit`.

    Returns
    -------
    str
        The SVG text, without a line break at the end.

    Examples
    --------
    >>> from treewright import C45Classifier, export_svg
    >>> from treewright.datasets import load_tennis
    >>> X, y, names, target = load_tennis()
    >>> picture = export_svg(C45Classifier().fit(X, y), feature_names=names, target_name=target)
    >>> picture.startswith("<svg "), "outlook?" in picture, "<script" in picture
    (True, True, False)
    """
    picture = picture_of_tree(
        model,
        "export_svg",
        X=X,
        y=y,
        tree=tree,
        detail=detail,
        max_depth=max_depth,
        max_nodes=max_nodes,
        highlight=highlight,
        orientation=orientation,
        palette=palette,
        feature_names=feature_names,
        target_name=target_name,
    )
    return written(to_svg(picture), path)
