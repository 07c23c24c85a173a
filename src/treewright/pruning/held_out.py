"""Rows kept aside, and what every subtree of a nested sequence loses on them, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model import Tree
from treewright.pruning.losses import LossSums
from treewright.pruning.risk import predicted_class
from treewright.pruning.row_leaves import RowLeaves
from treewright.pruning.shared_rows import shared_losses
from treewright.pruning.sweep import sweep

__all__ = ["HeldOut"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A tree and rows that it was not grown on.

    Attributes
    ----------
    tree : Tree
        The tree.
    row_leaves : RowLeaves
        Where the rows end in it.
    target : ndarray of shape (n_rows,)
        Column of each row's class in the values of the tree (-1 for a class that the tree does not know), or
        the number to predict.
    weights : ndarray of shape (n_rows,), optional
        Their weights.
    classes : bool
        Whether the target holds classes.
    class_order : ndarray of int of shape (n_classes,), optional
        Columns in the order in which ties are broken.
    """

    tree: Tree
    row_leaves: RowLeaves
    target: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    classes: bool = True
    class_order: NDArray[np.int64] | None = None

    def losses(self, key: NDArray[np.float64], probes: NDArray[np.float64]) -> LossSums:
        """Return what each subtree of a nested sequence (see `treewright.pruning.sweep`) loses.

        The loss of a row is 1 for a wrong class, or the squared error.
        """
        weight = self._row_weights
        whole = self.row_leaves.whole
        passing, stopped = self._node_losses(whole)
        sums = sweep(self.tree, key, probes, passing, stopped)
        if len(self.row_leaves.shared):
            sums += shared_losses(
                self.tree,
                self.row_leaves,
                key,
                probes,
                self.target[self.row_leaves.shared],
                weight[self.row_leaves.shared],
                classes=self.classes,
                class_order=self.class_order,
            )
        return LossSums(float(weight.sum()), float((weight**2).sum()), *sums.T)

    def node_errors(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return for each node its weighted loss as a leaf and that of rows which only stop at it.

        Shares of shared rows count as rows of their own, as in C4.5.
        """
        passing, stopped = self._node_losses(self.row_leaves.whole)
        as_leaf, at_node = passing[:, 0], stopped[:, 0]
        row_leaves = self.row_leaves
        if len(row_leaves.shared):
            rows = row_leaves.shared[row_leaves.part_row]
            weight = self._row_weights[rows] * row_leaves.part_share
            loss = weight * self._loss_at(row_leaves.part_node, self.target[rows])
            n_nodes, inner = self.tree.node_count, self.tree.n_children > 0
            as_leaf = as_leaf + np.bincount(row_leaves.part_node, loss, n_nodes)
            ends = row_leaves.part_ends
            at_node = at_node + np.where(
                inner, np.bincount(row_leaves.part_node[ends], loss[ends], n_nodes), 0
            )
        return as_leaf, at_node

    @cached_property
    def _answers(self) -> NDArray[np.int64]:
        return predicted_class(self.tree.value[:, 0, :], self.class_order)

    @cached_property
    def _row_weights(self) -> NDArray[np.float64]:
        return np.ones(len(self.target)) if self.weights is None else self.weights

    def _loss_at(self, nodes: NDArray[np.int64], target: NDArray[Any]) -> NDArray[np.float64]:
        if self.classes:
            wrong: NDArray[np.float64] = (self._answers[nodes] != target).astype(np.float64)
            return wrong
        squared: NDArray[np.float64] = (target - self.tree.value[nodes, 0, 0]) ** 2
        return squared

    def _node_losses(self, rows: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return w·l, w²·l and w²·l² of the rows that come to each node, and of those that stop there."""
        node, target, weight = self.row_leaves.node[rows], self.target[rows], self._row_weights[rows]
        weightings = [weight] if self.weights is None else [weight, weight**2]
        if self.classes:
            passing = [self._class_losses(node, target, w) for w in weightings]
            columns = [passing[0], passing[-1], passing[-1]]
        else:
            powers = [self._powers(node, target, w) for w in weightings]
            columns = [powers[0][:, 2], powers[-1][:, 2], powers[-1][:, 4]]
        stopped = self.tree.n_children[node] > 0
        at_node = self._loss_at(node[stopped], target[stopped])
        rest = [weight[stopped] * at_node, weight[stopped] ** 2 * at_node, (weight[stopped] * at_node) ** 2]
        n_nodes = self.tree.node_count
        return (
            np.column_stack(columns),
            np.column_stack([np.bincount(node[stopped], column, n_nodes) for column in rest]),
        )

    def _class_losses(
        self, node: NDArray[np.int64], target: NDArray[Any], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        # A class that the tree does not know has a column of its own, which is never right.
        n_columns = self.tree.n_values + 1
        n_nodes = self.tree.node_count
        column = np.where(target < 0, n_columns - 1, target).astype(np.int64)
        counts: NDArray[Any] = np.bincount(
            node * n_columns + column, weights=weight, minlength=n_nodes * n_columns
        )
        sums = _core.sum_subtrees(
            self.tree.first_child, self.tree.n_children, counts.reshape(n_nodes, n_columns)
        )
        right = sums[np.arange(n_nodes), self._answers]
        wrong: NDArray[np.float64] = np.maximum(0.0, sums.sum(axis=1) - right)
        return wrong

    def _powers(
        self, node: NDArray[np.int64], target: NDArray[Any], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        value = np.ascontiguousarray(self.tree.value[:, 0, 0])
        residual = target - value[node]
        own = [np.bincount(node, weight * residual**p, len(value)) for p in range(5)]
        return np.maximum(
            0.0, _core.sum_powers(self.tree.first_child, self.tree.n_children, value, np.column_stack(own))
        )
