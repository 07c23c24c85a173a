"""Ties: the first column and the lowest cut win, whatever the number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import CARTClassifier, CARTRegressor
from treewright.exceptions import SingleLeafWarning


def test_of_two_equal_columns_the_first_wins() -> None:
    x = np.repeat(np.arange(20.0)[:, None], 5, axis=1)
    y = (x[:, 0] > 7).astype(int)
    for jobs in (1, 2, 8):
        assert CARTClassifier(n_jobs=jobs).fit(x, y).tree_.feature[0] == 0


def test_of_two_equal_cuts_the_lowest_wins() -> None:
    x = np.arange(6.0)[:, None]
    tree = CARTRegressor(max_depth=1).fit(x, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]).tree_
    assert tree.threshold[0] == 0.5
    tree = CARTClassifier(max_depth=1).fit(x, [1, 0, 0, 0, 0, 1]).tree_
    assert tree.threshold[0] == 0.5


def test_a_gain_that_is_larger_by_rounding_only_is_a_tie() -> None:
    # The second column has the same partition with the sides exchanged: its sums are added in another order.
    rng = np.random.default_rng(0)
    first = rng.normal(size=200)
    y = 0.1 + np.where(first > 0.3, 1e3, 0.0) + rng.normal(size=200) / 7
    x = np.column_stack([first, -first])
    assert CARTRegressor(max_depth=1).fit(x, y).tree_.feature[0] == 0
    assert CARTRegressor(max_depth=1).fit(x[:, ::-1], y).tree_.feature[0] == 0


def test_an_impure_node_is_split_even_when_no_split_gains_anything() -> None:
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    exclusive_or = [0, 1, 1, 0]
    assert CARTClassifier().fit(x, exclusive_or).predict(x).tolist() == exclusive_or
    with pytest.warns(SingleLeafWarning):
        assert CARTClassifier(min_gain=0.0).fit(x, exclusive_or).tree_.node_count == 1
