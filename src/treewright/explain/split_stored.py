"""A SplitReport from the stored tree alone: the test of the node, its children, and what it remembers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.explain.split_reasons import below_limits, other_choices
from treewright.explain.split_report import Branch, Candidate, Ranking, SplitReport
from treewright.explain.split_search import other_origin, ranking_by, tie_tolerance
from treewright.explain.words import algorithm_words, branch_words, number, tie_rule
from treewright.model.arrays import KIND_MULTIWAY, KIND_SUBSET, KIND_THRESHOLD
from treewright.model.model import Model
from treewright.model.node import Node
from treewright.model.split import KIND_NAMES, branches_of_codes
from treewright.recipe import least_gain

__all__ = ["Memory", "remembered", "stored_report"]

MOST_BRANCHES = 64  # are put in words
# How the programs of C4.5 compare, by the parameter `faithful`; everybody else compares exactly.
ARITHMETIC = {"r8": "single", "j48": "tolerant"}
LEAST_SPLIT_INFO = {"exact": 0.0, "single": _core.SLACK, "tolerant": _core.TOLERANCE}


def stored_report(
    model: Model, place: Node, names: Sequence[str], number_of_tree: int = 0, draws_ties: bool = False
) -> SplitReport:
    """Report what the model itself knows about a node's split."""
    split = place.split
    assert split is not None, "only inner nodes have a split"
    index = int(place.view.tree.feature[place.id])
    criterion = model.criterion
    ranking = ranking_by(criterion)
    loss_name = "entropy" if ranking != "decrease" else criterion
    words = branch_words(
        replace(split.feature, name=names[index]), split.kind, split.threshold,
        split.code_branches if split.code_branches is not None else np.zeros(0, dtype=np.uint32),
        split.n_branches, -1 if split.missing_branch is None else split.missing_branch,
    )  # fmt: skip
    branches = tuple(
        Branch(text, child.rows, child.weight, child.impurity, **_amounts(model, child))
        for text, child in zip(words, place.children, strict=True)
        if child.rows > 0
    )
    decrease = place.gain / place.weight
    split_info = None
    if ranking == "gain_ratio":
        shares = np.array([branch.weight for branch in branches]) / place.weight
        split_info = float(-(shares * np.log2(shares)).sum())
    own = Candidate(
        feature=names[index],
        index=index,
        kind=split.kind,
        threshold=split.threshold if split.kind == "threshold" else None,
        branches=branches,
        n_branches=split.n_branches,
        known=1.0,
        impurity_before=place.impurity,
        impurity_after=place.impurity - decrease,
        decrease=decrease,
        gain=decrease,
        cost=0.0,
        tries=None,
        split_info=split_info,
        gain_ratio=decrease / split_info if split_info else None,
        admissible=True,
        reason="",
        chosen=True,
    )
    others, tested, average = remembered(model, place, names, ranking)
    notes = []
    if others and tested != 0:
        notes.append(other_origin(model.edited is not None, others[0].feature))
    if tested is not None:
        own = _with_memory(own, others.pop(tested))
    elif ranking == "gain_ratio":
        notes.append("From the stored tree: without the cost of choosing a cut, missing rows shared out.")
    if math.isnan(place.impurity):
        keeper = "A forest" if model.source is None else "An imported tree"
        notes.append(f"{keeper} does not keep the {loss_name.replace('_', ' ')} of its nodes.")
    if len({own.index, *(other.index for other in others)}) < model.n_features:
        what = "the other features" if not others else "all features"
        notes.append(
            f"Pass X and y of fit to see what {what} offered."
            if model.source is None
            else f"{model.source} has fitted this tree: what {what} offered is not known."
        )
    report = SplitReport(
        node=place.id,
        tree=number_of_tree,
        depth=place.depth,
        condition=tuple(node.condition for node in place.path[1:]),
        algorithm=algorithm_words(model.algorithm),
        criterion=loss_name,
        ranking=ranking,
        n=place.rows,
        weight=place.weight,
        classes=None if model.classes is None else tuple(str(label) for label in model.classes.tolist()),
        impurity=place.impurity,
        candidates=(own, *others),
        average_gain=average,
        ties=() if tested is None else _ties(model, place, own, others, ranking),
        tie_rule=tie_rule(draws_ties),
        recomputed=False,
        notes=tuple(notes),
        **_amounts(model, place),
    )
    complete = len({candidate.index for candidate in report.candidates}) == model.n_features
    return replace(report, notes=(*report.notes, *other_choices(report))) if complete else report


def _with_memory(own: Candidate, remembered: Candidate) -> Candidate:
    """Return the test with the gain that the search computed, from rows with a known value, less its cost."""
    known = remembered.known
    if math.isnan(known) and abs(remembered.gain + remembered.cost - own.decrease) < 1e-6:
        known = 1.0
    return replace(
        own,
        known=known,
        gain=remembered.gain,
        cost=remembered.cost,
        tries=remembered.tries,
        split_info=remembered.split_info,
        gain_ratio=remembered.gain_ratio,
        admissible=remembered.admissible,
        reason=remembered.reason,
    )


def _ties(
    model: Model, place: Node, own: Candidate, others: Sequence[Candidate], ranking: Ranking
) -> tuple[str, ...]:
    # Gains compete as totals, except in the programs of C4.5, which compare them per row.
    faithful = model.params.get("faithful") in ("r8", "j48")
    scale = 1.0 if ranking == "gain_ratio" or faithful else place.weight
    loss = place.loss / (place.weight if ranking == "gain_ratio" else 1.0)
    most = tie_tolerance(_arithmetic(model), loss)
    best = own.score(ranking) * scale
    return tuple(
        other.feature
        for other in sorted(others, key=lambda other: other.index)
        if other.admissible and abs(other.score(ranking) * scale - best) <= most
    )


def _amounts(model: Model, node: Node) -> dict[str, Any]:
    if model.classes is None:
        return {"class_weights": None, "value": float(node.value[0])}
    return {"class_weights": tuple(float(share) * node.weight for share in node.value), "value": None}


class Memory(NamedTuple):
    """What a tree remembers about a node.

    Attributes
    ----------
    candidates : list of Candidate
        The winner of the search first. Numbers that the tree does not remember are NaN: of a test that was
        not taken it knows the gain and how much its two sides weigh.
    own : int or None
        Which of them the node tests: the first, unless pruning has put another test in its place.
    average_gain : float or None
        What a gain had to reach (C4.5).
    """

    candidates: list[Candidate]
    own: int | None
    average_gain: float | None


def remembered(model: Model, place: Node, names: Sequence[str], ranking: Ranking) -> Memory:
    """Return what the tree remembers about a node."""
    arrays = place.view.tree.to_arrays()
    first, last = (int(i) for i in np.searchsorted(arrays["candidate_node"], [place.id, place.id + 1]))
    if first == last:
        return Memory([], None, None)
    average = float(arrays["candidate_least_gain"][first])
    return Memory(
        [_candidate(model, place, names, ranking, arrays, i) for i in range(first, last)],
        next((i - first for i in range(first, last) if _is_node_test(place, arrays, i)), None),
        average if -math.inf < average < 1e6 else None,
    )


def _arithmetic(model: Model) -> str:
    return ARITHMETIC.get(str(model.params.get("faithful")), "exact")


def _is_node_test(place: Node, arrays: dict[str, NDArray[Any]], i: int) -> bool:
    """Tell whether a remembered candidate is what the node tests."""
    kind, table = arrays["candidate_kind"][i], int(arrays["candidate_table"][i])
    if arrays["candidate_feature"][i] != arrays["feature"][place.id] or kind != arrays["kind"][place.id]:
        return False
    if kind == KIND_THRESHOLD:
        return bool(arrays["candidate_threshold"][i] == arrays["threshold"][place.id])
    split = place.split
    if table < 0 or split is None or split.code_branches is None:
        return True  # one branch for each category
    codes = np.arange(1, len(split.code_branches) + 1, dtype=np.int64)
    ours = branches_of_codes(arrays["tables"], table, codes)
    # Categories that the node does not hold may stand elsewhere: in a subset those of the second branch are
    # listed, of groups the last one is left for them.
    told = ours == 1 if kind == KIND_SUBSET else ours + 1 < arrays["candidate_branches"][i]
    return bool((ours == split.code_branches)[told].all())


def _candidate(
    model: Model,
    place: Node,
    names: Sequence[str],
    ranking: Ranking,
    arrays: dict[str, NDArray[Any]],
    i: int,
) -> Candidate:
    index, kind = int(arrays["candidate_feature"][i]), int(arrays["candidate_kind"][i])
    gain, info = float(arrays["candidate_gain"][i]), float(arrays["candidate_split_info"][i])
    tries = int(arrays["candidate_tries"][i])
    weight = place.weight
    compared = float(arrays["candidate_left"][i] + arrays["candidate_right"][i])
    shared = model.algorithm == "C45Classifier"  # rows without a value take no part
    known = compared / weight if kind != KIND_MULTIWAY else math.nan if shared else 1.0
    known = 1.0 if abs(known - 1.0) < 1e-12 else known
    cost = math.log2(tries) / weight if tries else 0.0
    decrease = gain + cost if known == 1.0 else math.nan
    ratio = _ratio(model, gain, info) if ranking == "gain_ratio" else None
    return Candidate(
        feature=names[index],
        index=index,
        kind=KIND_NAMES[kind],
        threshold=float(arrays["candidate_threshold"][i]) if kind == KIND_THRESHOLD else None,
        branches=_branches(model, place, names[index], arrays, i),
        n_branches=int(arrays["candidate_branches"][i]),
        known=known,
        impurity_before=place.impurity if known == 1.0 else math.nan,
        impurity_after=place.impurity - decrease,
        decrease=decrease,
        gain=gain,
        cost=cost,
        tries=tries or None,
        split_info=info if ranking == "gain_ratio" else None,
        gain_ratio=ratio,
        **_verdict(model, place, gain, ratio, float(arrays["candidate_least_gain"][i])),
        chosen=False,
    )


def _ratio(model: Model, gain: float, info: float) -> float:
    arithmetic = _arithmetic(model)
    if not info > LEAST_SPLIT_INFO[arithmetic]:
        return 0.0
    if arithmetic != "single":
        return gain / info
    with np.errstate(over="ignore"):  # a file may hold any number
        return float(np.float32(gain) / np.float32(info))


def _verdict(model: Model, place: Node, gain: float, ratio: float | None, least: float) -> dict[str, Any]:
    mode = str(model.params.get("faithful"))
    least_own = model.params.get("min_gain")
    if mode == "textbook" or model.algorithm == "ID3Classifier":
        least_own = least_gain(least_own or 0.0)
    if math.isfinite(least) and not gain >= least - _core.SLACK:
        reason = f"gain below average {number(least)}"
    elif ratio == 0.0 and gain > 0:
        reason = "split info is 0"
    else:
        is_class = model.classes is not None
        reason = below_limits(
            gain * place.weight,
            own=ratio
            if mode == "textbook" and ratio is not None
            else gain * (1.0 if is_class else place.weight),
            total_weight=place.view.root.weight,
            floor=float(model.params.get("min_impurity_decrease", 0.0)),
            least=least_own,
        )
    return {"admissible": not reason, "reason": reason}


def _branches(
    model: Model, place: Node, name: str, arrays: dict[str, NDArray[Any]], i: int
) -> tuple[Branch, ...]:
    feature = replace(model.schema.features[int(arrays["candidate_feature"][i])], name=name)
    n_branches, table = int(arrays["candidate_branches"][i]), int(arrays["candidate_table"][i])
    n_codes = feature.n_codes
    if n_branches > MOST_BRANCHES:
        return ()
    codes = np.arange(n_codes, dtype=np.uint32)
    if table >= 0:
        codes = branches_of_codes(arrays["tables"], table, np.arange(1, n_codes + 1, dtype=np.int64))
    kind = KIND_NAMES[int(arrays["candidate_kind"][i])]
    own_branch = n_codes if table < 0 and kind == "multiway" else -1  # of missing values, in ID3
    words = branch_words(
        feature, kind, float(arrays["candidate_threshold"][i]), codes, n_branches, own_branch
    )
    weights = [math.nan] * n_branches
    if kind != "multiway":
        weights = [float(arrays["candidate_left"][i]), float(arrays["candidate_right"][i])]
    tree = place.view.tree
    whole_rows = np.array_equal(tree.weighted_n_node_samples, tree.n_node_samples)
    return tuple(
        Branch(text, int(weight) if whole_rows and not math.isnan(weight) else None, weight, math.nan)
        for text, weight in zip(words, weights, strict=True)
    )
