"""The same file gives the same table whichever library reads it."""

from __future__ import annotations

import io
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright
from treewright.data.column import Categories, Numbers
from treewright.data.named_columns import NamedColumns
from treewright.files import csv_records
from treewright.files.csv_file import CsvFile
from treewright.files.readers import CSV_READERS

READERS = [name for name in CSV_READERS if find_spec(name) is not None]
# Numbers in every way to write them, what looks like one, missing values, quotes, booleans, other scripts.
TOKENS = [
    *("1", " 1", "1 ", "\t1", "+1", "-1", ".5", "5.", "1e5", "1E+5", "-0", "0.1", "1e400", "4.9e-324"),
    *("2.2250738585072011e-308", "1.7976931348623157e308", "123456789012345678901", "9007199254740993"),
    *("inf", "-inf", "Infinity", "nan", "NaN", "NA", "N/A", "", " ", "?", "NULL", "None", "none"),
    *("1_000", "0x10", "1d5", "1,5", "١", "1.5.2", "--1", "e5", ".", "+", "1e", "true", "False", "TRUE"),
    *("abc", "a b", " abc", '"a;b"', '"x""y"', '"1"', '""', '"line\nbreak"', 'a "b" c', 'a"', "é", "汉字"),
]


def read(data: bytes, reader: str, **options: object) -> NamedColumns | str:
    try:
        return CsvFile(lambda: io.BytesIO(data), "t.csv", reader=reader, **options).read()
    except treewright.exceptions.DataFileError as error:
        return str(error)


def same(a: NamedColumns | str, b: NamedColumns | str) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    if (a.names, a.n_rows) != (b.names, b.n_rows):
        return False
    for x, y in zip(a.columns, b.columns, strict=True):
        if isinstance(x, Numbers) and isinstance(y, Numbers):
            equal = np.array_equal(x.values, y.values, equal_nan=True)
            if not equal or not np.array_equal(np.signbit(x.values), np.signbit(y.values)):
                return False
        elif isinstance(x, Categories) and isinstance(y, Categories):
            if x.categories != y.categories or not np.array_equal(x.codes, y.codes):
                return False
        else:
            return False
    return True


@st.composite
def files(draw: st.DrawFn) -> bytes:
    n_columns = draw(st.integers(1, 3))
    pool = draw(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5))
    rows = draw(
        st.lists(st.lists(st.sampled_from(pool), min_size=n_columns, max_size=n_columns), max_size=12)
    )
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = [";".join("abc"[:n_columns]), *(";".join(row) for row in rows)]
    if draw(st.booleans()):
        lines.insert(draw(st.integers(1, len(lines))), "")
    return (end.join(lines) + draw(st.sampled_from(["", end]))).encode()


@settings(deadline=None)  # the first call imports the libraries
@given(files())
def test_every_library_reads_the_same(data: bytes) -> None:
    found = {reader: read(data, reader, separator=";") for reader in READERS}
    for reader, table in found.items():
        assert same(table, found["csv"]), reader


@settings(deadline=None)
@given(files(), st.sampled_from(READERS))
def test_batches_of_any_length_give_the_same_table(data: bytes, reader: str) -> None:
    whole = read(data, reader, separator=";")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_records, "BATCH_BYTES", 24)
        patch.setattr(csv_records, "HEAD_BYTES", 8)
        assert same(read(data, reader, separator=";"), whole)


def test_a_column_is_what_its_last_row_makes_it() -> None:
    rows = "".join(f"{i},{i},{'true' if i % 2 else 'false'}\n" for i in range(5000))
    data = f"number,late,flag\n{rows}7,seven,true\n".encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_records, "BATCH_BYTES", 1000)
        for reader in READERS:
            table = read(data, reader)
            assert isinstance(table, NamedColumns)
            number, late, flag = table.columns
            assert isinstance(number, Numbers) and number.values[4999] == 4999
            assert isinstance(late, Categories) and late.categories[::5000] == ("0", "seven")
            assert isinstance(flag, Categories) and flag.categories == (False, True)


@pytest.mark.parametrize("reader", READERS)
def test_an_estimator_takes_the_table_as_it_is(reader: str) -> None:
    data = b"age,city,y\n1,Rom,a\n2,Rom,a\n30,Bonn,b\n,Bonn,b\n"
    table = read(data, reader)
    assert isinstance(table, NamedColumns)
    estimator = treewright.CARTClassifier().fit(table.without(["y"]), ["a", "a", "b", "b"])
    assert estimator.feature_names_in_.tolist() == ["age", "city"]
    assert estimator.predict(table.select(["age", "city"])).tolist() == ["a", "a", "b", "b"]


def test_the_separator_is_found() -> None:
    for separator in ",;\t|":
        lines = [separator.join(["a", "b", "c d"]), separator.join(["1", "2", '"x, y; z | t"'])]
        table = read("\n".join(lines).encode(), "csv")
        assert isinstance(table, NamedColumns) and table.names == ("a", "b", "c d")
