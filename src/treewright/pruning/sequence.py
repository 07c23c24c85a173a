"""The pruning sequence that the parameters ask for, of a tree and of the tree of each fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from treewright.model import Tree
from treewright.pruning.choice import CrossValidation, from_losses, probe_alphas
from treewright.pruning.held_out import HeldOut
from treewright.pruning.losses import LossSums
from treewright.pruning.path import PruningSequence, weakest_links
from treewright.pruning.rpart_path import rpart_links
from treewright.side_by_side import run_side_by_side

__all__ = ["PATH_METHODS", "cross_validate", "fold_losses", "pruning_sequence"]

PATH_METHODS: Final = ("exact", "rpart")

Rows = NDArray[np.int64]


def pruning_sequence(tree: Tree, risk: str = "impurity", path_method: str = "exact") -> PruningSequence:
    """Return the nested subtrees of a tree.

    Parameters
    ----------
    tree : Tree
        Any tree.
    risk : {"impurity", "misclassification", "entropy", "gini"}
        What a leaf costs besides α.
    path_method : {"exact", "rpart"}
        Repeated weakest-link search, or rpart's recursion.
    """
    if path_method not in PATH_METHODS:
        raise ValueError(f"path_method must be 'exact' or 'rpart'. Got {path_method!r} instead.")
    return weakest_links(tree, risk) if path_method == "exact" else rpart_links(tree, risk)


def fold_losses(held_out: HeldOut, sequence: PruningSequence) -> LossSums:
    """Return what the tree of a fold loses on its held-out rows, for each subtree of the full tree.

    Parameters
    ----------
    held_out : HeldOut
        The fold's own tree, grown on its training rows, and the rows that it holds out.
    sequence : PruningSequence
        The sequence of the full tree.
    """
    if sequence.method == "exact":
        own = weakest_links(held_out.tree, sequence.risk_name)
    else:
        own = rpart_links(held_out.tree, sequence.risk_name, least_alpha=float(sequence.alpha[0]))
    return held_out.losses(own.alpha_collapse, probe_alphas(sequence))


def cross_validate(
    sequence: PruningSequence,
    folds: Iterable[tuple[Rows, Rows]],
    hold_out: Callable[[Rows, Rows], HeldOut],
    *,
    measure: str,
    n_jobs: int | None = None,
) -> CrossValidation:
    """Cross-validate all subtrees of a sequence: one tree per fold, one pass over its held-out rows.

    Parameters
    ----------
    sequence : PruningSequence
        The sequence of the full tree.
    folds : iterable of (train, test)
        Row numbers, from any splitter of scikit-learn.
    hold_out : callable
        Called with train and test: grows the fold's tree as a separate fit would, and sends the test rows
        down. Called from several threads.
    measure : str
        What the losses are, for reports: "error rate" or "squared error".
    n_jobs : int, optional
        Threads that work on folds; the result does not depend on it.
    """

    def run(train: Rows, test: Rows) -> LossSums:
        return fold_losses(hold_out(train, test), sequence)

    # The sums come back in the order of the folds, so that adding them up is the same for any n_jobs.
    return from_losses(run_side_by_side(run, folds, n_jobs), measure)
