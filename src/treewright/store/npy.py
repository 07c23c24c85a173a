"""Arrays as `.npy` members of the zip (version 1.0, C order), without NumPy's own reader.

NumPy takes memory by what a header says; here the header must match what the manifest already said, and what
the manifest said is checked before memory is taken.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.store.archive import Archive

__all__ = ["array_from_bytes", "array_to_bytes", "describe", "npy_header", "read_array"]

MAGIC = b"\x93NUMPY\x01\x00"
HEADER_LIMIT = 4096

HEADER = re.compile(
    rb"\{ *'descr' *: *'([<>|=]?[a-zA-Z]\d{1,3})' *, *'fortran_order' *: *(True|False) *, *"
    rb"'shape' *: *\( *(\d{1,18}) *,? *(\d{1,18})? *,? *\) *,? *\} *\n"
)


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
