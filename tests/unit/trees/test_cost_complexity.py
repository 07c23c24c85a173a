"""Cost-complexity pruning: scikit-learn's sequence, without its quadratic steps."""

import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treewright.model import Tree
from treewright.pruning.path import alpha_collapse, prune, pruning_path

CASES = {
    "wine": (DecisionTreeClassifier, load_wine, {}),
    "breast cancer, entropy": (DecisionTreeClassifier, load_breast_cancer, {"criterion": "entropy"}),
    "diabetes": (DecisionTreeRegressor, load_diabetes, {"min_samples_leaf": 2}),
}


@pytest.fixture(params=list(CASES))
def case(request, from_scikit_learn):
    estimator_class, load, params = CASES[request.param]
    X, y = load(return_X_y=True)
    estimator = estimator_class(random_state=0, **params).fit(X, y)
    return estimator, X, y, from_scikit_learn(estimator)


def steps(alphas, impurities):
    """Keep the last entry of each group of prices that differ by rounding only."""
    last = np.append(np.diff(alphas) > 1e-10 * max(alphas[-1], 1e-300), True)
    return alphas[last], impurities[last]


def test_the_path_is_that_of_scikit_learn(case):
    estimator, X, y, tree = case
    theirs = estimator.cost_complexity_pruning_path(X, y)
    ours = pruning_path(tree)
    expected = steps(theirs.ccp_alphas, theirs.impurities)
    found = steps(ours.ccp_alphas, ours.impurities)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-8, atol=1e-12)


def test_the_pruned_tree_is_that_of_scikit_learn(case):
    estimator, X, y, tree = case
    alphas = np.unique(pruning_path(tree).ccp_alphas)
    between = np.sqrt(alphas[1:-1] * alphas[2:])
    for alpha in between[:: max(1, len(between) // 8)]:
        theirs = type(estimator)(**estimator.get_params()).set_params(ccp_alpha=alpha).fit(X, y).tree_
        ours = prune(tree, alpha)
        assert (ours.node_count, ours.n_leaves, ours.max_depth) == (
            theirs.node_count, theirs.n_leaves, theirs.max_depth,
        )  # fmt: skip
        assert sorted(ours.threshold) == pytest.approx(sorted(theirs.threshold))


def test_each_pruned_tree_minimises_impurity_plus_price_times_leaves(case):
    *_, tree = case
    total = tree.weighted_n_node_samples[0]

    def cost(pruned, alpha):
        leaves = pruned.n_children == 0
        return pruned.loss[leaves].sum() / total + alpha * pruned.n_leaves

    alphas = pruning_path(tree).ccp_alphas
    trees = [prune(tree, alpha) for alpha in alphas]
    for alpha in alphas * 1.0000001:
        best = min(cost(candidate, alpha) for candidate in trees)
        assert cost(prune(tree, alpha), alpha) == pytest.approx(best)


def test_the_path_starts_with_the_whole_tree_and_ends_with_the_root(case):
    *_, tree = case
    path = pruning_path(tree)
    assert path.ccp_alphas[0] == 0
    assert (np.diff(path.ccp_alphas) >= 0).all()
    assert path.impurities[-1] == pytest.approx(tree.impurity[0])
    assert prune(tree, path.ccp_alphas[-1]).node_count == 1
    assert prune(tree, 0.0) is tree


def test_a_tree_of_50_000_levels_is_pruned_in_a_moment(node_arrays):
    depth = 50_000
    nodes = [{"rows": depth + 1, "weight": depth + 1.0, "loss": 2.0 * depth}]
    for level in range(depth):
        rest = depth - level
        nodes[-1] |= {
            "kind": 1,
            "feature": 0,
            "threshold": float(level),
            "first_child": len(nodes),
            "n_children": 2,
        }
        nodes += [{}, {"rows": rest, "weight": float(rest), "loss": 2.0 * (rest - 1)}]
    tree = Tree.from_arrays(node_arrays(nodes), [0])
    begin = time.perf_counter()
    prices = alpha_collapse(tree)
    assert time.perf_counter() - begin < 10  # a quadratic algorithm needs minutes
    # Every level gains the same, so every part of the chain has the same price.
    np.testing.assert_allclose(prices[tree.n_children > 0], 2.0 / (depth + 1))
    assert prune(tree, 0.001).node_count == 1


def test_weights_and_useless_splits_do_not_disturb_the_path(from_scikit_learn):
    X, y = make_classification(300, flip_y=0.3, random_state=3)
    weights = np.random.default_rng(0).uniform(0.1, 3.0, 300)
    estimator = DecisionTreeClassifier(random_state=0, max_leaf_nodes=40).fit(X, y, weights)
    theirs = estimator.cost_complexity_pruning_path(X, y, weights)
    ours = pruning_path(from_scikit_learn(estimator))
    np.testing.assert_allclose(ours.ccp_alphas[-5:], theirs.ccp_alphas[-5:])
    np.testing.assert_allclose(ours.impurities[-5:], theirs.impurities[-5:])
