"""Read the members of a zip file that may be hostile; whatever is wrong with it becomes one error.

Members must lie within the file, and all of them together may not be much longer than the file itself.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from treewright.exceptions import ModelFileError
from treewright.store.format import MAX_EXPANSION, MAX_SMALL_BYTES

__all__ = ["Archive", "file_faults", "source_name"]

MAX_MEMBERS = 256
MOST_WORDS = 500  # characters of a message
MAX_DIRECTORY_BYTES = 1 << 16

END = b"PK\x05\x06"
END_BYTES = 22
END64 = b"PK\x06\x06"
END64_BYTES = 56
LOCATOR64 = b"PK\x06\x07"
LOCATOR64_BYTES = 20

# What the zip and JSON readers of the standard library raise on damaged input.
READER_ERRORS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,  # encrypted member; RecursionError is one too
    OverflowError,
    MemoryError,
    LookupError,
)


class Archive:
    """The members of a zip file, checked before they are read.

    Parameters
    ----------
    file : binary file object
        The file; it must be seekable.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.size = file.seek(0, os.SEEK_END)
        # What all members may take together.
        self.limit = max(MAX_EXPANSION * self.size, MAX_SMALL_BYTES)
        self._check_end(file)
        self._zip = zipfile.ZipFile(file)
        self.members: dict[str, zipfile.ZipInfo] = {}
        for member in self._zip.infolist():
            if member.filename in self.members:
                raise ValueError(f"it holds two members named {member.filename!r}")
            self.members[member.filename] = member

    def _check_end(self, file: IO[bytes]) -> None:
        # Python reads the whole directory whatever its length: look at the length first.
        file.seek(max(0, self.size - END_BYTES - LOCATOR64_BYTES - END64_BYTES))
        tail = file.read()
        end = tail[-END_BYTES:]
        if len(end) < END_BYTES or end[:4] != END or end[-2:] != b"\0\0":
            raise ValueError("it does not end like a zip file")
        self._check_directory(int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little"))
        if tail[-END_BYTES - LOCATOR64_BYTES : -END_BYTES][:4] == LOCATOR64:
            end64 = tail[: -END_BYTES - LOCATOR64_BYTES]
            if len(end64) < END64_BYTES or end64[:4] != END64:
                raise ValueError("its zip directory is inconsistent")
            self._check_directory(
                int.from_bytes(end64[32:40], "little"), int.from_bytes(end64[40:48], "little")
            )

    @staticmethod
    def _check_directory(n_members: int, n_bytes: int) -> None:
        if n_members > MAX_MEMBERS or n_bytes > MAX_DIRECTORY_BYTES:
            raise ValueError(f"its zip directory lists {n_members} members in {n_bytes} bytes")

    def check_members(self, expected: set[str]) -> None:
        """Refuse the file unless it holds exactly these members and they can all fit into it."""
        if unknown := sorted(set(self.members) - expected):
            raise ValueError(f"it holds the unknown member {unknown[0]!r}")
        if absent := sorted(expected - set(self.members)):
            raise ValueError(f"the member {absent[0]!r} is missing")
        for name in expected:
            self._check_member(name)
        if sum(member.compress_size for member in self.members.values()) > self.size:
            raise ValueError("its members overlap")
        unpacked = sum(member.file_size for member in self.members.values())
        if unpacked > self.limit:
            raise ValueError(f"its members claim {unpacked} bytes in a file of {self.size}")

    def _check_member(self, name: str) -> None:
        member = self.members[name]
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"the member {name!r} is compressed in a way that model files do not allow")
        if member.compress_type == zipfile.ZIP_STORED and member.compress_size != member.file_size:
            raise ValueError(f"the member {name!r} has two lengths")
        if member.compress_size > self.size or member.file_size > self.limit:
            raise ValueError(f"the member {name!r} claims {member.file_size} bytes in a file of {self.size}")

    def read(self, name: str, limit: int) -> bytes:
        """Return the bytes of a member that may have `limit` bytes at most."""
        if name not in self.members:
            raise ValueError(f"the member {name!r} is missing")
        self._check_member(name)
        member = self.members[name]
        if member.file_size > limit:
            raise ValueError(
                f"the member {name!r} has {member.file_size} bytes, more than the {limit} it may have"
            )
        # The reader stops after so many bytes, whatever the compressed data would become.
        with self._zip.open(member) as stream:
            content = stream.read(member.file_size + 1)
        if len(content) != member.file_size:
            raise ValueError(f"the member {name!r} is shorter than it claims")
        return content


def source_name(path: str | os.PathLike[str] | IO[bytes]) -> str:
    """Return what a message calls the file: its name without the folders."""
    name: Any = getattr(path, "name", None) if hasattr(path, "read") else path
    try:
        return os.path.basename(os.fsdecode(name)) or "the model file"
    except TypeError:
        return "the model file"


@contextmanager
def file_faults(name: str) -> Iterator[None]:
    """Raise ModelFileError for every error of the block, except for a version that is too new."""
    try:
        yield
    except ModelFileError:
        raise
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"{name} is not a valid model file: {_short(error)}.") from error
    except READER_ERRORS as error:
        raise ModelFileError(f"{name} is damaged or not a model file: {_short(error)}.") from error


def _short(error: Exception) -> str:
    """Return what an error says, without most of what a hostile file lets it quote."""
    words = f"{error}" or type(error).__name__
    return words if len(words) <= MOST_WORDS else f"{words[: MOST_WORDS - 1]}…"
