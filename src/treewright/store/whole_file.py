"""whole_file: a file is written beside its place and renamed, so that nobody ever sees half of it.

What a process that was killed left beside it is removed by the next one that writes to the same place. A part
that is being written is locked, and a lock ends with its process: a part without a lock is nobody's.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

__all__ = ["whole_file", "write_whole"]

# None on Windows, which does not remove a file that is open anyway.
fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None

# Where there are no locks, a part that nobody has touched for so long is nobody's.
STALE_SECONDS = 3600.0
NO_FOLDER = (errno.EACCES, errno.EPERM, errno.EROFS)


def write_whole(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Write a file whose bytes are known, or leave everything as it was; see `whole_file`."""
    n_bytes = content.nbytes if isinstance(content, memoryview) else len(content)
    with whole_file(path, n_bytes) as file:
        file.write(content)


@contextmanager
def whole_file(path: str | os.PathLike[str], n_bytes: int | None = None) -> Iterator[IO[bytes]]:
    """Open a file that appears when all of it is written; on any error everything stays as it was.

    Parameters
    ----------
    path : path-like
        Where to: a file or a free place in a folder that exists. Devices and pipes are written to.
    n_bytes : int or None
        How long it will be, for the message about a full disk.

    Raises
    ------
    OSError
        When it cannot be written, with the name of the file.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "There is no such folder; make it first", str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "This is a folder; add a file name", str(target))
    if target.exists() and not target.is_file():
        try:
            with open(target, "wb") as device:  # renaming would put a file into its place
                yield device
        except OSError as error:
            if error.errno and error.filename is None:
                raise _named(error, target, None) from error
            raise
        return
    # Named before it exists: Ctrl-C at any line leaves nothing.
    temporary = _part_of(target)
    try:
        _remove_stale(target)
        while (file := _new_part(temporary)) is None:
            temporary = _part_of(target)
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            if fcntl is not None:
                os.replace(temporary, target)  # while it is locked
        if fcntl is None:
            os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        # An error that names another file comes from whoever makes the content.
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise _named(error, target, n_bytes) from error
        raise


def _named(error: OSError, target: Path, n_bytes: int | None) -> OSError:
    """Return the error about the file that was asked for: the user knows nothing of one beside it."""
    words = error.strerror
    if error.errno in NO_FOLDER:
        words = f"{words}, no file can be made in this folder"
    elif error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) and n_bytes is not None:
        words = f"{words}, the file needs {n_bytes} bytes"
    return type(error)(error.errno, words, str(target))


def _stem(target: Path) -> str:
    """Return how the parts of a target begin; its own name may be as long as names can be."""
    return f".treewright-{zlib.crc32(os.fsencode(target.name)):08x}-"


def _part_of(target: Path) -> Path:
    """Return a free name; not by `tempfile`, so that the file gets the permissions that any new file gets."""
    return target.with_name(f"{_stem(target)}{secrets.token_hex(8)}.part")


def _new_part(temporary: Path) -> IO[bytes] | None:
    """Return a new file, locked where locks exist; None when it was taken for a stale one meanwhile."""
    file = open(temporary, "xb")
    if fcntl is None:
        return file
    with suppress(OSError):  # not every file system has locks
        fcntl.flock(file, fcntl.LOCK_EX)
    if os.fstat(file.fileno()).st_nlink:
        return file
    file.close()
    return None


def _remove_stale(target: Path) -> None:
    parts = re.compile(re.escape(_stem(target)) + r"[0-9a-f]{16}\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if parts.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _remove_if_stale(entry.path)


def _remove_if_stale(path: str) -> None:
    if fcntl is None:
        if time.time() - os.stat(path).st_mtime > STALE_SECONDS:
            os.unlink(path)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while somebody writes
            os.unlink(path)
    finally:
        os.close(descriptor)
