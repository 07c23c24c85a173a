"""Single trees: one file per algorithm."""

from treewright.trees.cart import CARTClassifier, CARTRegressor

__all__ = ["CARTClassifier", "CARTRegressor"]
