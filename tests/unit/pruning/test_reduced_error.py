"""Reduced-error pruning against all subtrees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.pruning.held_out_cases import KINDS, make
from tests.unit.pruning.small_trees import class_trees, every_subtree

from treewright.model.tree import parent_ids
from treewright.pruning import HeldOut, RowLeaves, prune_by_reduced_error, weakest_links

pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.TreewrightWarning")


def leaves_at(nodes) -> RowLeaves:
    none = np.zeros(0, dtype=np.int64)
    nodes = np.array(nodes, dtype=np.int64)
    return RowLeaves(nodes, none, none, none, none.astype(float), none.astype(bool))


@settings(deadline=None, max_examples=60)
@given(tree=class_trees(most_inner=6), data=st.data())
def test_the_result_has_the_fewest_errors_and_then_the_fewest_leaves(tree, data):
    # Rows may also stop at an inner node that has no branch for them.
    places = st.integers(0, tree.node_count - 1)
    rows = data.draw(st.lists(st.tuples(places, st.integers(0, 2)), min_size=1, max_size=30))
    nodes, target = [node for node, _ in rows], np.array([label for _, label in rows])
    found = prune_by_reduced_error(HeldOut(tree, leaves_at(nodes), target))
    answer = tree.value[:, 0].argmax(axis=1)
    parent = parent_ids(tree.to_arrays())

    def errors(subtree):
        wrong = 0
        for node, label in zip(nodes, target, strict=True):
            way = [node]
            while parent[way[-1]] >= 0:
                way.append(int(parent[way[-1]]))
            answering = next((place for place in way if place in subtree), node)
            wrong += int(answer[answering] != label)
        return wrong

    best = min((errors(subtree), len(subtree)) for subtree in every_subtree(tree))
    assert found.n_leaves == best[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_pruned_tree_is_not_worse_than_any_of_the_path_on_its_rows(kind, weighted):
    case = make(kind, weighted=weighted)
    smaller = prune_by_reduced_error(case.held_out())
    assert 1 < smaller.n_leaves < case.tree.n_leaves
    weights = np.ones(len(case.y)) if case.weights is None else case.weights
    loss = (weights * case.row_losses(smaller)).sum() / weights.sum()
    sequence = weakest_links(case.tree)
    others = case.held_out().losses(sequence.alpha_collapse, sequence.alpha).mean
    # Shares of rows count as rows while pruning, but answer together.
    slack = 1.03 if kind == "C4.5" else 1 + 1e-9
    assert loss <= others.min() * slack


def test_a_weight_of_two_counts_like_the_row_twice():
    case = make("CART")
    weights = np.random.default_rng(0).integers(1, 4, len(case.y)).astype(float)
    once = case.held_out()
    again = np.repeat(np.arange(len(case.y)), weights.astype(int))
    weighted = HeldOut(once.tree, once.row_leaves, once.target, weights)
    repeated = HeldOut(once.tree, leaves_at(once.row_leaves.node[again]), once.target[again])
    first, second = prune_by_reduced_error(weighted), prune_by_reduced_error(repeated)
    assert first.n_leaves == second.n_leaves
    np.testing.assert_array_equal(first.feature, second.feature)


def test_no_held_out_row_is_refused():
    case = make("CART")
    with pytest.raises(ValueError, match="at least one held-out row"):
        prune_by_reduced_error(HeldOut(case.tree, leaves_at([]), np.zeros(0, dtype=int)))
    with pytest.raises(ValueError, match="at least one held-out row"):
        prune_by_reduced_error(HeldOut(case.tree, leaves_at([0]), np.zeros(1, dtype=int), np.zeros(1)))
