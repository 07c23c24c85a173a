"""A table that was read already can be read again, by rows and by columns."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from treewright.data import read_table

FRAME = pd.DataFrame({"a": [1.0, 2.0, np.nan], "b": ["x", "y", "x"], "c": [3, 4, 5]})
INPUTS = [FRAME, FRAME[["a", "c"]].to_numpy(), csr_matrix(np.nan_to_num(FRAME[["a", "c"]].to_numpy()))]


@pytest.mark.parametrize("X", INPUTS, ids=["frame", "array", "sparse"])
def test_a_table_is_its_own_table(X):
    table = read_table(X, estimator_name="Tree")
    assert read_table(table, estimator_name="Tree") is table
    assert read_table(table, estimator_name="Tree", schema=table.schema) is table
    some = read_table(table, estimator_name="Tree", rows=np.array([2, 0]))
    np.testing.assert_array_equal(some.to_matrix(), table.to_matrix()[[2, 0]])


@pytest.mark.parametrize("X", INPUTS, ids=["frame", "array", "sparse"])
def test_some_columns_of_a_table_are_a_table(X):
    table = read_table(X, estimator_name="Tree")
    some = table.select([1, 0])
    np.testing.assert_array_equal(some.to_matrix(), table.to_matrix()[:, [1, 0]])
    assert [feature.name for feature in some.schema.features] == [
        table.schema.features[i].name for i in (1, 0)
    ]
    assert some.schema.named == table.schema.named
