"""Reports as plain Python values: what JSON can hold, without loss."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["to_plain"]


def to_plain(value: Any) -> Any:
    """Return dataclasses as dicts, tuples as lists and NumPy scalars as Python's; no number is rounded.

    Infinite numbers become None, because JSON has none. Fields that start with an underscore are left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        plain = {
            f.name: to_plain(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")
        }
        version = getattr(value, "schema_version", None)
        return plain if version is None else {"schema_version": version, **plain}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
