"""What the engine gives back, typed: the dictionaries that functions of `_core` return, field by field.

tests/unit/core/test_engine_results.py compares them with what the engine really returns.
"""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BoostedTrees",
    "BranchSums",
    "ColumnTest",
    "CutCurve",
    "DrawnTest",
    "FeatureFacts",
    "NodeCandidates",
]

Floats = NDArray[np.float64]


class BranchSums(TypedDict):
    """Rows of one or several branches: how many, their weight, their loss, and what they answer."""

    rows: NDArray[np.int64]
    weight: Floats
    loss: Floats
    amounts: Floats


class CutCurve(TypedDict):
    """Every cut of a column, lowest first."""

    threshold: Floats
    gain: Floats
    left_weight: Floats
    left_rows: NDArray[np.int64]
    missing_left: NDArray[np.uint8]
    admissible: NDArray[np.uint8]
    order: NDArray[np.uint32]


class FeatureFacts(TypedDict):
    """The best test of one feature at a node, and what it does to the rows."""

    feature: int
    kind: int
    gain: float
    mean_gain: float
    rank: float
    split_info: float
    missing: int
    left_value: float
    right_value: float
    drawn: bool
    eligible: bool
    n_values: int
    threshold: float
    n_children: int
    known: BranchSums
    branches: BranchSums
    code_branches: NDArray[np.uint32]
    table: NDArray[np.uint32]
    decrease: float
    tries: int
    curve: CutCurve


class NodeCandidates(TypedDict):
    """All tests of a node before one of them is chosen (`class_candidates`, `mean_candidates`)."""

    node: BranchSums
    may_split: bool
    average_gain: float
    winner: int
    next: list[int]
    memory: dict[str, NDArray[Any]]
    accepted: bool
    features: list[FeatureFacts]


class ColumnTest(TypedDict):
    """The best test of one column at a node of a boosted tree (`boost_candidates`)."""

    kind: int
    is_constant: bool
    threshold: float
    branches: NDArray[np.uint32]
    rows: tuple[int, int]
    gradient: tuple[float, float]
    hessian: tuple[float, float]


class DrawnTest(TypedDict):
    """The random test of one column at a node of an extremely randomised tree (`grow_class_forest`)."""

    feature: int
    kind: int
    threshold: float
    right: NDArray[np.uint32]
    missing: int
    gain: float
    price: float
    allowed: bool


class BoostedTrees(TypedDict):
    """What the rounds of a booster leave (`boost`), besides the arrays of the forest."""

    gradient: Floats
    train_score: Floats
    validation_score: Floats
    oob_score: Floats
    least_gain: Floats
    chance_gain: float
    gain: Floats
    count: Floats
    cover: Floats
    n_rounds: int
    best_round: int
    was_stopped: bool
