"""Write a model to a `.tree` file: the same bytes for the same model, on every machine, or no file at all."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import secrets
import shutil
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from treewright.model import Model, Tree
from treewright.model.arrays import TREE_ARRAYS
from treewright.store.format import (
    ARRAY_DTYPES,
    FORMAT_NAME,
    FORMAT_VERSION,
    MANIFEST_MEMBER,
    OFFSETS,
    array_member,
)
from treewright.store.npy import array_to_bytes
from treewright.store.plain import encode_array, encode_value
from treewright.version import VERSION

__all__ = ["save"]

# The zip format cannot say "no date"; its first moment is the same everywhere.
FIRST_MOMENT = (1980, 1, 1, 0, 0, 0)


def save(model: Model, path: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write a model.

    Parameters
    ----------
    model : Model
        The model, or a fitted estimator.
    path : path-like or binary file object
        Where to. A file is written beside its final place and renamed, so a reader never sees half of it,
        and an existing file stays as it is when something goes wrong. Devices and pipes are written to.

    Raises
    ------
    TypeError
        When a label or parameter is of a type that a model file cannot hold, or `path` is no place to write.
    OSError
        When the file cannot be written.
    """
    model = getattr(model, "model_", model)
    if not isinstance(model, Model):
        raise TypeError(f"only a model or a fitted estimator can be saved, not {type(model).__name__!r}")
    content = _zip_bytes(model)
    if not isinstance(path, str | os.PathLike):
        _write_to_object(path, content)
        return
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "There is no such folder; make it first", str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "This is a folder; add a file name", str(target))
    if target.exists() and not target.is_file():
        target.write_bytes(content)  # a device or a pipe: renaming would put a file in its place
        return
    # Opened by hand and not with `tempfile`, so that the file gets the permissions that any new file gets.
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename == str(temporary):
            # The user knows nothing of a file beside the one that was asked for.
            raise type(error)(error.errno, error.strerror, str(target)) from error
        raise


def _write_to_object(file: Any, content: memoryview) -> None:
    if not hasattr(file, "write") or isinstance(file, io.TextIOBase):
        raise TypeError(
            "a model is saved to a path or to a binary file (opened with 'wb'), "
            f"not to {type(file).__name__!r}"
        )
    file.write(content)


def _zip_bytes(model: Model) -> memoryview:
    arrays = _joined_arrays(model.trees)
    members = {
        array_member(name): array_to_bytes(array, ARRAY_DTYPES[name]) for name, array in arrays.items()
    }
    manifest = json.dumps(_manifest(model, arrays, members), indent=1, allow_nan=False)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        _write_member(archive, MANIFEST_MEMBER, manifest.encode("ascii"))
        for name, content in members.items():
            _write_member(archive, name, content)
    return buffer.getbuffer()


def _write_member(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, FIRST_MOMENT)
    info.create_system = 3  # the default differs between systems
    info.external_attr = 0o644 << 16
    archive.writestr(info, content)


def _joined_arrays(trees: tuple[Tree, ...]) -> dict[str, NDArray[Any]]:
    parts = [tree.to_arrays() for tree in trees]
    counts = [
        [len(part["kind"]), len(part["tables"]), len(part["surrogate_begin"]), len(part["surrogate_feature"])]
        for part in parts
    ]
    offsets = np.zeros((len(trees) + 1, 4), dtype=np.int64)
    np.cumsum(counts, axis=0, out=offsets[1:])
    return {
        OFFSETS: offsets,
        **{name: np.concatenate([part[name] for part in parts]) for name in TREE_ARRAYS},
    }


def _manifest(model: Model, arrays: dict[str, NDArray[Any]], members: dict[str, bytes]) -> dict[str, Any]:
    return {
        "format": FORMAT_NAME,
        "format_version": FORMAT_VERSION,
        "library_version": VERSION,
        "algorithm": model.algorithm,
        "params": {name: _encode_param(name, value) for name, value in model.params.items()},
        "task": model.task,
        "schema": model.schema.to_dict(),
        "classes": None if model.classes is None else encode_array(model.classes),
        "class_order": None if model.class_order is None else encode_array(model.class_order),
        "facts": {name: encode_value(value) for name, value in model.facts.items()},
        "arrays": {
            name: {
                "dtype": ARRAY_DTYPES[name],
                "shape": list(array.shape),
                "sha256": hashlib.sha256(members[array_member(name)]).hexdigest(),
            }
            for name, array in arrays.items()
        },
    }


def _encode_param(name: str, value: Any) -> Any:
    try:
        return encode_value(value)
    except TypeError as error:
        raise TypeError(f"the parameter '{name}' cannot be saved: {error}") from None
