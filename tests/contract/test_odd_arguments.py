"""Arguments of the wrong type or size: refused by name, and never by something deep inside."""

import numpy as np
import pytest

from tests.contract.data import numeric_table
from treewright import CARTClassifier, Grower, export_rules, export_summary, export_text
from treewright.datasets import load_tennis

NO_COUNT = ["many", 2.5, True, [3], b"3", float("nan")]


@pytest.fixture
def fitted(new, task):
    return new().fit(*numeric_table(task, 80))


@pytest.fixture
def which(is_forest, is_booster):
    return {"tree": 0} if is_forest or is_booster else {}


@pytest.mark.parametrize("value", NO_COUNT, ids=repr)
def test_numbers_of_things_must_be_whole(fitted, which, value):
    for export, name, more in (
        (export_text, "max_depth", which),
        (export_text, "max_nodes", which),
        (export_rules, "max_rules", which),
        (export_summary, "max_features", {}),
    ):
        with pytest.raises(TypeError, match=rf"^{name} must be a whole number, got"):
            export(fitted, **{name: value}, **more)


@pytest.mark.parametrize("value", [3.5, "abcd", b"abcd", 7, True], ids=repr)
def test_names_must_be_a_list(fitted, which, value):
    for export, more in ((export_text, which), (export_rules, which), (export_summary, {})):
        with pytest.raises(TypeError, match=r"^feature_names must be a list of names, got"):
            export(fitted, feature_names=value, **more)
    with pytest.raises(TypeError, match=r"^show must be a list of facts, got"):
        export_text(fitted, show=value, **which)


def test_a_target_may_have_any_name(fitted, which):
    assert "7" in export_text(fitted, target_name=7, **which)
    assert "7 = " in export_rules(fitted, target_name=7, **which)


@pytest.mark.parametrize("value", ["many", 2.5, [3], True], ids=repr)
def test_reports_refuse_odd_numbers_of_candidates(fitted, task, entry, value):
    if entry[0] in ("cart", "c45", "id3"):
        with pytest.raises(TypeError, match=r"^top must be a whole number"):
            fitted.explain_split(0, top=value)
        with pytest.raises(ValueError, match=r"^n_leaves must be a whole number of at least 1"):
            fitted.pruned(n_leaves=value)


@pytest.mark.parametrize("value", ["many", [3], b"3", True, 1j], ids=repr)
def test_a_price_must_be_a_number(fitted, entry, value):
    if entry[0] in ("cart", "c45", "id3"):
        with pytest.raises(TypeError, match=r"^alpha must be a number"):
            fitted.pruned(alpha=value)


@pytest.mark.parametrize("value", [["cart"], 3, {}, "gbm"], ids=repr)
def test_other_algorithms_are_named(value):
    X, y, _, _ = load_tennis()
    tree = CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"^as_ must be one of"):
        tree.explain_split(0, X, y, as_=value)


def test_a_grower_refuses_odd_arguments_by_name():
    X, y, names, _ = load_tennis()
    grower = Grower(CARTClassifier(), X, y, feature_names=names)
    for value in NO_COUNT:
        with pytest.raises(TypeError, match=r"^levels must be a whole number"):
            grower.grow(levels=value)
        with pytest.raises(TypeError, match=r"^top must be a whole number"):
            grower.candidates(0, top=value)
    for value in ("sunny", 3, 2.5, True):
        with pytest.raises(TypeError, match=r"^categories must be a list of categories"):
            grower.split(0, feature="outlook", categories=value)
    for value in ([["sunny"]], [{}], [3]):
        with pytest.raises(ValueError, match="'outlook' has no category"):
            grower.split(0, feature="outlook", categories=value)
    numbers = Grower(CARTClassifier(), np.arange(10.0).reshape(-1, 1), [0, 1] * 5)
    for value in ("high", [1], True, float("nan"), 1j):
        with pytest.raises(ValueError, match=r"^The threshold of 'x0' must be a number, got"):
            numbers.split(0, feature=0, threshold=value)
    for value in ("abcd", 3, 2.5):
        with pytest.raises(TypeError, match=r"^feature_names must be a list of names"):
            Grower(CARTClassifier(), X, y, feature_names=value)
    for value in (2.5, "0", None, True, [0]):
        with pytest.raises(TypeError, match=r"^node must be the number of a node"):
            grower.split(value)
    for value in (2.5, True, [0], {}):
        with pytest.raises(TypeError, match=r"^feature must be a name or the number of a column"):
            grower.split(0, feature=value)
    assert len(grower.leaves) == 1
