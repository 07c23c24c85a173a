"""Exported programs say what the model says: every exporter, every algorithm, every way to answer."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.contract.export_cases import CASES, fitted_case, hostile_frame
from tests.contract.probes import probe_frame
from tests.unit.explain.json_schema import faults, load_schema
from treewright.exceptions import ExportCheckError
from treewright.export import PROGRAMS, checking
from treewright.export.exported import Exported
from treewright.export.pmml import running

PURE = {"python": {}, "json": {}, "onnx": {}, "pmml": {}, "sql": {"dialect": "sqlite"}}


@pytest.fixture(autouse=True)
def without_java(monkeypatch):
    """Let Treewright read PMML itself; `make formats` runs it by Java."""
    monkeypatch.setattr(running, "find_spec", lambda _: None)


@pytest.mark.parametrize("form", PURE)
@pytest.mark.parametrize("case", CASES)
def test_it_says_what_the_model_says(form, case):
    estimator = fitted_case(case)
    report = PROGRAMS[form](estimator, check=probe_frame(estimator.model_, 120), **PURE[form]).check
    assert report.rows >= 120 and report.largest_difference <= 1e-12
    if estimator.model_.classes is not None:
        assert report.different_predictions == 0


@pytest.mark.parametrize("form", PURE)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_hostile_names_of_columns_categories_and_classes_do_no_harm(form, task):
    X, y = hostile_frame(task)
    tree = tw.make("cart", task, max_depth=8).fit(X, y)
    X.iloc[:20, ::2] = np.nan
    assert PROGRAMS[form](tree, check=X, **PURE[form]).check.largest_difference == 0


@pytest.mark.parametrize("form", [name for name in PROGRAMS if name not in ("json",)])
def test_names_with_nul_are_refused(form):
    X = pd.DataFrame({"a\0b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="NUL"):
        PROGRAMS[form](tw.CARTRegressor().fit(X, [0.0, 1.0]))


def test_json_follows_the_published_schema():
    schema = load_schema("program")
    for case in (
        "c45-classification-mixed",
        "cart-surrogates",
        "forest-isotonic",
        "adaboost-regression-mixed",
    ):
        assert faults(json.loads(tw.export_json(fitted_case(case))), schema, schema) == []


def test_what_was_compared_comes_with_the_text_and_survives_pickling(tmp_path):
    tree = tw.CARTClassifier().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    text = tw.export_python(tree, tmp_path / "tree.py", check=[[1.0], [np.nan]])
    assert isinstance(text, Exported) and text.check.rows == 2
    assert pickle.loads(pickle.dumps(text)).check == text.check
    assert tw.export_python(tree).check is None


def test_nothing_is_written_when_the_two_disagree(tmp_path, monkeypatch):
    tree = tw.CARTRegressor().fit([[1.0], [2.0]], [0.0, 1.0])
    wrong = tw.CARTRegressor().fit([[1.0], [2.0]], [0.0, 2.0])
    source = checking.Source.of(tree, "export_python")
    replaced = checking.Source(source.model, wrong, source.program)
    monkeypatch.setattr(checking.Source, "of", lambda *_: replaced)
    with pytest.raises(ExportCheckError, match="does not say what the CARTRegressor says"):
        tw.export_python(tree, tmp_path / "tree.py", check=[[2.0]])
    assert list(tmp_path.iterdir()) == []


def test_deep_trees_are_written_in_steps_that_databases_can_take():
    x = np.arange(400.0)
    y = np.cumsum(np.arange(400) % 7) + x**2
    tree = tw.CARTRegressor(max_leaf_nodes=300).fit(x[:, np.newaxis], y)
    chain = tw.CARTRegressor(min_samples_leaf=1).fit(np.exp2(x[:300, np.newaxis]), np.exp(-x[:300]))
    for one in (tree, chain):
        X = probe_frame(one.model_, 300).to_numpy()
        for form, options in PURE.items():
            assert PROGRAMS[form](one, check=X, **options).check.largest_difference <= 1e-15


def test_a_database_that_is_not_known_and_a_name_that_is_taken_are_refused():
    tree = tw.CARTRegressor().fit(pd.DataFrame({"Prediction": [1.0, 2.0]}), [0.0, 1.0])
    with pytest.raises(ValueError, match="dialect must be one of 'duckdb', 'sqlite'"):
        tw.export_sql(tree, dialect="oracle")
    with pytest.raises(ValueError, match="The table has a column 'prediction'"):
        tw.export_sql(tree)
    with pytest.raises(ValueError, match="name must be a name that C allows"):
        tw.export_c(tree, name="int")
    with pytest.raises(ValueError, match="key is for sqlite"):
        tw.export_sql(tree, key="id", feature_names=["a"])
