"""Against all pruned subtrees, one by one: path and loss rule find the smallest of the best ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.unit.pruning.small_trees import class_trees, every_subtree, leaves_left
from treewright.model import Tree
from treewright.pruning import prune, prune_by_loss, pruning_path, rpart_links, weakest_links
from treewright.pruning.risk import total_risk

RISKS = ("impurity", "misclassification", "entropy", "gini")
NEAR = 1e-9


def prices(alphas: Any) -> list[float]:
    """Prices on the steps, between them and beyond."""
    between = (alphas[:-1] + alphas[1:]) / 2
    return [*alphas, *between, float(alphas[-1]) + 1.0]


def best_subtree(tree: Tree, risk: Any, alpha: float, subtrees: list[frozenset[int]]) -> frozenset[int]:
    """The smallest subtree of least cost; there is exactly one, since the minimisers form a lattice."""
    costs = [sum(risk[node] for node in leaves) + alpha * len(leaves) for leaves in subtrees]
    least = min(costs)
    tied = [
        leaves for leaves, cost in zip(subtrees, costs, strict=True) if cost <= least + NEAR * (1 + least)
    ]
    return min(tied, key=len)


def no_near_ties(alphas: Any) -> bool:
    return bool((np.diff(alphas) > 1e-6).all())


@settings(deadline=None, max_examples=40)
@given(tree=class_trees(), risk=st.sampled_from(RISKS))
def test_each_step_of_the_path_is_the_smallest_best_subtree(tree: Tree, risk: str) -> None:
    sequence = weakest_links(tree, risk)
    assume(no_near_ties(sequence.alpha))
    risks = total_risk(tree, risk) / sequence.weight
    subtrees = every_subtree(tree)
    assume(len(subtrees) < 5000)
    for alpha in prices(sequence.alpha):
        expected = best_subtree(tree, risks, alpha, subtrees)
        index = sequence.index_at(alpha)
        found = leaves_left(tree, sequence.alpha_collapse <= sequence.alpha[index])
        assert found == expected
        assert len(found) == sequence.leaves[index]
        assert sequence.risk[index] == pytest.approx(sum(risks[node] for node in found), abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(tree=class_trees(), risk=st.sampled_from(RISKS))
def test_the_loss_rule_finds_the_smallest_best_subtree(tree: Tree, risk: str) -> None:
    sequence = weakest_links(tree, risk)
    assume(no_near_ties(sequence.alpha))
    risks = total_risk(tree, risk) / sequence.weight
    subtrees = every_subtree(tree)
    assume(len(subtrees) < 5000)
    for alpha in prices(sequence.alpha):
        expected = best_subtree(tree, risks, alpha, subtrees)
        assert prune_by_loss(tree, alpha * sequence.weight, risk).n_leaves == len(expected)


@settings(deadline=None, max_examples=100)
@given(tree=class_trees(most_inner=25), risk=st.sampled_from(RISKS))
def test_a_total_price_of_n_times_alpha_is_the_alpha_of_scikit_learn(tree: Tree, risk: str) -> None:
    sequence = weakest_links(tree, risk)
    for alpha in prices(sequence.alpha):
        if alpha > 0:
            by_loss = prune_by_loss(tree, alpha * sequence.weight, risk)
            by_path = prune(tree, alpha, risk)
            for name, array in by_path.to_arrays().items():
                np.testing.assert_array_equal(by_loss.to_arrays()[name], array, err_msg=name)


@settings(deadline=None, max_examples=100)
@given(tree=class_trees(most_inner=25), risk=st.sampled_from(RISKS), rpart=st.booleans())
def test_alphas_ascend_and_subtrees_are_nested_down_to_the_root(tree: Tree, risk: str, rpart: bool) -> None:
    sequence = rpart_links(tree, risk) if rpart else weakest_links(tree, risk)
    assert sequence.alpha[0] == 0
    assert (np.diff(sequence.alpha) > 0).all()
    assert (np.diff(sequence.leaves) < 0).all()
    assert (np.diff(sequence.risk) >= -1e-12).all()
    assert sequence.leaves[-1] == 1 and sequence.splits[-1] == 0
    inner = np.flatnonzero(tree.n_children)
    for node in inner:
        for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
            assert sequence.alpha_collapse[child] <= sequence.alpha_collapse[node]
    for index in range(len(sequence)):
        assert sequence.subtree(tree, index).n_leaves == sequence.leaves[index]


@settings(deadline=None, max_examples=40)
@given(tree=class_trees(most_inner=25), risk=st.sampled_from(RISKS))
def test_the_path_of_scikit_learn_runs_through_the_same_steps(tree: Tree, risk: str) -> None:
    sequence, path = weakest_links(tree, risk), pruning_path(tree, risk)
    last = np.append(np.diff(path.ccp_alphas) > 0, True)
    np.testing.assert_array_equal(path.ccp_alphas[last], sequence.alpha)
    np.testing.assert_allclose(path.impurities[last], sequence.risk, atol=1e-12)
