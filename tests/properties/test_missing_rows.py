"""Nodes know how many training rows had no value of the feature that they test: counted again, row by row."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright

TREES = {
    "cart": lambda: treewright.CARTClassifier(),
    "cart, categories too": lambda: treewright.CARTClassifier(missing="majority", max_leaf_nodes=7),
    "cart with surrogates": lambda: treewright.CARTClassifier(missing="surrogate", max_depth=4),
    "cart, pruned": lambda: treewright.CARTClassifier(ccp_alpha=0.01),
    "cart, pessimistic": lambda: treewright.CARTClassifier(prune="pessimistic_error"),
    "c4.5": lambda: treewright.C45Classifier(),
    "c4.5, raised": lambda: treewright.C45Classifier(faithful="j48", min_samples_branch=1),
    "c4.5, not pruned": lambda: treewright.C45Classifier(prune=None),
    "id3": lambda: treewright.ID3Classifier(categorical_features=["size", "colour"]),
}


def table(seed, n):
    """Rows with gaps in both columns; numbers of few values, so that ID3 can have them too."""
    generator = np.random.default_rng(seed)
    size = generator.integers(0, 6, n).astype(float)
    colour = generator.choice(["red", "green", "blue"], n).astype(object)
    noise = generator.random(n)
    y = pd.Series(np.where(size + 2 * (colour == "red") + 3 * noise > 5, "yes", "no"), name="answer")
    size[generator.random(n) < 0.3] = np.nan
    colour[generator.random(n) < 0.3] = None
    weights = generator.integers(1, 4, n).astype(float)
    return pd.DataFrame({"size": size, "colour": pd.Categorical(colour)}), y, weights


def reaching(fitted, X, weights):
    """Return for each node the rows that reach it, with their weight there, following the nodes in words."""
    view = fitted.model_.view()
    arrays = fitted.tree_.to_arrays()
    known = X.notna().to_numpy()
    shares = {0: dict(enumerate(weights.tolist()))}
    leaf_paths = fitted.decision_path(X).toarray().astype(bool)
    for node in view:
        if node.is_leaf:
            continue
        feature = int(arrays["feature"][node.id])
        mine = shares[node.id]
        everywhere = arrays["missing"][node.id] >= 2**32 - 2
        absent = {row for row in mine if not known[row, feature]}
        children = [child.id for child in node.children]
        for child in children:
            taken = {
                r: w for r, w in mine.items() if leaf_paths[r, child] and not (everywhere and r in absent)
            }
            shares[child] = taken
        if everywhere and absent:
            sizes = [sum(shares[child].values()) for child in children]
            for child, size in zip(children, sizes, strict=True):
                if size > 0:
                    shares[child] |= {row: mine[row] * size / sum(sizes) for row in absent}
    return shares, known


@pytest.mark.parametrize("name", TREES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(20, 120), weighted=st.booleans())
def test_missing_rows_are_those_that_reach_the_node_without_a_value(name, seed, n, weighted):
    X, y, weights = table(seed, n)
    weights = weights if weighted else np.ones(n)
    if y.nunique() < 2:
        return
    fitted = TREES[name]().fit(X, y, sample_weight=weights if weighted else None)
    tree = fitted.tree_
    shares, known = reaching(fitted, X, weights)
    for node in range(tree.node_count):
        if tree.kind[node] == 0:
            assert (tree.missing_rows[node], tree.missing_weight[node]) == (0, 0.0)
            continue
        absent = [w for row, w in shares[node].items() if not known[row, tree.feature[node]]]
        assert tree.missing_rows[node] == len(absent)
        np.testing.assert_allclose(tree.missing_weight[node], sum(absent), rtol=1e-5)


def test_a_tree_grown_by_hand_counts_as_fit_does():
    X, y, weights = table(3, 80)
    for estimator in (treewright.CARTClassifier(max_depth=3), treewright.C45Classifier(prune=None)):
        by_hand = treewright.Grower(estimator, X, y, sample_weight=weights).grow().to_estimator()
        fitted = type(estimator)(**estimator.get_params()).fit(X, y, sample_weight=weights)
        assert by_hand.tree_.missing_rows.tolist() == fitted.tree_.missing_rows.tolist()
        assert fitted.tree_.missing_rows.max() > 0
        np.testing.assert_allclose(by_hand.tree_.missing_weight, fitted.tree_.missing_weight, rtol=1e-9)


def test_trees_of_forests_and_files_of_format_1_say_that_it_is_not_known():
    X, y, _ = table(4, 80)
    tree = treewright.RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y).model_.trees[0]
    inner = tree.kind != 0
    assert (tree.missing_rows[inner] == -1).all() and (tree.missing_rows[~inner] == 0).all()
    assert np.isnan(tree.missing_weight[inner]).all()


def test_missing_rows_and_the_name_of_the_target_are_kept_in_a_file():
    X, y, _ = table(5, 80)
    fitted = treewright.CARTClassifier(max_depth=3).fit(X, y)
    file = io.BytesIO()
    fitted.save(file)
    file.seek(0)
    loaded = treewright.load(file)
    assert loaded.tree_.missing_rows.tolist() == fitted.tree_.missing_rows.tolist()
    assert loaded.model_.target_name == fitted.model_.target_name == "answer"
