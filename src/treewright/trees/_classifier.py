"""What single trees that predict a class add to the base: labels, class weights, probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright import _core
from treewright.data import Labels, Schema, Table, encode_labels, encode_weights
from treewright.model import Model, Tree
from treewright.trees._base import Arrays, SingleTree
from treewright.trees._grown import Grown
from treewright.trees._pruning_plan import FitData
from treewright.trees._row_subset import row_subset
from treewright.trees._single_leaf import warn_if_single_leaf

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
    confidence_factor: float
    # Only some algorithms have it.
    priors: Any = None

    classes_: NDArray[Any]
    class_order_: NDArray[Any]
    n_classes_: int

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows. Missing values, text and categories are welcome.
        y : array-like of shape (n_rows,)
            The class of each row: any labels.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row; rows of weight 0 are left out.
        groups : array-like of shape (n_rows,), optional
            Group of each row. Rows of one group stay together where pruning cross-validates or sets some
            aside.
        X_val, y_val : object, optional
            Rows to prune with, for ``prune="reduced_error"``; by default a part of the rows is set aside.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(FitData(X, y, sample_weight, groups, X_val, y_val))

    def _grow(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        rows: NDArray[np.intp] | None = None,
        warn: bool = True,
    ) -> Grown:
        table = self._read(X, rows)
        y, sample_weight = row_subset(y, rows), row_subset(sample_weight, rows)
        labels = encode_labels(y, table.n_rows, estimator_name=type(self).__name__)
        weights = encode_weights(
            sample_weight, table.n_rows, labels=labels, class_weight=self.class_weight, priors=self.priors
        )
        order = self._class_codes(labels)
        codes = labels.codes if order is None else inverse(order)[labels.codes]
        target, n_rows_read = labels.codes, table.n_rows
        if weights.keep is not None:
            codes, target = codes[weights.keep], target[weights.keep]
            rows_kept = weights.keep if rows is None else rows[weights.keep]
            table = self._kept(X, table, weights.keep, rows_kept)
            rows = rows_kept
        read_schema = table.schema
        table = self._prepared(table)
        n_classes = len(labels.classes)
        settings = self._settings(table, weights, n_classes) | self._class_settings(labels, codes)
        n_threads = effective_n_jobs(self.n_jobs)
        dataset, schema = table.to_dataset(self.recipe.max_bins, n_threads), table.schema
        del table  # encoded: while the tree grows its columns only take up memory
        plan = self.recipe.plan(**settings)
        training = Rows(schema.n_codes, dataset, codes, n_classes, weights.values, n_threads)
        arrays = _core.grow_classes(dataset, codes, n_classes, weights.values, plan, n_threads)
        if warn:
            self._warn_of_symbols(read_schema, schema)
            warn_if_single_leaf(arrays, self, settings["min_rows_leaf"])
        leaves_before = int(np.count_nonzero(arrays["n_children"] == 0))
        arrays = self._shrunk(arrays, training)
        if order is not None:
            arrays = {**arrays, "value": arrays["value"][:, inverse(order)]}
        outputs = {"task": "classification", "classes": labels.classes, "class_order": labels.class_order}
        return Grown(
            Tree(arrays, schema.n_codes),
            leaves_before,
            schema,
            outputs,
            target,
            n_rows_read,
            rows,
            weights.values,
            None if order is None else order.astype(np.int64),
        )

    # What an algorithm may do differently, in the order in which fit does it.

    def _class_codes(self, labels: Labels) -> NDArray[np.int32] | None:
        """Return the position in `classes_` of each class code while growing; None: the same."""
        return None

    def _kept(self, X: Any, table: Table, places: NDArray[np.intp], rows: NDArray[np.intp]) -> Table:
        """Return the table without the rows of weight 0: some `places` of it, some `rows` of X."""
        return table.take(places)

    def _prepared(self, table: Table) -> Table:
        """Return the table as the algorithm sees it."""
        return table

    def _warn_of_symbols(self, read: Schema, prepared: Schema) -> None:
        """Warn when the algorithm takes numbers for something else."""

    def _class_settings(self, labels: Labels, codes: NDArray[np.int32]) -> dict[str, Any]:
        """Return settings of the plan that depend on the classes."""
        return {}

    def _shrunk(self, arrays: Arrays, rows: Rows) -> Arrays:
        """Return the tree that is left after pruning by pessimistic errors; may empty `arrays` on the way."""
        if self._pruning_method != "pessimistic_error":
            return arrays
        # Values of raised leaves could break a constraint, and surrogate tests fit the node that they were
        # found at.
        raising = self.monotonic_cst is None and len(arrays["surrogate_feature"]) == 0
        return _core.prune_pessimistic(
            arrays,
            rows.dataset,
            rows.codes,
            rows.n_classes,
            rows.weights,
            _core.Criterion.gini if self._criterion == "gini" else _core.Criterion.entropy,
            _core.PruneProgram.release_8,
            float(self.confidence_factor),
            raising,
            rows.n_threads,
        )

    @property
    def _criterion(self) -> str:
        return self.recipe.criterion or self.criterion

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
