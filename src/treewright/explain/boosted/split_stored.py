"""A BoostSplitReport from the model alone: G and H of every node are stored with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright import _core
from treewright.explain.boosted.leaf_step import LETTERS, LeafRule, leaf_words, rule_of
from treewright.explain.boosted.split_formula import Shrinkage, shrinkage_of
from treewright.explain.boosted.split_report import (
    BoostBranch,
    BoostCandidate,
    BoostSplitReport,
    BoostSums,
    Method,
)
from treewright.explain.words import algorithm_words, branch_words
from treewright.model.facts import BoosterFacts
from treewright.model.forest import Forest
from treewright.model.model import Model
from treewright.model.node import Node, with_missing
from treewright.model.split import Split

__all__ = ["OWN_VALUE", "extra_l2", "method_of", "stored_report", "sums_of", "test_words"]

# H is kept in single precision: what is smaller than this share of a score may be rounding.
FLOAT_STEP = 1.2e-7
SAME = 1e-5
OWN_VALUE = "The leaf's own value is"


def method_of(model: Model) -> Method:
    """Return how the trees were grown."""
    return "newton" if "reg_lambda" in model.params else "least_squares"


def sums_of(shrinkage: Shrinkage, n: int, gradient: float, hessian: float) -> BoostSums:
    """Return sums with the value and the score that follow from them."""
    value, score = shrinkage.value(gradient, hessian), shrinkage.score(gradient, hessian)
    return BoostSums(int(n), float(gradient), float(hessian), value, score)


def extra_l2(model: Model, feature: int, kind: str | None) -> float:
    """Return what is added to λ for the sides of a test while tests compete."""
    if kind != "subset" or method_of(model) != "newton":
        return 0.0
    return _core.more_l2_of(_core.BoostPlan(), int(model.schema.n_codes[feature]))


def test_words(model: Model, index: int, name: str, split: Split) -> Sequence[str]:
    """Return which values go to each side of a test; missing ones where the fit had some."""
    codes = split.code_branches if split.code_branches is not None else np.zeros(0, dtype=np.uint32)
    missing = -1 if split.missing_branch is None else split.missing_branch
    feature = replace(model.schema.features[index], name=name)
    words = branch_words(feature, split.kind, split.threshold, codes, split.n_branches, missing)
    if index not in (model.missing_features or ()):
        return words
    return [with_missing(text, branch == missing and text != "missing") for branch, text in enumerate(words)]


def stored_report(model: Model, tree: int, place: Node, names: Sequence[str]) -> BoostSplitReport:
    """Report what the model itself knows about a node.

    Parameters
    ----------
    model : Model
        The booster's model.
    tree : int
        Number of the tree.
    place : Node
        The node.
    names : sequence of str
        Names of the features.
    """
    forest = model.trees
    assert isinstance(forest, Forest), "a booster's trees are a forest"
    shrinkage, method = shrinkage_of(model, tree), method_of(model)
    first = int(forest.arrays["begin"][tree])

    def sums(node: Node) -> BoostSums:
        position = first + node.id
        gradient = float(forest.arrays["gradient"][position])
        return sums_of(shrinkage, node.rows, gradient, float(forest.arrays["weight"][position]))

    own = sums(place)
    candidates = () if place.is_leaf else (_candidate(model, place, names, own, sums, shrinkage),)
    step = float(forest.arrays["number"][first + place.id]) if place.is_leaf else None
    own_value, notes = _own_value(model, own, step, shrinkage.learning_rate, method)
    if candidates and _is_rounding(own, candidates[0]):
        notes.append("H is stored with 7 digits: a gain this small is mostly rounding. Pass X and y of fit.")
    if candidates and method == "newton" and candidates[0].competing_gain <= shrinkage.gamma:
        notes.append("It stays because tests below it gain more than γ.")
    notes += _gamma_words(model, shrinkage.gamma)
    if candidates and model.params.get("monotonic_cst") is not None:
        notes.append("The limits that monotonic_cst sets to values are not part of these scores.")
    n_outputs = len(model.arrays["start"])
    return BoostSplitReport(
        node=place.id,
        tree=tree,
        round=tree // n_outputs,
        output=tree % n_outputs,
        output_name=_output_name(model, tree % n_outputs),
        n_trees=len(forest),
        n_outputs=n_outputs,
        depth=place.depth,
        condition=tuple(node.condition for node in place.path[1:]),
        algorithm=algorithm_words(model.algorithm),
        loss=BoosterFacts.of(model).loss,
        method=method,
        l2=shrinkage.l2,
        l1=shrinkage.l1,
        gamma=shrinkage.gamma,
        max_step=shrinkage.max_step,
        learning_rate=shrinkage.learning_rate,
        node_sums=own,
        is_leaf=place.is_leaf,
        step=step,
        own_value=own_value,
        leaf_step=None,
        level=_level(model),
        candidates=candidates,
        stored=None,
        recomputed=False,
        notes=tuple(notes),
    )


def _gamma_words(model: Model, gamma: float) -> list[str]:
    """Say how γ came about where the round decides it."""
    times = BoosterFacts.of(model).chance_gain or 0.0
    if times == 0:
        return []
    return [
        f'gamma="auto": γ is {times:.4g} times Σg²/Σh = {gamma / times:.4g}, what dividing rows by chance '
        "gains on average in this round."
    ]


def _candidate(
    model: Model, place: Node, names: Sequence[str], own: BoostSums, sums: Any, shrinkage: Shrinkage
) -> BoostCandidate:
    split = place.split
    assert split is not None, "only inner nodes have a split"
    index = int(place.view.tree.feature[place.id])
    words = test_words(model, index, names[index], split)
    branches = tuple(
        BoostBranch(s.n, s.gradient, s.hessian, s.value, s.score, text)
        for text, s in zip(words, map(sums, place.children), strict=True)
    )
    more = extra_l2(model, index, split.kind)
    after = sum(shrinkage.score(b.gradient, b.hessian, more) for b in branches)
    return BoostCandidate(
        feature=names[index],
        index=index,
        kind=split.kind,
        threshold=split.threshold if split.kind == "threshold" else None,
        missing_branch=split.missing_branch,
        branches=branches,
        gain=sum(branch.score for branch in branches) - own.score,
        more_l2=more,
        competing_gain=after - own.score,
        admissible=True,
        reason="",
        chosen=True,
    )


def _output_name(model: Model, output: int) -> str | None:
    if model.classes is None:
        return None
    return str(model.classes[output if len(model.arrays["start"]) > 1 else 1])


def _own_value(
    model: Model, own: BoostSums, step: float | None, rate: float, method: Method
) -> tuple[float | None, list[str]]:
    """Return the value of a leaf where it is not the quotient of its sums, and why."""
    if step is None:
        return None, []
    value = step / rate if rate > 0 else math.nan
    if abs(value - own.value) <= SAME * max(abs(value), abs(own.value)) + 1e-12:
        return None, []
    loss = BoosterFacts.of(model).loss
    if method == "least_squares" or loss in ("absolute_error", "quantile", "huber"):
        rule = rule_of(loss, len(model.arrays["start"]))
        words = leaf_words(loss, rule, _level(model))
        return value, [f"{OWN_VALUE}, over its rows, {_article(rule)}{words}. {LETTERS}."]
    if model.params.get("monotonic_cst") is not None:
        return value, ["monotonic_cst limits the value of this leaf."]
    return value, ["The stored value differs: the learning rate of this round may have been another."]


def _level(model: Model) -> float | None:
    """Return which quantile the loss is about."""
    return float(model.params["alpha"]) if BoosterFacts.of(model).loss == "quantile" else None


def _article(rule: LeafRule) -> str:
    return "the " if rule in ("quantile", "huber") else "that of " if rule == "logarithm" else ""


def _is_rounding(own: BoostSums, candidate: BoostCandidate) -> bool:
    size = own.score + sum(branch.score for branch in candidate.branches)
    return abs(candidate.gain) < 10 * FLOAT_STEP * size
