"""Random forest (Breiman 2001): CART trees on bootstrap samples, a few random features at each node."""

from __future__ import annotations

from typing import Any, ClassVar

from treewright.criteria import choices
from treewright.fitting.classes import ClassAnswers
from treewright.forests._cart_forest import CartForest
from treewright.forests._number_answers import ForestNumberAnswers

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(ClassAnswers, CartForest):
    """Random forest for classes (Breiman 2001).

    Each tree is a CART on rows drawn with replacement, and searches `max_features` random features at each
    node. Parameters, defaults and attributes are those of scikit-learn's RandomForestClassifier; categories
    and missing values need no preparation. The forest does not depend on the number of threads.

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
    RandomForestRegressor : The same for numbers.
    ExtraTreesClassifier : Random cuts instead of the best ones.
    BaggingClassifier : All features at each node, or trees of other algorithms.

    Notes
    -----
    A test of more than five categories pays for their number, and where a node has more than eight, those
    with fewer than five rows in it stay together: deep trees would learn chance from them. To search
    categories as a single CART does, bag one: ``BaggingClassifier(CARTClassifier(max_features="sqrt"))``.

    References
    ----------
    Breiman: Random Forests. Machine Learning 45, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> forest.oob_score_ > 0.9
    True
    >>> len(forest.estimators_), forest.estimators_[3].classes_.tolist()
    (50, [0, 1, 2])
    """

    _choices: ClassVar = {"criterion": choices(classes=True, aliases=True)}

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
        bootstrap: bool = True,
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


class RandomForestRegressor(ForestNumberAnswers, CartForest):
    """Random forest for numbers (Breiman 2001).

    Each tree is a CART on rows drawn with replacement, and searches `max_features` random features at each
    node (all of them by default, as in scikit-learn's RandomForestRegressor, whose parameters, defaults and
    attributes these are). With ``quantiles=True`` the forest also predicts intervals. It does not depend on
    the number of threads.

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
    RandomForestClassifier : The same for classes.
    ExtraTreesRegressor : Random cuts instead of the best ones.
    BaggingRegressor : Columns drawn for each tree.

    Notes
    -----
    A test of more than five categories pays for their number, and where a node has more than eight, those
    with fewer than five rows in it stay together: deep trees would learn chance from them. To search
    categories as a single CART does, bag one: ``BaggingRegressor(CARTRegressor(max_features=0.3))``.

    References
    ----------
    Breiman: Random Forests. Machine Learning 45, 2001.
    Meinshausen: Quantile Regression Forests. JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(min_samples_leaf=5, quantiles=True, random_state=0).fit(X, y)
    >>> low, high = forest.predict_interval(X[:1], coverage=0.8)[0]
    >>> bool(low < forest.predict(X[:1])[0] < high)
    True
    """

    _choices: ClassVar = {"criterion": choices(classes=False, aliases=True)}

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
        bootstrap: bool = True,
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
