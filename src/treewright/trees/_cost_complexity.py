"""Minimal cost-complexity pruning (Breiman et al. 1984): the price of a leaf at which each node collapses.

The cost of the best subtree under a node, as a function of the price α, is concave and piecewise linear:
each collapse below is a bend. A node collapses where the line "loss of the node + α" meets that function,
and every bend to the right of that point disappears. So one pass from the leaves to the root with mergeable
heaps gives the weakest-link sequence without walking up to the root after each collapse, which would be
quadratic in a deep tree.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.model import Tree
from treewright.model.edit import collapse

__all__ = ["PruningPath", "collapse_prices", "prune", "pruning_path"]


class PruningPath(NamedTuple):
    """The weakest-link sequence, from the whole tree to the root alone, as in scikit-learn."""

    ccp_alphas: NDArray[np.float64]
    impurities: NDArray[np.float64]


class _Bend(NamedTuple):
    # heapq pops the smallest, but the largest price is wanted first; ties: the node read last on paper.
    negative_price: float
    node: int
    risk: float  # how much the risk rises
    leaves: int  # how many leaves disappear


def collapse_prices(tree: Tree) -> NDArray[np.float64]:
    """Return for each node the α from which on it is a leaf or gone, infinite for leaves."""
    prices, _ = _bends(tree)
    return prices


def pruning_path(tree: Tree) -> PruningPath:
    """Return the prices at which the tree shrinks and the total impurity of its leaves from each one on."""
    _, bends = _bends(tree)
    order = _reading_order(tree)
    steps = sorted(bends, key=lambda bend: (-bend.negative_price, order[bend.node]))
    risk = tree.loss / tree.weighted_n_node_samples[0]
    whole = risk[tree.n_children == 0].sum()
    prices = np.array([0.0] + [-step.negative_price for step in steps])
    impurities = whole + np.cumsum([0.0] + [step.risk for step in steps])
    return PruningPath(prices, impurities)


def prune(tree: Tree, ccp_alpha: float) -> Tree:
    """Return the smallest subtree that minimises impurity + ccp_alpha * leaves; the tree itself for 0."""
    return tree if ccp_alpha == 0 else collapse(tree, collapse_prices(tree) <= ccp_alpha)


def _bends(tree: Tree) -> tuple[NDArray[np.float64], list[_Bend]]:
    n_nodes = tree.node_count
    total_weight = float(tree.weighted_n_node_samples[0])
    node_risk = (tree.loss / total_weight).tolist()
    first_child, n_children = tree.first_child.tolist(), tree.n_children.tolist()
    prices = np.full(n_nodes, np.inf)
    heaps: list[list[_Bend]] = [[] for _ in range(n_nodes)]
    for node in range(n_nodes - 1, -1, -1):
        if n_children[node] == 0:
            continue
        children = range(first_child[node], first_child[node] + n_children[node])
        heap = _merged(heaps, children)
        # For a very high price every child is one leaf.
        risk, leaves = sum(node_risk[child] for child in children), n_children[node]
        price = _crossing(node_risk[node], risk, leaves)
        while heap and -heap[0].negative_price >= price:
            bend = heapq.heappop(heap)
            risk -= bend.risk
            leaves += bend.leaves
            price = _crossing(node_risk[node], risk, leaves)
        prices[node] = price
        heapq.heappush(heap, _Bend(-price, node, node_risk[node] - risk, leaves - 1))
        heaps[node] = heap
    return prices, heaps[0]


def _crossing(own_risk: float, risk_below: float, leaves: int) -> float:
    # A multiway node with a single child has nothing to gain; rounding can make a useless split look harmful.
    return max(0.0, (own_risk - risk_below) / (leaves - 1)) if leaves > 1 else 0.0


def _merged(heaps: list[list[_Bend]], children: range) -> list[_Bend]:
    """Merge the children's heaps into the largest of them, so that each bend moves at most log n times."""
    largest = max(children, key=lambda child: len(heaps[child]))
    heap = heaps[largest]
    for child in children:
        if child != largest:
            for bend in heaps[child]:
                heapq.heappush(heap, bend)
        heaps[child] = []
    return heap


def _reading_order(tree: Tree) -> list[int]:
    """Return the place of each node in depth-first order, as a tree is read on paper."""
    first_child, n_children = tree.first_child.tolist(), tree.n_children.tolist()
    order = [0] * tree.node_count
    waiting, place = [0], 0
    while waiting:
        node = waiting.pop()
        order[node] = place
        place += 1
        waiting.extend(range(first_child[node] + n_children[node] - 1, first_child[node] - 1, -1))
    return order
