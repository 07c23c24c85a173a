"""The reference J48 itself, against all outputs of WEKA 3.9.6."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.golden.oracle_data import OracleTable, golden, load, names_of, needs_oracle
from tests.oracle.reference_j48 import J48Node, J48Settings, build_table, fit, majority, probabilities

VARIANTS = {
    "j48-w39": J48Settings(),
    "j48-w39-U": J48Settings(unpruned=True),
    "j48-w39-noraise": J48Settings(raising=False),
    "j48-w39-M5C10": J48Settings(min_objects=5, confidence=0.10),
    "j48-w39-UOJ": J48Settings(unpruned=True, collapse=False, mdl=False),
    "j48-w39-binary": J48Settings(binary=True),
    "j48-w39-laplace": J48Settings(laplace=True),
}
QUICK = {"golf", "weather-nominal", "contact-lenses", "iris", "vote", "lymph", "monk1", "heart-c"}
RUNS = [
    pytest.param(variant, name, marks=pytest.mark.slow if name not in QUICK else ())
    for variant in VARIANTS
    for name in names_of(variant)
]


def assert_same(node: J48Node, stored: dict[str, Any], data: OracleTable, path: str = "/") -> None:
    """Compare a subtree with a stored one, to the printed digits of its numbers."""
    assert node.weight == pytest.approx(stored["n"], rel=1e-7, abs=1e-7), path
    if stored["n"] > 0:
        np.testing.assert_allclose(node.dist, stored["dist"], rtol=1e-7, atol=1e-7, err_msg=path)
        assert node.errors == pytest.approx(stored["errors"], rel=1e-7, abs=1e-7), path
        assert data.classes[majority(node.dist)] == stored["class"], path
    if stored["kind"] == "leaf":
        assert node.feature < 0, path
        return
    assert node.feature == stored["attribute_index"], path
    categories = data.categories[node.feature]
    if categories is None:
        assert node.cut == stored["threshold"], path
    else:
        branches = [categories[values[0] - 1] for values in node.branches]
        assert branches[:1] == [stored["tests"][0][1]], path
        if stored["kind"] == "nominal":
            assert branches == [value for _, value in stored["tests"]], path
    for number, (child, mate) in enumerate(zip(node.children, stored["children"], strict=True)):
        assert_same(child, mate, data, f"{path}{stored['attribute']}[{number}]/")


@needs_oracle
@pytest.mark.parametrize(("variant", "name"), RUNS)
def test_the_reference_is_j48(variant: str, name: str) -> None:
    data, stored, settings = load(name), golden(variant, name), VARIANTS[variant]
    table = build_table(data.x, data.y, data.n_codes, len(data.classes))
    tree = fit(table, settings)
    assert_same(tree, stored["tree"], data)
    if "train_class_probs" in stored and len(data.y) <= 1000:
        ours = np.array([probabilities(table, tree, row, settings) for row in table.x])
        np.testing.assert_allclose(ours, stored["train_class_probs"], atol=1e-9)
        # WEKA predicts without Laplace's correction.
        plain = J48Settings()
        shares = np.array([probabilities(table, tree, row, plain) for row in table.x])
        assert shares.argmax(axis=1).tolist() == stored["train_pred"]
