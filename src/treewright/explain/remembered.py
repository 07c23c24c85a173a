"""The candidates that a tree remembers from its fit: the winner of a node and the features that came next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.explain.candidate import branch_words
from treewright.explain.numbers import number
from treewright.explain.reasons import below_limits
from treewright.explain.report import Branch, Candidate, Ranking
from treewright.model.arrays import KIND_MULTIWAY, KIND_SUBSET, KIND_THRESHOLD
from treewright.model.model import Model
from treewright.model.node import Node
from treewright.model.split import KIND_NAMES, branches_of_codes

__all__ = ["Memory", "remembered", "tie_tolerance"]

MOST_BRANCHES = 64  # are put in words
SLACK = 1e-3  # of the average gain, and the least split info of Release 8
LEAST_SPLIT_INFO = {"r8": SLACK, "j48": 1e-6}
NO_GAIN = math.nextafter(1e-6, 0.0)  # of ID3 and the textbook's C4.5: a gain below 1e-6 is none
TIE_TOLERANCE = {"r8": 0.0, "j48": 1e-6}


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


def tie_tolerance(model: Model, loss: float) -> float:
    """Return up to which difference two tests of a node are equally good."""
    return TIE_TOLERANCE.get(str(model.params.get("faithful")), 1e-10 * abs(loss))


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
    mode = str(model.params.get("faithful"))
    if not info > LEAST_SPLIT_INFO.get(mode, 0.0):
        return 0.0
    return float(np.float32(gain) / np.float32(info)) if mode == "r8" else gain / info


def _verdict(model: Model, place: Node, gain: float, ratio: float | None, least: float) -> dict[str, Any]:
    mode = str(model.params.get("faithful"))
    least_own = model.params.get("min_gain")
    if mode == "textbook" or model.algorithm == "ID3Classifier":
        least_own = max(least_own or 0.0, NO_GAIN)
    if math.isfinite(least) and not gain >= least - SLACK:
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
