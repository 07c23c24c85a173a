"""State: a tree that is grown by hand, after one of the actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from treewright.grower.node import GrownNode

__all__ = ["Memory", "Nodes", "State"]

# Parameters that decide what is left of a grown tree.
PRUNING = (
    "prune", "ccp_alpha", "pruning_risk", "pruning_rule", "path_method", "cv", "confidence_factor",
    "subtree_raising", "alpha_total",
)  # fmt: skip
Nodes = dict[int, GrownNode]
Memory = dict[str, NDArray[Any]] | None


@dataclass(frozen=True)
class State:
    """The tree after an action, the code of all actions so far, and the next free number."""

    nodes: Nodes
    code: tuple[str, ...]
    next_id: int
    finished: bool = False  # known to be grown to the end
