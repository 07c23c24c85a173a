"""Arrays as members of the zip: what the manifest says about them, checked before memory is taken."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.store.archive import Archive
from treewright.store.npy import HEADER_LIMIT, array_from_bytes

__all__ = ["describe", "read_array"]


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
