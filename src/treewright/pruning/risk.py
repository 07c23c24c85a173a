"""The risk of a node as one leaf: what pruning weighs against the number of leaves."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import CRITERIA, choices
from treewright.model import Tree

__all__ = ["RISKS", "predicted_class", "total_risk"]

RISKS: Final = ("impurity", "misclassification", *sorted(choices(classes=True)))


def total_risk(tree: Tree, risk: str = "impurity") -> NDArray[np.float64]:
    """Return the risk of each node's rows as one leaf, in total (the books' N_t · H_t).

    Parameters
    ----------
    tree : Tree
        The tree.
    risk : {"impurity", "misclassification", "entropy", "gini"}
        "impurity": the loss the tree was grown with; "misclassification": weight outside the largest class;
        a criterion on classes, such as "entropy" (bits): from the class distributions, whatever the tree was
        grown with.
    """
    if risk not in RISKS:
        raise ValueError(
            f"The pruning risk must be one of {', '.join(map(repr, RISKS))}. Got {risk!r} instead."
        )
    if risk == "impurity":
        return tree.loss
    if tree.n_values == 1 and tree.node_count > 1:
        raise ValueError(
            f"The pruning risk {risk!r} needs classes, but this is a regression tree: use 'impurity'."
        )
    shares: NDArray[np.float64] = tree.value[:, 0, :]
    weight = tree.weighted_n_node_samples
    if tree.n_values == 1:  # a single leaf
        return np.zeros(1)
    if risk == "misclassification":
        largest = weight * shares.max(axis=1)
        # Counts of rows stay whole, so that equal risks are equal.
        whole = np.rint(largest)
        errors: NDArray[np.float64] = weight - np.where(np.abs(largest - whole) <= 1e-9, whole, largest)
        return errors
    of_shares = CRITERIA[risk].of_shares
    assert of_shares is not None, "criteria on classes have it"
    risks: NDArray[np.float64] = weight * of_shares(shares)
    return risks


def predicted_class(
    values: NDArray[np.float64], class_order: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return the column with the largest value in each row, of equals the first in `class_order`."""
    order = np.arange(values.shape[1]) if class_order is None else np.asarray(class_order, dtype=np.int64)
    winner: NDArray[np.int64] = order[values[:, order].argmax(axis=1)]
    return winner
