"""The manifest of a file that may be hostile: JSON with known fields, decoded value by value."""

from __future__ import annotations

import json
from typing import Any

from numpy.typing import NDArray

from treewright.exceptions import ModelVersionError
from treewright.store.archive import Archive
from treewright.store.format import (
    FORMAT_NAME,
    FORMAT_VERSION,
    MANIFEST_FIELDS,
    MANIFEST_MEMBER,
    MAX_MANIFEST_BYTES,
    OPTIONAL_FIELDS,
)
from treewright.store.plain import decode_array, decode_value
from treewright.version import VERSION

__all__ = ["decoded_fields", "read_classes", "read_manifest", "text_field"]


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
        known = "format 1" if FORMAT_VERSION == 1 else f"formats 1–{FORMAT_VERSION}"
        raise ModelVersionError(
            f"{name} was written by treewright {writer} (format {version}); "
            f"this is treewright {VERSION} ({known}). Upgrade with pip install -U treewright."
        )
    if wrong := sorted(set(manifest) - set(OPTIONAL_FIELDS) ^ set(MANIFEST_FIELDS)):
        raise ValueError(f"the field {wrong[0]!r} of its manifest is unknown or missing")
    if manifest["task"] not in ("classification", "regression"):
        raise ValueError(f"its task is {manifest['task']!r}")
    return dict.fromkeys(OPTIONAL_FIELDS) | manifest


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
