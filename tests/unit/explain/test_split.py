from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

from treewright import CARTClassifier, CARTRegressor
from treewright.datasets import load_cricket, load_loans, load_tennis
from treewright.explain import explain_split
from treewright.measures import gini


def test_the_loans_have_the_numbers_of_the_book() -> None:
    X, y, names, _ = load_loans()
    report = explain_split(CARTClassifier().fit(X, y), 0, X, y, feature_names=names)
    after = {candidate.feature: round(candidate.impurity_after, 4) for candidate in report.candidates}
    assert after == {"house": 0.2667, "job": 0.32, "credit": 0.32, "age": 0.44}
    assert report.impurity == pytest.approx(0.48)
    assert report.winner is not None and report.winner.feature == "house"
    assert report.margin == pytest.approx(0.32 - 4 / 15)


def test_the_cricket_players_are_split_by_gender() -> None:
    X, y, names, _ = load_cricket()
    report = explain_split(CARTClassifier().fit(X, y), 0, X, y, feature_names=names)
    after = {candidate.feature: round(candidate.impurity_after, 4) for candidate in report.candidates}
    assert after == {"gender": 0.41, "height": 0.4907, "class": 0.4911}


@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame])
def test_every_inner_node_is_explained_with_its_own_gain(make_frame: type) -> None:
    X, y, names, _ = load_tennis()
    frame = make_frame({name: X[:, i].astype(str) for i, name in enumerate(names)})
    tree = CARTClassifier().fit(frame, y)
    view = tree.model_.view()
    for node in view:
        report = explain_split(tree, node.id, frame, y)
        assert report.n == node.rows
        if node.is_leaf:
            assert report.winner is None and report.margin is None
            continue
        assert report.winner is not None
        assert report.winner.decrease == pytest.approx(node.gain / node.weight)
        assert max(c.decrease for c in report.candidates) == pytest.approx(report.winner.decrease)
        assert report.winner.feature == view.schema.features[int(tree.tree_.feature[node.id])].name


def test_the_text_puts_the_numbers_into_the_formulas() -> None:
    X, y, names, _ = load_loans()
    text = str(explain_split(CARTClassifier().fit(X, y), 0, X, y, feature_names=names))
    assert "Gini = 1 − (9/15)² − (6/15)² = 0.4800" in text
    assert "decrease 0.4800 − 0.2667 = 0.2133" in text
    assert "9/15·0.4444 (no) + 6/15·0.0000 (yes) = 0.2667" in text or (
        "6/15·0.0000 (yes) + 9/15·0.4444 (no) = 0.2667" in text
    )


def test_equal_columns_are_called_a_tie() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    text = str(explain_split(CARTClassifier().fit(X, [0, 0, 1]), 0, X, [0, 0, 1]))
    assert "x0" in text and "← chosen (tie: the first column wins)" in text and "exact tie" in text


def test_a_constant_column_has_no_admissible_test() -> None:
    X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]])
    y = [1.0, 2.0, 9.0]
    report = explain_split(CARTRegressor().fit(X, y), 0, X, y)
    assert report.class_weights is None
    assert [candidate.branches == () for candidate in report.candidates] == [False, True]
    assert "x1: no admissible test" in str(report)


def test_weights_count() -> None:
    X, y, _, _ = load_tennis()
    weights = np.arange(1.0, 15.0)
    tree = CARTClassifier().fit(X, y, sample_weight=weights)
    report = explain_split(tree, 0, X, y, weights)
    assert report.impurity == pytest.approx(gini(y, weights))
    assert report.winner is not None
    assert report.winner.decrease == pytest.approx(tree.tree_.gain[0] / weights.sum())


def test_shares_of_all_rows_stay_shares_of_all_rows() -> None:
    X = np.arange(20.0).reshape(-1, 1)
    y = [0] * 10 + [1] * 3 + [0] * 7
    for limit in ({"min_samples_leaf": 0.2}, {"min_weight_fraction_leaf": 0.2}):
        tree = CARTClassifier(**limit).fit(X, y)
        view = tree.model_.view()
        for node in view:
            report = explain_split(tree, node.id, X, y)
            if not node.is_leaf:
                assert report.winner is not None
                assert report.winner.decrease == pytest.approx(node.gain / node.weight)
            for candidate in report.candidates:
                assert all(branch.n >= 4 for branch in candidate.branches)


def test_listed_categories_stay_categories() -> None:
    X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [1.0, 4.0]])
    y = [0, 1, 0, 0]
    tree = CARTClassifier(categorical_features=[0]).fit(X, y)
    first = explain_split(tree, 0, X, y).candidates[0]
    assert first.feature == "x0" and first.chosen and first.decrease == pytest.approx(gini(y))


def test_other_rows_than_those_of_fit_are_refused() -> None:
    X, y, _, _ = load_tennis()
    with pytest.raises(ValueError, match="13 of these rows reach node 0, but 14 did in fit"):
        explain_split(CARTClassifier().fit(X, y), 0, X[1:], y[1:])


def test_class_weights_are_refused() -> None:
    X, y, _, _ = load_tennis()
    with pytest.raises(ValueError, match="class_weight"):
        explain_split(CARTClassifier(class_weight="balanced").fit(X, y), 0, X, y)


def test_the_trees_of_others_are_refused():
    with pytest.raises(TypeError, match="takes a Treewright estimator, not DecisionTreeClassifier"):
        explain_split(DecisionTreeClassifier().fit([[1], [2]], [0, 1]), 0, [[1], [2]], [0, 1])
