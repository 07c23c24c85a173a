"""Our reading of rpart's rules, against every split, routing and surrogate that rpart printed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.golden.oracle_data import golden, load, names_of, needs_oracle
from tests.golden.rpart import criterion_of, improvement, plain_table, side_of, surrogates, walk

VARIANTS = ("rpart-default", "rpart-info", "rpart-cp0", "rpart-full")
SLOW = {"nursery", "mushroom", "hypo", "segment", "vowel", "sonar", "ionosphere"}
RUNS = [
    pytest.param(variant, name, marks=pytest.mark.slow if name in SLOW or variant != "rpart-full" else ())
    for variant in VARIANTS
    for name in names_of(variant)
]


@needs_oracle
@pytest.mark.parametrize(("variant", "name"), RUNS)
def test_replaying_a_stored_tree_gives_its_counts_improvements_and_surrogates(
    variant: str, name: str
) -> None:
    data, stored = load(name), golden(variant, name)
    table, criterion = plain_table(data), criterion_of(stored)
    for node, rows in walk(stored["tree"], data):
        assert len(rows) == node["n"]
        if data.classes:
            counts = np.bincount(table.y[rows].astype(np.int64), minlength=table.n_classes)
            assert counts.tolist() == node["counts"]
        if node["kind"] == "leaf":
            continue
        part, side = table.take(rows), side_of(node, data, rows)
        assert improvement(part, side, criterion) == pytest.approx(node["improve"], rel=1e-9)
        found = surrogates(part, node["attribute_index"], side)[:5]
        expected = [surrogate["agree"] for surrogate in node.get("surrogates", ())]
        assert [one.agreement for one in found] == pytest.approx(expected, rel=1e-9)
