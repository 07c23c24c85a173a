"""A weight says how often a row counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle.strategies import Example, examples
from tests.properties.same_tree import assert_same_numbers, assert_same_shape, assert_same_tests, fit

pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")
many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

LIMITS = st.sampled_from([{}, {"max_depth": 3}, {"max_leaf_nodes": 4}, {"min_weight_fraction_leaf": 0.1}])


def is_supported(example: Example) -> bool:
    """The median criterion has no subsets."""
    return example.criterion != "absolute_error" or not any(example.nominal)


@many
@given(examples(weights=False).filter(is_supported), LIMITS, st.integers(0, 2**32 - 1))
def test_a_weight_of_two_equals_the_row_twice(example: Example, limits: dict[str, int], seed: int) -> None:
    weight = np.random.default_rng(seed).integers(1, 4, size=len(example.y))
    repeated = np.repeat(np.arange(len(example.y)), weight)
    frame = example.frame()
    x = frame.iloc[repeated] if hasattr(frame, "iloc") else frame[repeated]
    weighted = fit(example, weight=weight.astype(float), **limits)
    doubled = fit(example, x=x, y=example.y[repeated], **limits)
    assert_same_shape(weighted, doubled)
    assert_same_numbers(weighted, doubled)
    assert_same_tests(weighted, doubled, example.x)


@many
@given(examples().filter(is_supported), LIMITS, st.integers(0, 2**32 - 1))
def test_a_weight_of_zero_equals_the_row_absent(example: Example, limits: dict[str, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = np.ones(len(example.y)) if example.weight is None else example.weight
    # A category of weight 0 only would still be declared: rows to drop are drawn among repeated ones.
    weight = np.where(rng.random(len(weight)) < 0.4, 0.0, weight)
    weight[:2] = 1.0
    kept = weight > 0
    frame = example.frame()
    x = frame[kept] if not hasattr(frame, "loc") else frame.loc[kept]
    with_zeros = fit(example, weight=weight, **limits)
    without = fit(example, x=x, y=example.y[kept], weight=weight[kept], **limits)
    if example.is_classes and len(np.unique(example.y[kept])) < len(np.unique(example.y)):
        return  # a class without weight is still a class
    assert_same_shape(with_zeros, without)
    assert_same_numbers(with_zeros, without)
    assert_same_tests(with_zeros, without, example.x)


@many
@given(examples(weights=True).filter(is_supported))
def test_the_unit_of_the_weights_does_not_matter(example: Example) -> None:
    weight = np.ones(len(example.y)) if example.weight is None else example.weight
    once, scaled = fit(example, weight=weight), fit(example, weight=weight * 1024)
    assert_same_shape(once, scaled)
    assert_same_tests(once, scaled, example.x)


@many
@given(examples(criteria=("gini", "entropy"), weights=False))
def test_class_weights_multiply_the_weights_of_the_rows(example: Example) -> None:
    by_class = {0.0: 1.0, 1.0: 2.5, 2.0: 0.5}
    weight = np.array([by_class[label] for label in example.y])
    assert_same_numbers(fit(example, class_weight=by_class), fit(example, weight=weight))
