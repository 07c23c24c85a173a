"""Model files put together again after a change, with right checksums; a million times, so it is fast."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from typing import Any

import numpy as np

from tests.fuzz.models import Members
from treewright.store.archive import npy_header

__all__ = ["pack", "zip_bytes"]

LOCAL = struct.Struct("<4sHHHHHIIIHH")
CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
END = struct.Struct("<4sHHHHIIH")
FOLDERS = {"trees": "arrays", "forest": "arrays", "extra": "extra"}


def zip_bytes(members: dict[str, bytes]) -> bytes:
    """Return an uncompressed zip file."""
    parts: list[bytes] = []
    directory: list[bytes] = []
    offset = 0
    for name, content in members.items():
        key = name.encode("utf-8", "surrogatepass")
        check, size = zlib.crc32(content), len(content)
        head = LOCAL.pack(b"PK\3\4", 20, 0x800, 0, 0, 33, check, size, size, len(key), 0)
        directory.append(
            CENTRAL.pack(
                b"PK\1\2", 20, 20, 0x800, 0, 0, 33, check, size, size, len(key), 0, 0, 0, 0, 0, offset
            )
            + key
        )
        parts += [head, key, content]
        offset += len(head) + len(key) + size
    listed = b"".join(directory)
    end = END.pack(b"PK\5\6", 0, 0, len(members), len(members), len(listed), offset, 0)
    return b"".join([*parts, listed, end])


def pack(members: Members) -> bytes:
    """Return the file; the manifest tells the truth about every array that both of them name."""
    manifest, arrays = members
    stored: dict[str, bytes] = {}
    described: dict[str, dict[str, Any]] = {}
    for member, array in arrays.items():
        content = npy_header(array.dtype.str, array.shape) + array.tobytes()
        stored[member] = content
        described[member] = {
            "dtype": array.dtype.str,
            "shape": list(array.shape),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    told = dict(manifest)
    for member, description in described.items():
        folder, _, name = member.partition("/")
        field, key = FOLDERS.get(folder, ""), name.removesuffix(".npy")
        entries = told.get(field)
        if isinstance(entries, dict) and isinstance(entries.get(key), dict):
            told[field] = {**entries, key: {**entries[key], **description}}
    text = json.dumps(told).encode("utf-8", "surrogatepass")
    return zip_bytes({"manifest.json": text, **stored})


def all_equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether two arrays are the same, NaN being equal to itself."""
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
