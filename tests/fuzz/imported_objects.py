"""Estimators of scikit-learn whose arrays were changed: refused with a sentence, or estimators that work."""

from __future__ import annotations

import copy
import json
import warnings
import zlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
from sklearn import ensemble, tree

import treewright
from tests.fuzz.imported_usage import use_imported
from tests.fuzz.mutations import REALS, WHOLE
from tests.fuzz.target import FaultError, Target
from treewright.exceptions import ModelFileError, UnsupportedModelError

__all__ = ["ImportedObjects"]

MAKERS: dict[str, Callable[[], Any]] = {
    "tree": lambda: tree.DecisionTreeClassifier(max_depth=3, random_state=0),
    "regressor": lambda: tree.DecisionTreeRegressor(max_depth=3, random_state=0),
    "forest": lambda: ensemble.RandomForestClassifier(3, max_depth=3, random_state=0),
    "bagging": lambda: ensemble.BaggingRegressor(n_estimators=3, max_features=0.7, random_state=0),
    "adaboost": lambda: ensemble.AdaBoostClassifier(n_estimators=3, random_state=0),
    "gradient": lambda: ensemble.GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0),
    "histogram": lambda: ensemble.HistGradientBoostingRegressor(
        max_iter=3, max_leaf_nodes=5, categorical_features=[3], random_state=0
    ),
}
NAMES = sorted(MAKERS)
FIELDS = (
    "left_child", "right_child", "feature", "threshold", "impurity", "n_node_samples",
    "weighted_n_node_samples", "missing_go_to_left",
)  # fmt: skip
OF_HISTOGRAMS = (
    "value", "count", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right", "gain",
    "is_leaf", "is_categorical", "bitset_idx",
)  # fmt: skip
ODD = [None, -1, 0, 1, 7, 2.5, "x", [], [1.0, 2.0], {}]
ATTRIBUTES = (
    "classes_", "n_classes_", "n_features_in_", "estimators_", "estimator_weights_", "estimator_errors_",
    "estimators_features_", "learning_rate", "loss", "init_", "_baseline_prediction", "_predictors",
    "is_categorical_", "n_outputs_", "feature_names_in_", "tree_", "criterion",
)  # fmt: skip


@cache
def _fitted(name: str) -> Any:
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 4))
    X[:, 3] = random.integers(0, 5, 80)
    y = X[:, 0] + (X[:, 3] == 2)
    made = MAKERS[name]()
    return made.fit(X, np.digitize(y, [-0.5, 0.7]) if "Classifier" in type(made).__name__ else y)


class ImportedObjects(Target):
    """Changes of a fitted estimator: which one, then [tree, field, place, value], or [attribute, value]."""

    name = "imported_objects"
    suffix = ".json"

    def draw(self, seed: int) -> bytes:
        """Return up to three changes."""
        random = Random(seed)
        name = random.choice(NAMES)
        fields = OF_HISTOGRAMS if name == "histogram" else (*FIELDS, "values")
        changes: list[list[Any]] = []
        for _ in range(random.randint(1, 3)):
            if random.random() < 0.15:
                changes.append([random.choice(ATTRIBUTES), random.choice(ODD)])
                continue
            number = random.choice([*range(8), *WHOLE, *REALS])
            changes.append([random.randrange(9), random.choice(fields), random.randrange(40), number])
        return json.dumps([name, seed, changes]).encode()

    def run(self, case: bytes) -> str:
        """Import it and use it."""
        name, _, changes = json.loads(case)
        estimator = copy.deepcopy(_fitted(name))
        trees = _trees_of(estimator)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for change in changes:
                if len(change) == 2:
                    if hasattr(estimator, change[0]):
                        estimator.__dict__[change[0]] = change[1]
                else:
                    _alter(trees[change[0] % len(trees)], *change[1:])
            try:
                imported = treewright.from_sklearn(estimator)
            except (ModelFileError, UnsupportedModelError, TypeError) as error:
                if not 20 <= len(f"{error}") <= 1000 or (
                    isinstance(error, TypeError) and "from_sklearn takes" not in str(error)
                ):
                    raise FaultError(f"refused with {error!r}") from error
                return "refused"
            return use_imported(imported, Random(zlib.crc32(case)))


def _trees_of(estimator: Any) -> list[Any]:
    if hasattr(estimator, "_predictors"):
        return [one for one_round in estimator._predictors for one in one_round]
    members = np.ravel(np.array(getattr(estimator, "estimators_", [estimator]), dtype=object))
    return [member.tree_ for member in members]


def _alter(one: Any, field: str, place: int, value: Any) -> None:
    """Change one number of a tree; numbers that its type cannot hold are cut to what it can."""
    if hasattr(one, "nodes"):
        nodes = one.nodes = one.nodes.copy()
        _put(nodes[field], place, value)
        return
    state = one.__getstate__()
    array = state["values"] if field == "values" else state["nodes"][field]
    _put(array.reshape(-1) if field == "values" else array, place, value)
    one.__setstate__(state)


def _put(array: np.ndarray, place: int, value: Any) -> None:
    with np.errstate(all="ignore"):
        number = (
            np.float64(value)
            if array.dtype.kind == "f"
            else np.int64(0 if value != value else max(min(value, 2**62), -(2**62)))
        )
        array[place % len(array)] = number.astype(array.dtype)
