from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright
from treewright import C45Classifier, CARTClassifier, CARTRegressor, Grower, ID3Classifier
from treewright.datasets import load_tennis
from treewright.export import export_text

UNPRUNED = {"faithful": "j48", "prune": None, "collapse": False}
ESTIMATORS: list[Any] = [
    CARTClassifier(),
    CARTClassifier(criterion="entropy", max_depth=3, missing="majority"),
    CARTClassifier(max_features=2, random_state=1),
    CARTClassifier(max_leaf_nodes=6),
    ID3Classifier(),
    C45Classifier(faithful="textbook"),
    ID3Classifier(prune="pessimistic_error"),
    C45Classifier(faithful="textbook", criterion="gain"),
    C45Classifier(**UNPRUNED),
    C45Classifier(**UNPRUNED, binary_splits=True),
    C45Classifier(faithful="j48"),
    C45Classifier(faithful="j48", subtree_raising=False, laplace=True),
    C45Classifier(faithful="j48", binary_splits=True, confidence_factor=0.4),
    C45Classifier(),
    C45Classifier(prune=None),
    C45Classifier(criterion="gain"),
    C45Classifier(group_values=True),
    C45Classifier(n_candidates=0, confidence_factor=0.1),
    CARTClassifier(ccp_alpha=0.02),
    CARTClassifier(prune="cost_complexity", cv=3, random_state=0),
    CARTClassifier(prune="pessimistic_error"),
    CARTClassifier(prune="reduced_error", random_state=3),
    CARTClassifier(early_stopping="cv", cv=3, random_state=0),
    CARTClassifier(class_weight="balanced", min_impurity_decrease=0.005),
    CARTRegressor(),
    CARTRegressor(prune="loss", alpha_total=3.0),
    CARTRegressor(criterion="absolute_error", min_samples_leaf=4),
    CARTRegressor(criterion="poisson", max_leaf_nodes=8),
    CARTRegressor(monotonic_cst=[1, 0, 0, 0]),
]


def table(seed: int, n: int = 80) -> tuple[pd.DataFrame, Any, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "fine": rng.standard_normal(n),
            "coarse": rng.integers(0, 5, n).astype(float),
            "colour": pd.Categorical(
                rng.choice(["red", "green", "blue"], n), ["red", "green", "blue", "grey"]
            ),
            "shape": rng.choice(["a", "b"], n),
        }
    )
    signal = frame["fine"] + (frame["colour"] == "red") * 1.5 + 0.3 * rng.standard_normal(n)
    for column in ("fine", "colour"):
        frame.loc[rng.random(n) < 0.15, column] = None
    return frame, np.exp(signal.to_numpy()), rng.choice([1.0, 2.0, 0.5], n)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_tree_grown_to_the_end_equals_fit(estimator: Any, weighted: bool) -> None:
    X, y, weights = table(3)
    target = y if isinstance(estimator, CARTRegressor) else np.digitize(y, [1.0, 3.0])
    sample_weight = weights if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = clone(estimator).fit(X, target, sample_weight)
        grown = Grower(estimator, X, target, sample_weight).grow().to_estimator()
    ours, theirs = grown.tree_.to_arrays(), fitted.tree_.to_arrays()
    assert ours.keys() == theirs.keys()
    for name in ours:
        if ours[name].dtype.kind != "f" or "threshold" in name:
            assert np.array_equal(ours[name], theirs[name], equal_nan="threshold" in name), name
        else:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-9, err_msg=name)
    assert not grown.is_edited_ and not fitted.is_edited_
    assert grown.get_params() == fitted.get_params()
    assert grown.model_.facts.keys() == fitted.model_.facts.keys()
    if isinstance(estimator, CARTRegressor):
        np.testing.assert_allclose(grown.predict(X), fitted.predict(X))
    else:
        assert np.array_equal(grown.predict(X), fitted.predict(X))


def test_a_tree_that_is_not_finished_stays_as_it_is() -> None:
    X, y, _ = table(3)
    labels = np.digitize(y, [1.0, 3.0])
    grower = Grower(C45Classifier(), X, labels).grow(levels=2)
    assert grower.to_estimator().tree_.node_count == len(grower._state.nodes)
    by_steps = Grower(CARTClassifier(max_depth=2, ccp_alpha=0.15), X, labels)
    by_steps.split(0)
    for node in by_steps.leaves:
        by_steps.split(node)
    fitted = CARTClassifier(max_depth=2, ccp_alpha=0.15).fit(X, labels)
    assert by_steps.to_estimator().get_n_leaves() == fitted.get_n_leaves() < len(by_steps.leaves)
    assert str(by_steps).count("\n") > str(fitted.tree_).count("\n")


def tennis(**params: Any) -> Grower:
    X, y, names, _ = load_tennis()
    return Grower(C45Classifier(**params), X, y, feature_names=names)


def test_candidates_are_those_of_the_report() -> None:
    X, y, names, _ = load_tennis()
    report = tennis().candidates(0)
    own = C45Classifier().fit(X, y).explain_split(0, X, y, feature_names=names)
    assert report.candidates == own.candidates
    after = tennis().split(0).candidates(1)
    assert after.condition == ("outlook = sunny",) and after.winner.feature == "humidity"


def test_levels_are_grown_one_by_one() -> None:
    grower = tennis().grow(levels=1)
    assert grower.leaves == (1, 2, 3)
    assert len(grower.grow(levels=1).leaves) == 5


def test_actions_are_taken_back_and_done_again() -> None:
    grower = tennis().split(0).split(1)
    assert len(grower.leaves) == 4
    assert grower.undo().leaves == (1, 2, 3) and grower.undo().leaves == (0,)
    assert grower.redo().leaves == (1, 2, 3)
    grower.split(3)
    with pytest.raises(ValueError, match="nothing to redo"):
        grower.redo()
    grower.undo().undo()
    with pytest.raises(ValueError, match="nothing to undo"):
        grower.undo()


def test_a_tree_made_by_hand_says_so_everywhere() -> None:
    grower = tennis().split(0, feature="humidity").grow()
    estimator = grower.to_estimator()
    assert estimator.is_edited_ and grower.is_edited
    assert export_text(estimator).startswith("edited by hand: 1 of")
    assert repr(grower).endswith(
        f"1 of {estimator.tree_.node_count - estimator.get_n_leaves()} splits by hand>"
    )
    assert estimator.tree_.feature[0] == 2
    file = io.BytesIO()
    estimator.save(file)
    file.seek(0)
    assert treewright.load(file).is_edited_
    assert tennis().grow().prune_node(1).to_estimator().is_edited_


def test_the_code_repeats_the_tree() -> None:
    X = np.random.default_rng(0).standard_normal((60, 3))
    y = (X[:, 0] > 0.2).astype(int)
    g = Grower(CARTClassifier(max_depth=3), X, y)
    g.split(0, feature="x1", threshold=0.1).grow(levels=1).prune_node(1).split(1, feature=2)
    names = {"treewright": treewright, "CARTClassifier": CARTClassifier, "X": X, "y": y}
    exec(g.to_code(), names)
    ours, theirs = g.to_estimator().tree_.to_arrays(), names["est"].tree_.to_arrays()
    assert all(np.array_equal(ours[name], theirs[name], equal_nan=True) for name in ours)
    assert "g.split(0, feature='x1', threshold=0.1)" in g.to_code()


def test_a_test_of_ones_own_sends_rows_where_prediction_does() -> None:
    X, y, _ = table(5)
    grower = Grower(CARTClassifier(), X, np.digitize(y, [1.0]))
    grower.split(0, feature="colour", categories=["red"]).split(1, feature="fine", threshold=0.25)
    tree = grower.to_estimator()
    counts = np.asarray(tree.decision_path(X).sum(axis=0)).ravel()
    assert counts.tolist() == tree.tree_.n_node_samples.tolist()
    assert tree.tree_.n_node_samples[1] + tree.tree_.n_node_samples[2] == 80
    restored = tree.from_model(tree.model_)
    assert np.array_equal(restored.predict(X), tree.predict(X))


def test_mistakes_are_answered_in_sentences() -> None:
    X, y, _, _ = load_tennis()
    grower = tennis()
    with pytest.raises(TypeError, match="single tree of Treewright"):
        Grower("cart", X, y)
    with pytest.raises(IndexError, match="node 5 does not exist"):
        grower.split(5)
    with pytest.raises(ValueError, match="levels must be 1 or more"):
        tennis().grow(levels=0)
    with pytest.raises(ValueError, match=r"no feature 'humidty'\. Did you mean 'humidity'"):
        tennis().split(0, feature="humidty")
    with pytest.raises(TypeError, match="number of a node"):
        tennis().candidates("root")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="There is no feature 'rain'"):
        grower.split(0, feature="rain")
    with pytest.raises(ValueError, match="has no numbers: pass categories="):
        grower.split(0, feature="wind", threshold=1.0)
    with pytest.raises(ValueError, match="has no category 'stormy'"):
        grower.split(0, feature="wind", categories=["stormy"])
    with pytest.raises(ValueError, match="need a feature"):
        grower.split(0, threshold=1.0)
    with pytest.raises(ValueError, match="is split already"):
        grower.split(0).split(0)
    with pytest.raises(ValueError, match="all rows have the same class"):
        grower.split(2)
    with pytest.raises(ValueError, match="'outlook' offers no test at node 1: one value only"):
        grower.split(1, feature="outlook")
    with pytest.raises(ValueError, match="is a leaf already"):
        grower.prune_node(1)
    with pytest.raises(ValueError, match="without rows"):
        Grower(CARTClassifier(), [[1.0], [2.0]], [0, 1]).split(0, feature="x0", threshold=9.0)
    with pytest.raises(ValueError, match="substitute tests"):
        Grower(CARTClassifier(missing="surrogate"), X, y)
