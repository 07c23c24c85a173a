"""What else there is to see at the nodes of a tree that is grown by hand, without making a report of it."""

from __future__ import annotations

import copy
import warnings

import numpy as np
from numpy.typing import NDArray

from treewright.engine_results import CutCurve
from treewright.explain import SplitReport, Training
from treewright.explain.split_search import recomputed_report
from treewright.grower.grower import Grower
from treewright.model.arrays import KIND_SUBSET
from treewright.model.split import branches_of_codes
from treewright.trees.growing import read_training
from treewright.trees.single_tree import SingleTree

__all__ = ["candidates_as", "cuts_of", "fresh_copy", "in_first_group", "offered_gain", "rows_to_grow_on"]


def cuts_of(grower: Grower, node: int, feature: int) -> CutCurve:
    """Return every cut of one numeric feature at a node.

    Parameters
    ----------
    grower : Grower
        The tree.
    node : int
        Number of the node.
    feature : int
        The column.
    """
    place = grower.nodes[node]
    return grower._growing.training.candidates(place.rows, features=[feature], cuts=True)["features"][0][
        "curve"
    ]


def in_first_group(grower: Grower, node: int, feature: int, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which categories the best grouping in two would send to the first branch; none without such one.

    Parameters
    ----------
    grower : Grower
        The tree.
    node : int
        Number of the node.
    feature : int
        The column, a nominal one.
    codes : ndarray of int64
        The categories.
    """
    facts = grower._growing.training.candidates(grower.nodes[node].rows, features=[feature])["features"][0]
    if facts["kind"] != KIND_SUBSET:
        return np.zeros(len(codes), dtype=np.bool_)
    first: NDArray[np.bool_] = branches_of_codes(facts["table"], 0, codes) == 0
    return first


def offered_gain(grower: Grower, node: int) -> float | None:
    """Return what the algorithm would gain by splitting a node, None where it would not split it.

    Parameters
    ----------
    grower : Grower
        The tree.
    node : int
        Number of the node.
    """
    place = grower.nodes[node]
    if len(place.rows.rows) == 0:
        return None
    answer = grower._growing.answer(place.rows, place.depth)
    return float(answer["features"][answer["winner"]]["gain"]) if answer["accepted"] else None


def candidates_as(grower: Grower, node: int, other: SingleTree) -> SplitReport:
    """Return what another algorithm would find among the rows of a node.

    Parameters
    ----------
    grower : Grower
        The tree.
    node : int
        Number of the node.
    other : SingleTree
        The other algorithm, with its parameters.
    """
    place, data = grower.nodes[node], grower._data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # ID3 on numbers: what it would do is the question
        training = read_training(other, data.X, data.y, data.sample_weight, rows=grower._plan.rows)
    return recomputed_report(
        training,
        place.rows,
        grower.feature_names,
        depth=place.depth,
        node_id=place.id,
        condition=place.condition,
    )


def rows_to_grow_on(grower: Grower) -> Training:
    """Return the rows of a tree as the engine has them.

    Parameters
    ----------
    grower : Grower
        The tree.
    """
    return grower._growing.training


def fresh_copy(grower: Grower) -> Grower:
    """Return the same tree for somebody else to go on with, who can take back nothing of what was done.

    Parameters
    ----------
    grower : Grower
        The tree.
    """
    other = copy.copy(grower)
    other._before, other._after = [], []
    return other
