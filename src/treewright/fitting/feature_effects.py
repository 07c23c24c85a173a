"""What every estimator can say about what its features do to its answers: methods of `Estimator`.

Functions and no class, so that estimators stand on as few bases as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.dependence import DependenceReport
from treewright.explain.shap import ShapReport, WorkedShapReport
from treewright.fitting import dependence
from treewright.fitting.attributions import ShapQuestion, checked_size, shap_batches, worked_shap
from treewright.fitting.dependence import DependenceQuestion
from treewright.fitting.importances import ImportanceQuestion, find_importances

__all__ = [
    "accumulated_effects",
    "explain_shap",
    "importances",
    "iter_shap",
    "partial_dependence",
    "shap",
]


# --- for each row
# ---------------------------------------------------------------------------------------------------------


def shap(
    self: Any,
    X: Any,
    y: Any = None,
    *,
    interactions: bool = False,
    background: Any = None,
    output: str = "raw",
    offset: Any = None,
    feature_names: Sequence[str] | None = None,
) -> ShapReport:
    """Return what each feature adds to the answer for each row: exact Shapley values.

    The answer is `predict` of trees and forests for numbers, `predict_proba` of trees and forests for
    classes, the raw score of gradient boosters and `decision_function` of AdaBoost for classes. Features
    that are not known are averaged over, by how the training rows went down the trees, or over the rows
    of a background. docs/shap.md has the mathematics.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,), optional
        Their classes; only for ``output="log_loss"``.
    interactions : bool, default=False
        Whether the report also holds what pairs of features add together.
    background : like X, optional
        Rows whose values stand for features that are not known (the interventional game); missing values
        take the branch that prediction gives them.
    output : {"raw", "probability", "log_loss"}, default="raw"
        What is explained: the sum of the trees, the probability of the second class, or the loss of each
        row. Probabilities of boosters and losses need a background; each of its rows is a game whose
        values are stretched to the difference of the outputs, as the package shap does.
    offset : array-like of shape (n_rows,) or (n_rows, n_classes), optional
        A raw score of each row to add to the base value, as in the fit of gradient boosters.
    feature_names : sequence of str, optional
        Names to show instead of those of the training data.

    Returns
    -------
    ShapReport
        Print it, show it in a notebook, or read its arrays.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import CARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = CARTClassifier(max_depth=2).fit(X, y)
    >>> report = tree.shap(X)
    >>> report.values.shape, report.base_values[0].round(4).tolist()
    ((150, 4, 3), [0.3333, 0.3333, 0.3333])
    >>> bool(abs(report.base_values + report.values.sum(axis=1) - tree.predict_proba(X)).max() < 1e-12)
    True
    """
    asked = ShapQuestion(interactions, background, output, offset, feature_names)
    return next(shap_batches(self, X, y, None, asked))


def iter_shap(
    self: Any,
    X: Any,
    y: Any = None,
    *,
    batch_size: int = 10_000,
    interactions: bool = False,
    background: Any = None,
    output: str = "raw",
    offset: Any = None,
    feature_names: Sequence[str] | None = None,
) -> Iterator[ShapReport]:
    """Return `shap` for a batch of rows after the other, so that memory holds one batch.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,), optional
        As for `shap`.
    batch_size : int, default=10000
        Rows of a batch; the numbers do not depend on it.
    interactions : bool, default=False
        As for `shap`.
    background : like X, optional
        As for `shap`.
    output : {"raw", "probability", "log_loss"}, default="raw"
        As for `shap`.
    offset : array-like, optional
        As for `shap`.
    feature_names : sequence of str, optional
        As for `shap`.

    Yields
    ------
    report : ShapReport
        About the next rows.
    """
    asked = ShapQuestion(interactions, background, output, offset, feature_names)
    return shap_batches(self, X, y, checked_size(batch_size), asked)


def explain_shap(
    self: Any,
    X: Any,
    *,
    tree: int | None = None,
    label: Any = None,
    feature_names: Sequence[str] | None = None,
) -> WorkedShapReport:
    """Explain where the Shapley values of one row of one tree come from, so that they can be recomputed.

    Parameters
    ----------
    X : DataFrame or array-like of shape (1, n_features)
        The row.
    tree : int, optional
        Which tree of an ensemble.
    label : object, optional
        Which class of a tree for classes; by default the most probable one.
    feature_names : sequence of str, optional
        Names to show instead of those of the training data.

    Returns
    -------
    WorkedShapReport
        The coalitions of up to five features with their weights; beyond that what every leaf gives.

    Examples
    --------
    >>> from treewright import CARTRegressor
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> tree = CARTRegressor().fit(X, [0, 0, 0, 4])
    >>> tree.explain_shap([[1, 1]]).steps[0].text
    'x0: 1/2·(2.0000 − 1.0000) + 1/2·(4.0000 − 2.0000) = 1.5000'
    """
    return worked_shap(self, X, tree, label, feature_names)


# --- over all rows
# ---------------------------------------------------------------------------------------------------------


def partial_dependence(
    self: Any,
    features: Any,
    X: Any = None,
    *,
    values: Any = None,
    grid_resolution: int = 100,
    percentiles: tuple[float, float] = (0.05, 0.95),
    sample_weight: Any = None,
    kind: str = "average",
    method: str = "brute",
    output: str | None = None,
    feature_names: Sequence[str] | None = None,
) -> DependenceReport:
    """Return what is answered on average when one or two features take certain values (Friedman 2001).

    The trees are walked once for all rows and all values, so the numbers are those of predicting every
    row with every value, at a small part of the time.

    Parameters
    ----------
    features : str, int, or pair of them
        The feature, by name or column, or two of them.
    X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features), optional
        The rows that stand for all other features, and from which values are chosen. Only "recursion"
        with given values can do without.
    values : array-like, or pair of them, optional
        The values that the features take, categories by their labels, None or NaN for a missing value. By
        default those of X where they are fewer than `grid_resolution`, categories, and a missing value
        where X has some; otherwise equal steps between two quantiles, as in scikit-learn.
    grid_resolution : int, default=100
        How many values.
    percentiles : pair of float, default=(0.05, 0.95)
        The quantiles.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    kind : {"average", "individual", "both"}, default="average"
        Whether the report also holds the curve of every row (individual conditional expectation).
    method : {"brute", "recursion"}, default="brute"
        Average over the rows of X; or over the training rows as they went down the trees, without X, as
        scikit-learn's method of that name.
    output : {"answer", "raw"}, optional
        What is averaged: `predict` or `predict_proba`, or the sum of the trees before any link. By
        default the answer, and the sum for "recursion", which knows nothing else.
    feature_names : sequence of str, optional
        Names to show and to accept instead of those of the training data.

    Returns
    -------
    DependenceReport
        Print it, show it in a notebook, or read its arrays ``average`` and ``individual``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import CARTRegressor
    >>> X, _ = load_iris(return_X_y=True)
    >>> tree = CARTRegressor(max_depth=3).fit(X[:, :3], X[:, 3])
    >>> report = tree.partial_dependence(2, X[:, :3], values=[1.5, 4.5, 6.0])
    >>> report.average.round(3).tolist()
    [0.241, 1.408, 2.062]
    """
    return dependence.partial_dependence(
        self,
        X,
        DependenceQuestion(
            features,
            values,
            grid_resolution,
            percentiles,
            sample_weight,
            kind,
            method,
            output,
            feature_names,
        ),
    )


def accumulated_effects(
    self: Any,
    features: Any,
    X: Any,
    *,
    n_bins: int | None = None,
    sample_weight: Any = None,
    output: str = "answer",
    feature_names: Sequence[str] | None = None,
) -> DependenceReport:
    """Return the accumulated local effects of one feature, or of two together (Apley and Zhu 2020).

    Where features are correlated, partial dependence asks about rows that there are not. Here each row is
    moved only to the edges of its own bin; the mean differences are added up from bin to bin, and the
    mean effect over the rows is 0. With two features rows are moved to the corners of their cell, and what
    remains is what both do together, beyond what each of them does alone.

    Parameters
    ----------
    features : str, int, or a pair of them
        The feature, by name or column, or two features.
    X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
        The rows.
    n_bins : int, optional
        Bins of a number, of about equal weight; their edges are values of rows. By default 40, and 15 for
        each of two features. Categories are ordered so that neighbours are alike in the other features.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    output : {"answer", "raw"}, default="answer"
        What changes: `predict` or `predict_proba`, or the sum of the trees before any link.
    feature_names : sequence of str, optional
        Names to show and to accept instead of those of the training data.

    Returns
    -------
    DependenceReport
        With the effects as ``average`` and the edges or categories as ``values``.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import CARTRegressor
    >>> X = np.array([[a, b] for a in range(4) for b in range(4)], dtype=float)
    >>> tree = CARTRegressor().fit(X, X[:, 0] * X[:, 1])
    >>> tree.accumulated_effects((0, 1), X, n_bins=2).average.shape
    (3, 3)
    """
    return dependence.accumulated_effects(
        self,
        features,
        X,
        n_bins,
        sample_weight,
        output,
        feature_names,
    )


def importances(
    self: Any,
    kind: str = "gain",
    *,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
    by_tree: bool = False,
) -> NDArray[np.float64]:
    """Return how important each feature is.

    Parameters
    ----------
    kind : {"gain", "count", "cover", "permutation", "shap"}, default="gain"
        What is added up over the tests of a feature: what they gain (`feature_importances_`), their
        number, or the weight of the rows they divide (the sum of hessians, where trees take Newton
        steps). By how much the score of given rows falls when the values of the feature are shuffled
        among them. Or the mean size of its Shapley values over given rows.
    X, y, sample_weight : object, optional
        The rows for "permutation", best some that `fit` has not seen, and for "shap", which needs no y.
    scoring : str, callable or None, default=None
        The score for "permutation"; None: accuracy or R².
    n_repeats : int, default=5
        How often "permutation" shuffles each feature.
    random_state : int, RandomState instance or None, default=None
        What shuffles.
    by_tree : bool, default=False
        Return what each tree adds, one line per tree; the mean of these lines is what is returned
        otherwise (of AdaBoost the mean by the weights of the trees).

    Returns
    -------
    importances : ndarray of shape (n_features_in_,), or (n_trees, n_features_in_) if `by_tree`
        Normalised to sum to 1, all 0 when no tree has a test; for "permutation" the mean decrease of the
        score, which may be negative; for "shap" in units of the answer, of several classes the sum.
    """
    return find_importances(
        self,
        ImportanceQuestion(kind, X, y, sample_weight, scoring, n_repeats, random_state, by_tree),
    )
