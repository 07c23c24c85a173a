"""Write a model to a `.tree` file: the same contents for the same model everywhere, or no file at all."""

from __future__ import annotations

import io
import json
import os
import zipfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.model import Forest, Model, Tree
from treewright.model.tree import check_trees
from treewright.store.archive import Archive, array_to_bytes, describe
from treewright.store.checks import check_model
from treewright.store.format import (
    ARRAY_DTYPES,
    EXTRA_DTYPES,
    EXTRA_MEMBER,
    EXTRA_NAME,
    FOREST_MEMBER,
    FORMAT_NAME,
    FORMAT_VERSION,
    MANIFEST_MEMBER,
    MAX_EXPANSION,
    MAX_EXTRA_ARRAYS,
    MAX_SMALL_BYTES,
    OFFSETS,
    TREE_DTYPES,
    TREE_MEMBER,
)
from treewright.store.manifest import (
    decoded_fields,
    encode_array,
    encode_value,
    read_classes,
    read_manifest,
)
from treewright.store.whole_file import write_whole
from treewright.version import VERSION

__all__ = ["save"]

# The zip format cannot say "no date"; its first moment is the same everywhere.
FIRST_MOMENT = (1980, 1, 1, 0, 0, 0)
FAST_LEVEL = 1  # of zlib; higher ones take several times as long for a tenth less


def save(model: Model, path: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write a model.

    Parameters
    ----------
    model : Model
        The model, or a fitted estimator.
    path : path-like or binary file object
        Where to. A file is written beside its final place and renamed, so a reader never sees half of it,
        and an existing file stays as it is when something goes wrong; what a process that was killed has left
        there is removed. Devices and pipes are written to.

    Raises
    ------
    TypeError
        When a label or parameter is of a type that a model file cannot hold, or `path` is no place to write.
    ValueError
        When the file could not be loaded again: nothing is written then.
    OSError
        When the file cannot be written.
    """
    model = getattr(model, "model_", model)
    if not isinstance(model, Model):
        raise TypeError(f"only a model or a fitted estimator can be saved, not {type(model).__name__!r}")
    content = _zip_bytes(model)
    _check_loads(model, content)
    if not isinstance(path, str | os.PathLike):
        _write_to_object(path, content)
        return
    write_whole(path, content)


def _check_loads(model: Model, content: memoryview) -> None:
    """Raise ValueError when a reader would refuse the file: the same checks, before anything is written."""
    try:
        manifest = read_manifest(Archive(io.BytesIO(content)), "the model file")
        Schema.from_dict(manifest["schema"])
        read_classes(manifest)
        for field in ("params", "facts"):
            decoded_fields(manifest[field], field)
        if isinstance(model.trees, Forest):
            Forest.from_arrays(model.trees.to_arrays(), model.schema.n_codes, model.trees.criterion)
        else:
            check_trees([tree.to_arrays() for tree in model.trees], model.schema.n_codes)
        check_model(model)
    except (ValueError, TypeError) as error:
        raise ValueError(f"The model is not saved, because its file could not be loaded: {error}.") from error


def _write_to_object(file: Any, content: memoryview) -> None:
    if not hasattr(file, "write") or isinstance(file, io.TextIOBase):
        raise TypeError(
            "a model is saved to a path or to a binary file (opened with 'wb'), "
            f"not to {type(file).__name__!r}"
        )
    file.write(content)


def _zip_bytes(model: Model) -> memoryview:
    contents = _Contents(model)
    # A single tree is small, and uncompressed its file is the same on every machine.
    level = FAST_LEVEL if len(model.trees) > 1 else None
    packed = _zipped(contents.members, level)
    if level is not None and contents.n_bytes > max(MAX_EXPANSION * len(packed), MAX_SMALL_BYTES):
        # So regular that a reader would take it for a bomb.
        packed = _zipped(contents.members, None)
    return packed


def _zipped(members: dict[str, bytes], level: int | None) -> memoryview:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, FIRST_MOMENT)
            info.create_system = 3  # the default differs between systems
            info.external_attr = 0o644 << 16
            small = level is None or name == MANIFEST_MEMBER
            archive.writestr(
                info, content, zipfile.ZIP_STORED if small else zipfile.ZIP_DEFLATED, compresslevel=level
            )
    return buffer.getbuffer()


class _Contents:
    """The members of the file of a model, the manifest first.

    Parameters
    ----------
    model : Model
        The model.
    """

    def __init__(self, model: Model) -> None:
        described: dict[str, dict[str, Any]] = {}
        self._arrays: dict[str, bytes] = {}
        if isinstance(model.trees, Forest):
            for name, array in model.trees.arrays.items():
                described[name] = self._add(
                    FOREST_MEMBER.format(name), array, array.dtype.newbyteorder("<").str
                )
        else:
            for name, array in _joined_arrays(model.trees).items():
                described[name] = self._add(TREE_MEMBER.format(name), array, ARRAY_DTYPES[name])
        manifest = _manifest(model)
        manifest["arrays"] = described
        if isinstance(model.trees, Forest):
            manifest["forest"] = {"criterion": model.trees.criterion}
        if model.arrays:
            _check_extra(model)
            manifest["extra"] = {
                name: self._add(EXTRA_MEMBER.format(name), array, array.dtype.newbyteorder("<").str)
                for name, array in model.arrays.items()
            }
        text = json.dumps(manifest, indent=1, allow_nan=False)
        self.members = {MANIFEST_MEMBER: text.encode("ascii"), **self._arrays}
        self.n_bytes = sum(len(content) for content in self.members.values())

    def _add(self, member: str, array: NDArray[Any], dtype: str) -> dict[str, Any]:
        content = array_to_bytes(array, dtype)
        self._arrays[member] = content
        return describe(array, dtype, content)


def _check_extra(model: Model) -> None:
    if len(model.arrays) > MAX_EXTRA_ARRAYS:
        raise TypeError(
            f"a model file holds at most {MAX_EXTRA_ARRAYS} extra arrays, not {len(model.arrays)}"
        )
    for name, array in model.arrays.items():
        if not EXTRA_NAME.fullmatch(name):
            raise TypeError(f"an array of a model file cannot be named {name!r}")
        if array.dtype.newbyteorder("<").str not in EXTRA_DTYPES or array.ndim not in (1, 2):
            raise TypeError(
                f"a model file cannot hold the array '{name}' of type {array.dtype} "
                f"and {array.ndim} dimensions"
            )


def _joined_arrays(trees: tuple[Tree, ...]) -> dict[str, NDArray[Any]]:
    parts = [tree.to_arrays() for tree in trees]
    dividing = ["kind", "tables", "surrogate_begin", "surrogate_feature"]
    has_candidates = any(len(part["candidate_node"]) for part in parts)
    if has_candidates:
        dividing.append("candidate_node")
    offsets = np.zeros((len(trees) + 1, len(dividing)), dtype=np.int64)
    np.cumsum([[len(part[name]) for name in dividing] for part in parts], axis=0, out=offsets[1:])
    return {
        name: offsets if name == OFFSETS else np.concatenate([part[name] for part in parts])
        for name in TREE_DTYPES[FORMAT_VERSION, has_candidates]
    }


def _manifest(model: Model) -> dict[str, Any]:
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
        "target_name": model.target_name,
    }


def _encode_param(name: str, value: Any) -> Any:
    try:
        return encode_value(value)
    except TypeError as error:
        raise TypeError(f"the parameter '{name}' cannot be saved: {error}") from None
