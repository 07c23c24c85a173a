"""The table of criteria: it knows what the engine knows, and its measures are the engine's losses."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import CARTClassifier, CARTRegressor, ExtraTreesClassifier, RandomForestClassifier, _core
from treewright.criteria import CRITERIA, REAL_NAMES, center_of, check_target, choices, is_for_classes, native
from treewright.pruning.risk import total_risk

CLASSES = choices(classes=True)
NUMBERS = choices(classes=False)
X = np.random.default_rng(0).normal(size=(300, 4)).round(1)
LABELS = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.0])
Y = np.floor(np.exp(X[:, 0]) + 2 * (X[:, 1] > 0))


def test_the_table_and_the_engine_know_the_same_criteria():
    assert set(CRITERIA) == set(_core.Criterion.__members__)
    assert {native(name) for name in CLASSES} == set(_core.criteria(classes=True))
    assert {native(name) for name in NUMBERS} == set(_core.criteria(classes=False))
    for name, entry in CRITERIA.items():
        assert is_for_classes(name) == (entry.formula is not None) == (entry.of_shares is not None)


def test_an_unknown_criterion_is_refused_by_name():
    with pytest.raises(ValueError, match=r"There is no criterion 'isotonic': the engine knows gini, entropy"):
        native("isotonic")
    assert center_of("isotonic") == "mean"
    check_target("isotonic", Y, None)


def test_other_names_of_a_criterion_are_for_forests_alone():
    assert REAL_NAMES == {"log_loss": "entropy"}
    assert "log_loss" not in CLASSES
    assert choices(classes=True, aliases=True) == (*CLASSES, "log_loss")
    for forest in (RandomForestClassifier, ExtraTreesClassifier):
        assert forest._choices["criterion"] == (*CLASSES, "log_loss")


@pytest.mark.parametrize("criterion", CLASSES)
def test_the_loss_of_a_node_is_what_the_measure_says_of_its_classes(criterion):
    tree = CARTClassifier(criterion=criterion, max_depth=4).fit(X, LABELS).tree_
    counts = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, np.newaxis]
    expected = [CRITERIA[criterion].measure(counts=row) for row in counts]
    assert np.allclose(tree.impurity, expected, atol=1e-12)
    assert np.allclose(total_risk(tree, criterion), tree.loss, atol=1e-9)


@pytest.mark.parametrize("criterion", NUMBERS)
def test_the_loss_of_the_root_is_what_the_measure_says_of_its_numbers(criterion):
    tree = CARTRegressor(criterion=criterion, max_depth=3).fit(X, Y).tree_
    assert tree.loss[0] == pytest.approx(CRITERIA[criterion].measure(Y))
    center = np.median(Y) if center_of(criterion) == "median" else Y.mean()
    assert tree.value[0, 0, 0] == pytest.approx(center)


@pytest.mark.parametrize("criterion", CLASSES)
def test_a_report_works_the_loss_out_by_the_formula_of_the_criterion(criterion):
    formula = CRITERIA[criterion].formula
    tree = CARTClassifier(criterion=criterion, max_depth=2).fit(X, LABELS)
    step = tree.explain_split(0, X, LABELS).steps[0]
    assert step.text.startswith(f"{formula.symbol} = {formula.begin}")
    assert step.latex.startswith(formula.latex_symbol + "(")
    assert CRITERIA[criterion].words in step.name


@pytest.mark.parametrize("criterion", CLASSES)
def test_pruning_by_errors_measures_the_nodes_by_the_criterion_of_the_tree(criterion):
    tree = CARTClassifier(criterion=criterion, prune="pessimistic_error").fit(X, LABELS).tree_
    counts = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, np.newaxis]
    assert np.allclose(tree.impurity, [CRITERIA[criterion].measure(counts=row) for row in counts], atol=1e-12)


@pytest.mark.parametrize("criterion", NUMBERS)
def test_pruning_by_errors_refuses_a_criterion_on_numbers(criterion):
    arrays = CARTClassifier(max_depth=2).fit(X, LABELS).tree_.to_arrays()
    dataset = _core.Dataset.from_columns(list(np.ascontiguousarray(X.T)), [0] * 4, [0] * 4, 0)
    labels = LABELS.astype(np.int32)
    with pytest.raises(ValueError, match=r"needs a criterion on classes: gini or entropy"):
        _core.prune_pessimistic(
            arrays, dataset, labels, 3, None, native(criterion), _core.PruneProgram.j48, 0.25, True
        )
