"""Boosting: trees that correct each other, round after round."""

from treewright.boosting.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]
