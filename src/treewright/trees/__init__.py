"""Single trees: one file per algorithm."""

from types import MappingProxyType

from treewright.trees._explained import Explained
from treewright.trees.c45 import C45Classifier
from treewright.trees.cart import CARTClassifier, CARTRegressor
from treewright.trees.id3 import ID3Classifier

__all__ = ["C45Classifier", "CARTClassifier", "CARTRegressor", "ID3Classifier"]

# What `explain_split(…, as_=…)` can show; set here because every one of them has that method.
Explained._others = MappingProxyType({"c45": C45Classifier, "cart": CARTClassifier, "id3": ID3Classifier})
