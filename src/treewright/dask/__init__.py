"""Estimators for rows on a Dask cluster, which give the models of all rows in one place, byte for byte."""

from __future__ import annotations

from treewright.dask.estimators import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "LeafwiseBoostingClassifier",
    "LeafwiseBoostingRegressor",
    "NewtonBoostingClassifier",
    "NewtonBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
