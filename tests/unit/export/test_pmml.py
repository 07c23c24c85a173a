"""What is special about PMML: the shape of documents, and what is refused."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.exceptions import UnsupportedExportError
from treewright.export.pmml import running

SPACE = "{http://www.dmg.org/PMML-4_4}"


@pytest.fixture(autouse=True)
def without_java(monkeypatch):
    monkeypatch.setattr(running, "find_spec", lambda _: None)


def elements(text, tag):
    return list(ElementTree.fromstring(str(text).encode()).iter(SPACE + tag))


def weather():
    X = pd.DataFrame({"sky": ["sun", "rain", "cloud"] * 9, "wind": np.arange(27.0) % 5})
    return X, ["yes", "no", "maybe"] * 9


def test_a_node_with_three_branches_has_three_nodes_below_it():
    X, y = weather()
    text = tw.export_pmml(tw.ID3Classifier().fit(X[["sky"]], y), check=X[["sky"]])
    (model,) = elements(text, "TreeModel")
    assert model.attrib["splitCharacteristic"] == "multiSplit"
    asked = [
        node.find(SPACE + "SimplePredicate") for node in model.find(SPACE + "Node").findall(SPACE + "Node")
    ]
    assert {one.attrib["value"] for one in asked if one is not None} >= {"sun", "rain", "cloud"}


def test_categories_are_declared_and_sets_are_sets():
    X, y = weather()
    text = tw.export_pmml(tw.CARTClassifier().fit(X, [word == "yes" for word in y]), check=X)
    field = elements(text, "DataField")[0]
    assert [value.attrib["value"] for value in field] == ["sun", "rain", "cloud"]
    assert elements(text, "DataField")[-1].attrib["dataType"] == "boolean"
    many = pd.DataFrame({"letter": list("abcdef") * 5})
    text = tw.export_pmml(tw.CARTClassifier().fit(many, [0, 1] * 15), check=many)
    assert {one.text for one in elements(text, "Array")} <= {'"a" "c" "e"', '"b" "d" "f"'}
    assert [one.attrib["booleanOperator"] for one in elements(text, "SimpleSetPredicate")] != []


def test_rows_of_c45_that_go_several_ways_are_formulas_beside_the_tree():
    X, y = weather()
    tree = tw.C45Classifier().fit(X, y)
    missing = X.copy()
    missing.loc[::2, "sky"] = None
    missing.loc[1, "sky"] = "hail"
    text = tw.export_pmml(tree, check=missing)
    assert text.check.largest_difference <= 1e-15
    names = [field.attrib["name"] for field in elements(text, "DerivedField")]
    assert any(name.startswith("share(") for name in names)
    # The tree itself is there for rows with all values.
    assert len(elements(text, "ScoreDistribution")) == 3 * 3


def test_shares_of_whole_counts_are_written_as_counts():
    tree = tw.CARTClassifier().fit([[0.0]] * 3, ["a", "b", "b"])
    assert [one.attrib for one in elements(tw.export_pmml(tree), "ScoreDistribution")] == [
        {"value": "a", "recordCount": "1"},
        {"value": "b", "recordCount": "2"},
    ]
    weighted = tw.CARTClassifier().fit([[0.0]] * 3, ["a", "b", "b"], sample_weight=[0.1, 0.3, 0.3])
    assert "probability" in elements(tw.export_pmml(weighted), "ScoreDistribution")[0].attrib


def test_names_of_ours_make_room_for_those_of_columns():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(60, 3)), columns=["prediction", "sum(0)", "probability(True)"])
    model = tw.LeafwiseBoostingClassifier(n_estimators=3, min_samples_leaf=5).fit(X, X.sum(axis=1) > 0)
    text = tw.export_pmml(model, check=X)
    names = [field.attrib["name"] for tag in ("DataField", "OutputField") for field in elements(text, tag)]
    assert len(set(names)) == len(names)


def test_a_class_is_chosen_by_the_sign_of_the_sum_and_not_by_rounded_probabilities():
    X = np.arange(8.0)[:, np.newaxis]
    y = np.arange(8) % 2
    model = tw.GradientBoostingClassifier(n_estimators=2, max_depth=1).fit(X, y)
    start = model.model_.arrays["start"]
    assert abs(float(start[0])) < 1e-9
    assert tw.export_pmml(model, check=X).check.different_predictions == 0


@pytest.mark.parametrize("word", ["bell \a", "escape \x1b", "\ufffe"])
def test_characters_that_xml_cannot_hold_are_refused_by_name(word):
    X = pd.DataFrame({"kind": [word, "plain"] * 5})
    with pytest.raises(UnsupportedExportError, match="a category of column 'kind' holds a control character"):
        tw.export_pmml(tw.CARTClassifier().fit(X, [0, 1] * 5))


def test_names_that_are_given_twice_and_numbers_too_large_are_refused():
    tree = tw.CARTRegressor().fit([[1.0, 2.0], [2.0, 1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="Two columns are called 'a'"):
        tw.export_pmml(tree, feature_names=["a", "a"])
    X = pd.DataFrame({"id": pd.Categorical([2**60 + 1, 2**60 + 3] * 4)})
    with pytest.raises(UnsupportedExportError, match="no number type of PMML holds"):
        tw.export_pmml(tw.CARTRegressor().fit(X, [0.0, 1.0] * 4))


def test_what_the_text_says_is_what_is_run(monkeypatch):
    tree = tw.CARTRegressor().fit([[1.0], [2.0]], [0.0, 6.0])
    text = tw.export_pmml(tree)
    document = running.Document(text)
    assert document.evaluate({"x0": 1.4})["prediction"] == 0.0
    assert running.Document(text.replace('score="6"', 'score="7"')).evaluate({"x0": 9.0})["prediction"] == 7.0
