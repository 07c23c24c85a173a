"""Models that other libraries have fitted, as estimators of ours: one file per format."""

from __future__ import annotations

from treewright.imported.catboost import from_catboost
from treewright.imported.imported_model import ImportedClassifier, ImportedRegressor
from treewright.imported.lightgbm import from_lightgbm
from treewright.imported.sklearn import from_sklearn
from treewright.imported.xgboost import from_xgboost

__all__ = [
    "ImportedClassifier",
    "ImportedRegressor",
    "from_catboost",
    "from_lightgbm",
    "from_sklearn",
    "from_xgboost",
]
