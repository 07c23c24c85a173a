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
from treewright.files.tokens import MISSING

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
    whole = read(data, reader, separator=";", decimal=".")  # which is guessed from the first lines
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_records, "BATCH_BYTES", 24)
        patch.setattr(csv_records, "HEAD_BYTES", 8)
        assert same(read(data, reader, separator=";", decimal="."), whole)


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


def rows_of(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


# What files of other programs hold: marks of byte order, ends of lines, blanks, dates, words for nothing.
ODD_FILES = {
    "byte order mark": b"\xef\xbb\xbf" + rows_of("a,b", "1,x", "2,y"),
    "carriage returns": b"a,b\r\n1,x\r\n2,\r\n",
    "no newline at the end": b"a,b\n1,x\n2,y",
    "blank lines": rows_of("a,b", "", "1,x", "", "", "2,y", ""),
    "blanks around cells": rows_of("a,b , c", " 1 ,x , NA ", "2\t, x,", " 3, x , nan "),
    "blanks at the end": rows_of("a,b", "1,x   ", "2,x", "   ,y"),
    "quotes": rows_of('a,"b"', '"1","x, y"', '"2","say ""hi"""', '"3",""'),
    "line breaks in quotes": b'a,b\n1,"x\ny"\n2,"x\r\ny"\n',
    "quoted words for nothing": rows_of("a,b", '"NA","NA"', '2,"x"', '"?","n/a"'),
    "huge whole numbers": rows_of(
        "a,b", "9007199254740993,1", "9007199254740992,2", "12345678901234567890,3"
    ),
    "huge among fractions": rows_of("a", "9007199254740993", "0.5", "1e300"),
    "beyond 64 bits": rows_of("a", "18446744073709551615", "18446744073709551616", "1"),
    "beyond floats": rows_of("a", "1e309", "-1e309", "4e-325", "inf"),
    "digits to the last": rows_of("a", "0.1", "0.30000000000000004", "1.7976931348623157e308", "5e-324"),
    "zeros": rows_of("a,b", "0,-0", "-0,0", "00,-0.0", "-000,1"),
    "leading zeros": rows_of("zip", "01234", "98765", "00501"),
    "dates": rows_of("day,n", "2024-01-31,1", "2024-02-29,2", "31/12/2023,3"),
    "times": rows_of("at,n", "2024-01-31T12:00:00Z,1", "12:30,2", ",3"),
    "mixed": rows_of("a,b", "1,1", "x,2", "true,3", ",x"),
    "booleans": rows_of("a,b,c", "true,TRUE,yes", "false,False,no", "true,NA,yes"),
    "booleans and numbers": rows_of("a", "true", "1", "0"),
    "words for nothing": rows_of("a,b", *(f"{word},{word}" for word in MISSING), "1,x"),
    "almost words for nothing": rows_of("a,b", "NAN,1", "-nan,2", "+NaN,3", "na,4", "none,5", "nil,6"),
    "nothing but words for nothing": rows_of("a,b", "NA,1", "?,2", ",3"),
    "signs": rows_of("a", "+1", "-1", "+.5", "-5.", "1e+5", "1E-05"),
    "units and money": rows_of("a,b,c", "$5,10%,5 kg", "$6,20%,6 kg"),
    "decimal commas": rows_of("a;b", "1,5;2", "2,5;3"),
    "thousands": rows_of("a;b", "1,000;1 000", "2,000;2_000"),
    "hexadecimal": rows_of("a,b", "0x10,1d5", "0xff,2d5"),
    "other scripts": rows_of("größe,汉字", "١,é", "２,e\u0301", "\u00a01,\u200b"),
    "numbers, then a word": rows_of("a", *map(str, range(3000)), "x"),
    "a word, then numbers": rows_of("a", "x", *map(str, range(3000))),
    "one column": rows_of("a", "1", "", "3"),
    "a header alone": b"a,b\n",
    "emoji": rows_of("a,b", "😀,1", "👩‍👩‍👧,2"),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_odd_files_are_the_same_table_for_every_library(name: str) -> None:
    found = {reader: read(ODD_FILES[name], reader) for reader in READERS}
    assert isinstance(found["csv"], NamedColumns), found["csv"]
    for reader, table in found.items():
        assert same(table, found["csv"]), reader
    again = {reader: read(ODD_FILES[name], reader, missing=("", "NA", "-1", "x")) for reader in READERS}
    for reader, table in again.items():
        assert same(table, again["csv"]), f"{reader} with other missing values"


def test_thousands_of_columns_are_read_once_each() -> None:
    names = [f"c{i}" for i in range(3000)]
    rows = [",".join(str((i * j) % 7 if i % 3 else "ab"[j % 2]) for i in range(3000)) for j in range(4)]
    data = rows_of(",".join(names), *rows)
    found = {reader: read(data, reader) for reader in READERS}
    assert isinstance(found["csv"], NamedColumns) and len(found["csv"].columns) == 3000
    for reader, table in found.items():
        assert same(table, found["csv"]), reader


@settings(deadline=None)
@given(files(), st.sampled_from([None, ",", "."]))
def test_every_library_reads_decimal_commas_alike(data: bytes, decimal: str | None) -> None:
    found = {reader: read(data, reader, separator=";", decimal=decimal) for reader in READERS}
    for reader, table in found.items():
        assert same(table, found["csv"]), reader


@pytest.mark.parametrize("reader", READERS)
def test_numbers_with_commas_are_numbers_where_nothing_else_can_be_meant(reader: str) -> None:
    data = b'a;b;c\n1,5;"-,25";x\n2;3,0e2;y\n;"4,125";1,5,2\n'
    table = read(data, reader)
    assert isinstance(table, NamedColumns)
    a, b, c = table.columns
    assert isinstance(a, Numbers) and isinstance(b, Numbers) and isinstance(c, Categories)
    np.testing.assert_array_equal(a.values, [1.5, 2, np.nan])
    np.testing.assert_array_equal(b.values, [-0.25, 300, 4.125])
    assert c.categories == ("x", "y", "1,5,2")


@pytest.mark.parametrize(
    "data",
    [
        b"a;b\n1,234;x\n5,678;y\n",  # thousands, perhaps
        b"a;b\n1,5;2.5\n",  # both signs
        b'a,b\n"1,5",x\n',  # the comma divides fields
    ],
)
def test_a_comma_that_may_mean_something_else_stays_text(data: bytes) -> None:
    table = read(data, "csv")
    assert isinstance(table, NamedColumns) and isinstance(table.columns[0], Categories)
    if b";" in data:
        table = read(data, "csv", decimal=",")
        assert isinstance(table, NamedColumns) and isinstance(table.columns[0], Numbers)
