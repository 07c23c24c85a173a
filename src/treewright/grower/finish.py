"""The last steps of a fit for a tree that was grown split by split: pruning, and the fitted estimator."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from treewright.data import encode_labels, encode_numbers, encode_weights
from treewright.explain import Training
from treewright.model import Tree
from treewright.trees._base import SingleTree
from treewright.trees._classifier import Rows, TreeClassifier, inverse
from treewright.trees._grown import Grown
from treewright.trees._pruning_plan import FitData, PruningPlan
from treewright.trees._row_subset import row_subset

__all__ = ["as_grown"]


def as_grown(
    estimator: SingleTree,
    training: Training,
    arrays: dict[str, NDArray[Any]],
    data: FitData,
    plan: PruningPlan,
    *,
    shrink: bool,
) -> Grown:
    """Return a tree as growing in `fit` would have given it.

    Parameters
    ----------
    estimator : SingleTree
        With the parameters that the tree was grown by.
    training : Training
        The rows that it was grown on.
    arrays : dict of str to ndarray
        The tree, its classes in the order of growing.
    data : FitData
        What the user passed.
    plan : PruningPlan
        Which of these rows were used.
    shrink : bool
        Whether the algorithm's own pruning follows, as in `fit`.
    """
    name, codes = type(estimator).__name__, training.schema.n_codes
    y, sample_weight = row_subset(data.y, plan.rows), row_subset(data.sample_weight, plan.rows)
    order, target = None, cast("NDArray[Any]", None)
    leaves_before = int(np.count_nonzero(arrays["n_children"] == 0))
    if is_classifier(estimator):
        classifier = cast(TreeClassifier, estimator)
        labels = encode_labels(y, len(y), estimator_name=name)
        weights = encode_weights(
            sample_weight,
            len(labels.codes),
            labels=labels,
            class_weight=classifier.class_weight,
            priors=classifier.priors,
        )
        order, target = classifier._class_codes(labels), labels.codes
        if shrink:
            rows = Rows(
                codes, training.dataset, training.target, len(labels.classes), training.weights,
                training.n_threads,
            )  # fmt: skip
            arrays = classifier._shrunk(arrays, rows)
        if order is not None:
            arrays = {**arrays, "value": arrays["value"][:, inverse(order)]}
        outputs = {"task": "classification", "classes": labels.classes, "class_order": labels.class_order}
    else:
        target = encode_numbers(y, len(y), estimator_name=name)
        weights = encode_weights(sample_weight, len(target))
        outputs = {"task": "regression"}
    n_rows, used = len(target), plan.rows
    if weights.keep is not None:
        target = target[weights.keep]
        used = weights.keep if used is None else used[weights.keep]
    return Grown(
        Tree(arrays, codes),
        leaves_before,
        training.schema,
        outputs,
        target,
        n_rows,
        used,
        weights.values,
        None if order is None else order.astype(np.int64),
    )
