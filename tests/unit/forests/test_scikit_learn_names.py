"""A user of scikit-learn's forests changes the import and nothing else."""

import inspect

import numpy as np
import pytest
import sklearn.ensemble
from tests.unit.forests.forest_data import CLASSIFIERS, FORESTS, noisy_table

import treewright

# Attributes of scikit-learn's that mean nothing here.
NOT_OURS = {"base_estimator_", "estimator", "estimator_params"}


@pytest.mark.parametrize("cls", FORESTS)
def test_every_parameter_has_the_name_the_default_and_the_place_of_scikit_learns(cls):
    theirs = inspect.signature(getattr(sklearn.ensemble, cls.__name__)).parameters
    ours = inspect.signature(cls).parameters
    assert list(theirs) == [name for name in ours if name in theirs]
    for name, parameter in theirs.items():
        if (cls.__name__.startswith("Bagging"), name) == (True, "max_samples"):
            continue  # its default changed between versions of scikit-learn
        assert ours[name].default == parameter.default, name
        assert ours[name].kind == parameter.kind, name
    assert set(ours) - set(theirs) <= {
        "calibrate",
        "calibration_method",
        "categorical_features",
        "max_bins",
        "monotonic_cst",
        "quantiles",
        "target_statistics",
        "voting",
    }


@pytest.mark.parametrize("cls", FORESTS)
def test_every_attribute_and_method_is_there(cls):
    X, y = noisy_table(cls)
    X = np.nan_to_num(X)
    theirs = getattr(sklearn.ensemble, cls.__name__)(n_estimators=40, bootstrap=True, oob_score=True)
    ours = cls(n_estimators=40, bootstrap=True, oob_score=True)
    theirs.fit(X, y)
    ours.fit(X, y)
    public = {name for name in dir(theirs) if not name.startswith("_") and hasattr(theirs, name)}
    routed = {name for name in public if name.startswith(("set_", "get_")) or name == "decision_function"}
    assert public - routed - NOT_OURS <= {name for name in dir(ours) if hasattr(ours, name)}


@pytest.mark.parametrize("cls", FORESTS)
def test_it_predicts_as_well_as_scikit_learns(cls):
    X, y = noisy_table(cls, 1500)
    X = np.nan_to_num(X)
    theirs = getattr(sklearn.ensemble, cls.__name__)
    scores = [
        np.mean([
            kind(n_estimators=30, random_state=seed).fit(X[:500], y[:500]).score(X[500:], y[500:])
            for seed in range(4)
        ])
        for kind in (cls, theirs)
    ]  # fmt: skip
    assert scores[0] == pytest.approx(scores[1], abs=0.02)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_the_registry_knows_it(cls):
    name = {"Bagging": "bagging", "RandomForest": "random_forest", "ExtraTrees": "extra_trees"}[
        cls.__name__.removesuffix("Classifier")
    ]
    assert type(treewright.make(name)) is cls
    assert treewright.make(name, task="regression", n_estimators=3).n_estimators == 3
