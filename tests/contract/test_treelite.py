"""Models for treelite say what the model says; what treelite cannot say is refused by name."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.contract.export_cases import CASES, fitted_case, hostile_frame
from tests.contract.probes import probe_frame
from treewright.exceptions import UnsupportedExportError

treelite = pytest.importorskip("treelite")

CANNOT = {
    "c45": "several branches", "j48-laplace": "several branches", "c45-textbook": "several branches",
    "bagged-c45": "several branches", "bagged-laplace": "several branches", "samme-c45": "several branches",
    "samme-r-c45": "several branches", "cart-surrogates": "surrogate", "forest-isotonic": "calibrated",
    "forest-sigmoid": "calibrated", "adaboost-regression": "median",
}  # fmt: skip


def reason(case):
    return next((CANNOT[start] for start in CANNOT if case.startswith(start)), None)


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_the_model_says_or_why_it_cannot(case):
    estimator = fitted_case(case)
    why = reason(case)
    if why is not None:
        with pytest.raises(UnsupportedExportError, match=f"treelite cannot say this model: .*{why}"):
            tw.to_treelite(estimator)
        return
    report = tw.export_treelite(estimator, check=probe_frame(estimator.model_, 400)).check
    model = estimator.model_
    # treelite's softmax is computed in single precision.
    is_single = (
        model.aggregation in ("sum", "weighted") and len(() if model.classes is None else model.classes) > 2
    )
    assert report.largest_difference <= (1e-7 if is_single else 1e-12)
    assert report.runtime == "treelite"
    assert report.different_predictions == 0 or estimator.model_.classes is None


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if reason(case) is None])
def test_it_says_it_of_many_rows(case):
    estimator = fitted_case(case)
    report = tw.export_treelite(estimator, check=probe_frame(estimator.model_, 100_000)).check
    assert report.largest_difference <= 1e-7


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_hostile_names_do_no_harm(task):
    X, y = hostile_frame(task)
    tree = tw.make("cart", task, max_depth=8).fit(X, y)
    X.iloc[:20, ::2] = np.nan
    assert tw.export_treelite(tree, check=X).check.largest_difference == 0


def test_rows_are_numbers_and_integers_stand_for_themselves():
    codes = np.array([3, 7, 11, 3, 7, 11] * 10)
    words = np.array(["b", "a", "c"] * 20)
    X = pd.DataFrame({"code": pd.Categorical(codes), "word": words})
    y = np.where(codes == 7, 5.0, 0.0) + (words == "a") * 2.0 * (codes == 11)
    tree = tw.CARTRegressor().fit(X, y)
    places = {word: place for place, word in enumerate(tree.model_.schema.features[1].categories)}
    rows = np.column_stack([codes, [places[word] for word in words]]).astype(float)
    found = treelite.gtil.predict(tw.to_treelite(tree), rows)[:, 0, 0]
    np.testing.assert_array_equal(found, tree.predict(X))


def test_a_booster_of_two_classes_says_the_probability_of_the_second():
    X = np.random.default_rng(0).normal(size=(100, 2))
    model = tw.LeafwiseBoostingClassifier(n_estimators=4).fit(X, X[:, 0] > 0)
    found = treelite.gtil.predict(tw.to_treelite(model), X)
    np.testing.assert_allclose(found[:, 0, 0], model.predict_proba(X)[:, 1], atol=1e-15)


def test_zeros_that_are_missing_are_refused_and_single_precision_is_kept():
    lightgbm = pytest.importorskip("lightgbm")
    xgboost = pytest.importorskip("xgboost")
    X = np.random.default_rng(0).integers(-2, 3, size=(300, 3)).astype(float)
    y = X[:, 0] + (X[:, 1] == 0)
    params = {"zero_as_missing": True, "verbose": -1, "num_leaves": 6}
    booster = lightgbm.train(params, lightgbm.Dataset(X, y), 3)
    with pytest.raises(UnsupportedExportError, match=r"zeros of column .* count as missing"):
        tw.to_treelite(tw.from_lightgbm(booster))
    for objective in ("reg:squarederror", "binary:logistic"):
        theirs = xgboost.train({"objective": objective, "max_depth": 3}, xgboost.DMatrix(X, y > 0), 5)
        model = tw.from_xgboost(theirs)
        raw = treelite.gtil.predict(tw.to_treelite(model), X.astype(np.float32), pred_margin=True)[:, 0, 0]
        np.testing.assert_array_equal(raw, theirs.predict(xgboost.DMatrix(X), output_margin=True))
        assert tw.export_treelite(model, check=X).check.largest_difference <= 1e-6
