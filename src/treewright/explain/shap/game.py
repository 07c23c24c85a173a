"""Game: what a model's answer is as a sum of trees, which is what attributions divide among the features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.facts import BoosterFacts, WeightedFacts
from treewright.model.forest import Forest
from treewright.model.model import Model
from treewright.model.weighted import class_votes

__all__ = ["Game", "counts_rows", "game_of"]

Floats = NDArray[np.float64]
# Prepared trees that a model keeps; of larger ones memory is worth more than the time of preparing.
MOST_KEPT_NODES = 2_000_000


@dataclass(frozen=True, eq=False)
class Game:
    """The answer of a model as a sum of what the leaves of its trees count.

    Attributes
    ----------
    engine : _core.Attributions
        The trees, prepared.
    start : ndarray of shape (n_outputs,)
        What is there before the trees.
    meaning : str
        What the sum is, in words.
    labels : tuple of str or None
        The classes, where there is a number for each; None for one number.
    link : str or None
        What makes an answer of the sum, of a booster.
    whole_leaves : str or None
        Why a row must end in one leaf of each tree, where it must.
    """

    engine: Any
    start: Floats
    meaning: str
    labels: tuple[str, ...] | None
    link: str | None = None
    whole_leaves: str | None = None

    @property
    def n_outputs(self) -> int:
        """How many numbers a row has."""
        return len(self.start)

    @cached_property
    def base(self) -> Floats:
        """What is answered on average over the training rows, as the trees count them."""
        base: Floats = self.start + self.engine.base()
        return base


def game_of(model: Model, node_values: Callable[[], Sequence[Floats] | None] = lambda: None) -> Game:
    """Return the game of a model, prepared when first needed.

    Parameters
    ----------
    model : Model
        The model.
    node_values : callable, optional
        Returns for each tree what its nodes count, arrays of shape (n_nodes, n_classes), or None where that
        is what the trees hold.

    Raises
    ------
    ValueError
        When the answer is no sum of trees.
    """
    kept = model.__dict__.get("_attributions")
    if kept is not None:
        game: Game = kept
        return game
    made = _made(model, node_values())
    trees = model.trees
    n_nodes = trees.node_count if isinstance(trees, Forest) else sum(tree.node_count for tree in trees)
    if n_nodes <= MOST_KEPT_NODES:
        # Two threads may both make one: they are alike.
        model.__dict__.setdefault("_attributions", made)
    return made


def _made(model: Model, node_values: Sequence[Floats] | None) -> Game:
    way = model.aggregation
    if way == "sum":
        return _scores(model)
    if way == "weighted":
        return _weighted_votes(model)
    return _means(model, node_values)


def _labels(model: Model) -> tuple[str, ...] | None:
    return None if model.classes is None else tuple(str(label) for label in model.classes.tolist())


def _scores(model: Model) -> Game:
    start = np.asarray(model.arrays["start"], dtype=np.float64)
    engine = _core.Attributions(model.schema.n_codes, len(start))
    trees = model.trees
    assert isinstance(trees, Forest), "boosters keep their trees as a forest"
    engine.add_forest(trees.to_arrays(), by_rows=counts_rows(model))
    labels = _labels(model) if len(start) > 1 else None
    return Game(engine, start, "raw score", labels, link=BoosterFacts.of(model).link)


def counts_rows(model: Model) -> bool:
    """Tell whether a branch is as likely as its share of the rows, as in LightGBM; elsewhere of their weight.

    Weights of boosters are sums of second derivatives, XGBoost's cover.
    """
    return model.algorithm.startswith("Leafwise")


def _weighted_votes(model: Model) -> Game:
    if model.classes is None:
        raise ValueError(
            f"{model.algorithm} answers with the weighted median of its trees, which is no sum of what they "
            "say, so Shapley values cannot be computed tree by tree. Explain single trees, "
            "estimators_[i].shap(X), or fit a booster whose trees add up, e.g. GradientBoostingRegressor."
        )
    real = WeightedFacts.of(model).algorithm == "SAMME.R"
    weights = model.arrays["estimator_weights"]
    n_classes = len(model.classes)
    # Of two classes there is one score, that of the second against the first.
    engine = _core.Attributions(model.schema.n_codes, 1 if n_classes == 2 else n_classes)
    for tree, weight in zip(model.trees, weights, strict=True):
        arrays = tree.to_arrays()
        values = np.asarray(arrays["value"], dtype=np.float64)
        votes = class_votes(values, float(weight), real) / weights.sum()
        if n_classes == 2:
            votes = votes[:, 1:] - votes[:, :1]
        engine.add_tree(arrays, np.ascontiguousarray(votes))
    n_outputs = 1 if n_classes == 2 else n_classes
    labels = None if n_classes == 2 else _labels(model)
    reason = f"The trees of {model.algorithm} vote for one class each"
    return Game(engine, np.zeros(n_outputs), "decision function", labels, whole_leaves=reason)


def _means(model: Model, node_values: Sequence[Floats] | None) -> Game:
    trees, labels = model.trees, _labels(model)
    votes = model.aggregation == "votes"
    n_outputs = 1 if labels is None else len(labels)
    engine = _core.Attributions(model.schema.n_codes, n_outputs)
    if isinstance(trees, Forest):
        engine.add_forest(trees.to_arrays(), factor=1.0 / len(trees), votes=votes)
    else:
        for number, tree in enumerate(trees):
            arrays = tree.to_arrays()
            values = arrays["value"] if node_values is None else node_values[number]
            engine.add_tree(arrays, np.ascontiguousarray(values, dtype=np.float64) / len(trees))
    meaning = "prediction" if labels is None else "share of votes" if votes else "probability"
    reason = f"With voting='hard' the trees of {model.algorithm} vote for one class each" if votes else None
    return Game(engine, np.zeros(n_outputs), meaning, labels, whole_leaves=reason)
