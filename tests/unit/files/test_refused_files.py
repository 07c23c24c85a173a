"""Files that are no tables are refused in one sentence that names the file, the line and the remedy."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest

from treewright.data.column import Categories, Numbers
from treewright.data.schema import Feature
from treewright.exceptions import DataFileError
from treewright.files import open_table
from treewright.files.csv_file import CsvFile


def refusal(data: bytes, **options: object) -> str:
    with pytest.raises(DataFileError) as caught:
        CsvFile(lambda: io.BytesIO(data), "t.csv", reader="csv", **options).read()
    return str(caught.value)


def test_a_ragged_line_is_named_with_what_it_holds() -> None:
    assert refusal(b"a,b,c\n1,2,3\n4,5\n") == (
        't.csv line 3: 2 fields, header has 3 ("4,5"). Complete the line; an empty field is a missing value.'
    )
    assert refusal(b"a,b\n1,x,y\n").endswith("""Put a text that holds ',' in quotes.""")
    rows = b"".join(b"1,2,3\n" for _ in range(300))
    assert "t.csv line 302: 4 fields" in refusal(b"a,b,c\n" + rows + b"1,2,3,4\n")
    assert "line 4" in refusal(b'a,b\n"x\ny",1\n2\n')


def test_a_wrong_separator_is_recognised() -> None:
    found = refusal(b"a,b\n1;2;3\n", separator=",")
    assert "1 field, header has 2" in found and "--sep ';'" in found


def test_files_that_are_no_tables_are_refused() -> None:
    assert "is empty" in refusal(b"")
    assert "is empty" in refusal(b"\n\n")
    assert "two columns are called 'a'" in refusal(b"a,b,a\n1,2,3\n")
    assert "column 2 of 3 has no name" in refusal(b"a,,c\n1,2,3\n")
    assert "never closed" in refusal(b'a,b\n1,"x\n2,y\n')
    assert "never closed" in refusal(b'a,"b\n1,2\n')
    assert "not UTF-8 (byte 0xe9)" in refusal(b"a,b\n1,caf\xe9\n")
    assert "line 3" in refusal(b"a,b\n1,x\n2,\xe9\n")
    assert "UTF-16" in refusal("a,b\n1,2\n".encode("utf-16"))
    assert "NUL" in refusal(b"a,b\n1,\x00\n")
    assert "carriage returns" in refusal(b"a,b\r1,2\r")


def test_a_header_alone_is_a_table_without_rows() -> None:
    table = CsvFile(lambda: io.BytesIO(b"a,b\n"), "t.csv", reader="csv").read()
    assert (table.names, table.n_rows) == (("a", "b"), 0)


def test_a_mark_at_the_beginning_belongs_to_no_name() -> None:
    table = CsvFile(lambda: io.BytesIO(b"\xef\xbb\xbfa,b\n1,2\n"), "t.csv", reader="csv").read()
    assert table.names == ("a", "b")


def test_other_encodings_and_compressed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_bytes("stadt,y\nKöln,1\n".encode("latin-1"))
    (tmp_path / "u.csv").write_bytes("stadt,y\nKöln,1\n".encode("utf-16"))
    with gzip.open(tmp_path / "z.csv.gz", "wb") as file:
        file.write("stadt,y\nKöln,1\n".encode())
    for name, encoding in [("l.csv", "latin-1"), ("u.csv", "utf-16"), ("z.csv.gz", "utf-8")]:
        column = open_table(tmp_path / name, encoding=encoding).read().column("stadt")
        assert isinstance(column, Categories) and column.categories == ("Köln",)
    with pytest.raises(DataFileError, match="no encoding 'klingon'"):
        open_table(tmp_path / "l.csv", encoding="klingon")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    for name in ("none.csv", "none.parquet", "none.jsonl"):
        with pytest.raises(FileNotFoundError, match="no such file"):
            open_table(tmp_path / name)
    for name in ("folder.csv", "folder.parquet"):
        (tmp_path / name).mkdir()
        with pytest.raises(DataFileError, match="is a folder"):
            open_table(tmp_path / name)


def test_kinds_can_be_asked_for() -> None:
    file = CsvFile(lambda: io.BytesIO(b"a,b\n2,x\n1,y\n,x\n"), "t.csv", reader="csv")
    column = file.read({"a": "nominal"}).column("a")
    assert isinstance(column, Categories)
    assert (column.categories, column.codes.tolist()) == ((1, 2), [2, 1, 0])
    with pytest.raises(DataFileError, match="column 'b' is not numeric: it holds 'x'"):
        file.read({"b": "numeric"})


def test_identifiers_too_long_for_a_number_are_names() -> None:
    file = CsvFile(lambda: io.BytesIO(b"id\n9007199254740993\n9007199254740995\n"), "t.csv", reader="csv")
    column = file.read().column("id")
    assert isinstance(column, Categories)
    assert column.categories == ("9007199254740993", "9007199254740995")


def test_a_model_s_columns_are_read_as_the_model_knows_them() -> None:
    data = b"n,c,k,flag,extra\n1,x,2,true,0\n?,y,3,false,0\n"
    file = CsvFile(lambda: io.BytesIO(data), "t.csv", reader="csv")
    features = [
        Feature("k", "nominal", (2, 3)),
        Feature("n", "numeric"),
        Feature("flag", "nominal", (False, True)),
        Feature("c", "nominal", ("y",)),
    ]
    (batch,) = list(file.batches(features))
    assert batch.names == ("k", "n", "flag", "c")
    k, n, flag, c = batch.columns
    assert k.values == [2, 3] and flag.values == [True, False]
    assert isinstance(n, Numbers) and np.array_equal(n.values, [1, np.nan], equal_nan=True)
    assert isinstance(c, Categories) and c.categories == ("x", "y")
    with pytest.raises(DataFileError, match="line 2: column 'c' holds 'x'; the model knows numbers there"):
        list(file.batches([Feature("c", "numeric")]))


def test_lines_of_json_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "b": "x"}\n\n{"b": null, "c": true}\n', encoding="utf-8")
    table = open_table(path).read()
    assert table.names == ("a", "b", "c") and table.n_rows == 2
    path.write_text('{"a": 1}\n{"a": \n', encoding="utf-8")
    with pytest.raises(DataFileError, match="line 2 is not JSON"):
        open_table(path)
    path.write_text("[1]\n", encoding="utf-8")
    with pytest.raises(DataFileError, match="line 1 is not an object"):
        open_table(path)
    path.write_text(json.dumps({"a": {"b": 1}}), encoding="utf-8")
    with pytest.raises(TypeError, match="column 'a' holds a value of type dict"):
        open_table(path).read()


@pytest.mark.parametrize("reader", ["pyarrow", "polars"])
@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".feather"])
def test_typed_files_are_read_by_either_library(tmp_path: Path, reader: str, ending: str) -> None:
    pl = pytest.importorskip("polars")
    pytest.importorskip(reader)
    path = tmp_path / f"t{ending}"
    frame = pl.DataFrame({"n": [1.5, None, 3.0], "c": ["x", "y", None], "b": [True, False, None]})
    frame.write_parquet(path) if ending == ".parquet" else frame.write_ipc(path)
    file = open_table(path, reader=reader)
    table = file.read()
    assert table.names == ("n", "c", "b") and table.n_rows == 3
    n, c, b = table.columns
    assert np.array_equal(n.values, [1.5, np.nan, 3.0], equal_nan=True)
    assert c.categories == ("x", "y") and c.codes.tolist() == [1, 2, 0]
    assert b.categories == (False, True) and b.codes.tolist() == [2, 1, 0]
    (batch,) = list(file.batches([Feature("c", "nominal", ("x", "y")), Feature("n", "numeric")]))
    assert batch.names == ("c", "n") and batch.n_rows == 3
    path.write_bytes(b"neither one nor the other")
    with pytest.raises(DataFileError, match="is not a"):
        open_table(path, reader=reader)
