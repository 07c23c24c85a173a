"""Exported PMML, checked by the schema and run by JPMML-Evaluator."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from tests.contract.export_cases import CASES, fitted_case, hostile_frame
from tests.contract.probes import probe_frame
from tests.formats.conftest import CI, needed

ROWS = 2000


@pytest.fixture(scope="module")
def java():
    needed("java")
    if find_spec("jpmml_evaluator") is None:
        (pytest.fail if CI else pytest.skip)("jpmml_evaluator is not installed")
    running = pytest.importorskip("treewright.export.pmml.running_jpmml")
    return running.java().gateway.jvm


@pytest.fixture(scope="module")
def schema(java):
    """Return PMML 4.4's schema, which comes with the evaluator."""
    package = Path(pytest.importorskip("jpmml_evaluator").__file__).parent
    jar = next(package.glob("*/pmml-model-[0-9]*.jar"))
    factory = java.javax.xml.validation.SchemaFactory.newInstance("http://www.w3.org/2001/XMLSchema")
    return factory.newSchema(java.java.net.URL(f"jar:file:{jar}!/pmml.xsd"))


def run(estimator, X):
    report = tw.export_pmml(estimator, check=X).check
    assert report.runtime == "JPMML-Evaluator" and report.rows == len(X)
    assert report.largest_difference <= 1e-12
    if estimator.model_.classes is not None:
        assert report.different_predictions == 0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("java")
def test_the_evaluator_says_what_the_model_says(case):
    estimator = fitted_case(case)
    run(estimator, probe_frame(estimator.model_, ROWS))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("java")
def test_the_evaluator_says_it_of_many_rows(case):
    estimator = fitted_case(case)
    run(estimator, probe_frame(estimator.model_, 100_000))


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("algorithm", ["cart", "random_forest", "c45"])
def test_hostile_names_do_no_harm(java, schema, algorithm, task):
    if algorithm == "c45" and task == "regression":
        pytest.skip("C4.5 has classes only")
    X, y = hostile_frame(task)
    few = {"n_estimators": 4, "random_state": 0} if algorithm == "random_forest" else {}
    estimator = tw.make(algorithm, task, **few).fit(X, y)
    X.iloc[:20, ::2] = np.nan
    run(estimator, X)
    valid(java, schema, tw.export_pmml(estimator))


def valid(java, schema, text):
    reader = java.java.io.StringReader(str(text))
    schema.newValidator().validate(java.javax.xml.transform.stream.StreamSource(reader))


@pytest.mark.parametrize("case", CASES)
def test_documents_are_valid(java, schema, case):
    valid(java, schema, tw.export_pmml(fitted_case(case)))


@pytest.mark.usefixtures("java")
def test_models_of_other_libraries_say_what_they_said():
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 4))
    X[generator.random(X.shape) < 0.2] = np.nan
    X[generator.random(X.shape) < 0.2] = 0.0
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int) + (np.nan_to_num(X[:, 1]) > 0.5)
    models = []
    for objective in ("binary", "multiclass", "multiclassova", "regression", "poisson", "cross_entropy"):
        classes = {"num_class": 3} if "multi" in objective else {}
        target = (y > 0).astype(int) if objective in ("binary", "cross_entropy") else y
        for zero in (False, True):
            params = {
                "objective": objective,
                "verbose": -1,
                "num_leaves": 6,
                "zero_as_missing": zero,
                **classes,
            }
            models.append(tw.from_lightgbm(lightgbm.train(params, lightgbm.Dataset(X, target), 5)))
    for objective in ("binary:logistic", "multi:softprob", "reg:squarederror", "reg:gamma"):
        params = {
            "objective": objective,
            "max_depth": 3,
            **({"num_class": 3} if "multi" in objective else {}),
        }
        target = {"binary:logistic": (y > 0).astype(int), "reg:gamma": y + 1.0}.get(objective, y)
        models.append(tw.from_xgboost(xgboost.train(params, xgboost.DMatrix(X, target), 5)))
    for model in models:
        run(model, probe_frame(model.model_, 300).to_numpy())
