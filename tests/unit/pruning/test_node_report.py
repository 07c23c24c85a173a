"""The report after pruning by the loss and by pessimistic errors."""

from __future__ import annotations

import io
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from tests.unit.explain.json_schema import faults, load_schema

import treewright
from treewright import C45Classifier, CARTClassifier, CARTRegressor, _core
from treewright.pruning import leaves_as_grown, loss_report
from treewright.trees._smaller_trees import check_stored_pruning

CANCER, SUGAR = load_breast_cancer(return_X_y=True), load_diabetes(return_X_y=True)
BY_LOSS = [
    (CARTClassifier(prune="loss", alpha_total=1.5), CANCER),
    (CARTClassifier(prune="loss", alpha_total=1.5, pruning_risk="misclassification"), CANCER),
    (CARTRegressor(prune="loss", alpha_total=30000.0), SUGAR),
    (C45Classifier(prune="loss", alpha_total=15.0), CANCER),
]
BY_ERROR = [
    (CARTClassifier(prune="pessimistic_error"), CANCER),
    (C45Classifier(), CANCER),
    (C45Classifier(faithful="j48"), CANCER),
    (C45Classifier(faithful="j48", confidence_factor=0.05, subtree_raising=False), CANCER),
]


def fitted(estimator, data):
    return type(estimator)(**estimator.get_params(deep=False)).fit(*data)


@pytest.mark.parametrize(("estimator", "data"), BY_LOSS)
def test_the_loss_is_that_of_both_trees_with_the_price_of_their_leaves(estimator, data):
    tree = fitted(estimator, data)
    full = type(estimator)(**{**estimator.get_params(deep=False), "prune": None, "alpha_total": None}).fit(
        *data
    )
    report, alpha = tree.explain_pruning(), estimator.alpha_total
    assert (report.method, report.alpha_total) == ("loss", alpha)
    assert (report.leaves_before, report.leaves_after) == (full.get_n_leaves(), tree.get_n_leaves())

    def cost(which):
        arrays = which.tree_
        leaves = arrays.n_children == 0
        if estimator.pruning_risk == "misclassification":
            own = arrays.weighted_n_node_samples * (1 - arrays.value[:, 0].max(axis=1))
        else:
            own = arrays.loss
        return own[leaves].sum() + alpha * leaves.sum()

    assert report.cost_before == pytest.approx(cost(full))
    assert report.cost_after == pytest.approx(cost(tree))
    assert report.cost_after < report.cost_before
    # What collapsed: the leaves of the kept tree had all leaves of the full one below them.
    assert sum(row.leaves_before for row in report.rows if row.leaves == 1) == full.get_n_leaves()
    assert report.rows[0].leaves_before == full.get_n_leaves()
    for row in report.rows:
        assert row.as_leaf == pytest.approx(row.loss + alpha)
        if row.leaves > 1:
            assert row.as_leaf > row.below - 1e-9


@pytest.mark.parametrize(("estimator", "data"), BY_ERROR)
def test_pessimistic_errors_are_those_of_the_formula_and_every_node_that_stays_saves_some(estimator, data):
    tree = fitted(estimator, data)
    report = tree.explain_pruning()
    program = "j48" if getattr(estimator, "faithful", "r8") == "j48" else "release_8"
    assert (report.program, report.confidence_factor) == (program, estimator.confidence_factor)
    assert report.leaves_after == tree.get_n_leaves() < report.leaves_before
    for row, node in zip(report.rows, tree.model_.view(), strict=True):
        errors = node.weight * (1 - node.value.max())
        assert (row.weight, row.loss) == pytest.approx((node.weight, errors), abs=1e-9)
        expected = _core.extra_errors(row.weight, row.loss, report.confidence_factor, tree_program(program))
        assert row.extra == expected and row.as_leaf == row.loss + row.extra
        if row.leaves > 1:
            assert row.as_leaf > row.below + 0.1 - 1e-4
    assert report.cost_after == pytest.approx(sum(row.as_leaf for row in report.rows if row.leaves == 1))


def tree_program(name):
    return getattr(_core.PruneProgram, name)


def test_a_leaf_of_the_book_has_its_errors():
    X = np.array([[0.0]] * 6 + [[1.0]] * 9)
    report = C45Classifier(confidence_factor=0.25).fit(X, ["a"] * 6 + ["b"] * 9).explain_pruning()
    assert [round(row.extra, 4) for row in report.rows[1:]] == [1.2378, 1.2848]


@pytest.mark.parametrize(("estimator", "data"), [*BY_LOSS, *BY_ERROR])
def test_no_form_shows_a_table_of_another_method_and_all_agree(estimator, data):
    tree = fitted(estimator, data)
    report = tree.explain_pruning()
    text, page = str(report), report._repr_html_()
    for form in (text, page):
        assert "CV" not in form and "R(T)" not in form and "alpha  " not in form
    assert text.startswith(type(estimator).__name__)
    numbers = re.findall(r"\d+\.\d+", report.to_text())
    assert set(numbers) <= set(re.findall(r"\d+\.\d+", page))
    assert len(report.to_text(every_row=True).splitlines()) >= len(report.rows) + 3
    picture = ElementTree.fromstring(report.to_svg())
    assert "kept" in "".join(picture.itertext())
    values = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    schema = load_schema("node_pruning_report")
    assert faults(values, schema, schema) == []
    assert list(report.to_frame()["node"]) == list(range(tree.tree_.node_count))
    file = io.BytesIO()
    tree.save(file)
    file.seek(0)
    assert treewright.load(file).explain_pruning() == report


def test_what_an_early_file_does_not_store_is_not_guessed():
    tree = CARTClassifier(prune="loss", alpha_total=1.5).fit(*load_iris(return_X_y=True))
    stored = {"method": "loss", "leaves_before": 9}
    report = loss_report(tree.model_.view(), stored, algorithm="CART", alpha_total=1.5, risk="impurity")
    assert report.cost_before is None and all(row.leaves_before is None for row in report.rows)
    assert "is not stored" in str(report)


@pytest.mark.parametrize(
    "wrong",
    [{"loss_before": "much"}, {"loss_before": float("inf")}, {"node_leaves_before": [1]},
     {"node_leaves_before": "many"}, {"node_leaves_before": None, "loss_before": True}],
)  # fmt: skip
def test_a_file_that_says_what_cannot_be_is_refused(wrong):
    tree = CARTClassifier(prune="loss", alpha_total=1.5).fit(*load_iris(return_X_y=True))
    facts = {**tree.model_.facts["pruning"], **wrong}
    model = tree.model_.with_trees(tree.model_.trees, pruning=facts)
    with pytest.raises(ValueError, match="before pruning"):
        check_stored_pruning(model)


def test_leaves_as_grown_of_the_tree_itself_are_its_own():
    tree = CARTClassifier().fit(*CANCER).tree_
    counts = leaves_as_grown(tree, tree)
    assert counts[0] == tree.n_leaves
    assert [count for count, below in zip(counts, tree.n_children, strict=True) if below == 0] == [
        1
    ] * tree.n_leaves


def test_a_single_leaf_says_that_there_is_nothing_to_prune():
    tree = C45Classifier().fit([[0.0], [0.0]], ["a", "a"])
    assert "nothing to prune" in tree.explain_pruning().why
