"""A file is there as a whole or not at all, also when processes write at once or are killed."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from treewright.store import whole_file
from treewright.store.whole_file import write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="needs locks and signals")

# Writes, and waits before the file is renamed.
WRITER = """
import os, sys, time
from pathlib import Path
from treewright.store.whole_file import write_whole
rename = os.replace
def wait(*places):
    print("written", flush=True)
    sys.stdin.readline()
    rename(*places)
os.replace = wait
write_whole(Path(sys.argv[1]), memoryview(sys.argv[2].encode()))
"""


def start_writer(target, text):
    """Return a process that has written a part and waits to be told to rename it."""
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(target), text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "written\n"
    return child


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_bytes_arrive_and_nothing_else_is_left(tmp_path):
    for content in (b"first", b"second"):
        write_whole(tmp_path / "a.tree", memoryview(content))
        assert (tmp_path / "a.tree").read_bytes() == content
    assert names_in(tmp_path) == ["a.tree"]


@posix
def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path):
    target = tmp_path / "a.tree"
    child = start_writer(target, "lost")
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdin.close()
    child.stdout.close()
    (left,) = names_in(tmp_path)
    assert left.endswith(".part")
    write_whole(tmp_path / "other.tree", memoryview(b"x"))
    assert left in names_in(tmp_path), "the part of another file is none of our business"
    write_whole(target, memoryview(b"kept"))
    assert names_in(tmp_path) == ["a.tree", "other.tree"]
    assert target.read_bytes() == b"kept"


@posix
def test_a_part_that_somebody_writes_stays_and_both_can_save(tmp_path):
    target = tmp_path / "a.tree"
    with start_writer(target, "slow") as child:
        write_whole(target, memoryview(b"fast"))
        assert target.read_bytes() == b"fast"
        child.communicate("\n")
    assert child.returncode == 0
    assert target.read_bytes() == b"slow"
    assert names_in(tmp_path) == ["a.tree"]


def test_many_writers_at_once_leave_the_whole_file_of_one_of_them(tmp_path):
    target = tmp_path / "a.tree"
    contents = [bytes([65 + i]) * 20_000 for i in range(8)]

    def write(content):
        for _ in range(10):
            write_whole(target, memoryview(content))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, contents))
    assert target.read_bytes() in contents
    assert names_in(tmp_path) == ["a.tree"]


@posix
def test_a_part_taken_for_a_stale_one_before_it_was_locked_is_made_anew(tmp_path, monkeypatch):
    target, removed = tmp_path / "a.tree", []

    class Locks:
        LOCK_EX = LOCK_NB = 0

        @staticmethod
        def flock(file, _):
            if not removed:
                removed.append(file.name)
                os.unlink(file.name)

    monkeypatch.setattr(whole_file, "fcntl", Locks)
    write_whole(target, memoryview(b"x"))
    assert target.read_bytes() == b"x"
    assert len(removed) == 1
    assert names_in(tmp_path) == ["a.tree"]


def test_files_that_are_not_ours_stay(tmp_path):
    others = [".part", ".0123456789abcdef.part", ".treewright-00000000-0123456789abcdef.part", "x.part"]
    for name in others:
        (tmp_path / name).write_bytes(b"")
    write_whole(tmp_path / "a.tree", memoryview(b"x"))
    assert names_in(tmp_path) == sorted([*others, "a.tree"])


def test_without_locks_only_what_is_old_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(whole_file, "fcntl", None)
    target = tmp_path / "a.tree"
    parts = [tmp_path / f"{whole_file._stem(target)}{digit * 16}.part" for digit in "ab"]
    for part in parts:
        part.write_bytes(b"")
    yesterday = time.time() - 86_400
    os.utime(parts[0], (yesterday, yesterday))
    write_whole(target, memoryview(b"x"))
    assert names_in(tmp_path) == sorted([parts[1].name, "a.tree"])


@pytest.mark.parametrize(
    ("code", "more"), [(errno.ENOSPC, "the file needs 4 bytes"), (errno.EIO, "nput/output error")]
)
def test_a_disk_that_is_full_or_broken_is_an_error_about_the_file(tmp_path, monkeypatch, code, more):
    class Full(io.FileIO):
        def write(self, _):
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr("builtins.open", lambda path, mode: Full(path, mode))
    with pytest.raises(OSError, match=more) as raised:
        write_whole(tmp_path / "a.tree", memoryview(b"tree"))
    assert (raised.value.errno, raised.value.filename) == (code, str(tmp_path / "a.tree"))
    assert names_in(tmp_path) == []


def test_a_name_as_long_as_names_can_be_is_no_problem(tmp_path):
    target = tmp_path / ("n" * 250 + ".tree")
    write_whole(target, memoryview(b"x"))
    assert names_in(tmp_path) == [target.name]


def test_a_stream_that_breaks_off_leaves_the_old_file_and_no_part(tmp_path):
    target = tmp_path / "a.csv"
    target.write_bytes(b"old")
    with pytest.raises(KeyError), whole_file.whole_file(target) as file:
        file.write(b"half of the n")
        raise KeyError("the rows end here")
    assert target.read_bytes() == b"old"
    assert names_in(tmp_path) == ["a.csv"]


def test_an_error_about_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"rows\.csv"), whole_file.whole_file(tmp_path / "a.csv"):
        open(tmp_path / "rows.csv", "rb")
    assert names_in(tmp_path) == []


@posix
def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_bytes)
        write_whole(tmp_path / "pipe", b"through")
        assert read.result() == b"through"
    assert (tmp_path / "pipe").is_fifo()
