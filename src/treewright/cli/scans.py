"""Tables of many files, or too long for memory, for the commands that can do with batches."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from treewright.cli.failures import Mistyped, note
from treewright.cli.tables import check_column, one_character
from treewright.data.memory import available_memory, format_bytes
from treewright.data.scan import Scan
from treewright.files.scanning import scan
from treewright.files.tokens import MISSING
from treewright.learning import LearningTable

__all__ = ["is_many", "is_too_long", "scanned", "scanned_table"]

# Bytes in memory for each byte of a file: Parquet is packed, text is not.
TIMES_PACKED, TIMES_TEXT = 8, 3


def is_many(path: str) -> bool:
    """Tell whether a path means several files: a folder, or a pattern."""
    return os.path.isdir(path) or (glob.has_magic(path) and not os.path.exists(path))


def is_too_long(path: str) -> bool:
    """Tell whether a table would fill more than half of the memory that is free."""
    if not os.path.isfile(path):
        return False
    packed = Path(path).suffix.lower() in (".parquet", ".pq")
    needed = os.path.getsize(path) * (TIMES_PACKED if packed else TIMES_TEXT)
    room = available_memory()
    if room is None or needed < room / 2:
        return False
    note(f"{path} takes about {format_bytes(needed)} in memory: it is read batch by batch (--scan)")
    return True


def scanned(path: str, given: dict[str, Any], **roles: Any) -> Scan:
    """Return the rows of files, with the options of the command line."""
    if given["encoding"].lower() not in ("utf-8", "utf8"):
        raise Mistyped("--encoding: files that are read batch by batch must be UTF-8.")
    return scan(
        path,
        separator=one_character(given["separator"]),
        decimal=given["decimal"],
        missing=(*MISSING, *given["missing"]),
        **roles,
    )


def scanned_table(
    path: str, given: dict[str, Any], *, target: str, weight: str | None, ignore: Iterable[str]
) -> LearningTable:
    """Return rows to learn from that stay where they are; targets and weights are read."""
    for option in ("kinds", "cv", "valid"):
        if given[option]:
            name = {"kinds": "--kind"}.get(option, f"--{option}")
            raise Mistyped(f"{name} needs the table in memory; it cannot be used with --scan.")
    plain = scanned(path, given)
    for option, names in (("-t", [target]), ("--weight", [weight] if weight else []), ("--ignore", ignore)):
        for name in names:
            check_column(name, plain.names, option, plain.source_name)
    left_out = {target, weight, *ignore}
    features = [name for name in plain.names if name not in left_out]
    rows = scanned(path, given, target=target, weight=weight, features=features)
    y = np.asarray(rows.targets(None, None)[0])
    task = given["task"]
    if task is None:
        task = "regression" if y.dtype.kind in "iuf" else "classification"
        if task == "regression":
            note(f"{target} holds numbers: regression (--task classification to take them for classes)")
    return LearningTable(rows, y, None, task, target)
