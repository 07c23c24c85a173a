"""What pruning would do with a tree, against what it does."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from treewright import C45Classifier, CARTClassifier, CARTRegressor


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("alpha_total", [0.0, 0.5, 2.0, 1e6])
@pytest.mark.parametrize("risk", ["impurity", "misclassification"])
def test_a_judged_loss_is_that_of_the_tree_and_of_what_pruning_keeps(cancer, alpha_total, risk):
    full = CARTClassifier().fit(*cancer)
    report = full.explain_pruning(by="loss", alpha_total=alpha_total, risk=risk)
    pruned = CARTClassifier(prune="loss", alpha_total=alpha_total, pruning_risk=risk).fit(*cancer)
    leaves = [row for row in report.rows if row.collapses is None]
    assert report.cost_before == pytest.approx(sum(row.loss for row in leaves) + alpha_total * len(leaves))
    assert report.leaves_after == pruned.get_n_leaves()
    kept = pruned.explain_pruning()
    assert report.cost_after == pytest.approx(kept.cost_after)


def test_the_smallest_g_is_the_first_price_of_the_path(cancer):
    full = CARTClassifier().fit(*cancer)
    links = [row.g for row in full.explain_pruning(by="loss", alpha=0.0).rows if row.g is not None]
    path = full.explain_pruning().rows
    assert min(links) == pytest.approx(path[1].alpha_total)
    assert len(links) == full.get_n_leaves() - 1


def test_alpha_is_alpha_total_per_unit_of_weight():
    X, y = load_diabetes(return_X_y=True)
    tree = CARTRegressor(max_depth=4).fit(X, y)
    one = tree.explain_pruning(by="loss", alpha=10.0)
    assert one == tree.explain_pruning(by="loss", alpha_total=10.0 * len(y))


@pytest.mark.parametrize("level", [0.1, 0.25, 0.5])
def test_pessimistic_errors_judge_as_pruning_without_raising_does(cancer, level):
    settings = {"faithful": "j48", "subtree_raising": False, "collapse": False}
    full = C45Classifier(prune=None, **settings).fit(*cancer)
    pruned = C45Classifier(confidence_factor=level, **settings).fit(*cancer)
    report = full.explain_pruning(by="pessimistic_error", confidence_factor=level)
    assert report.leaves_after == pruned.get_n_leaves()
    assert report.cost_after == pytest.approx(pruned.explain_pruning().cost_after)
    assert report.leaves_before == full.get_n_leaves()


def test_a_judged_report_has_all_forms(cancer):
    report = CARTClassifier(max_depth=3).fit(*cancer).explain_pruning(by="loss", alpha_total=3.0)
    assert json.loads(json.dumps(report.to_dict()))["judged"] is True
    assert report.to_frame()["g"].notna().sum() == sum(row.g is not None for row in report.rows)
    assert "g(t)" in report._repr_html_()
    assert report.to_svg().startswith("<svg")


def test_a_single_leaf_has_nothing_to_judge():
    leaf = CARTClassifier().fit(np.zeros((3, 1)), [1, 1, 1])
    assert leaf.explain_pruning(by="loss", alpha_total=1.0).cost_before == 1.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"by": "loss"}, "pass either alpha or alpha_total"),
        ({"by": "loss", "alpha": 1.0, "alpha_total": 1.0}, "pass either alpha or alpha_total"),
        ({"by": "cost"}, "Got 'cost' instead"),
        ({"alpha": 1.0}, "alpha belongs to by='loss'"),
        ({"by": "loss", "alpha": 1.0, "confidence_factor": 0.1}, "belongs to by='pessimistic_error'"),
        ({"by": "pessimistic_error", "confidence_factor": 0.9}, "at most 0.5"),
        ({"by": "loss", "alpha_total": -1.0}, "alpha_total"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(cancer, arguments, words):
    tree = CARTClassifier(max_depth=2).fit(*cancer)
    with pytest.raises(ValueError, match=words):
        tree.explain_pruning(**arguments)


def test_the_books_loss_in_bits_is_that_of_an_entropy_tree(cancer):
    tree = CARTClassifier(criterion="entropy").fit(*cancer)
    bits = tree.explain_pruning(by="loss", alpha_total=1.5, risk="entropy")
    own = tree.explain_pruning(by="loss", alpha_total=1.5)
    assert [row.loss for row in bits.rows] == pytest.approx([row.loss for row in own.rows], abs=1e-9)
