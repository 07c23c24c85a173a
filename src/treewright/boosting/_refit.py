"""refitted: the splits of a booster, with leaf values that are learned from other rows."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from treewright.boosting._rows import BoostRows, read_boost_rows
from treewright.boosting.losses import Loss, loss_of
from treewright.boosting.plans import Plans
from treewright.model import Forest, Model
from treewright.model.facts import BoosterFacts
from treewright.model.learning_rate import rates_of_rounds

if TYPE_CHECKING:
    from treewright.boosting.booster import Booster

__all__ = ["refitted"]

Floats = NDArray[np.float64]
# Arrays of a model that are about the leaves that it had.
OF_THE_FIT: Final = ("train_score", "validation_score", "validation_scores", "oob_scores", "oob_improvement")


def refitted(booster: Booster, X: Any, y: Any, sample_weight: Any, offset: Any, decay: float) -> Model:
    """Return the model of a booster with leaf values that are learned from other rows.

    Parameters
    ----------
    booster : Booster
        The fitted booster.
    X, y, sample_weight, offset : object
        The new rows.
    decay : float
        How much of the old values stays.
    """
    if not _is_share(decay):
        raise ValueError(f"decay must be a number from 0 to 1. Got {decay!r}.")
    model = booster.model_
    own = booster._as_fitted()
    if getattr(own, "monotonic_cst", None) is not None:
        raise ValueError(
            "The booster has monotonic_cst, which leaf values of other rows need not obey: fit it anew "
            "on the new rows, perhaps with the old scores as offset."
        )
    rows = own._read(X, y, sample_weight, model)
    loss = loss_of(own, rows.n_classes)
    given = read_boost_rows(type(booster).__name__, rows, loss, offset)
    missing = np.flatnonzero(np.isnan(rows.whole_table.to_matrix()).any(axis=0)).tolist()
    return replace(
        model,
        trees=_refitted(own, model, given, loss, float(decay)),
        facts=BoosterFacts.changed(model, validation=None, missing_features=model.missing_with(missing)),
        arrays={name: array for name, array in model.arrays.items() if name not in OF_THE_FIT},
    )


def _is_share(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and 0 <= float(value) <= 1


def _refitted(own: Booster, model: Model, given: BoostRows, loss: Loss, decay: float) -> Forest:
    """Return the trees with other numbers in their leaves."""
    forest = model.trees
    assert isinstance(forest, Forest), "a booster's trees are a forest"
    n_threads = int(effective_n_jobs(own.n_jobs))
    plans = own._plans(given.rows, 0)
    leaves = model.apply(given.rows.whole_table.to_matrix(), n_threads)
    raw = np.array(given.raw_scores(model.arrays["start"], None, n_threads)[0])
    begin, numbers = forest.arrays["begin"].tolist(), forest.arrays["number"].copy()
    for round_number, rate in enumerate(rates_of_rounds(model).tolist()):
        steps = _Steps(plans, loss, given, raw)
        for output in range(loss.outputs):
            tree = round_number * loss.outputs + output
            values = numbers[begin[tree] : begin[tree + 1]]
            ids = leaves[:, tree]
            seen, found = steps.of_leaves(ids, len(values), output)
            values[seen] = decay * values[seen] + (1.0 - decay) * rate * found
            raw[:, output] += values[ids]
    return Forest({**forest.arrays, "number": numbers}, given.rows.schema.n_codes, forest.criterion)


class _Steps:
    """The best steps of leaves at the scores before a round."""

    def __init__(self, plans: Plans, loss: Loss, given: BoostRows, raw: Floats) -> None:
        self._loss, self._plan = loss, plans.boost
        self._target, self._weights = given.target, given.rows.weights
        self._raw = raw.copy()
        grows_means, objective = plans.tree is not None, loss.objective
        self._l2, self._l1 = (0.0, 0.0) if grows_means else (float(plans.boost.l2), float(plans.boost.l1))
        # Where the value of a leaf is not the quotient of its sums.
        self._is_searched = loss.own is None and (
            objective.renews_leaves or (grows_means and not objective.hessian_is_weight)
        )
        own = loss.gradients(self._target, self._weights)
        if own is not None:
            self._gradient, self._hessian = own(self._raw)
            return
        objective.begin_round(self._target, self._weights, self._raw)
        found: Any = objective.gradients(self._target, self._weights, self._raw)
        # The exact method takes twice the hessian of several classes, as the xgboost package.
        self._gradient, self._hessian = (
            found[0],
            found[1] * (2.0 if plans.exact and loss.outputs > 1 else 1.0),
        )

    def of_leaves(self, ids: NDArray[np.int32], n_nodes: int, output: int) -> tuple[NDArray[np.intp], Floats]:
        """Return which leaves have rows, and their steps before the learning rate."""
        if self._is_searched:
            order = np.argsort(ids, kind="stable")
            listed, first = np.unique(ids[order], return_index=True)
            parts = np.split(order, first[1:])
            steps = np.array([self._searched(rows, output) for rows in parts])
            return listed.astype(np.intp), steps
        seen: NDArray[np.intp] = np.unique(ids).astype(np.intp)
        gradient = np.bincount(ids, self._gradient[:, output], n_nodes)[seen]
        hessian = np.bincount(ids, self._hessian[:, output], n_nodes)[seen] + self._l2
        shrunk = np.sign(gradient) * np.maximum(np.abs(gradient) - self._l1, 0.0)
        steps = np.divide(-shrunk, hessian, out=np.zeros(len(seen)), where=hessian > 0)
        limit = float(self._plan.max_step)
        return seen, np.clip(steps, -limit, limit) if limit > 0 else steps

    def _searched(self, rows: NDArray[np.intp], output: int) -> float:
        weights = None if self._weights is None else self._weights[rows]
        every = np.arange(len(rows), dtype=np.uint32)
        objective = self._loss.objective
        return float(objective.leaf_value(self._target[rows], weights, self._raw[rows], output, every))
