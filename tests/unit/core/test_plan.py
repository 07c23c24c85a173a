"""Plans whose parts do not fit each other are refused wherever the engine takes one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import _core
from treewright.criteria import choices, native
from treewright.recipe import Recipe

X = np.arange(12, dtype=np.float64)
LABELS = (X > 5).astype(np.int32)
DATA = _core.Dataset.from_columns([X], [0], [0], 0)
ROWS = np.arange(len(X), dtype=np.uint32)

REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "directions": ({}, {"criterion": "gini", "monotone": [1, 0]}, "a monotone direction for every column"),
    "branches": (
        {"categories": "multiway"},
        {"criterion": "gini"},
        "missing values in fractions or in a branch",
    ),
    "bits": ({"arithmetic": "tolerant"}, {"criterion": "gini"}, "of C4.5 need the criterion entropy"),
    "merged": (
        {"categories": "merged", "missing": "fractional"},
        {"criterion": "entropy"},
        "Merged categories need single-precision arithmetic",
    ),
    "declared": ({"arithmetic": "single"}, {"criterion": "entropy"}, "needs the number of declared classes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_plan_whose_parts_do_not_fit_is_refused_by_growing_and_by_reports(name: str) -> None:
    recipe, settings, message = REFUSED[name]
    plan = Recipe(**recipe).plan(**settings)
    with pytest.raises(ValueError, match=message):
        _core.grow_classes(DATA, LABELS, 2, None, plan)
    with pytest.raises(ValueError, match=message):
        _core.class_candidates(DATA, LABELS, 2, plan, ROWS, None, float(len(X)))


@pytest.mark.parametrize("criterion", choices(classes=False))
def test_multiway_splits_are_refused_for_numbers(criterion: str) -> None:
    plan = Recipe(categories="multiway", missing="own_branch").plan(criterion=criterion)
    with pytest.raises(ValueError, match="Multiway splits need a criterion on classes"):
        _core.grow_means(DATA, X, None, plan)


@pytest.mark.parametrize("criterion", choices(classes=False))
def test_a_criterion_on_numbers_is_refused_for_classes(criterion: str) -> None:
    plan = _core.GrowPlan()
    plan.criterion = native(criterion)
    with pytest.raises(ValueError, match="This criterion needs numbers, not classes, as target"):
        _core.grow_classes(DATA, LABELS, 2, None, plan)
    with pytest.raises(ValueError, match="This criterion needs numbers, not classes, as target"):
        _core.class_candidates(DATA, LABELS, 2, plan, ROWS, None, float(len(X)))
    with pytest.raises(ValueError, match="This criterion needs numbers, not classes, as target"):
        _core.grow_class_forest(DATA, LABELS, 2, None, plan, _core.BagRule(), 0, 1)


@pytest.mark.parametrize("criterion", choices(classes=True))
def test_a_criterion_on_classes_is_refused_for_numbers(criterion: str) -> None:
    plan = _core.GrowPlan()
    plan.criterion = native(criterion)
    with pytest.raises(ValueError, match="This criterion needs classes, not numbers, as target"):
        _core.grow_means(DATA, X, None, plan)
    with pytest.raises(ValueError, match="This criterion needs classes, not numbers, as target"):
        _core.mean_candidates(DATA, X, plan, ROWS, None, float(len(X)))
    with pytest.raises(ValueError, match="This criterion needs classes, not numbers, as target"):
        _core.grow_mean_forest(DATA, X, None, plan, _core.BagRule(), 0, 1)
