"""Whether the parts of a model fit together: the same rules for a file that is read and for one to write."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import CLASS_CRITERIA, CRITERIA
from treewright.model import Forest, Model, Tree
from treewright.model.link import link_outputs

__all__ = ["check_model"]

AGGREGATIONS: Final = ("one", "mean", "votes", "sum", "weighted")
# C4.5 adds up shares of rows, its first program in single precision.
SHARE_TOLERANCE: Final = 1e-6
# By how much a loss or a gain may be negative, as a share of the largest loss or of the weight, and a share
# above 1.
SUM_TOLERANCE: Final = 1e-9


def check_model(model: Model) -> None:
    """Raise ValueError, with a sentence, unless trees, classes and facts fit together.

    What holds for the arrays of a tree alone the engine has checked; what an algorithm needs beyond that,
    its estimator checks.

    Parameters
    ----------
    model : Model
        From a file that may hold anything, or on its way into one.
    """
    if model.aggregation not in AGGREGATIONS:
        raise ValueError(f"its aggregation is {str(model.aggregation)[:20]!r}")
    _check_answers(model)
    if model.aggregation == "sum":
        _check_sum(model)
    else:
        _check_together(model)
    if model.overflown is not None:
        raise ValueError(f"{model.overflown} is not a finite number")


def _check_together(model: Model) -> None:
    """Raise ValueError unless trees that do not add up fit the classes, and have a rule to answer by."""
    n_values = 1 if model.classes is None else len(model.classes)
    if model.n_outputs != n_values or (
        isinstance(model.trees, Forest) and model.trees.has_classes != (model.classes is not None)
    ):
        raise ValueError(f"its trees have {model.n_outputs} values per node, which does not fit its classes")
    criterion = model.criterion
    if criterion in CRITERIA and (criterion in CLASS_CRITERIA) != (model.classes is not None):
        raise ValueError(f"the criterion {criterion!r} is not for {model.task}")
    if model.aggregation == "one" and len(model.trees) != 1:
        raise ValueError(f"it has {len(model.trees)} trees, but no rule for several")
    if model.aggregation == "weighted":
        weights = model.arrays.get("estimator_weights")
        if weights is None or weights.shape != (len(model.trees),) or weights.dtype != np.float64:
            raise ValueError("its trees have no weights")
        if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
            raise ValueError("the weights of its trees are not numbers of at least 0")
    if model.aggregation == "votes" and model.classes is None:
        raise ValueError("its trees vote, but there are no classes")


def _check_sum(model: Model) -> None:
    """Raise ValueError unless the trees add up to raw scores that the link can turn into an answer."""
    if not isinstance(model.trees, Forest) or model.trees.has_classes:
        raise ValueError("its trees do not hold numbers that could be added up")
    start = model.arrays.get("start")
    if start is None or start.ndim != 1 or start.dtype != np.float64 or not np.isfinite(start).all():
        raise ValueError("it does not say where its raw scores start")
    link = model.facts.get("link")
    if link_outputs(link, None if model.classes is None else len(model.classes)) != len(start):
        raise ValueError(f"the link {str(link)[:20]!r} does not fit its classes and raw scores")
    if len(model.trees) % len(start):
        raise ValueError(f"it has {len(model.trees)} trees for {len(start)} raw scores")


def _check_answers(model: Model) -> None:
    """Raise ValueError unless nodes answer with finite numbers, and classes with shares of a whole."""
    if isinstance(model.trees, Forest):
        if model.trees.has_classes:
            _check_shares(model.trees.arrays["distributions"], "a class distribution")
        return
    for number, tree in enumerate(model.trees):
        which = f"tree {number}" if len(model.trees) > 1 else "the tree"
        values = tree.value[:, 0, :]
        if not np.isfinite(values).all():
            node = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise ValueError(f"node {node} of {which} has a value that is not a finite number")
        for name, numbers in (("loss", tree.loss), ("gain", tree.gain[tree.n_children > 0])):
            if np.isinf(numbers).any():
                raise ValueError(f"a node of {which} has a {name} that is infinite")
            if np.isnan(numbers).any() and not np.isnan(numbers).all():
                raise ValueError(f"{which} knows the {name} of some nodes only")
        if not tree.weighted_n_node_samples[0] > 0:
            raise ValueError(f"{which} was grown from rows without weight")
        _check_sums(tree, which)
        if model.classes is not None:
            _check_shares(values, f"a node of {which}")


def _check_sums(tree: Tree, which: str) -> None:
    """Raise ValueError when a loss or a gain is negative; NaN is one that is not known."""
    loss, gain = tree.loss, tree.gain
    largest = np.max(np.abs(loss), where=~np.isnan(loss), initial=float(tree.weighted_n_node_samples[0]))
    # Where weights differ by many powers of ten, rounding makes what should be 0 a little less.
    for name, numbers in (("loss", loss), ("gain", gain)):
        if (numbers < -SUM_TOLERANCE * largest).any():
            node = int(np.argmax(numbers < -SUM_TOLERANCE * largest))
            raise ValueError(f"node {node} of {which} has a negative {name}")


def _check_shares(shares: NDArray[np.float64], owner: str) -> None:
    # No share is above 1, or a sum of several could overflow.
    in_range = np.all((shares >= 0) & (shares <= 1.0 + SUM_TOLERANCE), axis=1, keepdims=True)
    sums = np.where(in_range, shares, 0.0).sum(axis=1)
    wrong = np.abs(sums - 1.0) > SHARE_TOLERANCE
    if wrong.any():
        found = shares[int(np.argmax(wrong))]
        raise ValueError(f"{owner} has the class shares {found[:6].tolist()}, which are not shares of 1")
