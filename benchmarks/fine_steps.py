"""The leaf-wise booster without quantised gradients: the yardstick of what their coarse steps cost.

The engine takes fine steps (30 bits a row) for few rows and for very many only. Here every tree is asked for
by itself, which may have fine steps for any number of rows, and the rounds run in Python. Settings, codes and
derivatives are those of the estimator. The seconds are no fair contest: every tree makes its own tables of
codes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import N_JOBS
from treewright import _core
from treewright.boosting.losses import loss_of
from treewright.data.table import read_table
from treewright.model.link import answers

Floats = NDArray[np.float64]


def fit_predict(
    booster: Any, x: Any, y: NDArray[Any], weight: NDArray[Any] | None, x_test: Any
) -> NDArray[np.float64]:
    """Grow as many rounds as the booster is set to, by fine steps; return what they answer for other rows.

    Parameters
    ----------
    booster : LeafwiseBoostingClassifier or LeafwiseBoostingRegressor
        Its settings count; it is not fitted. Rows and features must not be drawn.
    x, y, weight : object
        What `fit` would get; weights are positive.
    x_test : object
        The other rows.
    """
    rows = booster._read(x, y, weight, None)
    loss = loss_of(booster, rows.n_classes)
    objective = loss.objective
    target = np.asarray(rows.target, dtype=np.float64)
    plans = booster._plans(rows, 0)
    plan = plans.boost
    data = rows.encode(plans.max_bins, N_JOBS, keep=True)
    matrix = rows.whole_table.to_matrix()
    other = read_table(x_test, estimator_name=type(booster).__name__, schema=rows.schema).to_matrix()
    start = loss.start(target, rows.weights, None, None)
    raw, answer = (np.repeat(start[np.newaxis], len(part), axis=0) for part in (matrix, other))
    equal = bool(objective.hessian_is_weight) and rows.weights is None
    for _ in range(int(booster.n_estimators)):
        objective.begin_round(target, rows.weights, raw)
        derivatives: Any = objective.gradients(target, rows.weights, raw)
        g, h = (np.asarray(part, dtype=np.float32) for part in derivatives)
        for output in range(loss.outputs):
            gradient, hessian = (np.ascontiguousarray(part[:, output]) for part in (g, h))
            tree = _core.boost_histogram_tree(
                data, gradient, hessian, plan, packed=False, equal_hessians=equal, n_threads=N_JOBS
            )
            predictor = _core.Predictor([tree], rows.schema.n_codes)
            raw[:, output] += plan.learning_rate * predictor.values(matrix, N_JOBS)[:, 0]
            answer[:, output] += plan.learning_rate * predictor.values(other, N_JOBS)[:, 0]
    found = answers(answer, loss.link)
    return found if rows.n_classes is not None else found[:, 0]
