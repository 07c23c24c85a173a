"""ID3: symbols, their branches, and what happens where there are none."""

import warnings
from dataclasses import replace
from math import log2

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import ID3Classifier
from treewright.datasets import load_cricket, load_loans, load_tennis
from treewright.exceptions import ManySymbolsWarning
from treewright.export import export_summary, export_text
from treewright.recipe import Recipe


def words(estimator, node=0):
    """Return a tree as nested text: {condition: subtree or the distribution of a leaf}."""
    tree, view = estimator.tree_, estimator.model_.view()
    if tree.n_children[node] == 0:
        return tree.value[node, 0].round(4).tolist()
    first = int(tree.first_child[node])
    return {
        view[node].split.describe(branch): words(estimator, first + branch)
        for branch in range(int(tree.n_children[node]))
    }


# --- the textbooks' examples
# ------------------------------------------------------------------------------------------------------------


def test_the_tennis_tree_is_quinlans():
    X, y, names, _ = load_tennis()
    tree = ID3Classifier().fit(pd.DataFrame(X, columns=names), y)
    assert words(tree) == {
        "outlook = sunny": {"humidity = high": [1, 0], "humidity = normal": [0, 1]},
        "outlook = overcast": [0, 1],
        "outlook = rain": {"wind = weak": [0, 1], "wind = strong": [1, 0]},
    }
    assert tree.tree_.gain[0] / 14 == pytest.approx(0.2467, abs=5e-5)
    assert tree.score(pd.DataFrame(X, columns=names), y) == 1


def test_the_loan_tree_asks_for_the_house_then_for_the_job():
    X, y, names, _ = load_loans()
    tree = ID3Classifier().fit(X, y).tree_
    assert [names[feature] for feature in tree.feature[tree.n_children > 0]] == ["house", "job"]
    assert tree.gain[0] / 15 == pytest.approx(0.4200, abs=5e-5)


def test_the_cricket_players_are_asked_for_their_gender_first():
    X, y, names, _ = load_cricket()
    tree = ID3Classifier(max_depth=1).fit(X, y).tree_
    assert names[tree.feature[0]] == "gender"
    assert tree.gain[0] / 30 == pytest.approx(0.1366, abs=5e-5)


# --- against a plain recursion
# ------------------------------------------------------------------------------------------------------------


def entropy(weights):
    total = sum(weights)
    return -sum(w / total * log2(w / total) for w in weights if w > 0)


def plain_id3(rows, labels, weights, n_classes, epsilon=1e-6):
    """Return the tree of the books as (distribution, feature, {value: subtree}), in plain Python."""

    def counts(members):
        return [sum(weights[i] for i in members if labels[i] == k) for k in range(n_classes)]

    def grow(members):
        own = counts(members)
        best, best_gain, best_parts = None, epsilon, None
        for feature in range(len(rows[0])):
            parts = {}
            for i in members:
                parts.setdefault(rows[i][feature], []).append(i)
            after = sum(sum(counts(part)) / sum(own) * entropy(counts(part)) for part in parts.values())
            gain = entropy(own) - after
            if gain > best_gain + 1e-9:
                best, best_gain, best_parts = feature, gain, parts
        share = [w / sum(own) for w in own]
        if best is None:
            return share, None, {}
        return share, best, {value: grow(part) for value, part in best_parts.items()}

    return grow(range(len(rows)))


def walk(tree, row):
    share, feature, branches = tree
    while feature is not None and row[feature] in branches:
        share, feature, branches = branches[row[feature]]
    return share


CELL = st.sampled_from(["a", "b", "c", None])


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(CELL, CELL, CELL, st.sampled_from([0, 1, 2]), st.integers(1, 3)), min_size=2, max_size=25
    ),
    new=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=5),
)
def test_the_tree_answers_like_a_plain_recursion(rows, new):
    X = np.array([row[:3] for row in rows], dtype=object)
    y, weights = np.array([row[3] for row in rows]), np.array([row[4] for row in rows])
    estimator = ID3Classifier().fit(X, y, sample_weight=weights)
    place = {label: k for k, label in enumerate(estimator.classes_.tolist())}
    reference = plain_id3(X.tolist(), [place[label] for label in y.tolist()], weights.tolist(), len(place))
    expected = [walk(reference, row) for row in X.tolist()]
    np.testing.assert_allclose(estimator.predict_proba(X), expected, atol=1e-12)
    # A value that the node's rows do not have: whether its branch is empty or absent, the node answers.
    expected = [walk(reference, list(row)) for row in new]
    found = estimator.predict_proba(np.array(new, dtype=object).reshape(-1, 3))
    np.testing.assert_allclose(found, expected, atol=1e-12)


# --- numbers as symbols
# ------------------------------------------------------------------------------------------------------------


def test_numbers_are_symbols_in_ascending_order_whatever_the_container():
    values, y = [3, 1, 2, 1, 3, 2], [0, 1, 0, 1, 0, 1]
    tables = [
        np.array(values)[:, None],
        np.array(values, dtype=np.float32)[:, None],
        [[value] for value in values],
        pd.DataFrame({"x": values}),
        pl.DataFrame({"x": values}),
        pd.DataFrame({"x": pd.array(values, dtype="Int64")}),
    ]
    for table in tables:
        estimator = ID3Classifier().fit(table, y)
        (feature,) = estimator.model_.schema.features
        assert (feature.kind, feature.categories) == ("nominal", (1, 2, 3))
        assert estimator.tree_.n_children[0] == 3
        assert estimator.predict_proba(table)[:, 1].tolist() == [0, 1, 0.5, 1, 0, 0.5]


def test_an_unseen_number_stops_at_the_node_that_asks_for_it():
    X = [[1.5, 0], [1.5, 1], [2.5, 0], [2.5, 0], [2.5, 0]]
    estimator = ID3Classifier().fit(X, [0, 1, 1, 1, 1])
    assert estimator.tree_.feature[0] == 0
    found = estimator.predict_proba([[1.75, 0], [1.5, 7], [np.nextafter(1.5, 2), 0]])
    np.testing.assert_allclose(found, [[0.2, 0.8], [0.5, 0.5], [0.2, 0.8]])


def test_numbers_are_matched_as_float64():
    estimator = ID3Classifier().fit([[0.1], [0.2]], [0, 1])
    assert estimator.predict_proba(np.array([[0.1]])).tolist() == [[1, 0]]
    assert estimator.predict_proba(np.array([[0.1]], dtype=np.float32)).tolist() == [[0.5, 0.5]]


def test_infinity_is_a_symbol_like_any_other():
    X = [[np.inf], [-np.inf], [0.0], [-0.0]]
    estimator = ID3Classifier().fit(X, [0, 1, 2, 2])
    assert estimator.model_.schema.features[0].categories == (-np.inf, 0.0, np.inf)
    assert estimator.predict(X).tolist() == [0, 1, 2, 2]


def test_ordered_categories_and_booleans_have_a_branch_each():
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L"], ordered=True),
            "flag": [True, True, True, True],
        }
    )
    estimator = ID3Classifier().fit(frame, [0, 1, 2, 0])
    assert words(estimator) == {"size = S": [1, 0, 0], "size = M": [0, 0, 1], "size = L": [0, 1, 0]}
    assert estimator.model_.schema.features[1].categories == (False, True)


def test_columns_of_many_numbers_are_named_in_one_warning():
    frame = pd.DataFrame(
        {"price": np.arange(50) / 3, "id": np.arange(50), "few": np.arange(50) % 20, "t": list("ab") * 25}
    )
    y = np.arange(50) % 2
    with pytest.warns(ManySymbolsWarning, match="C45Classifier.*KBinsDiscretizer") as caught:
        ID3Classifier().fit(frame, y)
    assert len(caught) == 1
    assert issubclass(ManySymbolsWarning, UserWarning)
    message = str(caught[0].message)
    assert "'price' (50 distinct values), 'id' (50 distinct values)" in message
    assert "'few'" not in message and "'t'" not in message
    assert caught[0].filename == __file__


def test_a_column_that_is_listed_as_categorical_is_not_warned_about():
    X = np.column_stack([np.arange(50), np.arange(50) % 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ID3Classifier(categorical_features=[0]).fit(X, np.arange(50) % 2)


def test_at_most_five_columns_are_listed():
    X = np.tile(np.arange(30.0)[:, None], (1, 8))
    with pytest.warns(ManySymbolsWarning, match=r"'x4' \(30 distinct values\) and 3 more columns\."):
        ID3Classifier().fit(X, np.arange(30) % 2)


# --- branches without rows
# ------------------------------------------------------------------------------------------------------------


def test_a_declared_category_without_rows_has_a_branch_with_the_classes_of_its_parent():
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b", "a", "a"], categories=["never", "a", "b"])})
    estimator = ID3Classifier().fit(frame, [0, 1, 0, 1])
    assert list(words(estimator)) == ["c = never", "c = a", "c = b"]
    assert estimator.tree_.weighted_n_node_samples.tolist() == [4, 0, 3, 1]
    assert estimator.predict_proba(pd.DataFrame({"c": ["never"]})).tolist() == [[0.5, 0.5]]


def test_missing_is_a_value_of_its_own():
    X = np.array([["a"], ["b"], [None], [None]], dtype=object)
    estimator = ID3Classifier().fit(X, [0, 1, 2, 2])
    assert list(words(estimator)) == ["x0 = a", "x0 = b", "x0 is missing"]
    assert estimator.predict(X).tolist() == [0, 1, 2, 2]
    assert estimator.predict_proba([["new"]]).tolist() == [[0.25, 0.25, 0.5]]


def test_a_missing_value_stops_where_training_had_none():
    estimator = ID3Classifier().fit([["a"], ["b"], ["b"]], [0, 1, 1])
    assert list(words(estimator)) == ["x0 = a", "x0 = b"]
    np.testing.assert_allclose(estimator.predict_proba([[None], ["c"]]), [[1 / 3, 2 / 3]] * 2)


def test_a_column_without_a_known_value_is_never_tested():
    frame = pd.DataFrame({"nothing": [None] * 4, "number": [np.nan] * 4, "c": list("abab")})
    estimator = ID3Classifier().fit(frame, [0, 1, 0, 1])
    assert estimator.feature_importances_.tolist() == [0, 0, 1]
    known = frame.assign(nothing="x", number=1.0)
    assert estimator.predict(known).tolist() == [0, 1, 0, 1]


# --- classes, thresholds, weights
# ------------------------------------------------------------------------------------------------------------


def test_the_declared_order_breaks_ties():
    X = [["a"], ["a"], ["b"]]
    y = pd.Categorical(["yes", "no", "yes"], categories=["maybe", "yes", "no"])
    estimator = ID3Classifier().fit(X, y)
    assert estimator.classes_.tolist() == ["no", "yes"]
    assert estimator.class_order_.tolist() == ["maybe", "yes", "no"]
    assert estimator.predict_proba([["a"]]).tolist() == [[0.5, 0.5]]
    assert estimator.predict([["a"]]).tolist() == ["yes"]
    assert ID3Classifier().fit(X, ["yes", "no", "yes"]).predict([["a"]]).tolist() == ["no"]


def test_probabilities_stand_in_the_order_of_the_sorted_classes():
    X = [["a"], ["b"], ["c"], ["c"]]
    y = pd.Categorical(["z", "m", "k", "k"], categories=["z", "k", "m"])
    estimator = ID3Classifier().fit(X, y)
    assert estimator.classes_.tolist() == ["k", "m", "z"]
    assert estimator.predict_proba([["a"], ["b"], ["c"]]).tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert estimator.tree_.value[0, 0].tolist() == [0.5, 0.25, 0.25]


def test_a_split_without_gain_is_made_only_without_a_threshold():
    X, y = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]], [0, 1, 1, 0]
    assert ID3Classifier().fit(X, y).get_n_leaves() == 1
    estimator = ID3Classifier(min_gain=None).fit(X, y)
    assert estimator.predict(X).tolist() == y


def test_the_gain_must_exceed_the_threshold():
    X, y, _, _ = load_tennis()
    gain = float(ID3Classifier().fit(X, y).tree_.gain[0]) / 14
    assert ID3Classifier(min_gain=gain * (1 - 1e-9)).fit(X, y).get_n_leaves() > 1
    with pytest.warns(UserWarning, match="no split was within min_gain"):
        assert ID3Classifier(min_gain=gain * (1 + 1e-9)).fit(X, y).get_n_leaves() == 1


def test_a_gain_below_a_millionth_counts_as_none():
    X = np.array([["a"], ["b"]] * 2, dtype=object)
    y, tiny = [0, 0, 1, 1], 1e-4
    estimator = ID3Classifier().fit(X, y, sample_weight=[1 + tiny, 1, 1, 1])
    assert estimator.get_n_leaves() == 1
    assert ID3Classifier().fit(X, y, sample_weight=[1.01, 1, 1, 1]).get_n_leaves() == 2


def test_bad_weights_are_refused():
    X, y = [["a"], ["b"]], [0, 1]
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        ID3Classifier().fit(X, y, sample_weight=[1, -1])
    with pytest.raises(ValueError, match="at least one non-zero number"):
        ID3Classifier().fit(X, y, sample_weight=[0, 0])


def test_one_class_gives_a_single_leaf():
    estimator = ID3Classifier().fit([["a"], ["b"]], ["only", "only"])
    assert estimator.get_n_leaves() == 1
    assert estimator.predict([["c"]]).tolist() == ["only"]


# --- an algorithm with a loss of its own
# ------------------------------------------------------------------------------------------------------------


class GiniBranches(ID3Classifier):
    """One branch per category, by the Gini index: a recipe that fixes another loss than the entropy."""

    recipe = Recipe(criterion="gini", categories="multiway", missing="own_branch")


@pytest.mark.parametrize("from_data", [False, True])
def test_reports_name_the_loss_that_a_recipe_fixes(from_data):
    X, y, names, _ = load_tennis()
    table = pd.DataFrame(X, columns=names)
    fitted = GiniBranches().fit(table, y)
    report = fitted.explain_split(0, table, y) if from_data else fitted.explain_split(0)
    assert (fitted.model_.criterion, report.criterion, report.ranking) == ("gini", "gini", "decrease")
    assert report.impurity == pytest.approx(1 - (9 / 14) ** 2 - (5 / 14) ** 2)
    assert "gini" in export_summary(fitted) and "gini" in export_text(fitted, show=("impurity",))
    old = replace(fitted.model_, facts={"max_features": 4})  # a file of the first versions
    assert old.criterion == "gain" == ID3Classifier().fit(table, y).model_.criterion
