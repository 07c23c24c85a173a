"""The algorithms by the names of the literature: an explicit list, one line each."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import IO, Any, TypeAlias

from treewright import store
from treewright.boosting import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
)
from treewright.boosting.booster import Booster
from treewright.boosting.weight_booster import WeightBooster
from treewright.forests import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.forests.forest import BaseForest
from treewright.imported import ImportedClassifier, ImportedRegressor
from treewright.trees import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.trees.single_tree import SingleTree

__all__ = [
    "ALGORITHMS",
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "ID3Classifier",
    "LeafwiseBoostingClassifier",
    "LeafwiseBoostingRegressor",
    "NewtonBoostingClassifier",
    "NewtonBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "load",
    "make",
]

AnyEstimator: TypeAlias = SingleTree | BaseForest | Booster | WeightBooster
AnyFitted: TypeAlias = AnyEstimator | ImportedClassifier | ImportedRegressor

ALGORITHMS: MappingProxyType[str, dict[str, type[AnyEstimator]]] = MappingProxyType(
    {
        "id3": {"classification": ID3Classifier},
        "c45": {"classification": C45Classifier},
        "cart": {"classification": CARTClassifier, "regression": CARTRegressor},
        "bagging": {"classification": BaggingClassifier, "regression": BaggingRegressor},
        "random_forest": {"classification": RandomForestClassifier, "regression": RandomForestRegressor},
        "extra_trees": {"classification": ExtraTreesClassifier, "regression": ExtraTreesRegressor},
        "adaboost": {"classification": AdaBoostClassifier, "regression": AdaBoostRegressor},
        "gbm": {"classification": GradientBoostingClassifier, "regression": GradientBoostingRegressor},
        "xgboost": {"classification": NewtonBoostingClassifier, "regression": NewtonBoostingRegressor},
        "lightgbm": {
            "classification": LeafwiseBoostingClassifier,
            "regression": LeafwiseBoostingRegressor,
        },
    }
)

# What `explain_split(…, as_=…)` can show: single trees for classes.
SingleTree._others = MappingProxyType(
    {
        name: tasks["classification"]
        for name, tasks in ALGORITHMS.items()
        if issubclass(tasks.get("classification", object), SingleTree)
    }
)


def make(name: str, task: str = "classification", **params: Any) -> AnyEstimator:
    """Return an estimator by the name of its algorithm.

    Parameters
    ----------
    name : str
        A key of `ALGORITHMS`, e.g. ``"cart"``.
    task : {"classification", "regression"}, default="classification"
        What to predict.
    **params : object
        Parameters of the estimator.

    Returns
    -------
    estimator : object
        The estimator, not fitted.

    Examples
    --------
    >>> import treewright
    >>> treewright.make("cart", max_depth=3)
    CARTClassifier(max_depth=3)
    """
    if name not in ALGORITHMS:
        raise ValueError(f"There is no algorithm {name!r}. Choose one of: {', '.join(sorted(ALGORITHMS))}.")
    tasks = ALGORITHMS[name]
    if task not in tasks:
        raise ValueError(
            f"The algorithm {name!r} has no task {task!r}. Choose one of: {', '.join(sorted(tasks))}."
        )
    return tasks[task](**params)


# What can be loaded, but not be fitted.
IMPORTED: dict[str, type[AnyFitted]] = {
    "classification": ImportedClassifier,
    "regression": ImportedRegressor,
}


def load(path: str | os.PathLike[str] | IO[bytes]) -> AnyFitted:
    """Read a fitted estimator from a file that its method `save` wrote.

    Parameters
    ----------
    path : path-like or binary file object
        The file. It may come from anywhere: nothing in it is executed or trusted.

    Returns
    -------
    estimator : object
        A fitted estimator of the class that was saved, with its parameters.

    Raises
    ------
    treewright.exceptions.ModelVersionError
        When the file has a newer format than this library knows.
    treewright.exceptions.ModelFileError
        When it is damaged, inconsistent or not a model file.
    """
    model = store.load(path)
    everything = [*ALGORITHMS.values(), IMPORTED]
    classes = {cls.__name__: (task, cls) for tasks in everything for task, cls in tasks.items()}
    with store.file_faults(store.source_name(path)):
        if model.algorithm not in classes:
            raise ValueError(f"it was made by {model.algorithm[:60]!r}, which this library does not have")
        task, cls = classes[model.algorithm]
        if task != model.task:
            raise ValueError(f"a {model.algorithm} does not do {model.task}")
        return cls.from_model(model)
