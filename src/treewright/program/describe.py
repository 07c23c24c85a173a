"""From a model to steps. Facts and parameters of the model say how its trees become an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.facts import WeightedFacts
from treewright.model.forest import Forest
from treewright.model.model import Model
from treewright.model.tree import Tree, parent_ids
from treewright.program.answer import Answer, Calibration
from treewright.program.program import Column, Program
from treewright.program.steps import steps_of
from treewright.program.voice import Voice

__all__ = ["describe"]

Floats = NDArray[np.float64]


def describe(model: Model, names: Sequence[str] | None = None) -> Program:
    """Return a model as steps.

    Parameters
    ----------
    model : Model
        The model.
    names : sequence of str, optional
        Names of the columns instead of those of the training data.
    """
    columns = tuple(
        Column(name, feature.kind, feature.categories or (), feature.zero_is_missing)
        for name, feature in zip(model.names(names), model.schema.features, strict=True)
    )
    return _WAYS[model.aggregation](model, columns)


@dataclass(frozen=True)
class _Manner:
    """How a kind of single tree answers: what its parameters say."""

    params: Mapping[str, Any]
    is_c45: bool
    order: tuple[int, ...]
    n_declared: int

    @property
    def release_8(self) -> bool:
        return self.is_c45 and self.params.get("faithful") == "r8"

    @property
    def laplace(self) -> bool:
        return self.is_c45 and bool(self.params.get("laplace"))

    @property
    def normalises(self) -> bool:
        return self.release_8 or self.laplace

    def smoothed(self, tree: Tree) -> Floats:
        """Return Laplace's corrected shares of every node; a branch without rows has its parent's counts."""
        arrays = tree.to_arrays()
        weight = arrays["weight"]
        weight = np.where(weight > 0, weight, weight[parent_ids(arrays)])[:, np.newaxis]
        found: Floats = (arrays["value"] * weight + 1.0) / (weight + self.n_declared)
        return found


def _manner(model: Model, algorithm: str, params: Mapping[str, Any]) -> _Manner:
    classes = [] if model.classes is None else model.classes.tolist()
    declared = classes if model.class_order is None else model.class_order.tolist()
    order: tuple[int, ...] = ()
    if algorithm in ("C45Classifier", "ID3Classifier"):
        # Of equals the first declared class wins.
        places = {label: place for place, label in enumerate(declared)}
        ranks = np.argsort([places[label] for label in classes], kind="stable").tolist()
        order = () if ranks == sorted(ranks) else tuple(ranks)
    return _Manner(params, algorithm == "C45Classifier", order, len(declared))


def _labels(model: Model) -> tuple[Any, ...] | None:
    return None if model.classes is None else tuple(model.classes.tolist())


def _one(model: Model, columns: tuple[Column, ...]) -> Program:
    manner = _manner(model, model.algorithm, model.params)
    tree = model.trees[0]
    values = tree.value[:, 0, :]
    begin = 0
    if manner.laplace:
        values, begin = np.column_stack([values, manner.smoothed(tree)]), values.shape[1]
    answer = Answer(
        classes=_labels(model),
        link="shares" if manner.normalises else "identity",
        begin=begin,
        choice="sums",
        single=manner.release_8,
        order=manner.order,
    )
    return Program(
        algorithm=model.algorithm,
        columns=columns,
        trees=(steps_of(tree, values),),
        first_sum=(0,),
        voices=(None,),
        start=np.zeros(values.shape[1]),
        answer=answer,
        target=model.target_name,
    )


def _member_manner(model: Model) -> _Manner:
    """Return how the trees of bagging answer, which may be any single trees."""
    member = model.params.get("estimator")
    if isinstance(model.trees, Forest) or not isinstance(member, Mapping):
        return _manner(model, "", {})
    return _manner(model, str(member["class"]), member["params"])


def _together(model: Model, columns: tuple[Column, ...]) -> Program:
    manner = _member_manner(model)
    voice: Voice | None = None
    if model.aggregation == "votes":
        voice = Voice("choice", single=manner.release_8, order=manner.order)
    elif manner.normalises and model.classes is not None:
        voice = Voice("shares")
    stored = model.calibration if model.classes is not None else None
    curves: tuple[Any, ...] = ()
    if stored is not None:
        curves = tuple((tuple(first), tuple(second)) for first, second in stored["curves"])
    answer = Answer(
        classes=_labels(model),
        link="identity",
        calibration=None if stored is None else Calibration(stored["method"], curves),
    )
    smooth = manner.smoothed if manner.laplace and model.aggregation == "mean" else None
    return _summed(
        model, columns, answer, lambda _: voice, np.zeros(model.n_outputs), len(model.trees), smooth
    )


def _boosted(model: Model, columns: tuple[Column, ...]) -> Program:
    start = np.array(model.arrays["start"], dtype=np.float64)
    if model.single_sums:
        start = start.astype(np.float32).astype(np.float64)
    n_sums, classes = len(start), _labels(model)
    is_sign = n_sums == 1 and classes is not None and len(classes) == 2
    answer = Answer(
        classes=classes,
        link=model.link or "identity",
        choice="sign" if is_sign else "sums",
    )
    trees = tuple(steps_of(tree) for tree in model.trees)
    return Program(
        algorithm=model.algorithm,
        columns=columns,
        trees=trees,
        first_sum=tuple(number % n_sums for number in range(len(trees))),
        voices=(None,) * len(trees),
        start=start,
        answer=answer,
        single_sums=model.single_sums,
        target=model.target_name,
    )


def _weighted(model: Model, columns: tuple[Column, ...]) -> Program:
    weights = np.array(model.arrays["estimator_weights"], dtype=np.float64)
    if model.classes is None:
        trees = tuple(steps_of(tree) for tree in model.trees)
        return Program(
            algorithm=model.algorithm,
            columns=columns,
            trees=trees,
            first_sum=(0,) * len(trees),
            voices=(None,) * len(trees),
            start=np.zeros(1),
            answer=Answer(None, "identity"),
            median_weights=weights,
            target=model.target_name,
        )
    others = max(1, len(model.classes) - 1)
    real = WeightedFacts.of(model).algorithm == "SAMME.R"

    def voice(tree: int) -> Voice:
        weight = float(weights[tree])
        return Voice("logs", weight * others) if real else Voice("choice", weight, -weight / others)

    answer = Answer(classes=_labels(model), link="votes", choice="sums")
    return _summed(model, columns, answer, voice, np.zeros(len(model.classes)), float(weights.sum()), None)


def _summed(
    model: Model,
    columns: tuple[Column, ...],
    answer: Answer,
    voice_of: Callable[[int], Voice | None],
    start: Floats,
    divisor: float,
    smooth: Callable[[Tree], Floats] | None,
) -> Program:
    """Return a program whose trees add up; what a leaf alone decides is worked out now."""
    trees, voices = [], []
    for number, tree in enumerate(model.trees):
        voice = voice_of(number)
        steps = steps_of(tree, None if smooth is None else smooth(tree))
        if voice is not None and not steps.mixes:
            steps = steps_of(tree, voice(steps.values))
            voice = None
        trees.append(steps)
        voices.append(voice)
    return Program(
        algorithm=model.algorithm,
        columns=columns,
        trees=tuple(trees),
        first_sum=(0,) * len(trees),
        voices=tuple(voices),
        start=start,
        answer=answer,
        divisor=float(divisor),
        target=model.target_name,
    )


_WAYS: dict[str, Callable[[Model, tuple[Column, ...]], Program]] = {
    "one": _one,
    "mean": _together,
    "votes": _together,
    "sum": _boosted,
    "weighted": _weighted,
}
