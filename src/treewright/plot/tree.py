"""plot_tree: the cards of `export_svg` on axes of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from treewright.export.picture import picture_of_tree
from treewright.plot._extra import with_matplotlib

__all__ = ["plot_tree"]


def plot_tree(
    model: Any,
    ax: Any = None,
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
) -> list[Any]:
    """Draw a fitted tree with matplotlib.

    The same picture as `export_svg`, from the same description. It keeps its proportions: on smaller axes
    everything is smaller, words too. On a dark page (``plt.style.use("dark_background")``) it is dark.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes if nothing is drawn there, otherwise a new figure of the
        picture's size.
    X, y : table and target, optional
        Rows as `fit` takes them, to show in the nodes.
    tree : int, optional
        Which tree of an ensemble; must be said where there are several. `typical_tree` names one.
    detail : {"auto", "full", "compact", "minimal"}, default="auto"
        How much to tell about each node. "auto": everything up to 31 nodes, else less.
    max_depth : int, optional
        The deepest level to draw, 0 for the root alone.
    max_nodes : int, default=127
        Open the heaviest nodes until so many are drawn.
    highlight : table of one row, optional
        Mark the way of this row.
    orientation : {"auto", "down", "right"}, default="auto"
        Where the tree grows to.
    palette : "okabe_ito" or sequence of str, default="okabe_ito"
        Colours of the classes, as ``#rrggbb``.
    feature_names : sequence of str, optional
        Names to show instead of those of the training data.
    target_name : str, optional
        What is predicted; by default the name that the target had in `fit`.

    Returns
    -------
    list of matplotlib artists
        What was drawn, the lowest first.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from treewright import C45Classifier, plot_tree
    >>> from treewright.datasets import load_tennis
    >>> X, y, names, target = load_tennis()
    >>> artists = plot_tree(C45Classifier().fit(X, y), feature_names=names, target_name=target)
    >>> "outlook?" in [artist.get_text() for artist in artists if hasattr(artist, "get_text")]
    True
    >>> plt.close("all")
    """
    picture = picture_of_tree(
        model,
        "plot_tree",
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
    drawn: list[Any] = with_matplotlib("artists", "plot_tree", "export_svg").draw_picture(picture, ax)
    return drawn
