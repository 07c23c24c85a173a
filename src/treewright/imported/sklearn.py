"""`from_sklearn`: scikit-learn's trees, forests and boosters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble, tree
from sklearn.utils.validation import check_is_fitted

from treewright.data import Feature, Schema
from treewright.imported.faults import named_faults, unsupported
from treewright.imported.imported_model import ImportedClassifier, ImportedRegressor, estimator_of
from treewright.imported.record import Reading
from treewright.imported.sklearn_histogram import histogram_features, histogram_trees
from treewright.imported.sklearn_trees import joined_trees, numbers_of, shares_of

__all__ = ["from_sklearn"]

SOURCE = "scikit-learn"
CRITERIA = {"gini": "gini", "entropy": "entropy", "log_loss": "entropy", "poisson": "poisson"}
# What raw scores are turned into numbers with, by the name of the loss.
LOG_LOSSES = ("poisson", "gamma")


def from_sklearn(estimator: Any) -> ImportedClassifier | ImportedRegressor:
    """Return a fitted estimator of scikit-learn as one of ours, which predicts the same.

    Decision trees, extremely randomised trees, random forests, gradient boosting, histogram gradient
    boosting (categories included), and bagging and AdaBoost of trees, with one output.

    Parameters
    ----------
    estimator : object
        A fitted estimator. Files of scikit-learn are pickles, which can execute anything: load them yourself
        if you trust them.

    Returns
    -------
    ImportedClassifier or ImportedRegressor
        Fitted. It predicts, explains, draws, exports and saves itself.

    Raises
    ------
    treewright.exceptions.UnsupportedModelError
        When the estimator is none of these, or has several outputs or a starting estimator of its own.

    Examples
    --------
    >>> import treewright
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    >>> imported = treewright.from_sklearn(tree)
    >>> imported.predict([[2.4], [2.6]]).tolist()
    ['a', 'b']
    >>> print(treewright.export_text(imported))
    all rows             n=3   a 2 · b 1   gini 0.444   #0
    ├─ x0 ≤ 2.5 ─── a    n=2   a 2                      #1
    └─ x0 > 2.5 ─── b    n=1   b 1                      #2
    """
    reader = next((found for kind, found in READERS if isinstance(estimator, kind)), None)
    name = type(estimator).__name__
    if reader is None:
        unsupported(
            f"from_sklearn does not know {name}",
            "It takes decision trees, forests, gradient boosting, histogram gradient boosting, and bagging "
            "and AdaBoost of trees.",
        )
    check_is_fitted(estimator)
    if getattr(estimator, "n_outputs_", 1) != 1:
        unsupported(f"{name} has {estimator.n_outputs_} outputs, and only one can be imported")
    with named_faults(f"This {name}"):
        return estimator_of(reader(estimator))


def _names(estimator: Any) -> tuple[list[str], bool]:
    named = getattr(estimator, "feature_names_in_", None)
    if named is not None:
        return [str(name) for name in named], True
    return [f"x{i}" for i in range(int(estimator.n_features_in_))], False


def _schema(estimator: Any) -> Schema:
    names, named = _names(estimator)
    return Schema(tuple(Feature(name, "numeric") for name in names), named)


def _classes(estimator: Any) -> NDArray[Any] | None:
    return np.asarray(estimator.classes_) if hasattr(estimator, "classes_") else None


def _criterion(member: Any, is_classes: bool) -> str:
    named = str(getattr(member, "criterion", ""))
    return CRITERIA.get(named, "gini" if is_classes else "squared_error")


def _single(estimator: Any) -> Reading:
    return _mean(estimator, [estimator], "one")


def _forest(estimator: Any) -> Reading:
    return _mean(estimator, list(estimator.estimators_), "mean")


def _mean(estimator: Any, members: list[Any], aggregation: Any, features: Any = None) -> Reading:
    classes = _classes(estimator)
    _check_members(estimator, members)
    if classes is None:
        values = [numbers_of(member.tree_) for member in members]
    else:
        values = [shares_of(one.tree_, len(classes), _own_classes(one, classes)) for one in members]
    return Reading(
        source=SOURCE,
        source_kind=type(estimator).__name__,
        schema=_schema(estimator),
        trees=joined_trees([member.tree_ for member in members], values, features),
        aggregation=aggregation,
        classes=classes,
        criterion=_criterion(members[0], classes is not None),
    )


def _own_classes(member: Any, classes: NDArray[Any]) -> NDArray[np.intp] | None:
    """Return which classes a member of an ensemble knows, None for all; it may have missed some."""
    if int(member.n_classes_) == len(classes):
        return None
    return np.asarray(member.classes_).astype(np.intp)  # members see positions


def _check_members(estimator: Any, members: list[Any]) -> None:
    for member in members:
        if not isinstance(member, tree.DecisionTreeClassifier | tree.DecisionTreeRegressor):
            unsupported(f"{type(estimator).__name__} has members of the class {type(member).__name__}")


def _bagging(estimator: Any) -> Reading:
    return _mean(estimator, list(estimator.estimators_), "mean", list(estimator.estimators_features_))


def _adaboost(estimator: Any) -> Reading:
    members = list(estimator.estimators_)
    if getattr(estimator, "algorithm", "SAMME") == "SAMME.R":
        unsupported("AdaBoost by SAMME.R cannot be imported", "Fit it with algorithm='SAMME'.")
    found = _mean(estimator, members, "weighted")
    algorithm = "R2" if found.classes is None else "SAMME"
    return replace(
        found,
        algorithm=algorithm,
        estimator_weights=np.asarray(estimator.estimator_weights_)[: len(members)],
        estimator_errors=np.asarray(estimator.estimator_errors_)[: len(members)],
    )


def _gradient_boosting(estimator: Any) -> Reading:
    classes = _classes(estimator)
    start = _constant_start(estimator)
    members = [member for one_round in estimator.estimators_ for member in one_round]
    rate = float(estimator.learning_rate)
    link = "identity"
    if classes is not None:
        link = "softmax" if len(start) > 1 else "half_logit" if estimator.loss == "exponential" else "logit"
    return Reading(
        source=SOURCE,
        source_kind=type(estimator).__name__,
        schema=_schema(estimator),
        trees=joined_trees([m.tree_ for m in members], [rate * numbers_of(m.tree_) for m in members]),
        aggregation="sum",
        classes=classes,
        link=link,
        loss=str(estimator.loss),
        start=start,
    )


def _constant_start(estimator: Any) -> NDArray[np.float64]:
    """Return the scores before the first tree; refuse an estimator that gives each row its own."""
    if estimator.init not in (None, "zero"):
        unsupported(
            f"{type(estimator).__name__} starts from the estimator init={type(estimator.init).__name__}",
            "Only a constant start can be imported.",
        )
    if estimator.init == "zero":
        return np.zeros(estimator.estimators_.shape[1])
    rows = np.zeros((1, int(estimator.n_features_in_)), dtype=np.float32)
    return np.asarray(estimator._raw_predict_init(rows), dtype=np.float64).ravel()


def _histogram_boosting(estimator: Any) -> Reading:
    classes = _classes(estimator)
    names, named = _names(estimator)
    schema = Schema(tuple(histogram_features(estimator, names)), named)
    start = np.asarray(estimator._baseline_prediction, dtype=np.float64).ravel()
    if classes is not None:
        link = "softmax" if len(start) > 1 else "logit"
    else:
        link = "log" if estimator.loss in LOG_LOSSES else "identity"
    return Reading(
        source=SOURCE,
        source_kind=type(estimator).__name__,
        schema=schema,
        trees=histogram_trees(estimator, schema.n_codes),
        aggregation="sum",
        classes=classes,
        link=link,
        loss=str(estimator.loss),
        start=start,
    )


READERS: list[tuple[Any, Callable[[Any], Reading]]] = [
    ((tree.DecisionTreeClassifier, tree.DecisionTreeRegressor), _single),
    (
        (
            ensemble.RandomForestClassifier,
            ensemble.RandomForestRegressor,
            ensemble.ExtraTreesClassifier,
            ensemble.ExtraTreesRegressor,
        ),
        _forest,
    ),
    ((ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor), _gradient_boosting),
    (
        (ensemble.HistGradientBoostingClassifier, ensemble.HistGradientBoostingRegressor),
        _histogram_boosting,
    ),
    ((ensemble.BaggingClassifier, ensemble.BaggingRegressor), _bagging),
    ((ensemble.AdaBoostClassifier, ensemble.AdaBoostRegressor), _adaboost),
]
