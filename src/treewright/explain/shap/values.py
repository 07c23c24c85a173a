"""Shapley values of rows: from a model's game to a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.shap.game import Game
from treewright.explain.shap.output import OutputName, PreparedBackground, stretched
from treewright.explain.shap.report import ShapReport
from treewright.model.model import Model
from treewright.reports.frame import frame_library

__all__ = ["is_bent", "read_offset", "shap_values"]

Floats = NDArray[np.float64]
MOST_INTERACTION_BYTES = 4 << 30


def shap_values(
    model: Model,
    game: Game,
    matrix: NDArray[Any],
    n_threads: int,
    *,
    interactions: bool = False,
    background: PreparedBackground | None = None,
    output: OutputName = "raw",
    codes: NDArray[np.intp] | None = None,
    offset: Floats | None = None,
    sums_to_one: bool = False,
    notes: tuple[str, ...] = (),
    feature_names: Sequence[str] | None = None,
    X: Any = None,
) -> ShapReport:
    """Return what each feature adds to the answers for some rows.

    Estimators offer the same as their method ``shap``.

    Parameters
    ----------
    model : Model
        The model.
    game : Game
        What its answer is a sum of.
    matrix : ndarray of shape (n_rows, n_features)
        The rows as the model reads them.
    n_threads : int
        Threads to use.
    interactions : bool, default=False
        Whether pairs of features are looked at, too.
    background : PreparedBackground, optional
        What stands for features that are not known; by default how the training rows went down the trees.
    output : {"raw", "probability", "log_loss"}, default="raw"
        What is explained.
    codes : ndarray of int, optional
        The classes of the rows, for the loss.
    offset : ndarray of shape (n_rows, n_outputs), optional
        A score of each row to add to the base values.
    sums_to_one : bool, default=False
        Whether the probabilities of a row are divided by their sum, which rounded shares keep from being 1.
    notes : tuple of str
        What the report says besides.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    X : object, optional
        The user's own rows; ``to_frame`` answers in their library.
    """
    n_rows, n_features, n_outputs = len(matrix), model.n_features, game.n_outputs
    if interactions:
        check_interactions(n_rows, n_features, n_outputs)
    if game.whole_leaves is not None:
        check_whole_rows(game, matrix, n_threads)
    pairs, labels = None, game.labels
    if background is not None and is_bent(game, output):
        values, base = stretched(game, matrix, background, output, codes, offset, n_threads)
        labels = None
    else:
        others = None if background is None else background.engine
        values = game.engine.values(matrix, n_threads, others).reshape(n_rows, n_features, n_outputs)
        if interactions:
            pairs = game.engine.interactions(matrix, n_threads, others)
            pairs = pairs.reshape(n_rows, n_features, n_features, n_outputs)
        start = game.base if background is None else background.raw.mean(axis=0)
        base = np.repeat(start[np.newaxis], n_rows, axis=0)
        if offset is not None:
            base = base + offset
        if sums_to_one:
            total = (base + values.sum(axis=1)).sum(axis=1)
            base, values = base / total[:, None], values / total[:, None, None]
            pairs = None if pairs is None else pairs / total[:, None, None, None]
        if labels is None:
            values, base, pairs = values[..., 0], base[..., 0], None if pairs is None else pairs[..., 0]
    return ShapReport(
        algorithm=model.algorithm,
        game="path_dependent" if background is None else "interventional",
        output=output,
        meaning=_meaning(model, game, output),
        classes=labels,
        feature_names=tuple(model.names(feature_names)),
        values=values,
        base_values=base,
        interactions=pairs,
        data=np.array(matrix, dtype=np.float64),
        notes=notes,
        _features=model.schema.features,
        _frame=frame_library(X, model.schema),
    )


def is_bent(game: Game, output: OutputName) -> bool:
    """Tell whether the output is a curve of the sum of trees."""
    adds_up = game.link is None and game.meaning != "decision function"
    return output == "log_loss" or (output == "probability" and not adds_up)


def _meaning(model: Model, game: Game, output: OutputName) -> str:
    if output == "raw" or not is_bent(game, output):
        return game.meaning
    if output == "log_loss":
        return "log loss"
    assert model.classes is not None, "numbers have no probabilities"
    return f"probability of {model.classes.tolist()[1]}"


def check_interactions(n_rows: int, n_features: int, n_outputs: int) -> None:
    """Refuse pairs that no memory would hold, and say how much it would take."""
    size = 8 * n_rows * n_features**2 * n_outputs
    if size <= MOST_INTERACTION_BYTES:
        return
    of_row = 8 * n_features**2 * n_outputs
    fitting = max(MOST_INTERACTION_BYTES // of_row, 1)
    raise MemoryError(
        f"The interactions of {n_rows} rows and {n_features} features would take {size / 2**30:.1f} GiB "
        f"({of_row / 2**20:.3g} MiB for each row). Ask for at most {fitting} row(s) at a time, e.g. by "
        f"iter_shap(X, interactions=True, batch_size={min(fitting, 1000)})."
    )


def check_whole_rows(game: Game, matrix: NDArray[Any], n_threads: int) -> None:
    """Refuse rows that a tree shares among several leaves, where a tree must answer with one class."""
    shared = game.engine.shared(matrix, n_threads)
    if not shared.any():
        return
    row, tree = (int(place[0]) for place in np.nonzero(shared))
    raise ValueError(
        f"{game.whole_leaves}, but tree {tree} shares row {row} among its branches, because a value is "
        "missing: its vote is no sum over leaves, so there are no exact Shapley values. Fill the missing "
        "values of such rows, or let trees answer with probabilities (voting='soft')."
    )


def read_offset(offset: Any, n_rows: int, n_outputs: int) -> Floats:
    """Return the offsets of the rows, a column per output."""
    given = np.asarray(offset, dtype=np.float64)
    if given.ndim < 2:
        given = np.broadcast_to(given, (n_rows,))[:, np.newaxis] if given.ndim == 0 else given[:, np.newaxis]
    if given.shape != (n_rows, n_outputs) or not np.isfinite(given).all():
        shape = f"({n_rows},)" if n_outputs == 1 else f"({n_rows}, {n_outputs})"
        raise ValueError(f"offset must be finite numbers of shape {shape}, got shape {given.shape}.")
    return given
