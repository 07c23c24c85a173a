"""Forests: many trees that average or vote."""

from treewright.forests.bagging import BaggingClassifier, BaggingRegressor
from treewright.forests.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from treewright.forests.random_forest import RandomForestClassifier, RandomForestRegressor

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
