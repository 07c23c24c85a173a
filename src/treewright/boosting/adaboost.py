"""AdaBoost: trees on rows that weigh more the more often they were wrong."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.boosting._answers import BoostedClassAnswers, BoostedNumberAnswers
from treewright.boosting._weight_rounds import Verdict
from treewright.boosting.weight_booster import WeightBooster
from treewright.trees import CARTClassifier, CARTRegressor
from treewright.trees.single_tree import SingleTree

__all__ = ["AdaBoostClassifier", "AdaBoostRegressor"]

Floats = NDArray[np.float64]


class AdaBoostClassifier(BoostedClassAnswers, WeightBooster):
    """AdaBoost for classes (Freund & Schapire 1997; SAMME of Zhu et al. 2009 for more than two).

    Each round grows a tree, a stump by default, on weighted rows. Its error e is the weight of the rows that
    it gets wrong, its own weight ln((1 - e) / e) + ln(K - 1) for K classes: for two classes twice the α of
    the books, which is in `alphas_`. The rows that it gets wrong weigh more in the next round. Parameters and
    attributes are those of scikit-learn's AdaBoostClassifier, and so are the predictions where no two splits
    are equally good. ``algorithm="SAMME.R"`` is the real-valued variant, in which the trees' probabilities
    count.

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
    estimator_weights_ : ndarray of shape (n_iter_,)
        Weight of each tree.
    estimator_errors_ : ndarray of shape (n_iter_,)
        Error of each tree on the rows as they were weighted for it.
    alphas_ : ndarray of shape (n_iter_,)
        The books' α of each tree: half its weight for two classes, its weight for more.
    n_iter_ : int
        Number of trees; also as `n_estimators_`.
    n_estimators_ : int
        The same.
    train_score_ : ndarray
        Share of wrong classes of (at most 10 000 of) the training rows after each round;
        only when the fit was watched: by `X_val`, `early_stopping` or `callbacks`.
    validation_score_ : ndarray
        What `scoring` says about the rows that are held out (with `validation_fraction=None` about the
        training rows) after each round; empty without `X_val` and early stopping.
    validation_scores_ : dict of dict of ndarray
        The same for every set of `X_val` and every metric of `scoring`, by their names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Mean of the trees' importances by their weights.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    AdaBoostRegressor : The same for numbers.
    GradientBoostingClassifier : Boosting by gradients of a loss.

    References
    ----------
    Freund, Schapire: A Decision-Theoretic Generalization of On-Line Learning. JCSS 55, 1997.
    Zhu, Zou, Rosset, Hastie: Multi-class AdaBoost. Statistics and Its Interface 2, 2009.

    Examples
    --------
    >>> from treewright import AdaBoostClassifier
    >>> X = [[x] for x in range(10)]
    >>> y = [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    >>> boosted = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> boosted.alphas_.round(4).tolist()
    [0.4236, 0.6496, 0.752]
    >>> boosted.score(X, y)
    1.0
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        learning_rate: float = 1.0,
        algorithm: str = "SAMME",
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
        early_stopping: bool = False,
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = 10,
        tol: float = 0.0,
        warm_start: bool = False,
        callbacks: Any = None,
        keep_partial: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.algorithm = algorithm
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.keep_partial = keep_partial
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _default_tree(self) -> SingleTree:
        return CARTClassifier(max_depth=1)

    def _verdict(
        self,
        values: Floats,
        target: NDArray[Any],
        weights: Floats,
        is_first: bool,
        error: float | None = None,
    ) -> Verdict:
        n_classes = values.shape[1]
        wrong = values.argmax(axis=1) != target
        if error is None:
            error = float(weights[wrong].sum() / weights.sum())
        if error <= 0:
            return Verdict(0.0, 1.0, None)
        rate = float(self.learning_rate)
        if self.algorithm == "SAMME.R":
            logs = np.log(np.maximum(values, np.finfo(np.float64).eps))
            own = logs[np.arange(len(logs)), target]
            # The row's class counts 1, the others -1 / (K - 1).
            coded = own - (logs.sum(axis=1) - own) / (n_classes - 1)
            with np.errstate(over="ignore"):
                return Verdict(error, 1.0, weights * np.exp(-rate * (n_classes - 1) / n_classes * coded))
        if error >= 1.0 - 1.0 / n_classes:
            if is_first:
                raise ValueError(
                    f"The first tree is wrong about {error:.3g} of the weight, no better than chance for "
                    f"{n_classes} classes: {type(self).__name__} needs a stronger `estimator`."
                )
            return Verdict(error, 0.0, None, keep=False)
        weight = rate * (np.log((1.0 - error) / error) + np.log(n_classes - 1.0))
        with np.errstate(over="ignore"):
            return Verdict(error, float(weight), weights * np.exp(weight * wrong))

    @property
    def alphas_(self) -> Floats:
        """The books' α of each tree: half its weight for two classes, its weight for more."""
        weights = self.estimator_weights_
        return weights / 2 if self.n_classes_ == 2 else weights.copy()


class AdaBoostRegressor(BoostedNumberAnswers, WeightBooster):
    """AdaBoost for numbers (Drucker 1997, AdaBoost.R2).

    Each round grows a tree on weighted rows. The loss of a row is its error, divided by the largest one, and
    rows with a large loss weigh more in the next round. The answer is the median of the trees by their
    weights. Parameters and attributes are those of scikit-learn's AdaBoostRegressor, which draws rows by
    their weights in every round: ``resample=True`` does the same, with the same numbers drawn.

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
    estimator_weights_ : ndarray of shape (n_iter_,)
        Weight of each tree.
    estimator_errors_ : ndarray of shape (n_iter_,)
        Mean loss of each tree on the rows as they were weighted for it.
    n_iter_ : int
        Number of trees; also as `n_estimators_`.
    n_estimators_ : int
        The same.
    train_score_ : ndarray
        Mean squared error of (at most 10 000 of) the training rows after each round;
        only when the fit was watched: by `X_val`, `early_stopping` or `callbacks`.
    validation_score_ : ndarray
        What `scoring` says about the rows that are held out (with `validation_fraction=None` about the
        training rows) after each round; empty without `X_val` and early stopping.
    validation_scores_ : dict of dict of ndarray
        The same for every set of `X_val` and every metric of `scoring`, by their names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Mean of the trees' importances by their weights.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    AdaBoostClassifier : The same for classes.
    GradientBoostingRegressor : Boosting by gradients of a loss.

    References
    ----------
    Drucker: Improving Regressors using Boosting Techniques. ICML 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import AdaBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> boosted = AdaBoostRegressor(n_estimators=20, random_state=0).fit(X, y)
    >>> boosted.score(X, y) > 0.5
    True
    """

    _choices: ClassVar = {"loss": ("linear", "square", "exponential")}

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        learning_rate: float = 1.0,
        loss: str = "linear",
        resample: bool = False,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
        early_stopping: bool = False,
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = 10,
        tol: float = 0.0,
        warm_start: bool = False,
        callbacks: Any = None,
        keep_partial: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.resample = resample
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.keep_partial = keep_partial
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _default_tree(self) -> SingleTree:
        return CARTRegressor(max_depth=3)

    def _weights_to_grow(self, weights: Floats, random: np.random.RandomState) -> Floats:
        if not self.resample:
            return super()._weights_to_grow(weights, random)
        drawn = random.choice(len(weights), size=len(weights), replace=True, p=weights / weights.sum())
        return np.bincount(drawn, minlength=len(weights)).astype(np.float64)

    def _verdict(
        self,
        values: Floats,
        target: NDArray[Any],
        weights: Floats,
        is_first: bool,
        error: float | None = None,
    ) -> Verdict:
        loss = np.abs(values[:, 0] - target)
        largest = float(loss.max())
        if largest > 0:
            loss = loss / largest
        if self.loss == "square":
            loss = loss**2
        elif self.loss == "exponential":
            loss = 1.0 - np.exp(-loss)
        if error is None:
            error = float((weights * loss).sum())
        if error <= 0:
            return Verdict(0.0, 1.0, None)
        if error >= 0.5:
            # A tree this bad is kept only when there is no other.
            return Verdict(error, 1.0 if is_first else 0.0, None, keep=is_first)
        beta = error / (1.0 - error)
        rate = float(self.learning_rate)
        return Verdict(error, rate * float(np.log(1.0 / beta)), weights * beta ** ((1.0 - loss) * rate))
