"""Only the order of numbers and the identity of categories matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle.strategies import Example, examples, frame_of_codes
from tests.oracle.tree_view import TreeView
from tests.properties.same_tree import assert_same_numbers, assert_same_shape, fit

pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")
many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

TRANSFORMS = {
    "cube": lambda column: column**3,
    "exp": np.exp,
    "shift and scale": lambda column: 3.0 * column - 11.0,
    "arctan": np.arctan,
}


@many
@given(examples(nominal=False), st.sampled_from(sorted(TRANSFORMS)))
def test_a_monotone_transform_of_a_column_does_not_matter(example: Example, name: str) -> None:
    x = example.x.copy()
    x[:, 0] = TRANSFORMS[name](x[:, 0])
    plain, transformed = fit(example, weight=example.weight), fit(example, x=x, weight=example.weight)
    assert_same_shape(plain, transformed)
    assert_same_numbers(plain, transformed)
    one, other = TreeView.of(plain), TreeView.of(transformed)
    for mine, theirs in zip(one.rows_by_node(example.x), other.rows_by_node(x), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@many
@given(examples(criteria=("gini", "entropy", "squared_error", "poisson")))
def test_the_names_of_categories_do_not_matter(example: Example) -> None:
    if not any(example.nominal):
        return
    renamed = frame_of_codes(example.x, example.nominal, prefix="☂ ")
    plain, other = fit(example, weight=example.weight), fit(example, x=renamed, weight=example.weight)
    assert_same_shape(plain, other)
    assert_same_numbers(plain, other)


@many
@given(examples(criteria=("squared_error",), ties=False, weights=False), st.integers(0, 2**32 - 1))
def test_the_order_of_categories_does_not_matter(example: Example, seed: int) -> None:
    if not any(example.nominal):
        return
    order = np.random.default_rng(seed).permutation(6)
    x = example.x.copy()
    for column, nominal in enumerate(example.nominal):
        if nominal:
            known = ~np.isnan(x[:, column])
            x[known, column] = order[x[known, column].astype(int) - 1] + 1
    plain, other = fit(example), fit(example, x=frame_of_codes(x, example.nominal))
    # Real targets leave no ties but those of two columns with the same partition, which the order keeps.
    np.testing.assert_allclose(np.sort(plain.tree_.gain), np.sort(other.tree_.gain), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(
        plain.predict(example.frame()), other.predict(frame_of_codes(x, example.nominal)), rtol=1e-12
    )


@many
@given(examples(), st.integers(0, 2**32 - 1))
def test_the_order_of_rows_does_not_matter(example: Example, seed: int) -> None:
    if example.criterion == "absolute_error" and any(example.nominal):
        return
    order = np.random.default_rng(seed).permutation(len(example.y))
    frame = example.frame()
    x = frame.iloc[order] if hasattr(frame, "iloc") else frame[order]
    weight = None if example.weight is None else example.weight[order]
    plain, shuffled = (
        fit(example, weight=example.weight),
        fit(example, x=x, y=example.y[order], weight=weight),
    )
    assert_same_shape(plain, shuffled)
    assert_same_numbers(plain, shuffled)


@many
@given(examples(nominal=False))
def test_memory_order_and_precision_of_the_matrix_do_not_matter(example: Example) -> None:
    # Every value is kept by float32, so that both precisions hold the same numbers.
    x = example.x.astype(np.float32)
    trees = [
        fit(example, x=matrix, weight=example.weight)
        for matrix in (x, np.asfortranarray(x), x.astype(np.float64), np.repeat(x, 2, axis=0)[::2])
    ]
    for other in trees[1:]:
        assert_same_shape(trees[0], other)
        assert_same_numbers(trees[0], other)
        np.testing.assert_array_equal(trees[0].tree_.threshold, other.tree_.threshold)
