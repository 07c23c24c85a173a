"""Numbers stored as text: warned about where they would become many categories, and nowhere else."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright.data import read_table
from treewright.data.text_numbers import look_like_numbers
from treewright.exceptions import TextNumbersWarning

NUMBERS = [f"{value:.2f}" for value in np.linspace(-3, 40, 60)]


def read(X, **options):
    return read_table(X, estimator_name="CARTClassifier", **options)


@pytest.mark.parametrize(
    "texts",
    [
        NUMBERS,
        [str(i) for i in range(100, 160)],
        [f" {text} " for text in NUMBERS],
        [f"{i}e-3" for i in range(1, 61)],
        [*NUMBERS, "?", "NA"],
    ],
    ids=["decimals", "integers", "spaces", "exponents", "nearly all"],
)
def test_many_different_numbers_look_like_numbers(texts):
    assert look_like_numbers(texts)


@pytest.mark.parametrize(
    "texts",
    [
        [str(i) for i in range(20)],
        [f"{i:05d}" for i in range(900, 1000)],
        [f"+49{i}" for i in range(100, 160)],
        [f"item {i}" for i in range(60)],
        [*NUMBERS[:40], *"abcdefghij"],
        ["nan", "inf", *(f"v{i}" for i in range(60))],
        list(range(60)),
    ],
    ids=["few", "leading zeros", "telephone", "names", "mixture", "nan", "no text"],
)
def test_names_and_codes_do_not(texts):
    assert not look_like_numbers(texts)


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"radius": NUMBERS, "name": "x"}),
        pd.DataFrame({"radius": pd.Series(NUMBERS, dtype="string"), "name": "x"}),
        pl.DataFrame({"radius": NUMBERS, "name": ["x"] * 60}),
    ],
    ids=["objects", "strings", "polars"],
)
def test_the_warning_names_the_column_the_count_and_the_remedy(X):
    words = (
        r"Column 'radius': numbers stored as text, such as '-3\.00', '-2\.27', …, become categories without "
        r"an order, 60 of them in column 'radius'\. Convert them first, for example with "
        r"pandas\.to_numeric\(X\[name\]\)\. If they are codes, say so"
    )
    with pytest.warns(TextNumbersWarning, match=words):
        table = read(X)
    assert len(table.schema.features[0].categories) == 60


def test_values_that_are_no_numbers_are_named_with_what_becomes_of_them():
    X = pd.DataFrame({"radius": [*NUMBERS, "?"]})
    with pytest.warns(TextNumbersWarning, match=r"errors='coerce'\) \('\?' becomes missing\)"):
        read(X)


def test_many_columns_share_one_warning():
    X = np.array([NUMBERS] * 5).T
    with pytest.warns(TextNumbersWarning, match=r"Columns 0, 1, 2 and 2 more: .*X\.astype\(float\)") as found:
        read(X)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("X", "options"),
    [
        (pd.DataFrame({"code": pd.Categorical(NUMBERS)}), {}),
        (pl.DataFrame({"code": pl.Series(NUMBERS, dtype=pl.Categorical)}), {}),
        (pd.DataFrame({"code": NUMBERS}), {"categorical_features": ["code"]}),
        (pd.DataFrame({"code": np.array(NUMBERS, dtype=float)}), {}),
        (pd.DataFrame({"code": NUMBERS}), {"warn": False}),
    ],
    ids=["categorical", "polars categorical", "listed", "numbers", "asked not to"],
)
def test_what_is_declared_is_not_warned_about(X, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(X, **options)


def test_prediction_does_not_warn():
    X = pd.DataFrame({"code": NUMBERS})
    with pytest.warns(TextNumbersWarning):
        schema = read(X).schema
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(X, schema=schema)
