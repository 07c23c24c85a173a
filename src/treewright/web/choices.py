"""What the page lets a user choose for an algorithm: its parameters as fields of a form."""

from __future__ import annotations

import inspect
from typing import Any, Final

from treewright.algorithms import ALGORITHMS, make
from treewright.trees.single_tree import SingleTree

__all__ = ["TITLES", "algorithm_of", "algorithms", "checked_params", "estimator_of", "is_single"]

TITLES: Final = {
    "id3": "ID3",
    "c45": "C4.5",
    "cart": "CART",
    "bagging": "Bagging",
    "random_forest": "Random forest",
    "extra_trees": "Extra trees",
    "adaboost": "AdaBoost",
    "gbm": "Gradient boosting",
    "xgboost": "Newton boosting (XGBoost)",
    "lightgbm": "Leaf-wise boosting (LightGBM)",
}
#: Parameters that the form offers, in its order, in words; all others can be given in Python.
OFFERED: Final = {
    "criterion": "Impurity",
    "faithful": "Whose C4.5",
    "max_depth": "Most levels",
    "max_leaf_nodes": "Most leaves",
    "min_samples_split": "Fewest rows to split",
    "min_samples_leaf": "Fewest rows in a leaf",
    "min_samples_branch": "Fewest rows in two branches",
    "group_values": "Group values",
}
#: Class and parameter → the words that it can be.
OPTIONS: Final = {
    ("CARTClassifier", "criterion"): ("gini", "entropy"),
    ("CARTRegressor", "criterion"): ("squared_error", "absolute_error", "poisson"),
    ("C45Classifier", "criterion"): ("gain_ratio", "gain"),
    ("C45Classifier", "faithful"): ("r8", "j48", "textbook"),
}


def is_single(name: str, task: str) -> bool:
    """Tell whether an algorithm makes one tree for a task."""
    return issubclass(ALGORITHMS.get(name, {}).get(task, object), SingleTree)


def algorithms() -> list[dict[str, Any]]:
    """Return the algorithms with their tasks and the fields of their forms."""
    return [
        {
            "name": name,
            "title": TITLES.get(name, name),
            "tasks": list(tasks),
            "single": any(is_single(name, task) for task in tasks),
            "fields": {task: _fields(cls) for task, cls in tasks.items()},
        }
        for name, tasks in ALGORITHMS.items()
    ]


def _fields(cls: type[Any]) -> list[dict[str, Any]]:
    known = inspect.signature(cls).parameters
    found = []
    for name, words in OFFERED.items():
        options = OPTIONS.get((cls.__name__, name), ())
        if name not in known or (name == "criterion" and not options):
            continue
        default = known[name].default
        kind = "choice" if options else "flag" if isinstance(default, bool) else "number"
        found.append({"name": name, "words": words, "default": default, "kind": kind, "options": options})
    return found


def checked_params(name: str, task: str, params: Any) -> dict[str, Any]:
    """Return the parameters that differ from the defaults; ValueError for what the algorithm refuses."""
    if not isinstance(params, dict):
        raise ValueError("Parameters are given by name.")
    estimator: Any = make(name, task)
    known = estimator.get_params()
    unknown = [key for key in params if key not in known]
    if unknown:
        raise ValueError(f"{TITLES.get(name, name)} has no parameter {unknown[0]!r}.")
    chosen = {key: value for key, value in params.items() if value != known[key]}
    make(name, task, **chosen)._validate_params()
    return chosen


def estimator_of(name: str, task: str, params: dict[str, Any]) -> Any:
    """Return the estimator, not fitted."""
    return make(name, task, **params)


def algorithm_of(estimator: Any) -> str:
    """Return the key of `ALGORITHMS` that makes such estimators."""
    for name, tasks in ALGORITHMS.items():
        if type(estimator) in tasks.values():
            return name
    raise ValueError(f"{type(estimator).__name__} is no algorithm of Treewright.")
