"""Single trees: one file per algorithm."""

from treewright.trees.c45 import C45Classifier
from treewright.trees.cart import CARTClassifier, CARTRegressor
from treewright.trees.id3 import ID3Classifier

__all__ = ["C45Classifier", "CARTClassifier", "CARTRegressor", "ID3Classifier"]
