from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse

from treewright.data import read_table


def dataset(X, **options):
    return read_table(X, estimator_name="CARTClassifier", **options).to_dataset()


def test_a_matrix_becomes_ranks_with_zero_for_missing():
    encoded = dataset(np.array([[2.5, 1.0], [np.nan, 1.0], [0.5, 3.0]]))
    assert (encoded.n_rows, encoded.n_features) == (3, 2)
    assert encoded.codes(0).tolist() == [2, 0, 1]
    assert encoded.codes(1).tolist() == [1, 1, 2]


def test_columns_become_ranks_or_keep_their_category_codes():
    size = pd.Categorical(["l", "s", None], categories=["s", "m", "l"], ordered=True)
    encoded = dataset(pd.DataFrame({"n": [7, 5, 7], "c": ["x", None, "y"], "o": size}))
    assert [encoded.codes(i).tolist() for i in range(3)] == [[2, 1, 2], [1, 0, 2], [3, 1, 0]]
    assert [encoded.n_codes(i) for i in range(3)] == [2, 2, 3]


def test_a_sparse_matrix_is_encoded_like_the_dense_one():
    X = np.array([[0.0, 2.5], [3.0, 0.0], [np.nan, 0.0]])
    dense, thin = dataset(X), dataset(sparse.csr_matrix(X))
    for feature in range(2):
        assert thin.codes(feature).tolist() == dense.codes(feature).tolist()
