"""The estimators themselves against the stored trees of the xgboost package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.golden.test_xgboost_exact import CASES, floats
from tests.golden.xgboost_exact.nested import Leaf, Split, of_arrays, of_package
from treewright import NewtonBoostingClassifier, NewtonBoostingRegressor

WORDS = {
    "lambda": "reg_lambda",
    "alpha": "reg_alpha",
    "eta": "learning_rate",
    "monotone_constraints": "monotonic_cst",
    "interaction_constraints": "interaction_cst",
}


def fitted(case: dict[str, Any]) -> Any:
    settings = {"eta": 0.3, **case["settings"]}
    kind = NewtonBoostingRegressor if case["loss"] == "squared_error" else NewtonBoostingClassifier
    booster = kind(
        tree_method="exact",
        n_estimators=case["n_rounds"],
        **{WORDS.get(word, word): value for word, value in settings.items()},
    )
    return booster.fit(floats(case["x"]), np.array(case["y"]), sample_weight=np.array(case["weight"]))


def partition(tree: Leaf | Split) -> Any:
    """Return tests and leaf values."""
    if isinstance(tree, Leaf):
        return float(tree.value)
    tests = (tree.feature, tree.condition, tree.missing_left)
    return (*tests, partition(tree.left), partition(tree.right))


def same(a: Any, b: Any) -> bool:
    """Tell whether tests are equal and values close: the package's softmax starts 1e-6 beside the optimum."""
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, float) and isinstance(b, float) and bool(np.isclose(a, b, rtol=1e-5, atol=2e-6))
    return a[:3] == b[:3] and same(a[3], b[3]) and same(a[4], b[4])


@pytest.mark.parametrize("name", CASES)
def test_the_exact_method_fits_the_stored_trees(name: str) -> None:
    case = CASES[name]
    trees = list(fitted(case).model_.trees)
    assert len(trees) == len(case["trees"])
    for number, (ours, theirs) in enumerate(zip(trees, case["trees"], strict=True)):
        assert same(partition(of_arrays(ours.to_arrays(), 1.0)), partition(of_package(theirs))), number
