"""Bagging (Breiman 1996): any tree, grown on many bootstrap samples."""

from __future__ import annotations

from typing import Any

from treewright.fitting.classes import ClassAnswers
from treewright.forests._bagging import Bagging
from treewright.forests._number_answers import ForestNumberAnswers

__all__ = ["BaggingClassifier", "BaggingRegressor"]


class BaggingClassifier(ClassAnswers, Bagging):
    """Trees for classes on bootstrap samples, which vote (Breiman 1996).

    Each tree gets rows drawn with replacement and, if asked for, some of the columns. The trees are CARTs or
    those of any other algorithm of the library. Parameters, defaults and attributes are those of
    scikit-learn's BaggingClassifier, except that `estimator` is a tree of Treewright, and that each of
    `estimators_` takes rows with all columns.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_order_ : ndarray
        The declared classes in declared order when y was categorical, otherwise the same as `classes_`.
    n_classes_ : int
        Number of classes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, verbatim; only when X had names that are all text.
    estimator_ : estimator
        The estimator that every tree is a fitted copy of.
    estimators_ : sequence of estimators
        The trees as fitted estimators, made when asked for.
    estimators_samples_ : sequence of ndarray
        The rows of each tree, as often as they were drawn.
    estimators_features_ : sequence of ndarray
        The columns of each tree.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Mean gain of each feature over the trees, normalised to sum to 1.
    oob_score_ : float
        Accuracy of the out-of-bag predictions; only with `oob_score`.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Out-of-bag probabilities, before calibration; NaN for a row in all bags. Only with `oob_score`.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    BaggingRegressor : The same for numbers.
    RandomForestClassifier : Random features at each node.

    References
    ----------
    Breiman: Bagging Predictors. Machine Learning 24, 1996.

    Examples
    --------
    >>> from treewright import BaggingClassifier, C45Classifier
    >>> from treewright.datasets import load_tennis
    >>> X, y, names, _ = load_tennis()
    >>> bag = BaggingClassifier(C45Classifier(), n_estimators=25, random_state=0).fit(X, y)
    >>> bag.predict([["overcast", "mild", "normal", "weak"]])
    array(['yes'], dtype=object)
    >>> bag.estimators_[3].classes_.tolist()
    ['no', 'yes']
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        voting: str = "soft",
        max_bins: int | None = None,
        categorical_features: Any = "from_dtype",
        calibrate: str | None = None,
        calibration_method: str = "isotonic",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.voting = voting
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.calibrate = calibrate
        self.calibration_method = calibration_method


class BaggingRegressor(ForestNumberAnswers, Bagging):
    """Trees for numbers on bootstrap samples, averaged (Breiman 1996).

    Each tree gets rows drawn with replacement and, if asked for, some of the columns. Parameters, defaults
    and attributes are those of scikit-learn's BaggingRegressor, except that `estimator` is a tree of
    Treewright, and that each of `estimators_` takes rows with all columns.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, verbatim; only when X had names that are all text.
    estimator_ : estimator
        The estimator that every tree is a fitted copy of.
    estimators_ : sequence of estimators
        The trees as fitted estimators, made when asked for.
    estimators_samples_ : sequence of ndarray
        The rows of each tree, as often as they were drawn.
    estimators_features_ : sequence of ndarray
        The columns of each tree.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Mean gain of each feature over the trees, normalised to sum to 1.
    oob_score_ : float
        R² of the out-of-bag predictions; only with `oob_score`.
    oob_prediction_ : ndarray of shape (n_rows,)
        Out-of-bag predictions; NaN for a row in all bags. Only with `oob_score`.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    BaggingClassifier : The same for classes.
    RandomForestRegressor : Random features at each node.

    References
    ----------
    Breiman: Bagging Predictors. Machine Learning 24, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import BaggingRegressor, CARTRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> bag = BaggingRegressor(CARTRegressor(max_depth=4), oob_score=True, n_estimators=50, random_state=0)
    >>> 0.3 < bag.fit(X, y).oob_score_ < 0.6
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        max_bins: int | None = None,
        categorical_features: Any = "from_dtype",
        quantiles: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.quantiles = quantiles
