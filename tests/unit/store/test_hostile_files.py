"""Damaged, inconsistent and hostile files always give a ModelFileError that names the file."""

import hashlib
import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import store
from treewright.exceptions import ModelFileError, ModelVersionError
from treewright.store.archive import array_to_bytes, npy_header


@pytest.fixture
def saved(model):
    file = io.BytesIO()
    store.save(model, file)
    return file.getvalue()


@pytest.fixture
def members(saved):
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def with_manifest(members, **changes):
    manifest = json.loads(members["manifest.json"]) | changes
    return zipped(members | {"manifest.json": json.dumps(manifest).encode()})


def with_array(members, name, array=None, content=None, **declared):
    """Replace an array and let the manifest tell the truth about it, except where `declared` lies."""
    if content is None:
        content = array_to_bytes(array, array.dtype.str)
    manifest = json.loads(members["manifest.json"])
    entry = manifest["arrays"][name] | {"sha256": hashlib.sha256(content).hexdigest()}
    if array is not None:
        entry |= {"shape": list(array.shape), "dtype": array.dtype.str}
    manifest["arrays"][name] = entry | declared
    return zipped(
        members | {"manifest.json": json.dumps(manifest).encode(), f"trees/{name}.npy": content},
    )


def refused(content, tmp_path, sentence=r".+"):
    path = tmp_path / "tennis.tree"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=sentence) as caught:
        store.load(path)
    assert str(caught.value).startswith("tennis.tree ")
    return caught.value


def outcome(content):
    """Load from memory: True for a model, False for a ModelFileError; anything else fails the test."""
    try:
        store.load(io.BytesIO(content))
    except ModelFileError:
        return False
    return True


# --- damage ----------------------------------------------------------------------------------------------


def test_a_truncated_file_is_refused_wherever_it_ends(saved):
    assert outcome(saved)
    for length in [*range(0, len(saved), 61), *range(len(saved) - 120, len(saved))]:
        assert not outcome(saved[:length]), length


def test_a_changed_byte_is_refused_or_harmless_wherever_it_is(saved):
    for position in range(0, len(saved), 17):
        for flip in (0x01, 0x80, 0xFF):
            damaged = bytearray(saved)
            damaged[position] ^= flip
            outcome(bytes(damaged))


@pytest.mark.slow
def test_every_single_changed_byte_is_refused_or_harmless(saved):
    for position in range(len(saved)):
        damaged = bytearray(saved)
        damaged[position] ^= 0xFF
        outcome(bytes(damaged))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_random_damage_is_refused_or_harmless(data):
    content = bytearray(_example_file())
    for _ in range(data.draw(st.integers(1, 6))):
        begin = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(st.binary(max_size=40))
        content[begin : begin + data.draw(st.integers(0, 40))] = piece
        if not content:
            return
    outcome(bytes(content))


_EXAMPLE = []


def _example_file():
    # Built once: hypothesis and function-scoped fixtures do not go together.
    if not _EXAMPLE:
        from treewright import CARTClassifier  # noqa: PLC0415

        file = io.BytesIO()
        CARTClassifier().fit([["a", 1.0], ["b", 2.0], ["c", 3.0], ["a", 4.0]], ["x", "y", "x", "y"]).save(
            file
        )
        _EXAMPLE.append(file.getvalue())
    return _EXAMPLE[0]


@pytest.mark.parametrize(
    "content", [b"", b"x", b"PK", b"\0" * 1000, b"not a zip file, only text" * 10, b"PK\5\6" + b"\0" * 18]
)
def test_what_is_no_zip_file_is_refused(content, tmp_path):
    refused(content, tmp_path)


def test_a_pickle_is_refused_and_not_executed(tmp_path):
    refused(b"\x80\x04\x95cos\nsystem\n(S'touch pwned'\ntR.", tmp_path, "does not end like a zip file")


def test_a_file_object_without_a_name_is_called_the_model_file():
    with pytest.raises(ModelFileError, match=r"^the model file is not a valid model file: "):
        store.load(io.BytesIO(b"nothing"))


# --- the zip ---------------------------------------------------------------------------------------------


def test_deflated_members_are_read_and_other_compression_is_refused(members, tmp_path):
    assert outcome(zipped(members, zipfile.ZIP_DEFLATED))
    refused(zipped(members, zipfile.ZIP_BZIP2), tmp_path, "compressed in a way that model files do not allow")


def test_a_zip_bomb_is_refused_without_taking_memory(members, tmp_path):
    bomb = members | {"manifest.json": b" " * 50_000_000}
    content = zipped(bomb, zipfile.ZIP_DEFLATED)
    del bomb
    assert len(content) < 1_000_000
    tracemalloc.start()
    refused(content, tmp_path, "claims 50000000 bytes in a file of")
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "name", ["../evil.npy", "/etc/passwd", "trees/../../x", "C:\\x", "trees/extra.npy", "notes.txt"]
)
def test_members_with_other_names_are_refused(members, tmp_path, name):
    refused(zipped(members | {name: b"x"}), tmp_path, "unknown member")


def test_a_member_twice_is_refused(members, tmp_path):
    file = io.BytesIO(zipped(members))
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("manifest.json", members["manifest.json"])
    refused(file.getvalue(), tmp_path, "two members named 'manifest.json'")


@pytest.mark.parametrize("name", ["manifest.json", "trees/kind.npy", "trees/offsets.npy"])
def test_a_missing_member_is_named(members, tmp_path, name):
    del members[name]
    refused(zipped(members), tmp_path, f"the member '{name}' is missing")


def test_a_directory_of_a_million_members_is_refused_before_it_is_read(saved, tmp_path):
    content = bytearray(saved)
    content[-12:-10] = struct.pack("<H", 65535)
    refused(bytes(content), tmp_path, "its zip directory lists 65535 members")


def test_a_member_that_claims_to_be_larger_than_the_file_is_refused(saved, tmp_path):
    content = bytearray(saved)
    entry = content.index(b"PK\1\2")
    content[entry + 20 : entry + 28] = struct.pack("<II", 2**31, 2**31)
    refused(bytes(content), tmp_path, r"claims 2147483648 bytes")


def test_an_archive_comment_is_refused(saved, tmp_path):
    refused(saved[:-2] + b"\4\0note", tmp_path, "does not end like a zip file")


# --- the manifest ----------------------------------------------------------------------------------------


def test_a_newer_format_says_who_wrote_it_and_what_to_do(members, tmp_path):
    members["trees/new.npy"] = b""  # a newer format may have members that this one does not know
    error = refused(with_manifest(members, format_version=4, library_version="2.3", more=1), tmp_path)
    assert isinstance(error, ModelVersionError)
    assert "was written by treewright 2.3 (format 4); this is treewright" in str(error)
    assert "(formats 1–2). Upgrade with pip install -U treewright." in str(error)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"format": "other"}, "its manifest is not that of a Treewright model"),
        ({"format_version": 0}, "its format version is 0"),
        ({"format_version": "1"}, "its format version is '1'"),
        ({"format_version": True}, "its format version is True"),
        ({"surprise": 1}, "the field 'surprise' of its manifest is unknown or missing"),
        ({"task": "ranking"}, "its task is 'ranking'"),
        ({"task": "regression"}, "which does not fit its classes"),
        ({"classes": None, "class_order": None}, "which does not fit its classes"),
        ({"algorithm": 3}, "the field 'algorithm' of its manifest is not a text"),
        ({"params": []}, "the field 'params' of its manifest is not an object"),
        ({"params": {"max_depth": {"type": "code"}}}, "is not a known value"),
        ({"facts": None}, "the field 'facts' of its manifest is not an object"),
        ({"arrays": {}}, "does not list the arrays"),
        ({"schema": None}, "schema"),
        ({"schema": {"named": True, "features": []}}, "at least one feature"),
        (
            {"classes": {"dtype": "<U3", "shape": [2], "items": ["no", "no"]}},
            "not a list of different labels",
        ),
        ({"classes": {"dtype": "<U3", "shape": [1], "items": ["no"]}}, "does not fit its classes"),
        (
            {"class_order": {"dtype": "<U3", "shape": [1], "items": ["no"]}},
            "do not include all of its classes",
        ),
    ],
)
def test_a_wrong_manifest_is_refused(members, tmp_path, changes, sentence):
    refused(with_manifest(members, **changes), tmp_path, sentence)


@pytest.mark.parametrize(
    "field", ["algorithm", "params", "schema", "classes", "arrays", "facts", "class_order"]
)
def test_a_missing_field_is_named(members, tmp_path, field):
    manifest = json.loads(members["manifest.json"])
    del manifest[field]
    refused(
        zipped(members | {"manifest.json": json.dumps(manifest).encode()}), tmp_path, f"the field '{field}'"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{",
        "nan",
        '{"a": NaN}',
        '{"a": 1, "a": 2}',
        "\udcff",
        "[" * 100_000,
        '{"format_version": ' + "9" * 5000 + "}",
    ],
)
def test_a_manifest_that_is_not_json_is_refused(members, tmp_path, text):
    content = text.encode("utf-8", "surrogatepass")
    refused(zipped(members | {"manifest.json": content}), tmp_path)


# --- the arrays ------------------------------------------------------------------------------------------


def test_a_wrong_checksum_is_refused(members, tmp_path):
    content = bytearray(members["trees/value.npy"])
    content[-1] ^= 1
    refused(zipped(members | {"trees/value.npy": bytes(content)}), tmp_path, "does not have the checksum")


@pytest.mark.parametrize("dtype", [">f8", "<f4", "|O", "<i8", "<U3", "|V8"])
def test_other_types_and_byte_orders_are_refused(members, tmp_path, dtype):
    content = npy_header(dtype, (8,)) + bytes(64)
    refused(
        with_array(members, "loss", content=content),
        tmp_path,
        "C-ordered array of type <f8|not that of a plain array",
    )
    refused(with_array(members, "loss", content=content, dtype=dtype), tmp_path, "has the type")


def test_fortran_order_is_refused(members, tmp_path):
    file = io.BytesIO()
    np.save(file, np.asfortranarray(np.ones((8, 2))))
    refused(with_array(members, "value", content=file.getvalue()), tmp_path, "should be a C-ordered array")


def test_an_object_array_is_refused_and_never_unpickled(members, tmp_path):
    file = io.BytesIO()
    np.save(file, np.array([print] * 8, dtype=object), allow_pickle=True)
    refused(with_array(members, "loss", content=file.getvalue()), tmp_path)


def test_arrays_written_by_numpy_itself_are_accepted(members):
    file = io.BytesIO()
    np.save(file, np.zeros(8))
    assert outcome(with_array(members, "gain", content=members["trees/gain.npy"]))
    assert outcome(with_array(members, "loss", content=file.getvalue()))


@pytest.mark.parametrize(
    "header",
    [
        b"\x93NUMPY\x01\x00\xff\xff" + b" " * 65535,
        b"\x93NUMPY\x01\x00\x05\x00{'a'}",
        b"\x93NUMPY\x02\x00\x00\x00\x00\x00",
        b"\x93NUMPY\x01\x00",
        b"",
        npy_header("<f8", (2**60,)),
        b"\x93NUMPY\x01\x00\x60\x00" + b"(" * 96,
    ],
)
def test_a_strange_npy_header_is_refused(members, tmp_path, header):
    refused(with_array(members, "loss", content=header), tmp_path, r"the (member|array) 'trees/loss.npy'")


@pytest.mark.parametrize("shape", [[2**60], [-1], [8, 1], [True], "8", None, [8.0], [7], [9]])
def test_a_shape_that_does_not_fit_is_refused_before_memory_is_taken(members, tmp_path, shape):
    refused(with_array(members, "loss", content=members["trees/loss.npy"], shape=shape), tmp_path, "loss")


def test_lengths_that_contradict_each_other_are_refused(members, tmp_path):
    refused(with_array(members, "loss", np.zeros(9)), tmp_path, "the array 'loss' has 9 entries for 8 nodes")


@pytest.mark.parametrize(
    "offsets",
    [
        [[0, 0, 0, 0]],
        [[0, 0, 0, 0], [8, 9, 0, 0]],
        [[0, 0, 0, 0], [9, 10, 0, 0]],
        [[1, 0, 0, 0], [8, 10, 0, 0]],
        [[0, 0, 0, 0], [8, 10, 0, 0], [8, 10, 0, 0]],
        [[0, 0, 0, 0], [-3, 10, 0, 0], [8, 10, 0, 0]],
        [[0, 0, 0, 0], [4, 5, 0, 0], [8, 10, 0, 0]],
        [[0, 0, 0], [8, 10, 0]],
    ],
)
def test_offsets_that_do_not_divide_the_arrays_are_refused(members, tmp_path, offsets):
    refused(with_array(members, "offsets", np.array(offsets, np.int64)), tmp_path)


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        ("first_child", 1, 0),  # a cycle
        ("first_child", 1, 1),
        ("first_child", 2, 100),
        ("first_child", 2, 2**31 - 1),
        ("n_children", 2, 2**32 - 1),
        ("feature", 0, 77),
        ("table", 1, 2**40),
        ("tables", 1, 2**32 - 1),
        ("threshold", 0, np.nan),
        ("value", 0, np.nan),
        ("kind", 0, 200),
    ],
)
def test_arrays_that_are_not_a_tree_are_refused(members, model, tmp_path, name, position, value):
    array = model.trees[0].to_arrays()[name].copy()
    array[position] = value
    refused(with_array(members, name, array), tmp_path, "node|beyond")
