"""What single trees that predict a class add to the base: labels, class weights, probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright import _core
from treewright.data import Labels, Table, encode_labels, encode_weights
from treewright.model import Model
from treewright.trees._base import Arrays, SingleTree

__all__ = ["Rows", "TreeClassifier", "inverse"]


class Rows(NamedTuple):
    """The training rows as the native core has them."""

    n_codes: NDArray[np.uint32]
    dataset: _core.Dataset
    codes: NDArray[np.int32]
    n_classes: int
    weights: NDArray[np.float64] | None
    n_threads: int


def inverse(order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the permutation that undoes another one."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order), dtype=order.dtype)
    return places


class TreeClassifier(ClassifierMixin, SingleTree):
    """Base of the single trees that predict a class."""

    class_weight: Any
    # Only some algorithms have it.
    priors: Any = None

    classes_: NDArray[Any]
    class_order_: NDArray[Any]
    n_classes_: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows. Missing values, text and categories are welcome.
        y : array-like of shape (n_rows,)
            The class of each row: any labels.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row; rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._validate_params()
        table = self._read(X)
        labels = encode_labels(y, table.n_rows, estimator_name=type(self).__name__)
        weights = encode_weights(
            sample_weight, table.n_rows, labels=labels, class_weight=self.class_weight, priors=self.priors
        )
        order = self._class_codes(labels)
        codes = labels.codes if order is None else inverse(order)[labels.codes]
        if weights.keep is not None:
            table, codes = self._kept(X, table, weights.keep), codes[weights.keep]
        table = self._prepared(table)
        n_classes = len(labels.classes)
        settings = self._settings(table, weights, n_classes) | self._class_settings(labels, codes)
        n_threads = effective_n_jobs(self.n_jobs)
        dataset, schema = table.to_dataset(self.recipe.max_bins, n_threads), table.schema
        del table  # encoded: while the tree grows its columns only take up memory
        plan = self.recipe.plan(**settings)
        rows = Rows(schema.n_codes, dataset, codes, n_classes, weights.values, n_threads)
        arrays = _core.grow_classes(dataset, codes, n_classes, weights.values, plan, n_threads)

        def shrink(arrays: Arrays) -> Arrays:
            arrays = self._shrunk(arrays, rows)
            return arrays if order is None else {**arrays, "value": arrays["value"][:, inverse(order)]}

        self._finish(
            arrays,
            schema,
            settings["min_rows_leaf"],
            shrink,
            task="classification",
            classes=labels.classes,
            class_order=labels.class_order,
        )
        return self

    # What an algorithm may do differently, in the order in which fit does it.

    def _class_codes(self, labels: Labels) -> NDArray[np.int32] | None:
        """Return the position in `classes_` of each class code while growing; None: the same."""
        return None

    def _kept(self, X: Any, table: Table, rows: NDArray[np.intp]) -> Table:
        """Return the table without the rows of weight 0."""
        return table.take(rows)

    def _prepared(self, table: Table) -> Table:
        """Return the table as the algorithm sees it."""
        return table

    def _class_settings(self, labels: Labels, codes: NDArray[np.int32]) -> dict[str, Any]:
        """Return settings of the plan that depend on the classes."""
        return {}

    def _shrunk(self, arrays: Arrays, rows: Rows) -> Arrays:
        """Return the tree that is left after the algorithm's own pruning; may empty `arrays` on the way."""
        return arrays

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        if model.classes is None or model.class_order is None:
            raise ValueError("a classifier needs a model with classes")
        self.classes_ = model.classes
        self.class_order_ = model.class_order
        self.n_classes_ = len(model.classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; the first one when several are.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            Labels of the type that y had.
        """
        model, matrix, n_threads = self._encode(X)
        labels: NDArray[Any] = self.classes_[model.values(matrix, n_threads).argmax(axis=1)]
        return labels

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

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of each class.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        logarithms : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        _, matrix, n_threads = self._encode(X)
        with np.errstate(divide="ignore"):
            return np.log(self._probabilities(matrix, n_threads))

    def _probabilities(self, matrix: NDArray[Any], n_threads: int) -> NDArray[np.float64]:
        """Return the probability of each class, one row per row of the matrix."""
        return self.model_.values(matrix, n_threads)
