"""The layout of a model file: names, limits and fields. docs/model_format.md is the full specification."""

from __future__ import annotations

from typing import Final

from treewright.model.arrays import NODE_ARRAYS, SURROGATE_ARRAYS, TREE_ARRAYS

__all__ = [
    "ARRAY_DTYPES",
    "FORMAT_NAME",
    "FORMAT_VERSION",
    "MANIFEST_FIELDS",
    "MANIFEST_MEMBER",
    "MAX_DEPTH_OF_JSON",
    "MAX_MANIFEST_BYTES",
    "MAX_TEXT_ARRAY_BYTES",
    "OFFSETS",
    "OFFSET_COLUMNS",
    "array_member",
    "offset_column",
]

FORMAT_NAME: Final = "treewright-model"
FORMAT_VERSION: Final = 1

MANIFEST_MEMBER: Final = "manifest.json"
MANIFEST_FIELDS: Final = (
    "format",
    "format_version",
    "library_version",
    "algorithm",
    "params",
    "task",
    "schema",
    "classes",
    "class_order",
    "facts",
    "arrays",
)

# Where each tree begins in the concatenated arrays: one row per tree and one more.
OFFSETS: Final = "offsets"
OFFSET_COLUMNS: Final = ("nodes", "tables", "surrogate_begin", "surrogates")
ARRAY_DTYPES: Final[dict[str, str]] = {OFFSETS: "<i8", **TREE_ARRAYS}

MAX_MANIFEST_BYTES: Final = 1 << 28
MAX_DEPTH_OF_JSON: Final = 64
MAX_TEXT_ARRAY_BYTES: Final = 1 << 28


def array_member(name: str) -> str:
    """Return the name of the zip member of an array."""
    return f"trees/{name}.npy"


def offset_column(name: str) -> int:
    """Return the column of `offsets` that divides an array among the trees."""
    if name in NODE_ARRAYS:
        return 0
    if name in SURROGATE_ARRAYS:
        return 3
    return OFFSET_COLUMNS.index(name)
