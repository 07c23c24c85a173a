"""What the xgboost package itself grows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

OBJECTIVES = {"squared_error": "reg:squarederror", "log_loss": "binary:logistic", "softmax": "multi:softprob"}


def parameters(settings: dict[str, Any]) -> dict[str, Any]:
    """Return what the package is given."""
    given = {"tree_method": "exact", "nthread": 1, **settings}
    if "monotone_constraints" in given:
        given["monotone_constraints"] = "(" + ",".join(map(str, given["monotone_constraints"])) + ")"
    if "interaction_constraints" in given:
        given["interaction_constraints"] = json.dumps(given["interaction_constraints"])
    return given


def trees_of(booster: Any) -> list[dict[str, Any]]:
    """Return the trees of the package's JSON model, only what is compared."""
    model = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]
    kept = "left_children right_children split_indices split_conditions default_left loss_changes sum_hessian"
    return [{name: tree[name] for name in kept.split()} for tree in model["trees"]]


def start_of(booster: Any) -> list[float]:
    """Return the fitted start, in the units of the objective."""
    config = json.loads(booster.save_config())["learner"]["learner_model_param"]["base_score"]
    return [float(number) for number in config.strip("[]").split(",")]


def train(
    xgboost: Any,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    weight: NDArray[np.float32] | None,
    loss: str,
    settings: dict[str, Any],
    n_rounds: int,
    n_outputs: int,
) -> Any:
    """Return a booster of the package."""
    data = xgboost.DMatrix(x, label=y, weight=weight)
    given = {**parameters(settings), "objective": OBJECTIVES[loss if n_outputs == 1 else "softmax"]}
    if n_outputs > 1:
        given["num_class"] = n_outputs
    return xgboost.train(given, data, n_rounds)


def one_tree(
    xgboost: Any,
    x: NDArray[np.float32],
    g: NDArray[np.float32],
    h: NDArray[np.float32],
    settings: dict[str, Any],
) -> dict[str, Any]:
    """Return the package's tree for given gradients."""
    data = xgboost.DMatrix(x, label=np.zeros(len(x)))
    booster = xgboost.Booster({**parameters(settings), "base_score": 0.0}, [data])
    booster.boost(data, 0, grad=g, hess=h)
    return trees_of(booster)[0]
