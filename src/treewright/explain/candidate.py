"""What the engine says about a feature becomes a Candidate: numbers per unit of weight, branches in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Feature
from treewright.explain.report import Branch, Candidate, Cuts
from treewright.explain.training import Training
from treewright.model.arrays import KIND_LEAF, KIND_THRESHOLD
from treewright.model.number import format_threshold
from treewright.model.split import KIND_NAMES, Split
from treewright.model.text import listed, printable

__all__ = ["branch_words", "make_candidate", "pays_for_cuts"]


def make_candidate(
    training: Training, name: str, facts: dict[str, Any], node: dict[str, Any], cuts: bool
) -> Candidate:
    """Return the candidate that the engine found for one feature; not chosen, no reason against it yet.

    Parameters
    ----------
    training : Training
        Where it was found.
    name : str
        The feature's name as it is to be shown.
    facts : dict
        One entry of ``Training.candidates(…)["features"]``.
    node : dict
        The node itself, ``Training.candidates(…)["node"]``.
    cuts : bool
        Whether every cut is part of the report.
    """
    index = int(facts["feature"])
    weight, impurity = float(node["weight"][0]), float(node["loss"][0] / node["weight"][0])
    by_ratio = training.recipe.ranking == "gain_ratio"
    curve = _cuts(facts["curve"], weight) if cuts and len(facts["curve"]["gain"]) else None
    tries = int(facts["tries"]) if pays_for_cuts(training) and facts["tries"] else None
    if facts["kind"] == KIND_LEAF:
        return Candidate(
            feature=name, index=index, kind=None, threshold=None, branches=(), n_branches=0, known=1.0,
            impurity_before=impurity, impurity_after=impurity, decrease=0.0, gain=0.0, cost=0.0, tries=tries,
            split_info=None, gain_ratio=None, admissible=False, reason="", chosen=False, cuts=curve,
        )  # fmt: skip
    is_threshold = facts["kind"] == KIND_THRESHOLD
    branches = _branches(replace(training.schema.features[index], name=name), facts, training)
    compared = float(facts["known"]["weight"][0])
    losses = float(facts["branches"]["loss"].sum())
    ratio = float(facts["rank"])
    return Candidate(
        feature=name,
        index=index,
        kind=KIND_NAMES[facts["kind"]],
        threshold=float(facts["threshold"]) if is_threshold else None,
        branches=branches,
        n_branches=int(facts["n_children"]),
        known=1.0 if facts["known"]["rows"][0] == node["rows"][0] else compared / weight,
        impurity_before=float(facts["known"]["loss"][0]) / compared,
        impurity_after=losses / compared,
        decrease=float(facts["decrease"]) / weight,
        gain=float(facts["mean_gain"]),
        cost=float(np.log2(tries)) / weight if is_threshold and tries else 0.0,
        tries=tries if is_threshold else None,
        split_info=float(facts["split_info"]) / weight if by_ratio else None,
        gain_ratio=(ratio if np.isfinite(ratio) else 0.0) if by_ratio else None,
        admissible=True,
        reason="",
        chosen=False,
        cuts=curve,
    )


def pays_for_cuts(training: Training) -> bool:
    """Tell whether the gain of a numeric test is reduced by the number of its cuts."""
    return bool(training.settings.get("cut_penalty")) or training.recipe.arithmetic == "single"


def _branches(feature: Feature, facts: dict[str, Any], training: Training) -> tuple[Branch, ...]:
    sides = facts["branches"]
    words = branch_words(
        feature, KIND_NAMES[facts["kind"]], float(facts["threshold"]), facts["code_branches"],
        int(facts["n_children"]), int(facts["missing"]),
    )  # fmt: skip
    found = []
    for side in range(len(words)):
        n, weight = int(sides["rows"][side]), float(sides["weight"][side])
        if n == 0:
            continue
        amounts = tuple(float(amount) for amount in sides["amounts"][side])
        is_class = training.class_names is not None
        found.append(
            Branch(
                words=words[side],
                n=n,
                weight=weight,
                impurity=float(sides["loss"][side]) / weight if weight > 0 else 0.0,
                class_weights=amounts if is_class else None,
                value=None if is_class else amounts[0],
            )
        )
    return tuple(found)


def branch_words(
    feature: Feature,
    kind: Any,
    threshold: float,
    code_branches: NDArray[np.uint32],
    n_branches: int,
    missing: int,
) -> Sequence[str]:
    """Return for each branch which values go there; the feature's name stands elsewhere."""
    if kind == "threshold":
        split = Split(feature, kind, 2, threshold, None)
        if feature.kind == "numeric" and np.isfinite(threshold):
            value = format_threshold(threshold)
            return (f"≤ {value}", f"> {value}")
        prefix = f"{feature.name} "
        return tuple(printable(split.describe(branch).removeprefix(prefix)) for branch in (0, 1))
    names: list[list[Any]] = [[] for _ in range(n_branches)]
    for category, branch in zip(feature.categories or (), code_branches.tolist(), strict=True):
        if branch < n_branches:
            names[branch].append(category)
    return tuple(
        listed(own) if own else ("missing" if branch == missing else "no value of this node")
        for branch, own in enumerate(names)
    )


def _cuts(curve: dict[str, NDArray[Any]], weight: float) -> Cuts:
    return Cuts(
        threshold=tuple(curve["threshold"].tolist()),
        gain=tuple((curve["gain"] / weight).tolist()),
        left=tuple(curve["left_rows"].tolist()),
        missing_left=tuple(curve["missing_left"].astype(bool).tolist()),
        admissible=tuple(curve["admissible"].astype(bool).tolist()),
    )
