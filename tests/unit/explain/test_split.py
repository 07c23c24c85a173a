from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from treewright import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.datasets import load_cricket, load_loans, load_tennis
from treewright.measures import gini


def reasons(report: Any) -> dict[str, str]:
    return {candidate.feature: candidate.reason for candidate in report.candidates}


def test_the_loans_have_the_numbers_of_the_book() -> None:
    X, y, names, _ = load_loans()
    report = CARTClassifier().fit(X, y).explain_split(0, X, y, feature_names=names)
    after = {candidate.feature: round(candidate.impurity_after, 4) for candidate in report.candidates}
    assert after == {"house": 0.2667, "job": 0.32, "credit": 0.32, "age": 0.44}
    assert report.impurity == pytest.approx(0.48)
    assert report.winner is not None and report.winner.feature == "house"
    assert report.margin == pytest.approx(0.32 - 4 / 15)


def test_the_cricket_players_are_split_by_gender() -> None:
    X, y, names, _ = load_cricket()
    report = CARTClassifier().fit(X, y).explain_split(0, X, y, feature_names=names)
    after = {candidate.feature: round(candidate.impurity_after, 4) for candidate in report.candidates}
    assert after == {"gender": 0.41, "height": 0.4907, "class": 0.4911}


def test_id3_compares_gains() -> None:
    X, y, names, _ = load_loans()
    report = ID3Classifier().fit(X, y).explain_split(0, X, y, feature_names=names)
    gains = {candidate.feature: round(candidate.gain, 4) for candidate in report.candidates}
    assert gains == {"age": 0.0830, "job": 0.3237, "house": 0.4200, "credit": 0.3630}
    assert report.ranking == "gain" and report.average_gain is None


@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame])
def test_every_inner_node_is_explained_with_its_own_gain(make_frame: type) -> None:
    X, y, names, _ = load_tennis()
    frame = make_frame({name: X[:, i].astype(str) for i, name in enumerate(names)})
    tree = CARTClassifier().fit(frame, y)
    view = tree.model_.view()
    for node in view:
        report = tree.explain_split(node.id, frame, y)
        assert report.n == node.rows
        if node.is_leaf:
            assert report.winner is None and report.margin is None
            assert report.notes[0] == "A leaf: all rows have the same class."
            continue
        assert report.winner is not None
        assert report.winner.decrease == pytest.approx(node.gain / node.weight)
        assert report.winner.feature == view.schema.features[int(tree.tree_.feature[node.id])].name


def test_equal_columns_are_called_a_tie() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    report = CARTClassifier().fit(X, [0, 0, 1]).explain_split(0, X, [0, 0, 1])
    assert report.ties == ("x1",) and report.margin == 0
    assert "← chosen (tie: first column wins)" in str(report) and "exact tie" in str(report)


def test_weights_and_class_weights_count() -> None:
    X, y, _, _ = load_tennis()
    weights = np.arange(1.0, 15.0)
    tree = CARTClassifier().fit(X, y, sample_weight=weights)
    report = tree.explain_split(0, X, y, weights)
    assert report.impurity == pytest.approx(gini(y, weights))
    assert report.winner is not None
    assert report.winner.decrease == pytest.approx(tree.tree_.gain[0] / weights.sum())
    balanced = CARTClassifier(class_weight="balanced").fit(X, y).explain_split(0, X, y)
    assert balanced.class_weights == pytest.approx((7.0, 7.0))


def test_reasons_name_the_limit_that_forbids_a_test() -> None:
    X = np.array([[0.0, 5.0, 0.0], [1.0, 5.0, 0.0], [2.0, 5.0, 0.0], [3.0, 5.0, 1.0]])
    y = [1.0, 1.0, 9.0, 9.0]
    report = CARTRegressor(min_samples_leaf=2).fit(X, y).explain_split(0, X, y)
    assert reasons(report) == {"x0": "", "x1": "one value only", "x2": "fails min_samples_leaf=2"}
    assert report.classes is None and "no admissible test: one value only" in str(report)
    assert "fails min_samples_leaf=2" in str(report)


def test_reasons_tell_what_gains_too_little() -> None:
    X, y, names, _ = load_tennis()
    c45 = C45Classifier().fit(X, y).explain_split(0, X, y, feature_names=names)
    assert reasons(c45)["wind"] == "gain below average 0.1190"
    id3 = ID3Classifier(min_gain=0.1).fit(X, y).explain_split(0, X, y, feature_names=names)
    assert reasons(id3) == {"outlook": "", "humidity": "", "wind": "gain ≤ min_gain=0.1",
                            "temperature": "gain ≤ min_gain=0.1"}  # fmt: skip
    cart = CARTClassifier(min_impurity_decrease=0.05).fit(X, y).explain_split(0, X, y, feature_names=names)
    assert reasons(cart)["wind"] == "decrease 0.0306 of all rows below min_impurity_decrease=0.05"


@pytest.mark.parametrize("mode", ["r8", "j48", "textbook"])
def test_cuts_of_ordered_categories_have_no_distance(mode: str) -> None:
    X = pd.DataFrame({"size": pd.Categorical(list("SMLX") * 10, categories=list("SMLX"), ordered=True)})
    y = [0, 0, 1, 1] * 10
    for tree in (C45Classifier(faithful=mode), CARTClassifier()):
        cuts = tree.fit(X, y).explain_split(0, X, y, cuts=True).candidates[0].cuts
        assert cuts.threshold == (1.5, 2.5, 3.5) and cuts.left == (10, 20, 30)
        assert all(cuts.admissible) and np.argmax(cuts.gain) == 1


def test_c45_says_what_a_cut_costs_and_how_much_is_known() -> None:
    values = np.array([85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, np.nan])
    y = np.where(np.isnan(values) | (values > 80), "no", "yes")
    X = pd.DataFrame({"outlook": load_tennis().X[:, 0], "humidity": values})
    report = C45Classifier(prune=None).fit(X, y).explain_split(0, X, y, cuts=True)
    humidity = next(c for c in report.candidates if c.feature == "humidity")
    assert humidity.known == pytest.approx(13 / 14)
    assert humidity.tries == sum(humidity.cuts.admissible)
    assert humidity.cost == pytest.approx(np.log2(humidity.tries) / 14)
    assert len(humidity.cuts.gain) == 8 and max(humidity.cuts.gain) - humidity.cost == pytest.approx(
        humidity.gain
    )
    assert f"13/14·(0.9612 − 0.0000) − log2({humidity.tries})/14 = {humidity.gain:.4f}" in str(report)
    by_noise = load_tennis().y
    other = C45Classifier(prune=None).fit(X, by_noise).explain_split(0, X, by_noise)
    assert "cuts gains less than it costs" in reasons(other)["humidity"]


def test_the_curve_has_its_maximum_at_the_chosen_cut() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = X[:, 1] + 0.1 * rng.standard_normal(200)
    for criterion in ("squared_error", "absolute_error"):
        tree = CARTRegressor(criterion=criterion).fit(X, y)
        winner = tree.explain_split(0, X, y, cuts=True).winner
        best = int(np.argmax(winner.cuts.gain))
        assert winner.feature == "x1"
        assert winner.cuts.threshold[best] == winner.threshold == tree.tree_.threshold[0]
        assert winner.cuts.gain[best] == pytest.approx(winner.gain, rel=1e-12)
        assert len(winner.cuts.gain) == 199
    assert tree.explain_split(0, X, y).winner.cuts is None


def test_the_stored_tree_alone_knows_its_winner() -> None:
    X, y, names, _ = load_tennis()
    for algorithm in (CARTClassifier, C45Classifier, ID3Classifier):
        tree = algorithm().fit(X, y)
        stored = tree.explain_split(0, feature_names=names)
        searched = tree.explain_split(0, X, y, feature_names=names)
        assert [c.feature for c in stored.candidates] == [c.feature for c in searched.candidates]
        assert stored.margin == pytest.approx(searched.margin)
        assert (stored.average_gain, stored.ties) == (searched.average_gain, searched.ties)
        for name in ("gain", "decrease", "impurity_after", "split_info", "gain_ratio"):
            ours, theirs = getattr(stored.winner, name), getattr(searched.winner, name)
            assert ours == (None if theirs is None else pytest.approx(theirs, rel=1e-6)), name
        assert [b.n for b in stored.winner.branches] == [b.n for b in searched.winner.branches]


def test_another_algorithm_is_asked_about_the_same_rows() -> None:
    X, y, names, _ = load_tennis()
    tree = C45Classifier().fit(X, y)
    cart = tree.explain_split(0, X, y, as_="cart", feature_names=names)
    own = CARTClassifier().fit(X, y).explain_split(0, X, y, feature_names=names)
    assert cart.candidates == own.candidates
    assert cart.notes[0] == (
        "The tree itself (C4.5) tests outlook (gain ratio 0.1564); CART would test outlook (decrease 0.1020)."
    )
    assert tree.explain_split(1, X, y, as_="id3").ranking == "gain"


def test_feature_subsets_say_what_was_not_drawn() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6))
    y = (X[:, 0] > 0).astype(int)
    tree = CARTClassifier(max_features=2, random_state=1).fit(X, y)
    report = tree.explain_split(0, X, y)
    assert sorted(reasons(report).values()) == [""] * 2 + ["not drawn by max_features=2"] * 4
    unknown = CARTClassifier(max_features=2).fit(X, y).explain_split(0, X, y)
    assert "random_state is no integer" in unknown.notes[0]


def test_parameters_changed_after_fit_change_nothing() -> None:
    X, y, _, _ = load_tennis()
    tree = CARTClassifier().fit(X, y)
    before = tree.explain_split(0, X, y)
    assert tree.set_params(criterion="entropy", min_samples_leaf=7).explain_split(0, X, y) == before


def test_mistakes_are_answered_in_sentences() -> None:
    X, y, _, _ = load_tennis()
    tree = CARTClassifier().fit(X, y)
    with pytest.raises(NotFittedError):
        CARTClassifier().explain_split(0)
    with pytest.raises(IndexError, match="node 99 does not exist; the tree has the nodes 0 to"):
        tree.explain_split(99)
    with pytest.raises(ValueError, match="Node 2 is a leaf: it tests nothing"):
        tree.explain_split(2)
    with pytest.raises(ValueError, match="Pass X and y together"):
        tree.explain_split(0, X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        tree.explain_split(0, X, y[1:])
    with pytest.raises(ValueError, match="13 of these rows reach node 0, but 14 did in fit"):
        tree.explain_split(0, X[1:], y[1:])
    with pytest.raises(ValueError, match="has 3 features, but CARTClassifier is expecting 4"):
        tree.explain_split(0, X[:, :3], y)
    with pytest.raises(ValueError, match="has categories that fit did not see"):
        tree.explain_split(0, np.where(X == "sunny", "foggy", X), y)
    with pytest.raises(ValueError, match="y has the classes"):
        tree.explain_split(0, X, np.where(y == "yes", "maybe", y))
    with pytest.raises(ValueError, match="as_ must be one of"):
        tree.explain_split(0, X, y, as_="c5")
    with pytest.raises(IndexError, match="tree=1 does not exist"):
        tree.explain_split(0, tree=1)
    with pytest.raises(ValueError, match="feature_names has 1 names"):
        tree.explain_split(0, feature_names=["a"])
    with pytest.raises(ValueError, match="pass X and y, those of fit"):
        tree.explain_split(0, cuts=True)
    with pytest.raises(ValueError, match="predicts numbers"):
        CARTRegressor().fit([[1], [2]], [0.0, 1.0]).explain_split(0, [[1], [2]], [0.0, 1.0], as_="id3")


def test_a_leaf_says_why_it_is_one() -> None:
    X, y, _, _ = load_tennis()
    shallow = CARTClassifier(max_depth=1).fit(X, y)
    assert shallow.explain_split(1, X, y).notes[0] == "A leaf: max_depth=1 is reached."
    pruned = CARTClassifier(ccp_alpha=0.09).fit(X, y)
    leaf = next(n.id for n in pruned.model_.view().leaves() if n.impurity > 0)
    assert "pruning took the test back" in pruned.explain_split(leaf, X, y).notes[0]
    small = CARTClassifier(min_samples_split=12).fit(X, y)
    leaf = next(n.id for n in small.model_.view().leaves() if n.impurity > 0)
    assert "fewer than 12" in small.explain_split(leaf, X, y).notes[0]
