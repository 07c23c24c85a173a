"""Fields of JSON that may hold anything: each comes with the expected type, or a fault with its place."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.imported.faults import fault

__all__ = ["number_list", "read_json", "sub_list", "sub_object", "text_of", "whole_number"]


def read_json(content: bytes) -> Any:
    """Return what a JSON file holds; nothing in it is executed.

    Parameters
    ----------
    content : bytes
        The file.
    """
    return json.loads(content)


def sub_object(owner: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    """Return a field that must be an object."""
    found = owner.get(name)
    if not isinstance(found, dict):
        fault(where, f"the field {name!r} is {'missing' if found is None else 'not an object'}")
    return found


def sub_list(owner: dict[str, Any], name: str, where: str) -> list[Any]:
    """Return a field that must be a list."""
    found = owner.get(name)
    if isinstance(found, np.ndarray):
        return found.tolist()  # type: ignore[no-any-return]
    if not isinstance(found, list):
        fault(where, f"the field {name!r} is {'missing' if found is None else 'not a list'}")
    return found


def text_of(owner: dict[str, Any], name: str, where: str) -> str:
    """Return a field that must be a text."""
    found = owner.get(name)
    if not isinstance(found, str):
        fault(where, f"the field {name!r} is {'missing' if found is None else 'not a text'}")
    return found


def whole_number(owner: dict[str, Any], name: str, where: str, default: int | None = None) -> int:
    """Return a field that must be a count, as a number or as text."""
    found = owner.get(name, default)
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) < 12:
        return int(found)
    if type(found) is not int or not 0 <= found < 2**40:
        fault(where, f"the field {name!r} is not a count")
    return found


def number_list(
    owner: dict[str, Any],
    name: str,
    where: str,
    dtype: Any,
    length: int | None = None,
    optional: bool = False,
) -> NDArray[Any]:
    """Return a field that must be a list of numbers, of a given length.

    Parameters
    ----------
    owner : dict
        The object.
    name, where : str
        The field, and what messages call the object.
    dtype : type
        What the numbers become; whole numbers must be whole.
    length : int, optional
        How many there must be.
    optional : bool, default=False
        Whether the field may be missing: zeros then.
    """
    found = owner.get(name)
    if found is None and optional and length is not None:
        return np.zeros(length, dtype=dtype)
    if not isinstance(found, list | np.ndarray):
        fault(where, f"the field {name!r} is {'missing' if found is None else 'not a list'}")
    numbers = np.asarray(found) if len(found) else np.zeros(0, dtype=dtype)
    if numbers.ndim != 1 or numbers.dtype.kind not in "biuf":
        fault(where, f"the field {name!r} holds something else than numbers")
    if length is not None and len(numbers) != length:
        fault(where, f"the field {name!r} has {len(numbers)} numbers, expected {length}")
    if np.dtype(dtype).kind in "iu":
        if numbers.dtype.kind == "f" and not (np.floor(numbers) == numbers).all():
            fault(where, f"the field {name!r} holds something else than whole numbers")
        if len(numbers) and not (-(2**53) < numbers.min() and numbers.max() < 2**53):
            fault(where, f"the field {name!r} holds a number that is too large")
    with np.errstate(over="ignore"):
        return numbers.astype(dtype)
