"""Read members and arrays of a zip file that may be hostile; whatever is wrong with it becomes one error.

Members must lie within the file, and all of them together may not be much longer than the file itself. Arrays
are `.npy` members (version 1.0, C order). NumPy's reader takes memory by what a header says; here the header
must match the manifest, and what the manifest says is checked before memory is taken.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from treewright.exceptions import ModelFileError
from treewright.store.format import MAX_EXPANSION, MAX_SMALL_BYTES

__all__ = [
    "Archive",
    "array_from_bytes",
    "array_to_bytes",
    "describe",
    "file_faults",
    "npy_header",
    "read_array",
    "source_name",
]

MAX_MEMBERS = 256
MOST_WORDS = 500  # characters of a message
MAX_DIRECTORY_BYTES = 1 << 16

END = b"PK\x05\x06"
END_BYTES = 22
END64 = b"PK\x06\x06"
END64_BYTES = 56
LOCATOR64 = b"PK\x06\x07"
LOCATOR64_BYTES = 20

MAGIC = b"\x93NUMPY\x01\x00"
HEADER_LIMIT = 4096

HEADER = re.compile(
    rb"\{ *'descr' *: *'([<>|=]?[a-zA-Z]\d{1,3})' *, *'fortran_order' *: *(True|False) *, *"
    rb"'shape' *: *\( *(\d{1,18}) *,? *(\d{1,18})? *,? *\) *,? *\} *\n"
)

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


# --- arrays
# ----------------------------------------------------------------------------------------------------------


def npy_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Return the header of an array, padded to a multiple of 64 bytes."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape!r}, }}"
    length = len(MAGIC) + 2 + len(text) + 1
    padded = text + " " * (-length % 64) + "\n"
    return MAGIC + len(padded).to_bytes(2, "little") + padded.encode("ascii")


def array_to_bytes(array: NDArray[Any], dtype: str) -> bytes:
    """Return an array as a `.npy` file, little-endian whatever the machine."""
    stored = np.ascontiguousarray(array, dtype=np.dtype(dtype))
    return npy_header(dtype, stored.shape) + stored.tobytes()


def array_from_bytes(content: bytes, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array in a `.npy` file; ValueError unless it has this type and shape."""
    if content[: len(MAGIC)] != MAGIC:
        raise ValueError("is not a .npy array of version 1.0")
    start = len(MAGIC) + 2
    header_length = int.from_bytes(content[len(MAGIC) : start], "little")
    if header_length > HEADER_LIMIT:
        raise ValueError(f"has a header of {header_length} bytes")
    found = HEADER.fullmatch(content[start : start + header_length])
    if found is None:
        raise ValueError("has a header that is not that of a plain array")
    stored_shape = tuple(int(length) for length in found.group(3, 4) if length is not None)
    if found[1].decode("ascii") != dtype or found[2] != b"False" or stored_shape != shape:
        raise ValueError(f"should be a C-ordered array of type {dtype} and shape {shape}")
    data = memoryview(content)[start + header_length :]
    expected = np.dtype(dtype).itemsize * int(np.prod(shape, dtype=object))
    if len(data) != expected:
        raise ValueError(f"holds {len(data)} bytes of data instead of {expected}")
    # A copy in the machine's byte order that is aligned and owns its memory.
    array = (
        np.frombuffer(data, dtype=dtype).reshape(shape).astype(np.dtype(dtype).newbyteorder("="), copy=True)
    )
    if array.dtype.kind == "f" and (unknown := np.isnan(array)).any():
        array[unknown] = np.nan  # the quiet one: others make a warning of every sum
    return array


def describe(array: NDArray[Any], dtype: str, content: bytes) -> dict[str, Any]:
    """Return what the manifest says about an array."""
    return {"dtype": dtype, "shape": list(array.shape), "sha256": hashlib.sha256(content).hexdigest()}


def read_array(
    archive: Archive,
    member: str,
    declared: Any,
    dtypes: tuple[str, ...],
    n_dimensions: tuple[int, ...] = (1,),
) -> NDArray[Any]:
    """Return an array as the manifest describes it.

    Parameters
    ----------
    archive : Archive
        The file.
    member : str
        The member that holds it; messages call it by the last part of the name.
    declared : object
        What the manifest says about it.
    dtypes : tuple of str
        The types that it may have.
    n_dimensions : tuple of int
        The numbers of dimensions that it may have.
    """
    name = member.rpartition("/")[2].removesuffix(".npy")
    if not isinstance(declared, dict) or set(declared) != {"dtype", "shape", "sha256"}:
        raise ValueError(f"its manifest does not describe the array {name!r}")
    dtype, shape = declared["dtype"], declared["shape"]
    if dtype not in dtypes:
        allowed = dtypes[0] if len(dtypes) == 1 else f"one of {', '.join(dtypes)}"
        raise ValueError(f"the array {name!r} has the type {str(dtype)[:20]}, not {allowed}")
    if (
        not isinstance(shape, list)
        or len(shape) not in n_dimensions
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        expected = " or ".join(str(n) for n in n_dimensions)
        raise ValueError(f"the array {name!r} has a shape that is not {expected} counts")
    n_bytes = np.dtype(dtype).itemsize * shape[0] * (shape[1] if len(shape) == 2 else 1)
    if n_bytes > archive.limit:
        raise ValueError(f"the array {name!r} claims {n_bytes} bytes in a file of {archive.size}")
    content = archive.read(member, n_bytes + HEADER_LIMIT)
    if hashlib.sha256(content).hexdigest() != declared["sha256"]:
        raise ValueError(f"the array {name!r} does not have the checksum that the manifest says")
    try:
        return array_from_bytes(content, dtype, tuple(shape))
    except ValueError as error:
        raise ValueError(f"the member {member!r} {error}") from None


# --- names and errors
# ----------------------------------------------------------------------------------------------------------


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
