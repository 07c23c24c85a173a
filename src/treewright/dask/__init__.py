"""Estimators for rows on a Dask cluster, which give the models of all rows in one place, byte for byte."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("dask") is None or find_spec("distributed") is None:
    raise ImportError('treewright.dask needs Dask. Run: pip install "treewright[dask]"')

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
