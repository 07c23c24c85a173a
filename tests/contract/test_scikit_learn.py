"""scikit-learn's own checks, and its tools around our estimators."""

import inspect

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.contract.data import coarse_table, mixed_frame, numeric_table
from tests.contract.entries import ENTRIES, make_entry


def _expected_failures(estimator):
    """Return the one check that a random draw of rows cannot pass; tests/unit/forests has its substitute."""
    if not getattr(estimator, "bootstrap", False):
        return {}
    reason = "weights are chances to be drawn: equal in distribution to repeated rows, not draw for draw"
    return {
        "check_sample_weight_equivalence_on_dense_data": reason,
        "check_sample_weight_equivalence_on_sparse_data": reason,
    }


# One check gives a class next to no weight, and then sets a limit on weight.
@pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")
@pytest.mark.filterwarnings("ignore::treewright.exceptions.ConstantTargetWarning")
@parametrize_with_checks(
    [make_entry(entry) for entry in ENTRIES]
    + [make_entry(entry, bootstrap=False) for entry in ENTRIES if entry[0] in ("bagging", "random_forest")],
    expected_failed_checks=_expected_failures,
)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)


def test_the_tags_tell_the_truth(new, task):
    tags = new().__sklearn_tags__()
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert tags.input_tags.sparse
    assert not tags.target_tags.multi_output
    assert is_classifier(new()) == (task == "classification")
    assert is_regressor(new()) == (task == "regression")


def test_a_clone_has_the_same_parameters_and_nothing_learned(new, task):
    estimator = new(max_depth=3).fit(*numeric_table(task))
    copied = clone(estimator)
    assert repr(copied.get_params()) == repr(estimator.get_params())
    with pytest.raises(NotFittedError):
        copied.predict([[0.0] * 4])
    with pytest.raises(NotFittedError):
        _ = copied.feature_importances_


def test_fit_changes_no_parameter_and_sets_nothing_without_underscore(new, task):
    estimator = new()
    before = dict(vars(estimator))
    estimator.fit(*numeric_table(task))
    assert {name: value for name, value in vars(estimator).items() if name in before} == before
    assert all(name.endswith("_") for name in set(vars(estimator)) - set(before))


def test_refitting_forgets_the_past(new, task):
    frame, y = mixed_frame(task)
    estimator = new().fit(frame, y)
    assert list(estimator.feature_names_in_) == list(frame.columns)
    X, y = numeric_table(task)
    estimator.fit(X[:, :2], y)
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.n_features_in_ == 2


def test_grid_search_finds_a_depth(new, task, accepts):
    X, y = coarse_table(task)
    name = "max_depth" if accepts("max_depth") else "estimator__max_depth"
    search = GridSearchCV(new(max_depth=2), {name: [1, 3, 5]}, cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_[name] in (3, 5)
    assert search.best_score_ > 0.5


def test_a_pipeline_predicts_like_the_bare_estimator(new, entry, task):
    if entry[0] == "extra_trees":
        pytest.skip("random cuts in other units are other cuts")
    X, y = numeric_table(task)
    scaled = make_pipeline(StandardScaler(), new(max_depth=4)).fit(X, y)
    bare = new(max_depth=4).fit(X, y)
    assert np.mean(scaled.predict(X) == bare.predict(X)) > 0.98


def test_frames_pass_through_a_pipeline(new, task):
    frame, y = mixed_frame(task)
    keep = make_column_transformer(("passthrough", list(frame.columns)), verbose_feature_names_out=False)
    pipeline = make_pipeline(keep.set_output(transform="pandas"), FunctionTransformer(), new()).fit(frame, y)
    np.testing.assert_array_equal(pipeline.predict(frame), new().fit(frame, y).predict(frame))


def test_weights_are_routed_through_cross_validation(new, task):
    X, y = numeric_table(task)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = new(max_depth=3).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        routed = cross_validate(estimator, X, y, cv=3, params={"sample_weight": weights})
        assert estimator.get_metadata_routing().fit.requests["sample_weight"] is True
    plain = cross_validate(new(max_depth=3), X, y, cv=3)
    assert not np.array_equal(routed["test_score"], plain["test_score"])


def test_cross_val_predict_is_better_than_chance(new, task):
    X, y = coarse_table(task)
    predicted = cross_val_predict(new(max_depth=4), X, y, cv=4)
    assert np.corrcoef(predicted, y)[0, 1] > 0.5


def test_every_public_method_is_documented(new):
    for name, method in inspect.getmembers(type(new()), callable):
        if not name.startswith("_"):
            assert inspect.getdoc(method), name


def test_the_representations_work(new, task):
    estimator = new(max_depth=2).fit(*numeric_table(task))
    assert "max_depth=2" in repr(estimator)
    assert "max_depth" in estimator._repr_html_()
