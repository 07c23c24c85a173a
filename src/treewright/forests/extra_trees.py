"""Extremely randomised trees (Geurts et al. 2006): the best of one random cut of each of a few features."""

from __future__ import annotations

from typing import Any, ClassVar

from treewright.criteria import choices
from treewright.fitting.classes import ClassAnswers
from treewright.forests._cart_forest import CartForest
from treewright.forests._number_answers import ForestNumberAnswers

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]


class ExtraTreesClassifier(ClassAnswers, CartForest):
    """Extremely randomised trees for classes (Geurts et al. 2006).

    At each node one cut of each of `max_features` random features is drawn, uniformly between the smallest
    and the largest value in the node, and the best of these is taken. Every tree gets all rows unless
    `bootstrap` says otherwise. Parameters, defaults and attributes are those of scikit-learn's
    ExtraTreesClassifier.

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
    n_outputs_ : int
        Number of targets: always one.
    estimator_ : CARTClassifier
        The estimator that every tree is a fitted copy of.
    estimators_ : sequence of CARTClassifier
        The trees as fitted estimators, made when asked for.
    estimators_samples_ : sequence of ndarray
        The rows of each tree, as often as they were drawn.
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
    ExtraTreesRegressor : The same for numbers.
    RandomForestClassifier : The best cuts of bootstrap samples.

    Notes
    -----
    Categories are cut by their mean target in the node (more than two classes: by the share of one class,
    drawn as often as it is in the node), between the smallest and the largest mean. A test of more than two
    pays for their number, and where a node has more than eight, those with fewer than five rows in it stay
    together.

    References
    ----------
    Geurts, Ernst, Wehenkel: Extremely Randomized Trees. Machine Learning 63, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(n_estimators=50, random_state=0).fit(X, y).predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    _choices: ClassVar = {"criterion": choices(classes=True, aliases=True)}
    _random_cuts: ClassVar[bool] = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        voting: str = "soft",
        max_bins: int | None = None,
        categorical_features: Any = "from_dtype",
        target_statistics: Any = False,
        calibrate: str | None = None,
        calibration_method: str = "isotonic",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.voting = voting
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.target_statistics = target_statistics
        self.calibrate = calibrate
        self.calibration_method = calibration_method


class ExtraTreesRegressor(ForestNumberAnswers, CartForest):
    """Extremely randomised trees for numbers (Geurts et al. 2006).

    At each node one cut of each of `max_features` random features is drawn, uniformly between the smallest
    and the largest value in the node, and the best of these is taken. Every tree gets all rows unless
    `bootstrap` says otherwise. Parameters, defaults and attributes are those of scikit-learn's
    ExtraTreesRegressor.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, verbatim; only when X had names that are all text.
    n_outputs_ : int
        Number of targets: always one.
    estimator_ : CARTRegressor
        The estimator that every tree is a fitted copy of.
    estimators_ : sequence of CARTRegressor
        The trees as fitted estimators, made when asked for.
    estimators_samples_ : sequence of ndarray
        The rows of each tree, as often as they were drawn.
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
    ExtraTreesClassifier : The same for classes.
    RandomForestRegressor : The best cuts of bootstrap samples.

    Notes
    -----
    Categories are cut by their mean target in the node, between the smallest and the largest mean. A test of
    more than two pays for their number, and where a node has more than eight, those with fewer than five
    rows in it stay together.

    References
    ----------
    Geurts, Ernst, Wehenkel: Extremely Randomized Trees. Machine Learning 63, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ExtraTreesRegressor(min_samples_leaf=3, random_state=0).fit(X, y)
    >>> forest.score(X, y) > 0.6
    True
    """

    _choices: ClassVar = {"criterion": choices(classes=False, aliases=True)}
    _random_cuts: ClassVar[bool] = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        max_bins: int | None = None,
        categorical_features: Any = "from_dtype",
        target_statistics: Any = False,
        quantiles: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.target_statistics = target_statistics
        self.quantiles = quantiles
