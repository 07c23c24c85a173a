from __future__ import annotations

import inspect
import re

import pytest
from sklearn.base import BaseEstimator

import treewright

# The first arguments of scikit-learn's forests and Bagging, so that changing the import is enough.
SCIKIT_LEARN_POSITIONAL = ("estimator", "n_estimators")


def estimator_classes() -> list[type[BaseEstimator]]:
    """Every public class that can be fitted."""
    public = [getattr(treewright, name) for name in treewright.__all__]
    return [thing for thing in public if inspect.isclass(thing) and issubclass(thing, BaseEstimator)]


@pytest.mark.parametrize("estimator", estimator_classes(), ids=lambda estimator: estimator.__name__)
def test_every_hyper_parameter_is_documented_once(estimator: type[BaseEstimator]) -> None:
    documented = re.findall(r"^(\w+) : ", inspect.getdoc(estimator) or "", re.MULTILINE)
    for name in inspect.signature(estimator).parameters:
        assert documented.count(name) == 1, f"{name} stands {documented.count(name)} times in the docstring"


@pytest.mark.parametrize("estimator", estimator_classes(), ids=lambda estimator: estimator.__name__)
def test_every_hyper_parameter_is_keyword_only_and_has_a_default(estimator: type[BaseEstimator]) -> None:
    for parameter in inspect.signature(estimator).parameters.values():
        assert parameter.default is not inspect.Parameter.empty
        if parameter.name not in SCIKIT_LEARN_POSITIONAL:
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


def test_there_are_estimators_to_check() -> None:
    assert {"CARTClassifier", "CARTRegressor"} <= {estimator.__name__ for estimator in estimator_classes()}
