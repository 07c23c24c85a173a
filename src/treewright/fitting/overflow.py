"""What a fit must not end with: numbers that overflowed on the way and that no file could keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.fitting.rows import TrainingRows
from treewright.model import Forest, Model
from treewright.model.facts import BoosterFacts
from treewright.model.forest_arrays import FOREST_LEAF
from treewright.model.link import answers

__all__ = ["sound"]

# Of a tree; its thresholds may be infinite.
TREE_NUMBERS = ("value", "weight", "loss", "gain", "candidate_gain")


def sound(model: Model, rows: TrainingRows) -> Model:
    """Return the model; raise ValueError where its numbers overflowed, with the extremes of y and weights.

    Readers of y, weights and offsets refuse what is hopeless by itself. Together even moderate numbers can
    leave the range of a loss, an exponential or single precision, and only the model shows it.

    Parameters
    ----------
    model : Model
        What a fit has learned.
    rows : TrainingRows
        What it learned from.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        overflown = next((name for name, values in _numbers(model) if not np.isfinite(values).all()), None)
    if overflown is None:
        return model
    facts = []
    if rows.n_classes is None:
        facts.append(f"y reaches from {rows.target.min():g} to {rows.target.max():g}")
    if rows.weights is not None:
        facts.append(f"weights from {rows.weights.min():g} to {rows.weights.max():g}")
    about = f" ({', '.join(facts)})" if facts else ""
    raise ValueError(
        f"{model.algorithm} cannot learn from these numbers: {overflown} would not be finite{about}. "
        "Bring y, weights and offsets closer to 1: divide each by a constant."
    )


def _numbers(model: Model) -> Iterator[tuple[str, NDArray[Any]]]:
    start = model.arrays.get("start")
    if start is not None:
        yield "the start", start
        yield "the first prediction", answers(start[np.newaxis], BoosterFacts.of(model).link)
    if isinstance(model.trees, Forest):
        arrays = model.trees.to_arrays()
        yield "the value of a leaf", arrays["number"][arrays["feature"] == FOREST_LEAF]
        yield "the weight of a node", arrays["weight"]
        if "gradient" in arrays:
            # Gains are made of their squares.
            yield "the square of a node's gradient", arrays["gradient"] ** 2
        return
    if "estimator_weights" in model.arrays:
        yield "the weight of a tree", model.arrays["estimator_weights"]
    for tree in model.trees:
        arrays = tree.to_arrays()
        for name in TREE_NUMBERS:
            yield f"the {name.replace('_', ' of a ')} of a node", arrays[name][~np.isnan(arrays[name])]
