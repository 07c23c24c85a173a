"""Rows without a value are visible: where they go and how many they are."""

import numpy as np
import pandas as pd
import pytest
from tests.unit.export.hand_made import hand_made_model

import treewright
from treewright.data import Feature
from treewright.export import export_rules, export_text, tree_to_html


@pytest.fixture
def loans():
    """One income above 5.5 is bad, and so are the four that are not known."""
    income = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, np.nan, np.nan, np.nan, np.nan]
    y = pd.Series(["good"] * 5 + ["bad"] * 5, name="loan")
    return pd.DataFrame({"income": income}), y


def test_a_branch_says_that_missing_values_take_it_and_how_many_did(loans):
    tree = treewright.CARTClassifier().fit(*loans)
    text = export_text(tree)
    assert "income > 5.5 or missing" in text and "n=5 (4 missing)" in text
    assert "income ≤ 5.5 ─" in text and text.startswith("loan?")
    assert "if income > 5.5 or missing then loan = bad" in export_rules(tree)
    assert "income &gt; 5.5 or missing" in tree_to_html(tree.model_)
    assert "n=5 (4 missing)" in tree_to_html(tree.model_)
    assert tree.model_.view()[2].condition == "income > 5.5 or missing"


def test_without_missing_rows_nothing_is_said(loans):
    X, y = loans
    tree = treewright.CARTClassifier().fit(X.fillna(9.0), y)
    assert "missing" not in export_text(tree) + export_rules(tree) + tree_to_html(tree.model_)


def test_a_tree_that_does_not_know_says_nothing(loans):
    tree = treewright.CARTClassifier().fit(*loans)
    arrays = tree.tree_.to_arrays()
    del arrays["missing_rows"], arrays["missing_weight"]
    model = tree.model_.with_trees((treewright.model.Tree.from_arrays(arrays, [0]),))
    assert "missing" not in export_text(model) + export_rules(model)


def test_shared_rows_are_said(loans):
    text = export_text(treewright.C45Classifier(prune=None).fit(*loans))
    assert "n=8, weight 6.667 (4 missing, shared)" in text
    assert "n=6, weight 3.333 (4 missing, shared)" in text


def test_substitutes_are_said():
    income = [*range(1, 17), *[np.nan] * 4]
    rent = [*[1.0] * 7, 2.0, 1.0, *[2.0] * 7, 1.0, 2.0, 1.0, 2.0]  # agrees with income but for two rows
    y = [*["good"] * 8, *["bad"] * 8, "good", "bad", "bad", "good"]
    X = pd.DataFrame({"income": income, "rent": rent})
    text = export_text(treewright.CARTClassifier(missing="surrogate", max_depth=1).fit(X, y))
    assert "n=20 (4 missing, by substitutes)" in text and "income ≤ 8.5 ─" in text


def test_a_branch_for_missing_values_alone_does_not_say_it_twice():
    X = pd.DataFrame({"colour": pd.Categorical(["red", "red", None, None])})
    text = export_text(treewright.ID3Classifier().fit(X, ["a", "a", "b", "b"]))
    assert "colour is missing" in text and "or missing" not in text and "(2 missing)" not in text


def test_several_conditions_of_a_rule_keep_their_or_in_brackets():
    X = pd.DataFrame({"a": [0, 0, 0, 0, 1, 1, np.nan, np.nan], "b": [0.0, 0, 1, 1, 0, 1, 0, 1]})
    y = ["p", "p", "p", "p", "q", "r", "q", "r"]
    rules = export_rules(treewright.CARTClassifier().fit(X, y))
    assert "(a > 0.5 or missing) and b ≤ 0.5" in rules


def test_the_reports_say_it_too(loans):
    X, y = loans
    tree = treewright.CARTClassifier().fit(X, y)
    words = "4 of 10 rows have no value of income: they go with income > 5.5."
    assert words in tree.explain_split(0).notes and words in tree.explain_split(0, X, y).notes
    report = tree.explain_prediction(X.iloc[[5]])
    assert report.steps[0].words == "income > 5.5 or missing" and report.steps[0].missing == 4
    assert "4 came without a value of income" in str(report)
    assert list(report.to_frame()["missing"]) == [4]
    assert "or missing" not in str(tree.explain_prediction(X.iloc[[0]]))


def test_explaining_a_tree_of_a_forest_counts_from_the_data(loans):
    X, y = loans
    forest = treewright.RandomForestClassifier(1, bootstrap=False, random_state=0).fit(X, y)
    assert any(
        "4 of 10 rows have no value of income" in one for one in forest.explain_split(0, X, y, tree=0).notes
    )


ENSEMBLES = [
    treewright.RandomForestClassifier,
    treewright.ExtraTreesClassifier,
    treewright.BaggingClassifier,
    treewright.GradientBoostingClassifier,
    treewright.NewtonBoostingClassifier,
    treewright.LeafwiseBoostingClassifier,
]
BOOSTERS = ENSEMBLES[3:]


def many_loans():
    """Every fourth income is not known, and those are bad; rents are known and say nothing."""
    income = np.tile([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, np.nan, np.nan], 20)
    return pd.DataFrame({"income": income, "rent": np.arange(160.0)}), np.where(income <= 3.5, "good", "bad")


@pytest.mark.parametrize("cls", ENSEMBLES)
def test_ensembles_know_which_features_had_missing_values(cls):
    X, y = many_loans()
    assert cls(n_estimators=2, random_state=0).fit(X, y).model_.missing_features == [0]
    assert cls(n_estimators=2, random_state=0).fit(X.fillna(9.0), y).model_.missing_features == []


@pytest.mark.parametrize("cls", ENSEMBLES)
def test_a_warm_start_adds_the_features_of_its_own_rows(cls):
    X, y = many_loans()
    model = cls(n_estimators=2, random_state=0, warm_start=True).fit(X.fillna(9.0), y)
    assert model.set_params(n_estimators=3).fit(X, y).model_.missing_features == [0]
    assert model.set_params(n_estimators=4).fit(X.fillna(9.0), y).model_.missing_features == [0]


def test_refitting_adds_the_features_of_its_rows():
    X, y = many_loans()
    booster = treewright.LeafwiseBoostingClassifier(n_estimators=2, random_state=0).fit(X.fillna(9.0), y)
    assert booster.refit_leaves(X, y).model_.missing_features == [0]


@pytest.mark.parametrize("cls", ENSEMBLES)
def test_split_reports_of_ensembles_say_the_way_and_with_rows_the_number(cls):
    X, y = many_loans()
    model = cls(n_estimators=3, random_state=0).fit(X[["income"]], y)
    tree = model.model_.view(1)
    branch = int(tree.tree.to_arrays()["missing"][0])
    words = tree.root.split.describe(branch)
    assert tree.root.children[branch].condition == f"{words} or missing"
    assert tree.root.children[1 - branch].condition == tree.root.split.describe(1 - branch)
    way = f"Rows without a value of income: they go with {words}; the model does not store how many."
    assert way in model.explain_split(0, tree=1).notes
    notes = model.explain_split(0, X[["income"]], y, tree=1).notes
    counted = [
        note for note in notes if note.endswith(f"rows have no value of income: they go with {words}.")
    ]
    assert len(counted) == 1 and way not in notes
    full = cls(n_estimators=3, random_state=0).fit(X[["income"]].fillna(9.0), y)
    assert "missing" not in str(full.explain_split(0, tree=1))
    assert "without a value" not in str(full.explain_split(0, tree=1))


@pytest.mark.parametrize("cls", BOOSTERS)
def test_tests_that_compete_in_a_booster_say_where_missing_values_would_go(cls):
    X, y = many_loans()
    booster = cls(n_estimators=3, max_features=None, random_state=0).fit(X, y)
    report = booster.explain_split(0, X, y, tree=1)
    assert "40 of 160 rows have no value of income" in str(report)
    for candidate in report.candidates:
        said = [branch.words.endswith(" or missing") for branch in candidate.branches]
        wanted = [candidate.feature == "income" and b == candidate.missing_branch for b in (0, 1)]
        assert said == wanted


def test_rules_name_missing_values_where_no_value_passes_both_tests():
    X, y = many_loans()
    y = np.where(X["income"].isna(), "unknown", y)
    booster = treewright.NewtonBoostingClassifier(n_estimators=1, random_state=0).fit(X[["income"]], y)
    texts = [export_rules(booster, tree=tree) for tree in range(3)]
    assert any("if income is missing then" in text for text in texts)
    assert not any("3.5 < income ≤ 3.5" in text or "6 < income ≤ 6" in text for text in texts)


def test_the_fact_outlives_a_file_and_one_of_the_wrong_kind_is_refused(tmp_path):
    X, y = many_loans()
    forest = treewright.RandomForestClassifier(2, random_state=0).fit(X, y)
    forest.save(tmp_path / "forest.tree")
    assert treewright.load(tmp_path / "forest.tree").model_.missing_features == [0]
    with pytest.raises(ValueError, match="missing_features"):
        treewright.model.facts.ForestFacts.from_dict({**forest.model_.facts, "missing_features": ["a"]})


def test_rows_that_end_at_a_node_are_said():
    model = hand_made_model(
        [
            {"kind": 1, "feature": 0, "first_child": 1, "n_children": 2, "threshold": 1.0, "rows": 5,
             "missing": 2**32 - 2, "missing_rows": 2, "missing_weight": 2.0, "value": [0.5, 0.5]},
            {"value": [1.0, 0.0]},
            {"value": [0.0, 1.0]},
        ],
        [Feature("x", "numeric")],
        classes=["a", "b"],
    )  # fmt: skip
    assert "n=5 (2 missing end here)" in export_text(model)
