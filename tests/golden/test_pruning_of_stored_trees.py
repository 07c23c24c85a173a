"""Pruning of trees that C4.5 Release 8 and J48 printed unpruned must give what they printed pruned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.golden import stored_tree
from tests.golden.c45_plan import NOMINAL, NUMERIC, dataset_of
from tests.golden.oracle_data import OracleTable, golden, load, names_of, needs_oracle
from treewright import _core

RELEASE_8, J48 = _core.PruneProgram.release_8, _core.PruneProgram.j48
CONFIDENCE = {
    "c45-r8": 0.25,
    "c45-r8-gain": 0.25,
    "c45-r8-subset": 0.25,
    "c45-r8-m5c10": 0.10,
    "c45-r8-m1c50": 0.50,
}
RUNS = [(variant, name) for variant in CONFIDENCE for name in names_of(variant)]


def exact_dataset_of(data: OracleTable) -> Any:
    """Encode a data set with numeric columns in double precision, as J48 reads them."""
    columns = [
        data.numeric(number) if categories is None else data.codes(number)
        for number, categories in enumerate(data.categories)
    ]
    kinds = [NUMERIC if categories is None else NOMINAL for categories in data.categories]
    return _core.Dataset.from_columns(columns, kinds, data.n_codes)


def prune(
    arrays: dict[str, Any], data: OracleTable, dataset: Any, program: Any, confidence: float, **options: Any
) -> dict[str, Any]:
    """Prune with raising, unless told otherwise, and check the arrays of the result."""
    settings = {"raising": True, "n_threads": 1, "weights": None, "labels": data.y.astype(np.int32)} | options
    pruned: dict[str, Any] = _core.prune_pessimistic(
        dict(arrays),
        dataset,
        settings["labels"],
        len(data.classes),
        settings["weights"],
        _core.Criterion.entropy,
        program,
        confidence,
        settings["raising"],
        settings["n_threads"],
    )
    _core.check_tree(pruned, np.array(data.n_codes, np.uint32))
    return pruned


@needs_oracle
@pytest.mark.parametrize(("variant", "name"), RUNS)
def test_release_8_prunes_its_own_tree_to_its_own_pruned_tree(variant: str, name: str) -> None:
    data, stored = load(name), golden(variant, name)
    dataset = dataset_of(data)
    grown = stored_tree.arrays_of(stored["unpruned"]["tree"], data)
    pruned = prune(grown, data, dataset, RELEASE_8, CONFIDENCE[variant])
    if variant == "c45-r8-subset":
        pruned = _core.narrow_groups(pruned, dataset)
    errors = stored_tree.estimated_errors(pruned, CONFIDENCE[variant], RELEASE_8)
    assert stored_tree.difference(pruned, stored["pruned"]["tree"], data, errors) is None


J48_RUNS = [
    (unpruned, pruned, name)
    for unpruned, pruned in [
        ("j48-w39-U", "j48-w39"),
        ("j48-w39-U", "j48-w39-noraise"),
        ("j48-w36-U", "j48-w36"),
    ]
    for name in names_of(pruned)
]


@needs_oracle
@pytest.mark.parametrize(("unpruned", "variant", "name"), J48_RUNS)
def test_j48_prunes_its_own_tree_to_its_own_pruned_tree(unpruned: str, variant: str, name: str) -> None:
    data = load(name)
    grown = stored_tree.arrays_of(golden(unpruned, name)["tree"], data)
    pruned = prune(grown, data, exact_dataset_of(data), J48, 0.25, raising=not variant.endswith("noraise"))
    assert stored_tree.difference(pruned, golden(variant, name)["tree"], data, None) is None


@needs_oracle
@pytest.mark.parametrize("name", names_of("j48-w39-binary"))
def test_j48_leaves_its_pruned_tree_of_binary_splits_as_it_is(name: str) -> None:
    data, stored = load(name), golden("j48-w39-binary", name)["tree"]
    arrays = stored_tree.arrays_of(stored, data)
    pruned = prune(arrays, data, exact_dataset_of(data), J48, 0.25)
    assert stored_tree.difference(pruned, stored, data, None) is None


@needs_oracle
@pytest.mark.parametrize("name", names_of("j48-w39-UOJ"))
def test_collapse_takes_back_the_highest_split_that_saves_no_error(name: str) -> None:
    data = load(name)
    grown = stored_tree.arrays_of(golden("j48-w39-UOJ", name)["tree"], data)
    n_codes = np.array(data.n_codes, np.uint32)
    smaller = _core.collapse(dict(grown), n_codes)

    def errors_of(node: dict[str, Any]) -> float:
        return sum(map(errors_of, node["children"])) if "children" in node else float(node["errors"])

    def collapsed(node: dict[str, Any]) -> dict[str, Any]:
        if "children" not in node or errors_of(node) >= node["n"] - max(node["dist"]) - 1e-3:
            return {key: node[key] for key in ("class", "n", "dist", "errors")} | {"kind": "leaf"}
        return node | {"children": [collapsed(child) for child in node["children"]]}

    expected = collapsed(golden("j48-w39-UOJ", name)["tree"])
    assert stored_tree.difference(smaller, expected, data, None) is None
