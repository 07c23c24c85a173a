"""What single trees that predict a class add: class weights, ties between classes, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.fitting.classes import ClassAnswers
from treewright.fitting.estimator import in_batches
from treewright.trees.growing import Arrays
from treewright.trees.pruning_plan import Pessimism
from treewright.trees.single_tree import SingleTree

__all__ = ["TreeClassifier"]


class TreeClassifier(ClassAnswers, SingleTree):
    """Base of the single trees that predict a class."""

    confidence_factor: float

    def _pessimism(self, arrays: Arrays) -> Pessimism:
        """Return how pessimistic errors prune the tree."""
        # Values of raised leaves could break a constraint, and surrogate tests fit the node that they were
        # found at.
        raising = self.monotonic_cst is None and len(arrays["surrogate_feature"]) == 0
        return Pessimism(_core.PruneProgram.release_8, raising)

    @in_batches
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class: its share of the weight in the leaf.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        _, matrix, n_threads = self._encode(X)
        return self._probabilities(matrix, n_threads)

    def _class_scores(self, X: Any) -> NDArray[np.float64]:
        # The shares of the leaf decide, whatever corrects them before they are called probabilities.
        model, matrix, n_threads = self._encode(X)
        return model.values(matrix, n_threads)

    def _probabilities(self, matrix: NDArray[Any], n_threads: int) -> NDArray[np.float64]:
        """Return the probability of each class, one row per row of the matrix."""
        return self.model_.values(matrix, n_threads)

    def _matrix_values(self, matrix: NDArray[Any], n_threads: int) -> NDArray[np.float64]:
        return self._probabilities(matrix, n_threads)

    def _compared(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class sums in the precision in which the algorithm compares them."""
        return values

    def _chosen_classes(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the position of the predicted class; the first of `class_order_` when several are equal."""
        compared, order = self._compared(scores), self._tie_order_
        best = compared.argmax(axis=1) if order is None else order[compared[:, order].argmax(axis=1)]
        return np.asarray(best, dtype=np.intp)
