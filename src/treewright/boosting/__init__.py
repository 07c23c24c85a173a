"""Boosting: trees that correct each other, round after round."""

from treewright.boosting.adaboost import AdaBoostClassifier, AdaBoostRegressor
from treewright.boosting.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from treewright.boosting.leafwise_boosting import LeafwiseBoostingClassifier, LeafwiseBoostingRegressor
from treewright.boosting.newton_boosting import NewtonBoostingClassifier, NewtonBoostingRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "LeafwiseBoostingClassifier",
    "LeafwiseBoostingRegressor",
    "NewtonBoostingClassifier",
    "NewtonBoostingRegressor",
]
