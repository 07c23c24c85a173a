"""rpart's pruning sequence: complexities from one pass upwards instead of repeated weakest-link search.

A split asks only whether its children would collapse before it, not what happens further down, so rpart can
list subtrees that are best for no α; in simple trees it finds the same as `treewright.pruning.path`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.model import Tree
from treewright.pruning.path import SAME_ALPHA, PruningSequence, check_alpha, sequence_of
from treewright.pruning.risk import total_risk

__all__ = ["CpRow", "complexity_table", "rpart_links"]


class CpRow(NamedTuple):
    """One row of rpart's table: relative complexity, number of splits, relative training error."""

    cp: float
    n_splits: int
    relative_error: float


def rpart_links(tree: Tree, risk: str = "misclassification", *, least_alpha: float = 0.0) -> PruningSequence:
    """Return the nested sequence that rpart finds.

    Parameters
    ----------
    tree : Tree
        A tree grown without rpart's limit `cp`; a node with many branches asks its children in ascending
        order of their complexity.
    risk : {"impurity", "misclassification", "entropy", "gini"}
        rpart's own is "misclassification", and "impurity" for regression.
    least_alpha : float, default=0
        rpart's `cp` times the risk of the root per unit of weight: splits of less complexity are taken back,
        and nodes of less risk are not split.
    """
    risks = total_risk(tree, risk)
    weight = float(tree.weighted_n_node_samples[0]) or 1.0
    stop = check_alpha(least_alpha, "least_alpha") * weight
    complexity = _complexities(tree, risks.tolist(), stop)
    alphas = np.where(tree.n_children > 0, _joined(complexity, stop) / weight, 0.0)
    return sequence_of(tree, alphas, risk, "rpart", first=stop / weight)


def complexity_table(sequence: PruningSequence) -> tuple[CpRow, ...]:
    """Return a sequence in the form of rpart's cptable: the root alone first, relative to its risk."""
    root = float(sequence.risk[-1]) or 1.0
    return tuple(
        CpRow(float(sequence.alpha[i]) / root, int(sequence.splits[i]), float(sequence.risk[i]) / root)
        for i in range(len(sequence) - 1, -1, -1)
    )


def _complexities(tree: Tree, risk: list[float], stop: float) -> NDArray[np.float64]:
    """Return the complexity of each split, at least `stop`, at most that of the split above."""
    first_child, n_children = tree.first_child.tolist(), tree.n_children.tolist()
    complexity = [stop] * len(risk)
    # What a node reports to its parent: risk and splits of the part of its subtree that still counts.
    reported, splits = list(risk), [0] * len(risk)
    for node in range(len(risk) - 1, -1, -1):
        if n_children[node] == 0 or risk[node] <= stop:
            continue
        children = range(first_child[node], first_child[node] + n_children[node])
        below, n_below = sum(reported[child] for child in children), sum(splits[child] for child in children)
        per_split = (risk[node] - below) / (n_below + 1)
        for child in sorted(children, key=lambda child: (complexity[child], -child)):
            if per_split <= complexity[child]:
                break
            below += risk[child] - reported[child]
            n_below -= splits[child]
            per_split = (risk[node] - below) / (n_below + 1)
        if per_split > stop:
            complexity[node], reported[node], splits[node] = per_split, below, n_below + 1
    for node, first in enumerate(first_child):
        for child in range(first, first + n_children[node]):
            complexity[child] = min(complexity[child], complexity[node])
    return np.array(complexity)


def _joined(complexity: NDArray[np.float64], stop: float) -> NDArray[np.float64]:
    """Make complexities that differ by rounding only equal, to the largest of them."""
    steps, place = np.unique(complexity, return_inverse=True)
    bounds = [0]
    for i in range(1, len(steps)):
        if steps[i] > steps[bounds[-1]] * (1 + SAME_ALPHA):
            bounds.append(i)
    bounds.append(len(steps))
    largest = np.repeat(steps[np.array(bounds[1:]) - 1], np.diff(bounds))
    joined: NDArray[np.float64] = largest[place]
    joined[complexity <= stop] = stop
    return joined
