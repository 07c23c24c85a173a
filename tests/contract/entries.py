"""The entries of the registry, and how the contract tests make an estimator of each."""

from __future__ import annotations

import inspect
from typing import Any

from treewright import ALGORITHMS, make
from treewright.boosting.booster import Booster
from treewright.boosting.weight_booster import WeightBooster
from treewright.forests.forest import BaseForest

__all__ = ["BOOSTERS", "ENTRIES", "FORESTS", "make_entry"]

ENTRIES = [(name, task) for name, tasks in ALGORITHMS.items() for task in tasks]
CLASSES = {name: next(iter(tasks.values())) for name, tasks in ALGORITHMS.items()}
FORESTS = tuple(name for name, cls in CLASSES.items() if issubclass(cls, BaseForest))
BOOSTERS = tuple(name for name, cls in CLASSES.items() if issubclass(cls, Booster | WeightBooster))
# Few trees, for speed, and the same ones in every fit.
FEW_TREES = {"n_estimators": 5, "random_state": 0}
# As few, in larger steps, so that they lead somewhere.
FEW_ROUNDS = {"learning_rate": 0.5, **FEW_TREES}


def make_entry(entry: tuple[str, str], **params: Any) -> Any:
    """Return an estimator; Bagging and AdaBoost give parameters that they do not have to their tree."""
    name, task = entry
    if name not in FORESTS + BOOSTERS:
        return make(name, task, **params)
    own = set(inspect.signature(ALGORITHMS[name][task]).parameters)
    of_the_tree = {key: value for key, value in params.items() if key not in own}
    if of_the_tree:
        params = {"estimator": make("cart", task, **of_the_tree), **params}
    few = FEW_ROUNDS if name in BOOSTERS else FEW_TREES
    return make(name, task, **few | {key: value for key, value in params.items() if key in own})
