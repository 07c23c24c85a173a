"""Values that no table should hold: every estimator refuses them with a sentence that says what and where."""

import decimal
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from tests.contract.data import numeric_table
from treewright import CARTClassifier
from treewright.exceptions import TextNumbersWarning

HUGE = Fraction(10**400, 3)


def with_value(values, value):
    """Return a list with one entry replaced."""
    changed = list(values)
    changed[3] = value
    return changed


ODD_CELLS = {
    "a fraction": (HUGE, r"column 1 holds the number 10\*\*\d+ \(or so\), which is too large for float64"),
    "an integer of 5000 digits": (
        10**5000,
        r"column 1 holds the integer 10\*\*\d+ \(or so\), which is beyond",
    ),
    "a list": ([1, 2], r"Row 3 of X holds a list of 2 in column 1 \(\[1, 2\]\), where a number or a text"),
    "an array": (np.zeros(2), "Row 3 of X holds a list of 2 in column 1"),
    "bytes": (b"x", "column 1 holds bytes"),
    "a signalling NaN": (decimal.Decimal("sNaN"), "column 1 holds a value that is not a number"),
}


@pytest.mark.parametrize("what", ODD_CELLS)
def test_an_odd_cell_is_refused_with_its_column_at_fit_and_at_prediction(new, entry, task, what):
    X, y = numeric_table(task, 60)
    fitted = new().fit(X, y)
    value, words = ODD_CELLS[what]
    table = X.tolist()
    table[3] = [table[3][0], value, *table[3][2:]]
    with pytest.raises((ValueError, TypeError), match=words):
        new().fit(table, y)
    if entry[0] == "id3" and isinstance(value, int | Fraction):
        assert len(fitted.predict(table)) == 60  # to ID3 numbers are symbols: this one it has not seen
        return
    with pytest.raises((ValueError, TypeError), match=words):
        fitted.predict(table)


@pytest.mark.parametrize("value", [HUGE, 10**5000], ids=["fraction", "integer"])
def test_the_message_about_a_huge_number_names_the_column(new, task, value):
    X, y = numeric_table(task, 60)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["income"] = with_value([1.0] * 60, value)
    with pytest.raises(ValueError, match=r"column 'income' holds the (number|integer) 10\*\*"):
        new().fit(frame, y)


def test_a_huge_fraction_among_listed_categories_is_refused_at_fit_and_unseen_at_prediction(new, task):
    X, y = numeric_table(task, 60)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["e"] = pd.Series([Fraction(i % 3, 4) for i in range(60)], dtype=object)
    odd = frame.assign(e=pd.Series(with_value(frame["e"], HUGE), dtype=object))
    fitted = new(categorical_features=["e"]).fit(frame, y)
    assert len(fitted.predict(odd)) == 60
    with pytest.raises(ValueError, match=r"column 'e' holds the number .* too large for float64"):
        new(categorical_features=["e"]).fit(odd, y)


ODD_TARGETS = {
    "bytes": (lambda y: np.array([b"a", b"b"] * (len(y) // 2)), "Unknown label type: bytes. y holds bytes"),
    "a list of bytes": (lambda y: [b"a", b"b"] * (len(y) // 2), "Unknown label type: bytes. y holds bytes"),
    "one label of bytes": (lambda y: with_value(y, b"x"), "Unknown label type: .*y holds bytes"),
    "a huge fraction": (
        lambda y: with_value(y, HUGE),
        r"y holds the number 10\*\*\d+ \(or so\), which is too",
    ),
    "a huge integer": (
        lambda y: with_value(np.round(y).astype(int).tolist(), 10**5000),
        r"y holds the integer 10\*\*\d+ \(or so\), which is beyond 2\*\*53 .* Use text as labels",
    ),
    "raw memory": (lambda y: np.zeros(len(y), dtype="V4"), r"Unknown label type: \|V4"),
    "a structured array": (
        lambda y: np.zeros(len(y), dtype=[("a", float)]),
        "structured array, pass one field",
    ),
    "a frame of two columns of one name": (
        lambda y: pd.DataFrame(np.column_stack([y, y]), columns=["a", "a"]),
        r"y should be a 1d array, got an array of shape \(60, 2\) instead",
    ),
}


@pytest.mark.parametrize("what", ODD_TARGETS)
def test_an_odd_target_is_refused(new, task, what):
    X, y = numeric_table(task, 60)
    make, words = ODD_TARGETS[what]
    with pytest.raises((ValueError, TypeError), match=words):
        new().fit(X, make(y))


@pytest.mark.parametrize("value", [HUGE, 10**400, 10**5000], ids=["fraction", "integer", "longer"])
def test_a_weight_without_a_float_is_refused(new, task, value):
    X, y = numeric_table(task, 60)
    words = "sample_weight holds a number that is too large for float64"
    with pytest.raises(ValueError, match=words):
        new().fit(X, y, sample_weight=with_value([1] * 60, value))
    with pytest.raises(ValueError, match=words):
        new().fit(X, y, sample_weight=value)


def test_numbers_stored_as_text_are_warned_about_once(new, task, accepts):
    X, y = numeric_table(task, 120)
    texts = pd.DataFrame(np.nan_to_num(X)).astype(str).set_axis(list("abcd"), axis=1)
    params = {"prune": "cost_complexity", "cv": 3, "random_state": 0} if accepts("prune") else {}
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        new(**params).fit(texts, y)
    words = [str(one.message) for one in found if one.category is TextNumbersWarning]
    assert len(words) == 1
    assert words[0].startswith("Columns 'a', 'b', 'c' and 1 more: numbers stored as text")
    assert {one.filename for one in found if one.category is TextNumbersWarning} == {__file__}


@pytest.mark.parametrize("shape", [(6,), (6, 2)])
def test_the_score_of_labels_with_a_signalling_nan_is_refused_with_a_sentence(shape):
    X = np.arange(6.0).reshape(-1, 1)
    tree = CARTClassifier().fit(X, list("aaabbb"))
    labels = np.full(shape, decimal.Decimal("sNaN"), dtype=object)
    with pytest.raises(ValueError, match="y holds a value that is not a number: a signalling NaN"):
        tree.score(X, labels)
    assert tree.score(X, list("aaabbb")) == 1.0
    assert tree.score(X, list("aaaabb"), sample_weight=[1, 1, 1, 0, 1, 1]) == 1.0
