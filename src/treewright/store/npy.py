"""One array as the bytes of a `.npy` file (version 1.0, C order), without NumPy's own reader.

NumPy takes memory by what a header says; here the header must match what the manifest already said.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["HEADER_LIMIT", "array_from_bytes", "array_to_bytes", "npy_header"]

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
    return (
        np.frombuffer(data, dtype=dtype).reshape(shape).astype(np.dtype(dtype).newbyteorder("="), copy=True)
    )
