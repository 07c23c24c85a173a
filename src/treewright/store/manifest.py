"""The manifest: JSON with known fields, encoded and decoded value by value. What is read may be hostile."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.exceptions import ModelVersionError
from treewright.store.archive import Archive
from treewright.store.format import (
    FIELDS_OF_2,
    FORMAT_NAME,
    FORMAT_VERSION,
    MANIFEST_FIELDS,
    MANIFEST_MEMBER,
    MAX_DEPTH_OF_JSON,
    MAX_MANIFEST_BYTES,
    OPTIONAL_FIELDS,
    OPTIONAL_FIELDS_OF_2,
    TEXT_BYTES_PER_CHARACTER,
)
from treewright.version import VERSION

__all__ = [
    "decode_array",
    "decode_value",
    "decoded_fields",
    "encode_array",
    "encode_value",
    "read_classes",
    "read_manifest",
    "text_field",
]

ARRAY_DTYPE = re.compile(r"\|b1|\|i1|\|u1|<[iu][248]|<f[248]|<U\d{1,9}|\|O")
SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def read_manifest(archive: Archive, name: str) -> dict[str, Any]:
    """Return the manifest with all its fields; None for those that the file does not need.

    Parameters
    ----------
    archive : Archive
        The file.
    name : str
        What messages call it.
    """
    content = archive.read(MANIFEST_MEMBER, MAX_MANIFEST_BYTES)
    manifest = json.loads(
        content.decode("utf-8"), object_pairs_hook=_unique_fields, parse_constant=_refuse_constant
    )
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT_NAME:
        raise ValueError("its manifest is not that of a Treewright model")
    version = manifest.get("format_version")
    if type(version) is not int or version < 1:
        raise ValueError(f"its format version is {version!r}")
    if version > FORMAT_VERSION:
        writer = str(manifest.get("library_version"))[:40]
        known = f"formats 1–{FORMAT_VERSION}"
        raise ModelVersionError(
            f"{name} was written by treewright {writer} (format {version}); "
            f"this is treewright {VERSION} ({known}). Upgrade with pip install -U treewright."
        )
    optional = OPTIONAL_FIELDS if version == 1 else (*OPTIONAL_FIELDS, *OPTIONAL_FIELDS_OF_2)
    needed = MANIFEST_FIELDS if version == 1 else (*MANIFEST_FIELDS, *FIELDS_OF_2)
    if wrong := sorted(set(manifest) - set(optional) ^ set(needed)):
        raise ValueError(f"the field {wrong[0]!r} of its manifest is unknown or missing")
    if manifest["task"] not in ("classification", "regression"):
        raise ValueError(f"its task is {manifest['task']!r}")
    if not isinstance(manifest.get("target_name"), str | None):
        raise ValueError("the field 'target_name' of its manifest is not a text")
    return dict.fromkeys((*FIELDS_OF_2, *OPTIONAL_FIELDS, *OPTIONAL_FIELDS_OF_2)) | manifest


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("its manifest has a field twice")
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"its manifest holds {name}")


def text_field(value: Any, field: str) -> str:
    """Return a field that must be a text."""
    if not isinstance(value, str):
        raise ValueError(f"the field {field!r} of its manifest is not a text")
    return value


def decoded_fields(fields: Any, field: str) -> dict[str, Any]:
    """Return a field that must be an object of values."""
    if not isinstance(fields, dict):
        raise ValueError(f"the field {field!r} of its manifest is not an object")
    return {name: decode_value(value) for name, value in fields.items()}


def read_classes(manifest: dict[str, Any]) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
    """Return the classes and the declared classes."""
    classes, order = (
        None if manifest[field] is None else decode_array(manifest[field])
        for field in ("classes", "class_order")
    )
    if classes is None:
        if order is not None:
            raise ValueError("it declares classes but has none")
        return None, None
    for array in (classes, order):
        if array is not None and (array.ndim != 1 or len(set(array.tolist())) != len(array)):
            raise ValueError("its classes are not a list of different labels")
    if order is not None and not set(classes.tolist()) <= set(order.tolist()):
        raise ValueError("its declared classes do not include all of its classes")
    return classes, order


# --- values
# ----------------------------------------------------------------------------------------------------------


def encode_value(value: Any) -> Any:
    """Return a value in a form that `json` can write; TypeError for what a model file cannot hold."""
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"type": "float", "value": str(value)}
    if isinstance(value, list):
        return [encode_value(item) for item in value]
    if isinstance(value, tuple):
        return {"type": "tuple", "items": [encode_value(item) for item in value]}
    if isinstance(value, Mapping):
        return {"type": "dict", "items": [[encode_value(k), encode_value(v)] for k, v in value.items()]}
    if isinstance(value, np.random.RandomState | np.random.Generator):
        # Its state has moved on since the fit: the model does not depend on it any more.
        return {"type": "random_state"}
    if hasattr(value, "__array__"):
        return {"type": "array", **encode_array(np.asarray(value))}
    raise TypeError(f"a model file cannot hold a value of type {type(value).__name__!r}")


def encode_array(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array of numbers, booleans, strings or plain objects as a dict for `json`."""
    dtype = array.dtype.newbyteorder("<").str
    if not ARRAY_DTYPE.fullmatch(dtype):
        # pandas and polars strings arrive as objects of their own kind: keep the values.
        if array.dtype.kind != "T":
            raise TypeError(f"a model file cannot hold an array of type {array.dtype}")
        array, dtype = array.astype(object), "|O"
    items = [encode_value(item) for item in array.ravel().tolist()]
    if dtype.startswith("<U") and _is_too_wide(int(dtype[2:]), items):
        longest = max(1, *map(len, items))
        dtype = "|O" if _is_too_wide(longest, items) else f"<U{longest}"
    return {"dtype": dtype, "shape": list(array.shape), "items": items}


def decode_value(value: Any, depth: int = 0) -> Any:
    """Undo `encode_value`; ValueError for anything that it does not write."""
    if depth > MAX_DEPTH_OF_JSON:
        raise ValueError("values are nested too deeply")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is too large")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [decode_value(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        raise ValueError(f"a value of type {type(value).__name__} is not allowed")
    match value:
        case {"type": "float", "value": str(name), **rest} if not rest and name in SPECIAL_FLOATS:
            return SPECIAL_FLOATS[name]
        case {"type": "tuple", "items": list(items), **rest} if not rest:
            return tuple(decode_value(item, depth + 1) for item in items)
        case {"type": "dict", "items": list(items), **rest} if not rest:
            return _decode_dict(items, depth)
        case {"type": "random_state", **rest} if not rest:
            return None
        case {"type": "array", **rest}:
            return decode_array(rest)
    raise ValueError(f"an object with the fields {', '.join(map(repr, value))} is not a known value")


def _decode_dict(items: list[Any], depth: int) -> dict[Any, Any]:
    if not all(isinstance(item, list) and len(item) == 2 for item in items):
        raise ValueError("a dict must be a list of pairs")
    pairs = [(decode_value(k, depth + 1), decode_value(v, depth + 1)) for k, v in items]
    try:
        return dict(pairs)
    except TypeError:
        raise ValueError("a dict has a key that cannot be one") from None


def decode_array(stored: Any) -> NDArray[Any]:
    """Undo `encode_array`; ValueError for anything that it does not write."""
    if not isinstance(stored, dict) or set(stored) != {"dtype", "shape", "items"}:
        raise ValueError("an array must have the fields 'dtype', 'shape' and 'items'")
    dtype, shape, items = stored["dtype"], stored["shape"], stored["items"]
    if not isinstance(dtype, str) or not ARRAY_DTYPE.fullmatch(dtype):
        raise ValueError(f"{dtype!r} is not a type that an array may have")
    if not isinstance(shape, list) or len(shape) > 4 or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError("the shape of an array must be a short list of counts")
    if not isinstance(items, list) or len(items) != math.prod(shape):
        raise ValueError("an array has another number of items than its shape says")
    values = [decode_value(item, MAX_DEPTH_OF_JSON) for item in items]
    if not all(value is None or isinstance(value, bool | int | float | str) for value in values):
        raise ValueError("an array may hold only numbers, texts, booleans and None")
    if dtype.startswith("<U") and _is_too_wide(int(dtype[2:]), values):
        raise ValueError(f"an array of {len(items)} texts has a type that is far too wide, {dtype}")
    return _typed_array(values, np.dtype(dtype).newbyteorder("=")).reshape(shape)


def _is_too_wide(width: int, values: list[Any]) -> bool:
    """Tell whether texts of this type would take memory out of proportion to what the file holds."""
    characters = sum(len(value) for value in values if isinstance(value, str))
    return 4 * width * len(values) > TEXT_BYTES_PER_CHARACTER * (characters + len(values))


def _typed_array(values: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    allowed: dict[str, tuple[type, ...]] = {
        "b": (bool,),
        "i": (int,),
        "u": (int,),
        "f": (int, float),
        "U": (str,),
    }
    if dtype.kind == "O":
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    if not all(type(value) in allowed[dtype.kind] for value in values):
        raise ValueError(f"an array of type {dtype.str} has an item of another type")
    if dtype.kind == "U" and any(len(value) > dtype.itemsize // 4 for value in values):
        raise ValueError(f"a text is longer than its type {dtype.str}")
    try:
        return np.array(values, dtype=dtype)
    except OverflowError:
        raise ValueError(f"a number is too large for its type {dtype.str}") from None
