"""With a bin for every distinct value, binned columns give the tree of exact ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import _core


def plan_of(**values: Any) -> Any:
    """Return a plan with some values set."""
    plan = _core.GrowPlan()
    for name, value in values.items():
        setattr(plan, name, value)
    return plan


def assert_same_tree(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Compare all arrays bit for bit."""
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bins_of_single_values_give_the_exact_tree(dtype: Any, missing: float) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.integers(-60, 60, size=(400, 4)).astype(dtype) / 7
        x[rng.random(x.shape) < missing] = np.nan
        labels = rng.integers(0, 3, size=400).astype(np.int32)
        y = rng.normal(size=400)
        exact, bins = (_core.Dataset.from_matrix(x, max_bins) for max_bins in (0, 255))
        for criterion in (_core.Criterion.gini, _core.Criterion.entropy):
            plan = plan_of(criterion=criterion)
            assert_same_tree(*(_core.grow_classes(data, labels, 3, None, plan) for data in (exact, bins)))
        for criterion in (_core.Criterion.squared_error,):
            plan = plan_of(criterion=criterion)
            assert_same_tree(*(_core.grow_means(data, y, None, plan) for data in (exact, bins)))


def test_fewer_bins_than_values_give_a_coarser_tree_that_still_separates_its_rows() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 3))
    labels = (x[:, 0] > 0.1).astype(np.int32)
    data = _core.Dataset.from_matrix(x, 16)
    assert all(data.n_codes(feature) <= 16 for feature in range(3))
    arrays = _core.grow_classes(data, labels, 2, None, plan_of(max_depth=1))
    left = x[:, arrays["feature"][0]] <= arrays["threshold"][0]
    assert left.sum() == arrays["rows"][1]
