"""Read a model from a `.tree` file that may be damaged or hostile: every fault becomes a ModelFileError."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.model import Forest, Model, Tree
from treewright.model.arrays import CANDIDATE_ARRAYS, NODE_ARRAYS, check_trees, complete
from treewright.model.forest_arrays import FOREST_ARRAYS, FOREST_OPTIONAL, FOREST_WIDE
from treewright.store.archive import Archive, file_faults, source_name
from treewright.store.format import (
    EXTRA_DTYPES,
    EXTRA_NAME,
    MANIFEST_MEMBER,
    MAX_EXTRA_ARRAYS,
    OFFSETS,
    extra_member,
    forest_member,
    offset_column,
    tree_dtypes,
    tree_member,
)
from treewright.store.manifest import decoded_fields, read_classes, read_manifest, text_field
from treewright.store.npy import read_array

__all__ = ["load"]

TWO_DIMENSIONAL = ("value", "distributions", OFFSETS)
AGGREGATIONS = ("one", "mean", "votes", "sum", "weighted")


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
        [forest_member(a) for a in _dtypes_of_forest(manifest["arrays"])]
        if is_forest
        else [tree_member(a) for a in _dtypes_of_trees(manifest["arrays"])]
    )
    archive.check_members({MANIFEST_MEMBER, *of_trees, *(extra_member(a) for a in extra)})
    schema = Schema.from_dict(manifest["schema"])
    trees = (_read_forest if is_forest else _read_trees)(archive, manifest, schema.n_codes)
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
            a: read_array(archive, extra_member(a), manifest["extra"][a], EXTRA_DTYPES, (1, 2)) for a in extra
        },
    )
    _check_model(model)
    return model


def _check_model(model: Model) -> None:
    if model.aggregation == "sum":
        _check_sum(model)
        return
    n_values = 1 if model.classes is None else len(model.classes)
    if model.n_outputs != n_values or (
        isinstance(model.trees, Forest) and model.trees.has_classes != (model.classes is not None)
    ):
        raise ValueError(f"its trees have {model.n_outputs} values per node, which does not fit its classes")
    if model.aggregation not in AGGREGATIONS:
        raise ValueError(f"its aggregation is {str(model.aggregation)[:20]!r}")
    if model.aggregation == "one" and len(model.trees) != 1:
        raise ValueError(f"it has {len(model.trees)} trees, but no rule for several")
    if model.aggregation == "weighted":
        weights = model.arrays.get("estimator_weights")
        if weights is None or weights.shape != (len(model.trees),) or weights.dtype != np.float64:
            raise ValueError("its trees have no weights")
        if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
            raise ValueError("the weights of its trees are not numbers of at least 0")
    if model.aggregation == "votes" and model.classes is None:
        raise ValueError("its trees vote, but there are no classes")


def _check_sum(model: Model) -> None:
    """Raise ValueError unless the trees add up to raw scores that the link can turn into an answer."""
    if not isinstance(model.trees, Forest) or model.trees.has_classes:
        raise ValueError("its trees do not hold numbers that could be added up")
    start = model.arrays.get("start")
    if start is None or start.ndim != 1 or start.dtype != np.float64 or not np.isfinite(start).all():
        raise ValueError("it does not say where its raw scores start")
    link = model.facts.get("link")
    outputs = {
        "identity": 1 if model.classes is None else -1,
        "log": 1 if model.classes is None else -1,
        "logit": 1 if model.classes is not None and len(model.classes) == 2 else -1,
        "half_logit": 1 if model.classes is not None and len(model.classes) == 2 else -1,
        "softmax": -1 if model.classes is None else len(model.classes),
    }
    if not isinstance(link, str) or outputs.get(link) != len(start):
        raise ValueError(f"the link {str(link)[:20]!r} does not fit its classes and raw scores")
    if len(model.trees) % len(start):
        raise ValueError(f"it has {len(model.trees)} trees for {len(start)} raw scores")


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
    archive: Archive, declared: Any, dtypes: Mapping[str, tuple[str, ...]], member: Callable[[str], str]
) -> dict[str, NDArray[Any]]:
    if not isinstance(declared, dict) or set(declared) != set(dtypes):
        raise ValueError("its manifest does not list the arrays of a model")
    return {
        name: read_array(
            archive, member(name), declared[name], allowed, (2,) if name in TWO_DIMENSIONAL else (1,)
        )
        for name, allowed in dtypes.items()
    }


def _dtypes_of_forest(declared: Any) -> dict[str, tuple[str, ...]]:
    """Return what the arrays of a forest may be; only those of a booster have the optional ones."""
    known = declared if isinstance(declared, dict) else {}
    optional = {name: dtype for name, dtype in FOREST_OPTIONAL.items() if name in known}
    dtypes: dict[str, tuple[str, ...]] = {
        name: (dtype,) for name, dtype in {**FOREST_ARRAYS, **optional}.items()
    }
    dtypes["feature"] += (FOREST_WIDE,)
    return dtypes


def _read_forest(archive: Archive, manifest: dict[str, Any], n_codes: NDArray[np.uint32]) -> Forest:
    facts = manifest["forest"]
    if not isinstance(facts, dict) or set(facts) != {"criterion"}:
        raise ValueError("its manifest does not say what the forest was grown by")
    dtypes = _dtypes_of_forest(manifest["arrays"])
    arrays = _read_arrays(archive, manifest["arrays"], dtypes, forest_member)
    return Forest.from_arrays(arrays, n_codes, text_field(facts["criterion"], "forest"))


def _read_trees(archive: Archive, manifest: dict[str, Any], n_codes: NDArray[np.uint32]) -> tuple[Tree, ...]:
    dtypes = {name: (dtype,) for name, dtype in _dtypes_of_trees(manifest["arrays"]).items()}
    arrays = _read_arrays(archive, manifest["arrays"], dtypes, tree_member)
    offsets = arrays.pop(OFFSETS)
    _check_offsets(offsets, arrays)
    columns = {name: offset_column(name) for name in arrays}
    parts = [
        complete({name: array[begin[columns[name]] : end[columns[name]]] for name, array in arrays.items()})
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    check_trees(parts, n_codes)
    return tuple(Tree(part, n_codes) for part in parts)


def _dtypes_of_trees(declared: Any) -> dict[str, str]:
    return tree_dtypes(isinstance(declared, dict) and not CANDIDATE_ARRAYS.keys().isdisjoint(declared))


def _check_offsets(offsets: NDArray[np.int64], arrays: dict[str, NDArray[Any]]) -> None:
    n_columns = 1 + max(offset_column(name) for name in arrays)
    if len(offsets) < 2 or offsets.shape[1] != n_columns:
        raise ValueError("it holds no tree")
    if offsets[0].any() or (offsets[1:] < offsets[:-1]).any() or (offsets[1:, 0] == offsets[:-1, 0]).any():
        raise ValueError("its array 'offsets' does not divide the nodes among the trees")
    for name, array in arrays.items():
        if len(array) != offsets[-1, offset_column(name)]:
            owner = "nodes" if name in NODE_ARRAYS else "entries"
            raise ValueError(
                f"the array {name!r} has {len(array)} entries for {offsets[-1, offset_column(name)]} {owner}"
            )
