"""Which subtree of a pruning sequence to keep, by cross-validation.

Each fold grows its own tree and prunes it at the geometric means of neighbouring alphas of the full tree;
one pass over its held-out rows gives the loss of all subtrees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Final

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.losses import LossSums
from treewright.pruning.path import PruningSequence

__all__ = [
    "Choice",
    "CrossValidation",
    "choose",
    "from_losses",
    "from_scores",
    "probe_alphas",
]

RULES: Final = ("min", "1se")

#: Means this close to each other are equal: weights are summed in another order in every subtree.
SAME_MEAN: Final = 1e-12


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """What cross-validation says about each subtree of a sequence.

    Attributes
    ----------
    mean, standard_error : ndarray of shape (n_subtrees,)
        Mean and its standard error.
    measure : str
        What the mean is of: "error rate", "squared error" or the name of a scorer.
    greater_is_better : bool
        Whether a large mean is good.
    n_folds : int
        Number of folds.
    """

    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    measure: str
    greater_is_better: bool
    n_folds: int


@dataclass(frozen=True)
class Choice:
    """The subtree to keep.

    Attributes
    ----------
    index : int
        The chosen one.
    index_min : int
        The best one; of equals the smallest tree.
    index_1se : int
        The smallest one within one standard error of the best.
    limit : float
        The mean at the best one and one standard error more (less, if greater is better).
    rule : {"min", "1se"}
        Which of them was chosen.
    """

    index: int
    index_min: int
    index_1se: int
    limit: float
    rule: str


def probe_alphas(sequence: PruningSequence) -> NDArray[np.float64]:
    """Return for each subtree of the full tree the α at which the trees of the folds stand for it."""
    alpha = sequence.alpha
    last = 10 * alpha[-1:] if sequence.method == "rpart" and alpha[-1] > 0 else [np.inf]
    # The roots one by one: the product of two very small alphas would be 0.
    return np.concatenate([np.sqrt(alpha[:-1]) * np.sqrt(alpha[1:]), last])


def from_losses(folds: Iterable[LossSums], measure: str) -> CrossValidation:
    """Combine the sums of all folds; every row counts by its weight, in whatever fold it is held out."""
    sums = list(folds)
    if not sums:
        raise ValueError("Cross-validation needs at least one fold.")
    total = reduce(add, sums)
    if not total.weight > 0:
        raise ValueError("The folds hold out no row of positive weight.")
    return CrossValidation(total.mean, total.standard_error, measure, False, len(sums))


def from_scores(scores: NDArray[np.float64], measure: str) -> CrossValidation:
    """Combine scores of a scikit-learn scorer, shape (n_folds, n_subtrees): mean and sd/√k over the folds."""
    n_folds = len(scores)
    if n_folds < 2:
        raise ValueError("A standard error of scores needs at least two folds.")
    error = scores.std(axis=0, ddof=1) / np.sqrt(n_folds)
    return CrossValidation(scores.mean(axis=0), error, measure, True, n_folds)


def choose(validation: CrossValidation, rule: str = "1se") -> Choice:
    """Return the subtree that a rule chooses; ties go to the smaller tree.

    Parameters
    ----------
    validation : CrossValidation
        Means and standard errors, from the largest subtree to the root alone.
    rule : {"min", "1se"}
        "min": the best mean; "1se": the smallest tree within one standard error of it.
    """
    if rule not in RULES:
        raise ValueError(f"The pruning rule must be 'min' or '1se'. Got {rule!r} instead.")
    loss = -validation.mean if validation.greater_is_better else validation.mean
    if np.isnan(loss).all():
        raise ValueError("Cross-validation gave no number for any subtree.")
    best = float(np.nanmin(loss))
    slack = SAME_MEAN * abs(best)
    index_min = int(np.flatnonzero(loss <= best + slack)[-1])
    limit = float(loss[index_min] + validation.standard_error[index_min])
    within = loss <= limit + SAME_MEAN * abs(limit)
    index_1se = int(np.flatnonzero(within)[-1]) if within.any() else index_min
    return Choice(
        index=index_min if rule == "min" else index_1se,
        index_min=index_min,
        index_1se=index_1se,
        limit=-limit if validation.greater_is_better else limit,
        rule=rule,
    )
