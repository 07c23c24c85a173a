"""Pipelines as ONNX: `register` teaches skl2onnx every estimator. A model alone: `treewright.export_onnx`."""

from __future__ import annotations

from treewright.algorithms import ALGORITHMS
from treewright.export.onnx.export import needed
from treewright.imported import ImportedClassifier, ImportedRegressor

__all__ = ["register"]


def register() -> None:
    """Teach skl2onnx Treewright's estimators, so that it converts pipelines with one of them.

    What it writes says what the pipeline says, to the last bit of the comparisons: inside, numbers are
    doubles and trees are added in the order of the model. Types of inputs and answers are skl2onnx's
    business; with single numbers a scaler in front rounds its results. Calling it again changes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> import skl2onnx
    >>> import treewright.onnx
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> treewright.onnx.register()
    >>> X = np.arange(20.0).reshape(10, 2)
    >>> pipeline = make_pipeline(StandardScaler(), treewright.CARTRegressor()).fit(X, X[:, 0])
    >>> len(skl2onnx.to_onnx(pipeline, X[:1]).graph.node) > 1
    True
    """
    pipelines = needed("pipelines", "treewright.onnx.register")
    for tasks in ALGORITHMS.values():
        for task, estimator in tasks.items():
            pipelines.register_class(estimator, is_classifier=task == "classification")
    pipelines.register_class(ImportedClassifier, is_classifier=True)
    pipelines.register_class(ImportedRegressor, is_classifier=False)
