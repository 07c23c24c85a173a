"""Sparse matrices whose arrays contradict each other: refused with a sentence, at fit and at prediction."""

import numpy as np
import pytest
from scipy import sparse

from tests.contract.data import numeric_table


def sparse_table(task, form):
    X, y = numeric_table(task, 60)
    return sparse.csr_matrix(np.where(np.abs(np.nan_to_num(X)) < 0.5, 0.0, np.nan_to_num(X))).asformat(
        form
    ), y


def set_index(value):
    def corrupt(X):
        X.indices[3] = value

    return corrupt


def set_pointer(place, value):
    def corrupt(X):
        X.indptr[place] = value

    return corrupt


def replace_array(name, change):
    def corrupt(X):
        setattr(X, name, change(getattr(X, name)))

    return corrupt


CORRUPTIONS = {
    "an index below 0": (set_index(-5), "'indices' holds -5, but the matrix has"),
    "an index beyond the matrix": (set_index(10**6), "'indices' holds 1000000, but the matrix has"),
    "indices that are no integers": (
        replace_array("indices", lambda a: a.astype(float)),
        "'indices' must hold integers, but has the dtype float64",
    ),
    "fewer indices than values": (
        replace_array("indices", lambda a: a[:-5]),
        "its arrays must have one entry per stored value",
    ),
    "pointers that fall": (set_pointer(1, 10**6), "'indptr' falls at position 2"),
    "pointers beyond the entries": (set_pointer(-1, 10**6), "'indptr' must lead from 0 to at most the"),
    "pointers that do not begin at 0": (set_pointer(0, -3), "'indptr' must lead from 0"),
    "too many pointers": (
        replace_array("indptr", lambda a: np.append(a, a[-1])),
        r"'indptr' must hold \d+ integers for \d+ (rows|columns)",
    ),
    "too few pointers": (
        replace_array("indptr", lambda a: a[:-1]),
        r"'indptr' must hold \d+ integers for \d+ (rows|columns)",
    ),
}


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("what", CORRUPTIONS)
def test_a_corrupt_sparse_matrix_is_refused_with_what_is_wrong(new, task, form, what):
    X, y = sparse_table(task, form)
    fitted = new().fit(X, y)
    corrupt, words = CORRUPTIONS[what]
    broken = X.copy()
    corrupt(broken)
    for use in (lambda: new().fit(broken, y), lambda: fitted.predict(broken)):
        with pytest.raises(ValueError, match=f"sparse matrix X is corrupt: .*{words}"):
            use()


def test_coordinates_outside_of_the_matrix_are_refused(new, task):
    X, y = sparse_table(task, "coo")
    fitted = new().fit(X, y)
    for name, count in (("row", "60 rows"), ("col", "4 columns")):
        broken = X.copy()
        getattr(broken, name)[2] = 99
        for use in (lambda broken=broken: new().fit(broken, y), lambda broken=broken: fitted.predict(broken)):
            with pytest.raises(ValueError, match=f"'{name}' holds 99, but the matrix has {count}"):
                use()


def test_a_sparse_matrix_without_numbers_is_refused(new, task):
    X, y = sparse_table(task, "csc")
    X.data = X.data.astype(object)
    with pytest.raises(ValueError, match=r"has the dtype object\. Convert it first"):
        new().fit(X, y)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_index_types_order_and_repeated_entries_make_no_difference(new, task, form, answer):
    X, y = sparse_table(task, form)
    expected = answer(new().fit(X, y), X)
    for index_type in (np.int32, np.int64, np.uint8):
        other = X.copy()
        other.indices = other.indices.astype(index_type)
        np.testing.assert_array_equal(answer(new().fit(other, y), other), expected)
    mixed = X.copy()
    mixed.sum_duplicates()
    line = next(i for i in range(len(mixed.indptr) - 1) if mixed.indptr[i + 1] - mixed.indptr[i] > 1)
    entries = slice(mixed.indptr[line], mixed.indptr[line + 1])
    # scipy goes on believing that the entries are in order.
    mixed.indices[entries] = mixed.indices[entries][::-1].copy()
    mixed.data[entries] = mixed.data[entries][::-1].copy()
    np.testing.assert_array_equal(answer(new().fit(mixed, y), mixed), expected)
    first, second = mixed.indptr[line], mixed.indptr[line] + 1
    doubled = mixed.copy()
    doubled.indices[second] = doubled.indices[first]
    total = doubled.toarray()
    np.testing.assert_array_equal(answer(new().fit(doubled, y), doubled), answer(new().fit(total, y), total))
