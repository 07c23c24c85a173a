"""An estimator composes what it needs: its file and few bases are all there is to read."""

from __future__ import annotations

import inspect

import pytest
from sklearn.base import BaseEstimator

import treewright

MOST_BASES = 7


def estimator_classes() -> list[type[BaseEstimator]]:
    public = [getattr(treewright, name) for name in treewright.__all__]
    return [thing for thing in public if inspect.isclass(thing) and issubclass(thing, BaseEstimator)]


@pytest.mark.parametrize("estimator", estimator_classes(), ids=lambda estimator: estimator.__name__)
def test_an_estimator_and_its_bases_are_at_most_seven_classes(estimator: type[BaseEstimator]) -> None:
    own = [base.__name__ for base in estimator.__mro__ if base.__module__.startswith("treewright")]
    assert len(own) <= MOST_BASES, own


@pytest.mark.parametrize("estimator", estimator_classes(), ids=lambda estimator: estimator.__name__)
def test_every_estimator_can_be_made_by_name(estimator: type[BaseEstimator]) -> None:
    registered = [cls for tasks in treewright.ALGORITHMS.values() for cls in tasks.values()]
    assert registered.count(estimator) == 1
