"""Treewright: decision trees that show their work, with scikit-learn's interface and one fast engine."""

from treewright.algorithms import ALGORITHMS, load, make
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
from treewright.export import export_rules, export_summary, export_text
from treewright.forests import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.grower import Grower
from treewright.trees import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.version import VERSION, show_versions

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
    "Grower",
    "ID3Classifier",
    "LeafwiseBoostingClassifier",
    "LeafwiseBoostingRegressor",
    "NewtonBoostingClassifier",
    "NewtonBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "__version__",
    "export_rules",
    "export_summary",
    "export_text",
    "load",
    "make",
    "show_versions",
]

__version__ = VERSION
