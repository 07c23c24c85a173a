"""One pass over held-out rows against predicting with every subtree."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.pruning.held_out_cases import KINDS, Case, make

from treewright.model import Tree
from treewright.model.edit import collapse
from treewright.pruning import HeldOut, RowLeaves, level_losses, probe_alphas, rpart_links, weakest_links
from treewright.pruning.levelwise import cut_at_depth

pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.TreewrightWarning")


@pytest.fixture(params=[(kind, weighted) for kind in KINDS for weighted in (False, True)], ids=str)
def case(request) -> Case:
    kind, weighted = request.param
    return make(kind, weighted=weighted)


def expected(losses, weights):
    weights = np.ones(len(losses)) if weights is None else weights
    mean = (weights * losses).sum() / weights.sum()
    return mean, np.sqrt((weights**2 * (losses - mean) ** 2).sum()) / weights.sum()


def test_every_subtree_of_the_path_loses_what_its_predictions_lose(case):
    sequence = weakest_links(case.tree)
    assert len(sequence) > 10, "the sequence is too short to tell anything"
    probes = probe_alphas(sequence)
    sums = case.held_out().losses(sequence.alpha_collapse, probes)
    for place in range(0, len(sequence), 3):
        smaller = collapse(case.tree, sequence.alpha_collapse <= probes[place])
        mean, error = expected(case.row_losses(smaller), case.weights)
        assert sums.mean[place] == pytest.approx(mean, rel=1e-9)
        assert sums.standard_error[place] == pytest.approx(error, rel=1e-9)


def test_the_path_of_rpart_works_as_well(case):
    risk = "misclassification" if case.is_classifier else "impurity"
    sequence = rpart_links(case.tree, risk)
    sums = case.held_out().losses(sequence.alpha_collapse, sequence.alpha)
    for place in range(len(sequence)):
        mean, _ = expected(case.row_losses(sequence.subtree(case.tree, place)), case.weights)
        assert sums.mean[place] == pytest.approx(mean, rel=1e-9)


def test_every_depth_loses_what_the_predictions_of_the_cut_tree_lose(case):
    deepest = case.tree.max_depth + 2
    sums = level_losses(case.held_out(), deepest)
    for depth in range(deepest + 1):
        mean, error = expected(case.row_losses(cut_at_depth(case.tree, depth)), case.weights)
        assert sums.mean[deepest - depth] == pytest.approx(mean, rel=1e-9)
        assert sums.standard_error[deepest - depth] == pytest.approx(error, rel=1e-9)


def test_the_cases_have_shared_rows_and_rows_that_stop_on_the_way():
    assert len(make("C4.5").held_out().row_leaves.shared) > 50
    stopping = make("ID3")
    assert (stopping.tree.n_children[stopping.held_out().row_leaves.node] > 0).any()
    assert len(make("CART").held_out().row_leaves.shared) == 0


def test_the_parts_of_a_shared_row_add_up_to_it():
    row_leaves = make("C4.5").held_out().row_leaves
    ends = row_leaves.part_ends
    whole = np.bincount(row_leaves.part_row[ends], row_leaves.part_share[ends])
    np.testing.assert_allclose(whole, 1.0)
    assert row_leaves.part_share.min() > 0


def test_sums_of_folds_add_up_to_those_of_all_rows():
    case = make("CART", weighted=True)
    sequence = weakest_links(case.tree)
    whole = case.held_out().losses(sequence.alpha_collapse, sequence.alpha)
    halves = [
        Case(case.estimator, case.x.iloc[part], case.y[part], case.weights[part])
        for part in (np.arange(0, 300, 2), np.arange(1, 300, 2))
    ]
    one, other = (half.held_out().losses(sequence.alpha_collapse, sequence.alpha) for half in halves)
    np.testing.assert_allclose((one + other).mean, whole.mean)
    np.testing.assert_allclose((one + other).standard_error, whole.standard_error)


def test_a_squared_error_far_from_zero_keeps_its_digits():
    case = make("CART regression")
    far = Case(case.estimator, case.x, case.y, None)
    shifted = {name: array.copy() for name, array in case.tree.to_arrays().items()}
    shifted["value"] += 1e7
    tree = type(case.tree)(shifted, case.tree.n_codes)
    sequence = weakest_links(tree)
    near = far.held_out().losses(sequence.alpha_collapse, sequence.alpha)
    held_out = type(far.held_out())(tree, far.held_out().row_leaves, case.y + 1e7, None, False)
    moved = held_out.losses(sequence.alpha_collapse, sequence.alpha)
    np.testing.assert_allclose(moved.mean, near.mean, rtol=1e-8)
    np.testing.assert_allclose(moved.standard_error, near.standard_error, rtol=1e-8)


def test_a_part_of_a_shared_row_may_end_at_an_inner_node(node_arrays):
    def inner(first, value, weight):
        return {
            "kind": 1, "feature": 0, "threshold": 0.0, "first_child": first, "n_children": 2,
            "value": value, "weight": weight, "loss": weight,
        }  # fmt: skip

    tree = Tree(
        node_arrays(
            [
                inner(1, [0.5, 0.5], 10.0),
                inner(3, [0.9, 0.1], 6.0),
                {"value": [0.2, 0.8], "weight": 4.0},
                {"value": [1.0, 0.0], "weight": 3.0},
                {"value": [0.8, 0.2], "weight": 3.0},
            ]
        ),
        [0],
    )
    # The row is shared at the root; its larger part ends at node 1, which is split for others.
    row_leaves = RowLeaves(
        node=np.array([1]),
        shared=np.array([0]),
        part_row=np.array([0, 0, 0]),
        part_node=np.array([0, 1, 2]),
        part_share=np.array([1.0, 0.6, 0.4]),
        part_ends=np.array([False, True, True]),
    )
    key = np.array([2.0, 1.0, 0.0, 0.0, 0.0])
    probes = np.array([0.0, 1.0, 2.0])
    # Whole or cut at node 1, the mixture is 0.6·(0.9, 0.1) + 0.4·(0.2, 0.8) = (0.62, 0.38): class 0.
    wrong = HeldOut(tree, row_leaves, np.array([1])).losses(key, probes)
    right = HeldOut(tree, row_leaves, np.array([0])).losses(key, probes)
    assert wrong.loss.tolist() == [1.0, 1.0, 1.0]
    assert right.loss.tolist() == [0.0, 0.0, 0.0]
