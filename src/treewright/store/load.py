"""Read a model from a `.tree` file that may be damaged or hostile: every fault becomes a ModelFileError."""

from __future__ import annotations

import hashlib
import io
import json
import os
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Schema
from treewright.exceptions import ModelVersionError
from treewright.model import Model, Tree
from treewright.model.arrays import NODE_ARRAYS, TREE_ARRAYS
from treewright.store.archive import Archive
from treewright.store.fault import file_faults, source_name
from treewright.store.format import (
    ARRAY_DTYPES,
    FORMAT_NAME,
    FORMAT_VERSION,
    MANIFEST_FIELDS,
    MANIFEST_MEMBER,
    MAX_MANIFEST_BYTES,
    OFFSETS,
    array_member,
    offset_column,
)
from treewright.store.npy import HEADER_LIMIT, array_from_bytes
from treewright.store.plain import decode_array, decode_value
from treewright.version import VERSION

__all__ = ["load"]


def load(path: str | os.PathLike[str] | IO[bytes]) -> Model:
    """Read a model.

    Parameters
    ----------
    path : path-like or binary file object
        A file that `save` wrote.

    Returns
    -------
    model : Model
        The model; `treewright.load` wraps it into its estimator.

    Raises
    ------
    ModelVersionError
        When the file has a newer format than this library knows.
    ModelFileError
        When it is damaged, inconsistent or not a model file.
    TypeError
        When `path` is neither a path nor a binary file.
    """
    name = source_name(path)
    if not isinstance(path, str | os.PathLike):
        _check_binary(path)
        with file_faults(name):
            return _read_model(path if path.seekable() else io.BytesIO(path.read()), name)
    with open(path, "rb") as file, file_faults(name):
        return _read_model(file, name)


def _check_binary(file: Any) -> None:
    if not hasattr(file, "seekable") or isinstance(file, io.TextIOBase):
        raise TypeError(
            "a model is loaded from a path or from a binary file (opened with 'rb'), "
            f"not from {type(file).__name__!r}"
        )


def _read_model(file: IO[bytes], name: str) -> Model:
    archive = Archive(file)
    manifest = _read_manifest(archive, name)
    archive.check_members({MANIFEST_MEMBER} | {array_member(array) for array in ARRAY_DTYPES})
    schema = Schema.from_dict(manifest["schema"])
    trees = _read_trees(archive, manifest["arrays"], schema.n_codes)
    classes, class_order = _read_classes(manifest)
    if (manifest["task"] == "classification") != (classes is not None):
        raise ValueError(f"the task is {manifest['task']!r}, which does not fit its classes")
    if trees[0].n_values != (1 if classes is None else len(classes)):
        raise ValueError(
            f"its trees have {trees[0].n_values} values per node, which does not fit its classes"
        )
    return Model(
        algorithm=_text(manifest["algorithm"], "algorithm"),
        params=_decoded(manifest["params"], "params"),
        task=manifest["task"],
        schema=schema,
        trees=trees,
        classes=classes,
        class_order=class_order,
        facts=_decoded(manifest["facts"], "facts"),
    )


# --- manifest
# -------------------------------------------------------------------------------------------------------


def _read_manifest(archive: Archive, name: str) -> dict[str, Any]:
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
    if wrong := sorted(set(manifest) ^ set(MANIFEST_FIELDS)):
        raise ValueError(f"the field {wrong[0]!r} of its manifest is unknown or missing")
    if manifest["task"] not in ("classification", "regression"):
        raise ValueError(f"its task is {manifest['task']!r}")
    return manifest


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("its manifest has a field twice")
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"its manifest holds {name}")


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"the field {field!r} of its manifest is not a text")
    return value


def _decoded(fields: Any, field: str) -> dict[str, Any]:
    if not isinstance(fields, dict):
        raise ValueError(f"the field {field!r} of its manifest is not an object")
    return {name: decode_value(value) for name, value in fields.items()}


def _read_classes(manifest: dict[str, Any]) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
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


# --- trees
# ----------------------------------------------------------------------------------------------------------


def _read_trees(archive: Archive, declared: Any, n_codes: NDArray[np.uint32]) -> tuple[Tree, ...]:
    if not isinstance(declared, dict) or set(declared) != set(ARRAY_DTYPES):
        raise ValueError("its manifest does not list the arrays of a model")
    arrays = {name: _read_array(archive, name, declared[name]) for name in ARRAY_DTYPES}
    offsets = arrays.pop(OFFSETS)
    _check_offsets(offsets, arrays)
    trees = []
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        parts = {
            name: arrays[name][begin[offset_column(name)] : end[offset_column(name)]] for name in TREE_ARRAYS
        }
        tree = Tree.from_arrays(parts, n_codes)
        _core.check_tree(tree.to_arrays(), n_codes)
        trees.append(tree)
    return tuple(trees)


def _read_array(archive: Archive, name: str, declared: Any) -> NDArray[Any]:
    member, dtype = array_member(name), ARRAY_DTYPES[name]
    if not isinstance(declared, dict) or set(declared) != {"dtype", "shape", "sha256"}:
        raise ValueError(f"its manifest does not describe the array {name!r}")
    shape = declared["shape"]
    n_dimensions = 2 if name in ("value", OFFSETS) else 1
    if declared["dtype"] != dtype:
        raise ValueError(f"the array {name!r} has the type {str(declared['dtype'])[:20]}, not {dtype}")
    if (
        not isinstance(shape, list)
        or len(shape) != n_dimensions
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise ValueError(f"the array {name!r} has a shape that is not {n_dimensions} counts")
    n_bytes = np.dtype(dtype).itemsize * shape[0] * (shape[1] if n_dimensions == 2 else 1)
    if n_bytes > archive.size:
        raise ValueError(f"the array {name!r} claims {n_bytes} bytes in a file of {archive.size}")
    content = archive.read(member, n_bytes + HEADER_LIMIT)
    if hashlib.sha256(content).hexdigest() != declared["sha256"]:
        raise ValueError(f"the array {name!r} does not have the checksum that the manifest says")
    try:
        return array_from_bytes(content, dtype, tuple(shape))
    except ValueError as error:
        raise ValueError(f"the member {member!r} {error}") from None


def _check_offsets(offsets: NDArray[np.int64], arrays: dict[str, NDArray[Any]]) -> None:
    if len(offsets) < 2 or offsets.shape[1] != 4:
        raise ValueError("it holds no tree")
    if offsets[0].any() or (offsets[1:] < offsets[:-1]).any() or (offsets[1:, 0] == offsets[:-1, 0]).any():
        raise ValueError("its array 'offsets' does not divide the nodes among the trees")
    for name, array in arrays.items():
        if len(array) != offsets[-1, offset_column(name)]:
            owner = "nodes" if name in NODE_ARRAYS else "entries"
            raise ValueError(
                f"the array {name!r} has {len(array)} entries for {offsets[-1, offset_column(name)]} {owner}"
            )
