"""ONNX files run by onnxruntime and by onnx's own evaluator, and pipelines converted by skl2onnx."""

import json
import time
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

import treewright as tw
from tests.contract.export_cases import CASES, fitted_case, hostile_frame
from tests.contract.probes import probe_frame
from treewright.export.checking import Source, largest_difference

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

from treewright.export.onnx import running  # noqa: E402  (needs onnx)
from treewright.export.onnx.model_file import inputs_of  # noqa: E402

ROWS = 2000


def said(estimator, X, threads=1, content=None, **options):
    """Return what the file says about rows, and what the model says."""
    content = tw.export_onnx(estimator, **options) if content is None else content
    source = Source.of(estimator, "test")
    rows = source.rows(X)
    inputs = inputs_of(source.program, options.get("numbers", "double"), ["nan"])
    session, _ = running.session_of(content, threads)
    return session.run(None, running.rows_given(rows, inputs)), source.expected(X, rows)


def assert_equal(found, expected, within=1e-12):
    assert largest_difference(np.asarray(found[-1], dtype=float), expected.numbers) <= within
    if expected.labels is not None:
        assert found[0].tolist() == expected.labels


@pytest.mark.parametrize("case", CASES)
def test_onnxruntime_says_what_the_model_says(case):
    estimator = fitted_case(case)
    content = tw.export_onnx(estimator)
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    X = probe_frame(estimator.model_, ROWS)
    assert_equal(*said(estimator, X, content=content))


@pytest.mark.parametrize("case", [case for case in CASES if "mixed" in case])
def test_sums_in_order_are_the_models_to_the_last_bit_with_any_number_of_threads(case):
    estimator = fitted_case(case)
    X = probe_frame(estimator.model_, ROWS)
    one = said(estimator, X, 1, in_order=True)
    two = said(estimator, X, 3, in_order=True)
    assert np.array_equal(one[0][-1], two[0][-1], equal_nan=True)
    assert_equal(*two)
    if estimator.model_.classes is None:
        assert np.array_equal(one[0][-1], one[1].numbers)


@pytest.mark.parametrize("case", CASES)
def test_the_evaluator_of_onnx_says_the_same(case, monkeypatch):
    estimator = fitted_case(case)
    monkeypatch.setattr(running, "find_spec", lambda name: None if name == "onnxruntime" else find_spec(name))
    X = probe_frame(estimator.model_, 1).iloc[:25]
    report = tw.export_onnx(estimator, check=X).check
    assert "reference evaluator (onnxruntime is not installed)" in report.runtime
    assert report.rows == 25 and report.largest_difference <= 1e-12


def test_the_same_model_gives_the_same_bytes():
    for case in ("c45-classification-mixed", "lightgbm-classification-mixed", "forest-isotonic"):
        assert tw.export_onnx(fitted_case(case)) == tw.export_onnx(fitted_case(case))


def test_a_file_says_what_it_is():
    estimator = fitted_case("cart-classification-mixed")
    proto = onnx.load_from_string(tw.export_onnx(estimator))
    facts = {one.key: json.loads(one.value) for one in proto.metadata_props}
    assert proto.producer_name == "treewright" and facts["treewright.version"] == tw.__version__
    assert facts["treewright.classes"] == estimator.classes_.tolist()
    features = estimator.model_.schema.features
    assert [one["name"] for one in facts["treewright.columns"]] == [feature.name for feature in features]
    assert [one.name for one in proto.graph.input] == [feature.name for feature in features]
    assert [one.name for one in proto.graph.output] == ["label", "probabilities"]
    numbers = onnx.load_from_string(tw.export_onnx(fitted_case("cart-regression-numbers"))).graph
    assert [one.name for one in [*numbers.input, *numbers.output]] == ["X", "variable"]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_hostile_names_are_names_of_inputs(task):
    X, y = hostile_frame(task)
    X = X.rename(columns={X.columns[0]: "label", X.columns[1]: "variable", X.columns[2]: "tw_gather_1"})
    estimator = tw.make("random_forest", task, n_estimators=5, max_depth=6).fit(X, y)
    X.iloc[:20, ::2] = np.nan
    assert_equal(*said(estimator, X))


def test_text_that_is_missing_unseen_or_empty():
    X = pd.DataFrame({"c": ["a", "b", "", None] * 20, "x": np.arange(80.0)})
    tree = tw.CARTClassifier().fit(X, ["one", "two", "three", "four"] * 20)
    session, _ = running.session_of(tw.export_onnx(tree))
    given = np.array([["a"], ["b"], [""], [None], [np.nan], ["new"]], dtype=object)
    label, _ = session.run(None, {"c": given, "x": np.zeros((6, 1))})
    asked = pd.DataFrame({"c": ["a", "b", "", None, None, "new"], "x": np.zeros(6)})
    assert label.tolist() == tree.predict(asked).tolist()
    assert label[:5].tolist() == ["one", "two", "three", "four", "four"]
    other, _ = running.session_of(tw.export_onnx(tree, missing=["?"]))
    assert other.run(None, {"c": np.array([["?"]], dtype=object), "x": np.zeros((1, 1))})[0] == ["four"]
    with pytest.raises(ValueError, match="A missing value of column 'c' cannot be said"):
        tw.export_onnx(tree, missing=["a", "b"])


def test_categories_that_are_numbers_are_found_as_numbers():
    generator = np.random.default_rng(0)
    values = np.array([-3.0, 0.0, 0.1, 2.5, 1e300, 7.0])
    X = pd.DataFrame({"c": generator.choice(values, 300), "x": generator.normal(size=300)})
    y = np.isin(X["c"], values[::2]) * 2.0 + (X["x"] > 0)
    tree = tw.CARTRegressor(categorical_features=["c"]).fit(X, y)
    asked = pd.DataFrame({"c": [*values, -0.0, np.nextafter(0.1, 1), np.nan, np.inf, 4.0], "x": 0.0})
    session, _ = running.session_of(tw.export_onnx(tree, check=X))
    found = session.run(None, {name: asked[[name]].to_numpy() for name in asked})[0]
    assert found[:, 0].tolist() == tree.predict(asked).tolist()
    large = pd.DataFrame({"c": [2**60 + i for i in (0, 1, 2, 3)] * 20, "x": 0.0})
    many = tw.CARTRegressor(categorical_features=["c"]).fit(large, [0.0, 1.0, 0.0, 1.0] * 20)
    assert tw.export_onnx(many, check=large).check.largest_difference == 0


@pytest.mark.parametrize(
    "values",
    [
        ["a", "b"],
        [True, False],
        [1.5, 2.5],
        pd.Categorical(["a", "b"], categories=["b", "z", "a"], ordered=True),
    ],
)
def test_a_table_of_one_column(values):
    X = pd.DataFrame({"only": pd.Series(values).repeat(10)})
    categorical = {"categorical_features": [0]} if isinstance(values[0], float) else {}
    tree = tw.CARTClassifier(**categorical).fit(X, [0, 1] * 5 + [1] * 10)
    for numbers in ("double", "float"):
        report = tw.export_onnx(tree, check=X, numbers=numbers).check
        assert report.rows == 20 and report.largest_difference <= 1e-7 and not report.different_predictions


def test_sets_of_many_categories():
    generator = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(500)])
    X = pd.DataFrame({"c": generator.choice(words, 4000), "x": generator.normal(size=4000)})
    y = (X["c"].str[1:].astype(int) * 7919 % 13 < 6) * 1.0 + (X["x"] > 0)
    for estimator in (tw.CARTRegressor(max_depth=6), tw.LeafwiseBoostingRegressor(n_estimators=10)):
        estimator.fit(X, y)
        assert_equal(*said(estimator, probe_frame(estimator.model_, ROWS)))


def test_single_numbers_are_compared_exactly_and_answers_rounded():
    estimator = fitted_case("lightgbm-regression-numbers")
    with np.errstate(over="ignore"):
        X = probe_frame(estimator.model_, ROWS).astype(np.float32).astype(np.float64)
    found, expected = said(estimator, X, numbers="float")
    assert found[-1].dtype == np.float32
    assert np.array_equal(found[-1], expected.numbers.astype(np.float32))


def test_models_of_other_libraries():
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    generator = np.random.default_rng(0)
    X = generator.normal(size=(2000, 5))
    X[generator.random(X.shape) < 0.1] = np.nan
    X[:, 4] = np.where(generator.random(2000) < 0.3, 0.0, X[:, 4])
    score = np.nan_to_num(X[:, 0] * X[:, 1]) + np.nan_to_num(X[:, 4])
    y = np.digitize(score, [-0.5, 0.5])
    for peer in (
        xgboost.XGBClassifier(n_estimators=20, n_jobs=1),
        xgboost.XGBRegressor(n_estimators=20, n_jobs=1),
    ):
        ours = tw.from_xgboost(peer.fit(X, y))
        content = tw.export_onnx(ours, check=X)
        assert content.check.largest_difference <= 1e-12  # with one thread, also in single precision
        assert tw.export_onnx(ours, check=X, in_order=True).check.largest_difference <= 1e-12
    for options in ({}, {"zero_as_missing": True}, {"use_missing": False}):
        peer = lightgbm.LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1, **options).fit(X, y)
        assert tw.export_onnx(tw.from_lightgbm(peer), check=X).check.largest_difference <= 1e-12


def test_a_thousand_trees_load_within_a_second():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(6000, 10))
    booster = tw.LeafwiseBoostingRegressor(n_estimators=1000, max_leaf_nodes=63, gamma=0.0, n_jobs=1)
    booster.fit(X, np.sin(X).sum(axis=1) + generator.normal(size=6000))
    content = tw.export_onnx(booster, check=X[:50])
    assert len(content) < 3_000_000
    assert all(tree.node_count == 125 for tree in booster.model_.trees)
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        running.session_of(content)
        seconds.append(time.process_time() - begin)
    assert min(seconds) < 1.0


# --- pipelines
# ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def skl2onnx():
    found = pytest.importorskip("skl2onnx")
    tw.onnx.register()
    return found


def run_pipeline(model, given):
    return running.session_of(model.SerializeToString())[0].run(None, given)


@pytest.mark.parametrize("case", CASES)
def test_skl2onnx_converts_every_estimator(skl2onnx, case):
    estimator = fitted_case(case)
    source = Source.of(estimator, "test")
    X = probe_frame(estimator.model_, ROWS)
    rows = source.rows(X)
    inputs = inputs_of(source.program, "double", ["nan"])
    types = {"double": skl2onnx.common.data_types.DoubleTensorType}
    types["text"] = skl2onnx.common.data_types.StringTensorType
    width = len(source.program.columns) if len(inputs.names) == 1 else 1
    named = [(f"i{k}", types[kind]([None, width])) for k, kind in enumerate(inputs.types)]
    options = {} if estimator.model_.classes is None else {"options": {id(estimator): {"zipmap": False}}}
    model = skl2onnx.to_onnx(estimator, initial_types=named, **options)
    given = dict(zip((name for name, _ in named), running.rows_given(rows, inputs).values(), strict=True))
    found = run_pipeline(model, given)
    if estimator.model_.classes is not None and estimator.classes_.dtype.kind == "b":
        found[0] = found[0].astype(bool)
    assert_equal(found, source.expected(X, rows))


@pytest.mark.parametrize("zipmap", [True, False])
def test_a_pipeline_with_a_scaler(skl2onnx, zipmap):
    generator = np.random.default_rng(0)
    X = generator.normal(3.0, 2.0, size=(500, 4))
    pipeline = make_pipeline(StandardScaler(), tw.LeafwiseBoostingClassifier(n_estimators=30))
    pipeline.fit(X, np.where(X[:, 0] * X[:, 1] > 9, "yes", "no"))
    model = skl2onnx.to_onnx(pipeline, X[:1], options={"zipmap": zipmap})
    label, shares = run_pipeline(model, {"X": X})
    assert label.tolist() == pipeline.predict(X).tolist()
    shares = np.array([[row[name] for name in pipeline.classes_] for row in shares]) if zipmap else shares
    assert np.abs(shares - pipeline.predict_proba(X)).max() <= (1e-7 if zipmap else 1e-12)


def test_a_column_transformer_with_categories(skl2onnx):
    types = skl2onnx.common.data_types
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": generator.normal(size=600),
            "b": generator.normal(size=600),
            "c": generator.choice(["p", "q", "r"], 600),
        }
    )
    y = X["a"] * (X["c"] == "q") + X["b"]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    columns = ColumnTransformer([("numbers", StandardScaler(), ["a", "b"]), ("words", encoder, ["c"])])
    booster = tw.LeafwiseBoostingRegressor(n_estimators=30, categorical_features=[2])
    pipeline = make_pipeline(columns, booster).fit(X, y)
    named = [("a", types.DoubleTensorType([None, 1])), ("b", types.DoubleTensorType([None, 1]))]
    named.append(("c", types.StringTensorType([None, 1])))
    model = skl2onnx.to_onnx(pipeline, initial_types=named)
    X.loc[:5, "c"] = "never seen"
    found = run_pipeline(model, {name: X[[name]].to_numpy() for name in X})[0]
    assert np.abs(found[:, 0] - pipeline.predict(X)).max() <= 1e-12
    with pytest.raises(RuntimeError, match="needs opset 13"):
        skl2onnx.to_onnx(pipeline, initial_types=named, target_opset=12)
