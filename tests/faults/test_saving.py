"""Saving that cannot end: the old file stays, nothing is left behind, and the message names the file."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import treewright
from tests.contract.data import numeric_table
from tests.faults.forked import in_child, needs_fork

pytestmark = needs_fork
NOBODY = 65534


@pytest.fixture(scope="module")
def models():
    """Return a small model and a larger one, whose file takes several writes."""
    X, y = numeric_table("classification", 400)
    return (
        treewright.CARTClassifier(max_depth=2).fit(X, y),
        treewright.RandomForestClassifier(60, random_state=0).fit(X, y),
    )


@pytest.fixture
def path(models, tmp_path):
    path = tmp_path / "model.tree"
    models[0].save(path)
    return path


def is_whole(path, models):
    """Tell whether the file is one of the models."""
    name = treewright.load(path).model_.algorithm
    return name in [model.model_.algorithm for model in models]


# --- killed
# ----------------------------------------------------------------------------------------------------------

# Where a process may die: before its nth look at a file, or in the middle of the only large write.
EVENTS = ("open", "os.rename", "shutil.copymode")


@pytest.mark.parametrize("nth", range(1, 5))
def test_a_process_that_is_killed_while_saving_leaves_a_whole_file(nth, models, path):
    def die_while_saving():
        left = nth

        def strike(event, arguments):
            nonlocal left
            if event in EVENTS and str(path.parent) in str(arguments[0]):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(strike)
        models[1].save(path)

    child = in_child(die_while_saving)
    assert child.signal in (signal.SIGKILL, 0)
    assert is_whole(path, models)
    models[0].save(path)
    assert is_whole(path, models)


@pytest.mark.parametrize("before_the_rename", [True, False])
def test_a_process_that_dies_beside_the_rename_leaves_the_old_file_or_the_new_one(
    before_the_rename, models, path
):
    def die_while_saving():
        rename = os.replace

        def deadly(*places):
            if not before_the_rename:
                rename(*places)
            os.kill(os.getpid(), signal.SIGKILL)

        os.replace = deadly
        models[1].save(path)

    assert in_child(die_while_saving).signal == signal.SIGKILL
    expected = models[0] if before_the_rename else models[1]
    assert treewright.load(path).model_.algorithm == expected.model_.algorithm


# --- no room
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [0, 1, 1000, 20_000])
def test_a_file_that_may_not_grow_is_refused_by_name_and_nothing_is_left(room, models, path):
    before = path.read_bytes()

    def save_in_little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            models[1].save(path)
        except OSError as error:
            return error.errno, str(error)
        return None

    number, words = in_child(save_in_little_room).value
    assert number == errno.EFBIG and str(path) in words and ".part" not in words
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is full")
def test_a_full_device_is_named(models):
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'"):
        models[1].save("/dev/full")


@pytest.mark.slow
def test_a_full_disk_is_named_and_nothing_is_left(models, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    try:
        path = disk / "model.tree"
        models[0].save(path)
        before = path.read_bytes()
        with pytest.raises(OSError, match=r"No space left on device: .*model\.tree"):
            models[1].save(path)
        assert path.read_bytes() == before and os.listdir(disk) == ["model.tree"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# --- no right
# ----------------------------------------------------------------------------------------------------------


def as_somebody_else():
    """Give up the rights of root, who may write anywhere."""
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def test_a_folder_that_cannot_be_written_is_refused_by_name(models, path):
    # Everybody may come here and look, nobody may write.
    for folder in [path.parent, *path.parent.parents]:
        if folder.stat().st_uid == os.getuid() and len(folder.parts) > 2:
            folder.chmod(0o755)
    path.parent.chmod(0o555)

    def save_without_rights():
        as_somebody_else()
        try:
            models[1].save(path)
        except PermissionError as error:
            return str(error)
        return None

    try:
        words = in_child(save_without_rights).value
    finally:
        path.parent.chmod(0o755)
    assert words is not None and str(path) in words and "no file can be made in this folder" in words
    assert os.listdir(path.parent) == [path.name]
    assert is_whole(path, models)


def test_a_folder_that_does_not_exist_is_refused_by_name(models, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no such folder; make it first.*nowhere"):
        models[0].save(Path(tmp_path, "nowhere", "model.tree"))
