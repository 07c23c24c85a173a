"""The layout of a model file: names, limits and fields. docs/model_format.md is the full specification."""

from __future__ import annotations

import re
from typing import Final

from treewright.model.arrays import (
    CANDIDATE_ARRAYS,
    MISSING_ARRAYS,
    NODE_ARRAYS,
    SURROGATE_ARRAYS,
    TREE_ARRAYS,
)

__all__ = [
    "ARRAY_DTYPES",
    "EXTRA_DTYPES",
    "EXTRA_MEMBER",
    "EXTRA_NAME",
    "FIELDS_OF_2",
    "FOREST_MEMBER",
    "FORMAT_NAME",
    "FORMAT_VERSION",
    "MANIFEST_FIELDS",
    "MANIFEST_MEMBER",
    "MAX_DEPTH_OF_JSON",
    "MAX_EXPANSION",
    "MAX_EXTRA_ARRAYS",
    "MAX_MANIFEST_BYTES",
    "MAX_SMALL_BYTES",
    "MISSING_RULE",
    "OFFSETS",
    "OFFSET_COLUMN",
    "OPTIONAL_FIELDS",
    "OPTIONAL_FIELDS_OF_2",
    "TEXT_BYTES_PER_CHARACTER",
    "TREE_DTYPES",
    "TREE_MEMBER",
]

FORMAT_NAME: Final = "treewright-model"
FORMAT_VERSION: Final = 2

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
# What format 2 has beside them.
FIELDS_OF_2: Final = ("target_name",)
# Written only by models that need them: what the trees of a forest were grown by; arrays beside the trees.
OPTIONAL_FIELDS: Final = ("forest", "extra")
# Room in format 2 for models from elsewhere, see store/room.py.
OPTIONAL_FIELDS_OF_2: Final = ("comparison", "derived")
MISSING_RULE: Final = "missing_rule"

# Where each tree begins in the concatenated arrays: one row per tree and one more.
OFFSETS: Final = "offsets"
ARRAY_DTYPES: Final[dict[str, str]] = {OFFSETS: "<i8", **TREE_ARRAYS, MISSING_RULE: "|u1"}

# What `Model.arrays` may hold.
EXTRA_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
EXTRA_DTYPES: Final = ("|b1", "|u1", "<u2", "<u4", "<i4", "<i8", "<f4", "<f8")
MAX_EXTRA_ARRAYS: Final = 200

MAX_MANIFEST_BYTES: Final = 1 << 28
MAX_DEPTH_OF_JSON: Final = 64
# A text type wider than its texts would multiply a small file to any size.
TEXT_BYTES_PER_CHARACTER: Final = 256

# All members together may be this many times as long as the file, or this long whatever the file: a forest
# shrinks to about a third, and a file may not take memory out of proportion to its own length.
MAX_EXPANSION: Final = 16
MAX_SMALL_BYTES: Final = 1 << 24


# Zip members of arrays: of trees, of a forest, beside the trees.
TREE_MEMBER: Final = "trees/{}.npy"
FOREST_MEMBER: Final = "forest/{}.npy"
EXTRA_MEMBER: Final = "extra/{}.npy"

# Which column of `offsets` divides an array among the trees.
OFFSET_COLUMN: Final[dict[str, int]] = {
    **dict.fromkeys((*NODE_ARRAYS, MISSING_RULE), 0),
    "tables": 1,
    "surrogate_begin": 2,
    **dict.fromkeys(SURROGATE_ARRAYS, 3),
    **dict.fromkeys(CANDIDATE_ARRAYS, 4),
}

# The arrays of a file of trees, by version of the format and whether some tree has candidates.
TREE_DTYPES: Final[dict[tuple[int, bool], dict[str, str]]] = {
    (version, with_candidates): {
        name: dtype
        for name, dtype in ARRAY_DTYPES.items()
        if name != MISSING_RULE
        and (with_candidates or name not in CANDIDATE_ARRAYS)
        and (version > 1 or name not in MISSING_ARRAYS)
    }
    for version in range(1, FORMAT_VERSION + 1)
    for with_candidates in (False, True)
}
