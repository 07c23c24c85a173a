"""Warnings name the line that called the library, whichever estimator gives them and however deep."""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

import treewright
from treewright.exceptions import ManySymbolsWarning, SingleLeafWarning

X = np.arange(60.0).reshape(30, 2)
Y = np.arange(30) % 2
CLASSIFIERS = [
    treewright.CARTClassifier,
    treewright.ID3Classifier,
    treewright.C45Classifier,
    treewright.BaggingClassifier,
    treewright.RandomForestClassifier,
    treewright.ExtraTreesClassifier,
]
REGRESSORS = [
    treewright.CARTRegressor,
    treewright.BaggingRegressor,
    treewright.RandomForestRegressor,
    treewright.ExtraTreesRegressor,
]


def lines_of(category, call):
    """Return where the warnings of a kind say that they arose, and the line that calls."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    lines = [(w.filename, w.lineno) for w in caught if w.category is category]
    assert lines
    return lines, (__file__, inspect.getsourcelines(call)[1])


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_a_column_of_targets_is_warned_about_at_the_line_of_fit(cls):
    lines, own = lines_of(DataConversionWarning, lambda: cls().fit(X, Y[:, np.newaxis]))
    assert set(lines) == {own}


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_many_classes_are_warned_about_at_the_line_of_fit(cls):
    lines, own = lines_of(UserWarning, lambda: cls().fit(X, np.arange(30)))
    assert own in lines and len(set(lines)) == 1


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("method", ["predict", "score"])
def test_missing_names_are_warned_about_at_the_line_of_the_call(cls, method):
    few = X % 7  # ID3 has something to say about many values
    fitted = cls().fit(pd.DataFrame(few, columns=["a", "b"]), Y)
    rest = () if method == "predict" else (Y,)
    lines, own = lines_of(UserWarning, lambda: getattr(fitted, method)(few, *rest))
    assert own in lines


def test_limits_and_symbols_are_warned_about_at_the_line_of_fit():
    limited = treewright.CARTClassifier(min_samples_leaf=20)
    lines, own = lines_of(SingleLeafWarning, lambda: limited.fit(X, Y))
    assert lines == [own]
    for estimator in (treewright.ID3Classifier(), treewright.BaggingClassifier(treewright.ID3Classifier())):
        lines, own = lines_of(ManySymbolsWarning, lambda estimator=estimator: estimator.fit(X, Y))
        assert lines == [own]


def test_what_forests_warn_of_is_at_the_line_of_fit():
    few = treewright.RandomForestClassifier(2, oob_score=True, max_samples=0.1, random_state=0)
    lines, own = lines_of(UserWarning, lambda: few.fit(X, Y))
    assert len(lines) == 2 and set(lines) == {own}
    again = treewright.ExtraTreesClassifier(2, warm_start=True, class_weight="balanced").fit(X, Y)
    lines, own = lines_of(UserWarning, lambda: again.fit(X, Y))
    assert len(lines) == 2 and set(lines) == {own}
    without = treewright.BaggingRegressor(bootstrap=False, max_samples=20)
    lines, own = lines_of(UserWarning, lambda: without.fit(X, Y, sample_weight=np.linspace(1, 2, 30)))
    assert lines == [own]
