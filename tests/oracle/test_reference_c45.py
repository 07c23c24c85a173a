"""The reference C4.5 itself, against outputs of Release 8."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.golden.oracle_data import ORACLE, OracleTable, golden, load, needs_oracle, tier
from tests.oracle.reference_c45 import (
    Branches,
    ColumnTest,
    Node,
    Settings,
    Table,
    distribute,
    extra_errors,
    grow,
    narrow,
    prune,
    ranked_tests,
    used_below,
)

VARIANTS = {
    "c45-r8": Settings(),
    "c45-r8-gain": Settings(use_ratio=False),
    "c45-r8-m5c10": Settings(minimum=5, confidence=0.10),
    "c45-r8-m1c50": Settings(minimum=1, confidence=0.50),
    "c45-r8-subset": Settings(group=True),
}
QUICK = {"golf", "weather-nominal", "contact-lenses", "iris", "vote", "lymph", "monk1", "monk2", "heart-c"}
#: Runs in which float32 sums of shares of rows, added in another order, decide: the replay below applies.
ORDER_OF_ADDITION = {("c45-r8-gain", "primary-tumor")}


def runs(letters: str, without: set[tuple[str, str]] | None = None) -> list[Any]:
    """Return the runs of these tiers; those that take long are slow."""
    return [
        pytest.param(variant, name, marks=pytest.mark.slow if name not in QUICK else ())
        for variant in VARIANTS
        for name in tier(variant, letters)
        if (variant, name) not in (without or set())
    ]


#: Several tests of one node have equal values: the last bit of a sum decides, so only float32 will do.
TIED = {(variant, "soybean") for variant in VARIANTS} | ORDER_OF_ADDITION


def assert_same(node: Node, stored: dict[str, Any], data: OracleTable, path: str = "/") -> None:
    """Compare a subtree with a stored one: test, branches, weights, class weights, errors."""
    assert np.isclose(node.weight, stored["n"], rtol=1e-5, atol=1e-4), path
    assert np.allclose(node.dist, stored["dist"], rtol=1e-5, atol=1e-4), path
    assert np.isclose(node.errors, stored["errors"], rtol=1e-4, atol=2e-3), path
    if stored["kind"] == "leaf":
        assert node.feature < 0, path
        return
    assert node.feature == stored["attribute_index"], path
    if stored["kind"] == "numeric":
        assert np.float32(node.cut) == np.float32(stored["threshold_f32"]), path
    else:
        assert node.branches == branches_of(stored, data), path
    assert len(node.children) == len(stored["children"]), path
    for number, (child, mate) in enumerate(zip(node.children, stored["children"], strict=True)):
        assert_same(child, mate, data, f"{path}{stored['attribute']}[{number}]/")


def c45_table(name: str) -> Table:
    """Read a data set in the form of the reference."""
    data = load(name)
    return Table.build(data.x, data.y, data.n_codes, len(data.classes))


def branches_of(stored: dict[str, Any], data: OracleTable) -> Branches:
    """Return the values of every branch of a stored nominal test, as codes."""
    categories = data.categories[stored["attribute_index"]] or ()
    return tuple(
        tuple(categories.index(value) + 1 for value in ([values] if isinstance(values, str) else values))
        for _, values in stored["tests"]
    )


def assert_grows_and_prunes(variant: str, name: str, settings: Settings) -> None:
    """Compare the unpruned and the pruned tree of a run."""
    data, table, stored = load(name), c45_table(name), golden(variant, name)
    tree = grow(table, settings)
    assert_same(tree, stored["unpruned"]["tree"], data)
    prune(table, tree, settings, np.arange(len(table.y)), np.ones(len(table.y)))
    if settings.group:
        narrow(table, tree)
    assert_same(tree, stored["pruned"]["tree"], data)


@needs_oracle
@pytest.mark.slow
@pytest.mark.parametrize(("variant", "name"), runs("AB", TIED))
def test_the_reference_in_doubles_gives_the_trees_of_release_8(variant: str, name: str) -> None:
    assert_grows_and_prunes(variant, name, VARIANTS[variant])


@needs_oracle
@pytest.mark.parametrize(("variant", "name"), runs("ABC", ORDER_OF_ADDITION))
def test_the_reference_in_single_precision_gives_the_trees_of_release_8(variant: str, name: str) -> None:
    assert_grows_and_prunes(variant, name, replace(VARIANTS[variant], single=True))


def replay(table: Table, stored: dict[str, Any], data: OracleTable, settings: Settings) -> list[str]:
    """Walk the stored tree; list the nodes whose test is worse than the best one by more than 1e-5."""
    worse = []
    stack = [(stored, np.arange(len(table.y)), np.ones(len(table.y)), frozenset[int](), "/")]
    while stack:
        node, rows, weight, used, path = stack.pop()
        if node["kind"] == "leaf":
            continue
        feature, cut = node["attribute_index"], float(np.float32(node.get("threshold_f32", np.nan)))
        ranked = ranked_tests(table, rows, weight, used, settings)
        own = max((value for value, test in ranked if test.feature == feature), default=-np.inf)
        best = max(value for value, _ in ranked)
        if own < best - 1e-5:
            worse.append(f"{path} {node['attribute']}: {own} against {best}")
        branches = branches_of(node, data) if table.n_values[feature] else ()
        parts = distribute(table, ColumnTest(feature, 0.0, 0.0, cut, branches), rows, weight)
        below = used_below(table, feature, used, settings)
        for number, (child, (part, share, amount)) in enumerate(zip(node["children"], parts, strict=True)):
            if amount > 0:
                stack.append((child, part, share, below, f"{path}{node['attribute']}[{number}]/"))
    return worse


@needs_oracle
@pytest.mark.slow
@pytest.mark.parametrize(("variant", "name"), [*runs("C"), ("c45-r8-gain", "primary-tumor")])
def test_every_test_of_release_8_is_within_rounding_of_the_best(variant: str, name: str) -> None:
    unpruned = golden(variant, name)["unpruned"]["tree"]
    assert replay(c45_table(name), unpruned, load(name), VARIANTS[variant]) == []


@needs_oracle
def test_the_extra_errors_are_those_of_the_program() -> None:
    points = np.array(json.loads((ORACLE / "golden" / "adderrs" / "adderrs.json").read_text())["c45_r8"])
    ours = [extra_errors(total, errors, confidence) for confidence, total, errors, _ in points]
    assert len(points) > 1000
    np.testing.assert_allclose(ours, points[:, 3], rtol=2e-6, atol=2e-6)
