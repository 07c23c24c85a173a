"""ImportedModel: a model that another library has fitted, with what every estimator of ours does with one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treewright.explain import (
    PathReport,
    SplitReport,
    VotesReport,
    explain_prediction,
    explain_split,
    explain_votes,
)
from treewright.explain.boosted import SumReport, WeightedReport, explain_step, explain_sum, explain_weighted
from treewright.fitting.classes import ClassAnswers, choice_of
from treewright.fitting.estimator import Estimator, in_batches
from treewright.imported.record import IMPORTANCES, LEAVES, ORDER, Reading, check_record, model_of_reading
from treewright.model import Forest, Model
from treewright.model.facts import BoosterFacts, ImportedFacts
from treewright.model.link import answers

__all__ = ["ImportedClassifier", "ImportedModel", "ImportedRegressor", "estimator_of"]

Floats = NDArray[np.float64]


def _adds_up(estimator: Any) -> bool:
    """Tell whether trees add up to raw scores; otherwise there are none, and no rounds."""
    check_is_fitted(estimator, "model_")
    return bool(estimator.model_.aggregation == "sum")


class ImportedModel(Estimator):
    """Base of imported models."""

    def fit(self, X: Any = None, y: Any = None, **fit_params: Any) -> NoReturn:
        """Refuse: an imported model is what it is.

        Parameters
        ----------
        X, y, **fit_params : object
            Not used.
        """
        source = ImportedFacts.of(self.model_).source if "model_" in self.__dict__ else "another library"
        raise NotImplementedError(
            f"{type(self).__name__} holds a model that {source} has fitted and does not learn. Fit an "
            "estimator of Treewright's own instead; treewright.compat.from_xgboost_params and "
            "from_lightgbm_params make one with the same settings."
        )

    def _adopt_stored(self, model: Model) -> None:
        check_record(model)
        self._adopt(model)

    @property
    def source_(self) -> str:
        """The library that fitted the model, and what the model was there."""
        check_is_fitted(self, "model_")
        facts = ImportedFacts.of(self.model_)
        return f"{facts.source}, {facts.source_kind}"

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Gain of each feature over all tests as the other library tells it, normalised to sum to 1.

        All 0 where it does not tell.
        """
        check_is_fitted(self, "model_")
        found: Floats = self.model_.arrays[IMPORTANCES]
        return found

    @property
    def n_iter_(self) -> int:
        """Rounds of a booster; otherwise trees."""
        check_is_fitted(self, "model_")
        model = self.model_
        return BoosterFacts.of(model).n_rounds if model.aggregation == "sum" else len(model.trees)

    @in_batches
    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, numbered as the other library does.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_rows, n_trees)
            What scikit-learn's ``apply``, LightGBM's and XGBoost's ``pred_leaf`` and CatBoost's
            ``calc_leaf_indexes`` say.
        """
        model, matrix, n_threads = self._encode(X)
        forest = model.trees
        assert isinstance(forest, Forest), "imported trees are a forest"
        own = model.apply(matrix, n_threads) + forest.arrays["begin"][:-1]
        leaves: NDArray[np.int32] = model.arrays[LEAVES][own]
        order = model.arrays.get(ORDER)
        if order is None:
            return leaves
        found = np.empty_like(leaves)
        found[:, order] = leaves
        return found

    @available_if(_adds_up)  # type: ignore[untyped-decorator]
    @in_batches
    def raw_scores(self, X: Any) -> Floats:
        """Return what the trees add up to, before the link: the raw score or margin of the other library.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_rows,), or (n_rows, n_classes) for several scores
            Of XGBoost's models float32 numbers, the same to the last bit.
        """
        model, matrix, n_threads = self._encode(X)
        return _one_column(model.raw_scores(matrix, n_threads))

    def _staged(self, X: Any) -> Iterator[Floats]:
        """Return the answers after each round."""
        return (answers(raw, BoosterFacts.of(self.model_).link) for raw in self._staged_scores(X))

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        model, matrix, n_threads = self._encode(X)
        yield from model.staged_raw_scores(matrix, n_threads)

    def _values(self, X: Any) -> Floats:
        model, matrix, n_threads = self._encode(X)
        return model.values(matrix, n_threads)

    def explain_split(
        self,
        node: int,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        tree: int | None = None,
        top: int | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> SplitReport:
        """Explain what a node tests, from the stored tree alone.

        Parameters
        ----------
        node : int
            Number of the node, 0 for the root.
        X, y, sample_weight : object, optional
            Refused: what other features offered, only the library that fitted the model could say.
        tree : int, optional
            Which tree; a model of several trees must be told.
        top : int, optional
            How many candidates the text shows.
        feature_names : sequence of str, optional
            Names to show instead of those of the model.

        Returns
        -------
        SplitReport
            Print it, show it in a notebook, or read its attributes.
        """
        check_is_fitted(self, "model_")
        source = ImportedFacts.of(self.model_).source
        if X is not None or y is not None or sample_weight is not None:
            raise ValueError(
                f"{source} has fitted this model, and its search cannot be repeated: explain the split "
                "without X and y."
            )
        if self.model_.aggregation == "sum":
            raise ValueError(
                f"{source} keeps no sums of gradients, from which the gain of a split could be worked out: "
                "ask explain_prediction, shap or feature_importances_ instead."
            )
        return explain_split(self.model_, node, tree=tree, top=top, feature_names=feature_names)

    def explain_prediction(
        self, X: Any, *, tree: int | None = None, top: int = 8, feature_names: Sequence[str] | None = None
    ) -> PathReport | SumReport | VotesReport | WeightedReport:
        """Explain the prediction for one row, as our own estimators of the same kind do.

        Parameters
        ----------
        X : DataFrame or array-like of shape (1, n_features)
            The row.
        tree : int, optional
            Explain the way through this tree instead.
        top : int, default=8
            How many trees and features the text shows.
        feature_names : sequence of str, optional
            Names to show instead of those of the model.

        Returns
        -------
        SumReport, VotesReport, WeightedReport or PathReport
            Of a sum of trees, of a mean of trees, of weighted votes, or of one tree.
        """
        model, matrix, _ = self._encode(X)
        way = model.aggregation
        if tree is not None and way == "sum":
            return explain_step(model, matrix, model.tree_number(tree), feature_names=feature_names, X=X)
        if tree is not None or (len(model.trees) == 1 and way in ("one", "mean", "votes")):
            return explain_prediction(
                model, matrix, choice_of(self), tree=tree, feature_names=feature_names, X=X
            )
        if way == "sum":
            return explain_sum(model, matrix, top=top, feature_names=feature_names, X=X)
        if way == "weighted":
            return explain_weighted(model, matrix, top=top, X=X)
        return explain_votes(model, matrix, choice_of(self), feature_names=feature_names, X=X)


class ImportedClassifier(ClassAnswers, ImportedModel):
    """A classifier that another library has fitted.

    `treewright.from_sklearn`, `from_lightgbm`, `from_xgboost` and `from_catboost` make it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    source_ : str
        Where it comes from.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where the model has them.
    model_ : Model
        The trees.

    Examples
    --------
    >>> import treewright
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = treewright.from_sklearn(RandomForestClassifier(10, random_state=0).fit(X, y))
    >>> forest.predict(X[:3])
    array([0, 0, 0])
    """

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def _class_probabilities(self, X: Any) -> Floats:
        return self._values(X)

    def _class_scores(self, X: Any) -> Floats:
        model, matrix, n_threads = self._encode(X)
        if model.aggregation == "sum":
            return model.raw_scores(matrix, n_threads)
        if model.aggregation == "weighted":
            return model.weighted.decision(matrix, n_threads)
        return model.values(matrix, n_threads)

    def _chosen_classes(self, scores: Floats) -> NDArray[np.intp]:
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0).astype(np.intp)
        return super()._chosen_classes(scores)

    @available_if(_adds_up)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Return the raw scores: of the second class, against the first, or of each class.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_rows,), or (n_rows, n_classes) for several scores
            As `raw_scores` returns them.
        """
        scores: Floats = self.raw_scores(X)
        return scores

    @available_if(_adds_up)  # type: ignore[untyped-decorator]
    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Return `predict_proba` after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        probabilities : ndarray of shape (n_rows, n_classes)
            As `predict_proba` returns them.
        """
        return self._staged(X)

    @available_if(_adds_up)  # type: ignore[untyped-decorator]
    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Return `predict` after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        labels : ndarray of shape (n_rows,)
            As `predict` returns them.
        """
        return (self._labels(scores) for scores in self._staged_scores(X))


class ImportedRegressor(RegressorMixin, ImportedModel):
    """A regressor, or a ranker's scores, that another library has fitted.

    `treewright.from_sklearn`, `from_lightgbm`, `from_xgboost` and `from_catboost` make it.

    Attributes
    ----------
    source_ : str
        Where it comes from.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where the model has them.
    model_ : Model
        The trees.

    Examples
    --------
    >>> import treewright
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0]
    >>> booster = treewright.from_sklearn(GradientBoostingRegressor(n_estimators=100).fit(X, y))
    >>> booster.predict([[3.5]]).round(3)
    array([5.])
    """

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    @in_batches
    def predict(self, X: Any) -> Floats:
        """Return the predicted number of each row.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        values : ndarray of shape (n_rows,)
            The numbers.
        """
        return self._values(X)[:, 0]

    @available_if(_adds_up)  # type: ignore[untyped-decorator]
    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Return `predict` after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        values : ndarray of shape (n_rows,)
            As `predict` returns them.
        """
        return (values[:, 0].copy() for values in self._staged(X))


def estimator_of(reading: Reading) -> ImportedClassifier | ImportedRegressor:
    """Return the fitted estimator of what an importer has read.

    Parameters
    ----------
    reading : Reading
        From a file that may hold anything.
    """
    model = model_of_reading(reading)
    return (ImportedRegressor if model.classes is None else ImportedClassifier).from_model(model)


def _one_column(scores: Floats) -> Floats:
    return scores[:, 0] if scores.shape[1] == 1 else scores
