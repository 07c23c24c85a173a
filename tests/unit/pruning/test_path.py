"""The exact path: scikit-learn's numbers, speed on extreme shapes, refusals."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treewright import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, _core
from treewright.datasets import load_tennis
from treewright.model import Tree
from treewright.pruning import (
    alpha_collapse,
    prune,
    prune_by_loss,
    pruning_path,
    rpart_links,
    weakest_links,
)
from treewright.pruning.risk import total_risk

PAIRS = {
    "gini": (DecisionTreeClassifier, CARTClassifier, load_wine, "gini"),
    "entropy": (DecisionTreeClassifier, CARTClassifier, load_breast_cancer, "entropy"),
    "squared error": (DecisionTreeRegressor, CARTRegressor, load_diabetes, "squared_error"),
}


def chain(node_arrays, depth: int) -> Tree:
    """A tree that splits one row off at every level; later splits gain less."""
    nodes = [{"rows": depth + 1, "weight": depth + 1.0, "loss": depth * (depth + 1) / 2}]
    for level in range(depth):
        rest = depth - level
        nodes[-1] |= {
            "kind": 1, "feature": 0, "threshold": float(level), "first_child": len(nodes), "n_children": 2,
        }  # fmt: skip
        nodes += [{}, {"rows": rest, "weight": float(rest), "loss": rest * (rest - 1) / 2}]
    return Tree(node_arrays(nodes), [0])


def complete(node_arrays, levels: int) -> Tree:
    """A binary tree with all leaves at one depth and random losses that fall towards the leaves."""
    rng = np.random.default_rng(0)
    n_nodes = 2 ** (levels + 1) - 1
    inner = 2**levels - 1
    loss = rng.random(n_nodes)
    for node in range(inner - 1, -1, -1):
        loss[node] += loss[2 * node + 1] + loss[2 * node + 2]
    arrays = node_arrays([{}] * n_nodes)
    arrays["loss"] = loss
    arrays["weight"][0] = 2.0**levels
    arrays["kind"][:inner] = 1
    arrays["n_children"][:inner] = 2
    arrays["first_child"][:inner] = 2 * np.arange(inner) + 1
    return Tree(arrays, [0])


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("weighted", [False, True])
def test_path_and_pruned_trees_are_those_of_scikit_learn(pair, weighted, from_scikit_learn):
    theirs_class, _, load, criterion = PAIRS[pair]
    X, y = load(return_X_y=True)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    params = {"criterion": criterion, "min_samples_leaf": 3, "random_state": 0}
    theirs = theirs_class(**params).fit(X, y, weights)
    path = theirs.cost_complexity_pruning_path(X, y, weights)
    tree = from_scikit_learn(theirs)
    last = np.append(np.diff(path.ccp_alphas) > 1e-10 * path.ccp_alphas[-1], True)
    sequence = weakest_links(tree)
    np.testing.assert_allclose(sequence.alpha, path.ccp_alphas[last], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(sequence.risk, path.impurities[last], rtol=1e-8, atol=1e-12)
    assert len(pruning_path(tree).ccp_alphas) >= len(sequence)
    for index in range(1, len(sequence) - 1, max(1, len(sequence) // 5)):
        alpha = float(np.sqrt(sequence.alpha[index] * sequence.alpha[index + 1]))
        smaller = theirs_class(**params, ccp_alpha=alpha).fit(X, y, weights).tree_
        assert (smaller.n_leaves, smaller.max_depth) == (
            sequence.leaves[index], prune(tree, alpha).max_depth,
        )  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS)
def test_the_estimator_has_the_path_of_scikit_learn(pair):
    theirs_class, ours_class, load, criterion = PAIRS[pair]
    X, y = load(return_X_y=True)
    X = X.astype(np.float32)
    params = {"criterion": criterion, "max_depth": 3}
    theirs = theirs_class(**params, random_state=0).cost_complexity_pruning_path(X, y)
    ours = ours_class(**params).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, rtol=1e-8, atol=1e-12)


def test_any_price_within_a_step_gives_the_step():
    X, y = load_wine(return_X_y=True)
    tree = CARTClassifier().fit(X, y).tree_
    sequence = weakest_links(tree)
    for index, alpha in enumerate(sequence.alpha):
        assert sequence.index_at(alpha) == index
        assert sequence.index_at(alpha * (1 - 1e-12)) == index
        if alpha > 0:
            assert prune(tree, alpha).n_leaves == sequence.leaves[index]
    assert sequence.index_at(np.inf) == len(sequence) - 1
    assert prune(tree, np.inf).node_count == prune_by_loss(tree, np.inf).node_count == 1


def test_the_number_of_leaves_chooses_the_largest_tree_that_is_not_larger():
    X, y = load_wine(return_X_y=True)
    tree = CARTClassifier().fit(X, y).tree_
    sequence = weakest_links(tree)
    for n_leaves in range(1, tree.n_leaves + 3):
        found = sequence.leaves[sequence.index_of_leaves(n_leaves)]
        assert found <= n_leaves
        assert not ((sequence.leaves > found) & (sequence.leaves <= n_leaves)).any()


@pytest.mark.parametrize("learner", [ID3Classifier(), C45Classifier(prune=None), CARTClassifier()])
@pytest.mark.parametrize("risk", ["impurity", "misclassification", "gini", "entropy"])
def test_trees_of_all_algorithms_shrink_to_the_root(learner, risk):
    X, y, *_ = load_tennis()
    tree = learner.fit(X, y).tree_
    sequence = weakest_links(tree, risk)
    assert sequence.leaves[-1] == 1
    assert sequence.risk[-1] == pytest.approx(total_risk(tree, risk)[0] / 14)
    for index in range(len(sequence)):
        assert sequence.subtree(tree, index).n_leaves == sequence.leaves[index]


def test_a_chain_of_100_000_levels_takes_a_moment(node_arrays):
    tree = chain(node_arrays, 100_000)
    begin = time.perf_counter()
    sequence = weakest_links(tree)
    smaller = sequence.subtree(tree, sequence.index_of_leaves(10))
    by_loss = prune_by_loss(tree, float(sequence.alpha[-1] * sequence.weight) * 0.9)
    assert time.perf_counter() - begin < 3  # a quadratic algorithm needs minutes
    # The split of level k gains as many as there are rows below: the deepest is the weakest.
    assert len(sequence) == 100_001
    assert smaller.n_leaves == 10
    assert by_loss.n_leaves > 1


def test_a_chain_whose_top_is_weakest_collapses_at_once(node_arrays):
    tree = chain(node_arrays, 100_000)
    arrays = dict(tree.to_arrays())
    arrays["loss"] = np.where(tree.n_children > 0, np.sqrt(tree.n_node_samples), 0.0)
    begin = time.perf_counter()
    sequence = weakest_links(Tree(arrays, [0]))
    assert time.perf_counter() - begin < 3
    assert sequence.leaves.tolist() == [100_001, 1]


def test_a_tree_with_131_072_leaves_takes_a_moment(node_arrays):
    tree = complete(node_arrays, 17)
    begin = time.perf_counter()
    sequence = weakest_links(tree)
    assert time.perf_counter() - begin < 3
    assert sequence.leaves[-1] == 1
    assert len(sequence) > 1000


def test_a_single_leaf_has_a_path_of_one_step(node_arrays):
    leaf = Tree(node_arrays([{"rows": 5, "weight": 5.0, "loss": 2.0}]), [0])
    for sequence in (weakest_links(leaf), rpart_links(leaf, "impurity")):
        assert (sequence.alpha.tolist(), sequence.leaves.tolist(), sequence.risk.tolist()) == (
            [0],
            [1],
            [0.4],
        )
    assert pruning_path(leaf).ccp_alphas.tolist() == [0]
    assert prune(leaf, 1.0).node_count == prune_by_loss(leaf, 1.0).node_count == 1
    assert alpha_collapse(leaf).tolist() == [0]


def test_what_cannot_be_is_refused_with_a_sentence(arrays):
    tree = Tree(arrays, [0, 3, 3, 3])
    for call in (
        lambda: prune(tree, -0.1),
        lambda: prune_by_loss(tree, -1.0),
        lambda: weakest_links(tree).index_at(-1.0),
    ):
        with pytest.raises(ValueError, match="must not be negative"):
            call()
    with pytest.raises(ValueError, match="must not be negative"):
        prune(tree, float("nan"))
    with pytest.raises(ValueError, match="at least 1"):
        weakest_links(tree).index_of_leaves(0)
    with pytest.raises(ValueError, match="one of 'impurity'"):
        weakest_links(tree, "accuracy")
    with pytest.raises(ValueError, match="not the tree"):
        weakest_links(tree).subtree(prune(tree, 10.0), 0)
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="regression tree"):
        weakest_links(CARTRegressor(max_depth=2).fit(X, y).tree_, "misclassification")


def test_the_native_search_refuses_links_that_are_no_tree():
    def call(first, count, risk=(1.0, 0.0, 0.0)):
        return _core.weakest_links(
            np.array(first, np.int32), np.array(count, np.uint32), np.array(risk, np.float64)
        )

    assert call([1, -1, -1], [2, 0, 0])["alpha"].tolist() == [1.0, 0.0, 0.0]
    for first, count in (([0, -1, -1], [2, 0, 0]), ([1, -1, -1], [3, 0, 0]), ([1, 2, -1], [2, 1, 0])):
        with pytest.raises(ValueError, match="a node must"):
            call(first, count)
    with pytest.raises(ValueError, match="finite"):
        call([1, -1, -1], [2, 0, 0], [np.nan, 0.0, 0.0])
    with pytest.raises(ValueError, match="one entry per node"):
        call([1, -1, -1], [2, 0, 0], [1.0])
