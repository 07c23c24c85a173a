"""Saving: exact, the same bytes every time, and all or nothing."""

import contextlib
import errno
import io
import json
import os
import pathlib
import shutil
import stat
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from treewright import store
from treewright.model import Model


def assert_same(ours, theirs):
    assert (ours.algorithm, ours.task, ours.schema) == (theirs.algorithm, theirs.task, theirs.schema)
    assert dict(ours.params) == dict(theirs.params)
    assert dict(ours.facts) == dict(theirs.facts)
    for name in ("classes", "class_order"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for a, b in zip(ours.trees, theirs.trees, strict=True):
        for name, array in a.to_arrays().items():
            np.testing.assert_array_equal(array, b.to_arrays()[name])
            assert array.dtype == b.to_arrays()[name].dtype


def test_a_model_comes_back_as_it_was(model, tmp_path):
    path = tmp_path / "m.tree"
    store.save(model, path)
    assert_same(store.load(path), model)


def test_several_trees_come_back_in_order(model, tmp_path):
    single = model.with_trees((model.trees[0], model.trees[0], model.trees[0]))
    store.save(single, tmp_path / "m.tree")
    assert_same(store.load(tmp_path / "m.tree"), single)


@pytest.mark.parametrize("convert", [str, pathlib.Path, os.fspath])
def test_paths_of_every_kind_work(model, tmp_path, convert):
    store.save(model, convert(tmp_path / "m.tree"))
    assert_same(store.load(convert(tmp_path / "m.tree")), model)


class Pipe(io.RawIOBase):
    """A stream that can only be read or written from front to back."""

    def __init__(self, content=b""):
        self.buffer = io.BytesIO(content)

    def read(self, size=-1):
        return self.buffer.read(size)

    def write(self, content):
        return self.buffer.write(content)

    def seekable(self):
        return False


def test_file_objects_work_even_when_they_cannot_seek(model):
    file, pipe = io.BytesIO(), Pipe()
    store.save(model, file)
    store.save(model, pipe)
    assert file.getvalue() == pipe.buffer.getvalue()
    assert_same(store.load(file), model)
    assert_same(store.load(Pipe(file.getvalue())), model)


def test_the_same_model_gives_the_same_bytes(model):
    first, second = io.BytesIO(), io.BytesIO()
    store.save(model, first)
    store.save(store.load(first), second)
    assert first.getvalue() == second.getvalue()


def test_the_file_is_a_plain_zip_of_json_and_npy(model, tmp_path):
    store.save(model, tmp_path / "m.tree")
    with zipfile.ZipFile(tmp_path / "m.tree") as archive:
        assert archive.testzip() is None
        manifest = json.loads(archive.read("manifest.json"))
        assert archive.namelist()[0] == "manifest.json"
        threshold = np.load(io.BytesIO(archive.read("trees/threshold.npy")), allow_pickle=False)
    assert (manifest["format"], manifest["format_version"]) == ("treewright-model", 2)
    assert threshold[0] == 16.795


def test_nothing_is_left_behind_when_saving_fails(model, tmp_path):
    path = tmp_path / "m.tree"
    path.write_bytes(b"the old file")
    broken = Model(
        **{**{f: getattr(model, f) for f in model.__dataclass_fields__}, "params": {"x": object()}}
    )
    with pytest.raises(TypeError, match=r"the parameter 'x' cannot be saved.*'object'"):
        store.save(broken, path)
    assert path.read_bytes() == b"the old file"
    assert [p.name for p in tmp_path.iterdir()] == ["m.tree"]


def test_nothing_is_left_behind_when_the_disk_fails(model, tmp_path, monkeypatch):
    path = tmp_path / "m.tree"
    path.write_bytes(b"the old file")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        store.save(model, path)
    assert path.read_bytes() == b"the old file"
    assert [p.name for p in tmp_path.iterdir()] == ["m.tree"]


def test_a_missing_folder_is_the_usual_error(model, tmp_path):
    with pytest.raises(FileNotFoundError):
        store.save(model, tmp_path / "nowhere" / "m.tree")
    with pytest.raises(FileNotFoundError):
        store.load(tmp_path / "nowhere.tree")


@contextlib.contextmanager
def no_privileges():
    """Act as a user whom permissions bind, also where tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_folder_that_cannot_be_written_to_is_left_as_it_was(model):
    folder = pathlib.Path(tempfile.mkdtemp()).resolve()  # tmp_path is below a folder that is closed to others
    try:
        old = folder / "old.tree"
        old.write_bytes(b"the old file")
        old.chmod(0o666)
        folder.chmod(0o555)
        for path in (folder / "m.tree", old):
            with no_privileges(), pytest.raises(PermissionError, match="no file can be made") as raised:
                store.save(model, path)
            assert raised.value.filename == str(path) and raised.value.errno == errno.EACCES
        assert old.read_bytes() == b"the old file"
        assert [p.name for p in folder.iterdir()] == ["old.tree"]
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_the_file_has_the_permissions_of_any_new_file_and_keeps_those_of_an_old_one(model, tmp_path):
    plain, path = tmp_path / "plain", tmp_path / "m.tree"
    plain.touch()
    store.save(model, path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o600)
    store.save(model, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_saving_to_a_link_writes_the_file_behind_it(model, tmp_path):
    real, link = tmp_path / "real.tree", tmp_path / "link.tree"
    real.touch()
    link.symlink_to(real)
    store.save(model, link)
    assert link.is_symlink()
    assert_same(store.load(real), model)


def test_only_models_can_be_saved(tmp_path):
    with pytest.raises(TypeError, match="not 'int'"):
        store.save(3, tmp_path / "m.tree")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_written_to_and_not_replaced(model, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(pipe.read_bytes)
        store.save(model, pipe)
        assert_same(store.load(io.BytesIO(received.result())), model)
    assert pipe.is_fifo()


def test_a_missing_folder_and_a_folder_are_refused_by_name(model, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such folder; make it first: .*absent'"):
        store.save(model, tmp_path / "absent" / "m.tree")
    with pytest.raises(IsADirectoryError, match="add a file name"):
        store.save(model, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [None, 5, b"m.tree", io.StringIO()])
def test_neither_path_nor_binary_file_is_refused(model, place):
    with pytest.raises(TypeError, match="opened with 'wb'"):
        store.save(model, place)
    with pytest.raises(TypeError, match="opened with 'rb'"):
        store.load(place)


def test_a_folder_that_refuses_the_file_is_an_error_about_the_file_that_was_asked_for(
    model, tmp_path, monkeypatch
):
    def refuse(path, *_args, **_kwargs):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(PermissionError) as caught:
        store.save(model, tmp_path / "mine.tree")
    assert caught.value.filename == str(tmp_path / "mine.tree")
    assert list(tmp_path.iterdir()) == []
