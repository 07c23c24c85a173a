"""Read a model from a `.tree` file that may be damaged or hostile: every fault becomes a ModelFileError."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.model import Forest, Model, Tree
from treewright.model.arrays import CANDIDATE_ARRAYS, KIND_LEAF
from treewright.model.forest_arrays import FOREST_ARRAYS, FOREST_OPTIONAL, FOREST_WIDE
from treewright.model.tree import check_trees, complete
from treewright.store.archive import Archive, file_faults, read_array, source_name
from treewright.store.checks import check_model
from treewright.store.format import (
    ARRAY_DTYPES,
    EXTRA_DTYPES,
    EXTRA_MEMBER,
    EXTRA_NAME,
    FOREST_MEMBER,
    MANIFEST_MEMBER,
    MAX_EXTRA_ARRAYS,
    MISSING_RULE,
    OFFSET_COLUMN,
    OFFSETS,
    TREE_DTYPES,
    TREE_MEMBER,
)
from treewright.store.manifest import decoded_fields, read_classes, read_manifest, text_field
from treewright.store.room import check_comparison, check_derived, check_missing_rule

__all__ = ["load"]

TWO_DIMENSIONAL = ("value", "distributions", OFFSETS)


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
    manifest = read_manifest(archive, name)
    extra = _extra_names(manifest["extra"])
    is_forest = manifest["forest"] is not None
    of_trees = (
        [FOREST_MEMBER.format(a) for a in _dtypes_of_forest(manifest)]
        if is_forest
        else [TREE_MEMBER.format(a) for a in _dtypes_of_trees(manifest)]
    )
    archive.check_members({MANIFEST_MEMBER, *of_trees, *(EXTRA_MEMBER.format(a) for a in extra)})
    if manifest["comparison"] is not None:
        check_comparison(manifest["comparison"], name)
    if manifest["derived"] is not None:
        check_derived(manifest["derived"], name)
    schema = Schema.from_dict(manifest["schema"])
    trees = (_read_forest if is_forest else _read_trees)(archive, manifest, schema.n_codes, name)
    classes, class_order = read_classes(manifest)
    if (manifest["task"] == "classification") != (classes is not None):
        raise ValueError(f"the task is {manifest['task']!r}, which does not fit its classes")
    model = Model(
        algorithm=text_field(manifest["algorithm"], "algorithm"),
        params=decoded_fields(manifest["params"], "params"),
        task=manifest["task"],
        schema=schema,
        trees=trees,
        classes=classes,
        class_order=class_order,
        facts=decoded_fields(manifest["facts"], "facts"),
        arrays={
            a: read_array(archive, EXTRA_MEMBER.format(a), manifest["extra"][a], EXTRA_DTYPES, (1, 2))
            for a in extra
        },
        target_name=manifest["target_name"],
    )
    check_model(model)
    return model


def _extra_names(declared: Any) -> list[str]:
    if declared is None:
        return []
    if not isinstance(declared, dict) or len(declared) > MAX_EXTRA_ARRAYS:
        raise ValueError("its manifest does not list the extra arrays of a model")
    for name in declared:
        if not EXTRA_NAME.fullmatch(name):
            raise ValueError(f"{name[:60]!r} is not the name of an array")
    return list(declared)


# --- trees
# ----------------------------------------------------------------------------------------------------------


def _read_arrays(
    archive: Archive, declared: Any, dtypes: Mapping[str, tuple[str, ...]], member: str
) -> dict[str, NDArray[Any]]:
    if not isinstance(declared, dict) or set(declared) != set(dtypes):
        raise ValueError("its manifest does not list the arrays of a model")
    return {
        name: read_array(
            archive, member.format(name), declared[name], allowed, (2,) if name in TWO_DIMENSIONAL else (1,)
        )
        for name, allowed in dtypes.items()
    }


def _dtypes_of_forest(manifest: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return what the arrays of a forest may be; only those of a booster have the optional ones."""
    known = _declared(manifest)
    optional = {name: dtype for name, dtype in FOREST_OPTIONAL.items() if name in known}
    dtypes: dict[str, tuple[str, ...]] = {
        name: (dtype,) for name, dtype in {**FOREST_ARRAYS, **optional, **_missing_rule(manifest)}.items()
    }
    dtypes["feature"] += (FOREST_WIDE,)
    return dtypes


def _dtypes_of_trees(manifest: dict[str, Any]) -> dict[str, str]:
    with_candidates = not CANDIDATE_ARRAYS.keys().isdisjoint(_declared(manifest))
    return {**TREE_DTYPES[manifest["format_version"], with_candidates], **_missing_rule(manifest)}


def _declared(manifest: dict[str, Any]) -> dict[str, Any]:
    declared = manifest["arrays"]
    return declared if isinstance(declared, dict) else {}


def _missing_rule(manifest: dict[str, Any]) -> dict[str, str]:
    """Return the type of the array that says by which rule values are missing, where the file has it."""
    has_rule = manifest["format_version"] > 1 and MISSING_RULE in _declared(manifest)
    return {MISSING_RULE: ARRAY_DTYPES[MISSING_RULE]} if has_rule else {}


def _read_forest(
    archive: Archive, manifest: dict[str, Any], n_codes: NDArray[np.uint32], name: str
) -> Forest:
    facts = manifest["forest"]
    if not isinstance(facts, dict) or set(facts) != {"criterion"}:
        raise ValueError("its manifest does not say what the forest was grown by")
    arrays = _read_arrays(archive, manifest["arrays"], _dtypes_of_forest(manifest), FOREST_MEMBER)
    rule = arrays.pop(MISSING_RULE, None)
    forest = Forest.from_arrays(arrays, n_codes, text_field(facts["criterion"], "forest"))
    if rule is not None:
        check_missing_rule(rule, arrays["feature"] >= 0, name)
    return forest


def _read_trees(
    archive: Archive, manifest: dict[str, Any], n_codes: NDArray[np.uint32], name: str
) -> tuple[Tree, ...]:
    dtypes = {array: (dtype,) for array, dtype in _dtypes_of_trees(manifest).items()}
    arrays = _read_arrays(archive, manifest["arrays"], dtypes, TREE_MEMBER)
    offsets = arrays.pop(OFFSETS)
    _check_offsets(offsets, arrays)
    if MISSING_RULE in arrays:
        check_missing_rule(arrays.pop(MISSING_RULE), arrays["kind"] != KIND_LEAF, name)
    parts = [
        complete({a: values[begin[OFFSET_COLUMN[a]] : end[OFFSET_COLUMN[a]]] for a, values in arrays.items()})
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    check_trees(parts, n_codes)
    return tuple(Tree(part, n_codes) for part in parts)


def _check_offsets(offsets: NDArray[np.int64], arrays: dict[str, NDArray[Any]]) -> None:
    n_columns = 1 + max(OFFSET_COLUMN[name] for name in arrays)
    if len(offsets) < 2 or offsets.shape[1] != n_columns:
        raise ValueError("it holds no tree")
    if offsets[0].any() or (offsets[1:] < offsets[:-1]).any() or (offsets[1:, 0] == offsets[:-1, 0]).any():
        raise ValueError("its array 'offsets' does not divide the nodes among the trees")
    for name, array in arrays.items():
        if len(array) != offsets[-1, OFFSET_COLUMN[name]]:
            owner = "nodes" if OFFSET_COLUMN[name] == 0 else "entries"
            raise ValueError(
                f"the array {name!r} has {len(array)} entries for {offsets[-1, OFFSET_COLUMN[name]]} {owner}"
            )
