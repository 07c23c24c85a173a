"""The cost-complexity path: the nested subtrees that are best for some price α of a leaf.

The search itself (weakest link first) is native: see core/prune/weakest_link.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.argument import is_number
from treewright.model import Tree
from treewright.model.edit import collapse
from treewright.pruning.risk import total_risk
from treewright.pruning.sweep import sweep

__all__ = [
    "PruningPath",
    "PruningSequence",
    "alpha_collapse",
    "check_alpha",
    "prune",
    "pruning_path",
    "sequence_of",
    "weakest_links",
]

#: Alphas this close to each other, relatively, are one step.
SAME_ALPHA: Final = 1e-10


class PruningPath(NamedTuple):
    """The weakest-link sequence, one entry per collapsed node, as in scikit-learn."""

    ccp_alphas: NDArray[np.float64]
    impurities: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PruningSequence:
    """Nested subtrees by ascending α, from the largest one to the root alone.

    Every number is per unit of weight, as in scikit-learn; times `weight` it is that of the books.

    Attributes
    ----------
    alpha : ndarray of shape (n_subtrees,)
        The α from which on each subtree is the answer; 0 for the first.
    leaves, splits : ndarray of shape (n_subtrees,)
        Their leaves and inner nodes.
    risk : ndarray of shape (n_subtrees,)
        Total risk of their leaves.
    alpha_collapse : ndarray of shape (node_count,)
        For each node of the tree, the α from which on it is not split any more, because it has become a leaf
        or has gone with a node above. Not larger than that of the node above; 0 for the leaves of the tree.
    weight : float
        Weight of all rows.
    risk_name : str
        What `risk` is.
    method : {"exact", "rpart"}
        How the sequence was found.
    """

    alpha: NDArray[np.float64]
    leaves: NDArray[np.int64]
    splits: NDArray[np.int64]
    risk: NDArray[np.float64]
    alpha_collapse: NDArray[np.float64]
    weight: float
    risk_name: str
    method: str

    def __len__(self) -> int:
        return len(self.alpha)

    def index_at(self, alpha: float) -> int:
        """Return the subtree that answers for a price."""
        limit = check_alpha(alpha) * (1 + SAME_ALPHA)
        return max(0, int(np.searchsorted(self.alpha, limit, side="right")) - 1)

    def index_of_leaves(self, n_leaves: int) -> int:
        """Return the largest subtree with at most so many leaves."""
        if not is_number(n_leaves) or n_leaves % 1 != 0 or n_leaves < 1:
            raise ValueError(f"n_leaves must be a whole number of at least 1. Got {n_leaves!r} instead.")
        return int(np.argmax(self.leaves <= n_leaves))

    def subtree(self, tree: Tree, index: int) -> Tree:
        """Return one of the subtrees of the tree that the sequence was made from."""
        if len(self.alpha_collapse) != tree.node_count:
            raise ValueError("this is not the tree that the pruning sequence was made from")
        return collapse(tree, self.alpha_collapse <= self.alpha[index])


def alpha_collapse(tree: Tree, risk: str = "impurity") -> NDArray[np.float64]:
    """Return for each node the α from which on it is not split any more, 0 for leaves."""
    alphas: NDArray[np.float64] = _links(tree, risk)["alpha"]
    return alphas


def weakest_links(tree: Tree, risk: str = "impurity") -> PruningSequence:
    """Return the exact weakest-link sequence (Breiman et al. 1984).

    Parameters
    ----------
    tree : Tree
        Any tree; nodes with many branches are welcome.
    risk : {"impurity", "misclassification", "entropy", "gini"}
        What a leaf costs besides α.
    """
    return sequence_of(tree, _links(tree, risk)["alpha"], risk, "exact")


def sequence_of(
    tree: Tree, alphas: NDArray[np.float64], risk: str, method: str, first: float = 0.0
) -> PruningSequence:
    """Return the nested sequence that one α per node stands for, from the price `first` on."""
    weight = float(tree.weighted_n_node_samples[0])
    inner = tree.n_children > 0
    steps = np.unique(np.concatenate([[first], alphas[inner]]))
    columns = np.column_stack([np.ones(tree.node_count), total_risk(tree, risk) / _unit(weight)])
    sums = sweep(tree, alphas, steps, columns)
    ascending = np.sort(alphas[inner])
    return PruningSequence(
        alpha=steps,
        leaves=np.rint(sums[:, 0]).astype(np.int64),
        splits=len(ascending) - np.searchsorted(ascending, steps, side="right"),
        risk=sums[:, 1],
        alpha_collapse=alphas,
        weight=weight,
        risk_name=risk,
        method=method,
    )


def pruning_path(tree: Tree, risk: str = "impurity") -> PruningPath:
    """Return scikit-learn's path: the α of each collapse and the total impurity of the leaves from it on."""
    links = _links(tree, risk)
    risks = total_risk(tree, risk) / _unit(float(tree.weighted_n_node_samples[0]))
    whole = risks[tree.n_children == 0].sum()
    return PruningPath(
        np.concatenate([[0.0], links["step_alpha"]]),
        whole + np.concatenate([[0.0], np.cumsum(links["step_risk"])]),
    )


def prune(tree: Tree, ccp_alpha: float, risk: str = "impurity") -> Tree:
    """Return the smallest subtree that minimises risk + ccp_alpha * leaves; the tree itself for 0."""
    if check_alpha(ccp_alpha, "ccp_alpha") == 0:
        return tree
    limit = max(ccp_alpha, ccp_alpha * (1 + SAME_ALPHA))
    return collapse(tree, alpha_collapse(tree, risk) <= limit)


def check_alpha(alpha: float, name: str = "alpha") -> float:
    """Refuse a price that is no price."""
    if not is_number(alpha):
        raise TypeError(f"{name} must be a number. Got {alpha!r:.80} instead.")
    if not alpha >= 0 or math.isnan(alpha):
        raise ValueError(f"{name} must not be negative. Got {alpha!r} instead.")
    return float(alpha)


def _links(tree: Tree, risk: str) -> dict[str, NDArray[np.float64]]:
    risks = total_risk(tree, risk) / _unit(float(tree.weighted_n_node_samples[0]))
    found: dict[str, NDArray[np.float64]] = _core.weakest_links(tree.first_child, tree.n_children, risks)
    return found


def _unit(weight: float) -> float:
    return weight if weight > 0 else 1.0
