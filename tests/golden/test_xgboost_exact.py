from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.golden.xgboost_exact.nested import count_splits, differences, of_arrays, of_package
from tests.golden.xgboost_exact.rounds import Floats, grow_rounds, logit, start_of

STORED = json.loads((Path(__file__).parent / "xgboost_exact" / "stored.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in STORED["cases"]}


def floats(numbers: list[Any]) -> Floats:
    return np.array(numbers, dtype=np.float32)


def stored_start(case: dict[str, Any]) -> Floats:
    start = np.array(case["start"])
    is_probability = case["loss"] == "log_loss" and case["n_outputs"] == 1
    return logit(start) if is_probability else start.astype(np.float32)


@pytest.mark.parametrize("name", CASES)
def test_every_round_grows_the_stored_trees(name: str) -> None:
    case = CASES[name]
    x, y, weight = floats(case["x"]), floats(case["y"]), floats(case["weight"])
    trees, _ = grow_rounds(x, y, weight, case["loss"], case["settings"], case["n_rounds"], stored_start(case))
    eta = case["settings"].get("eta", 0.3)
    assert len(trees) == len(case["trees"])
    for ours, theirs in zip(trees, case["trees"], strict=True):
        assert differences(of_arrays(ours, eta), of_package(theirs)) == []
    assert sum(count_splits(of_package(tree)) for tree in case["trees"]) > 3


@pytest.mark.parametrize("name", CASES)
def test_the_start_is_the_stored_one(name: str) -> None:
    case = CASES[name]
    start = start_of(case["loss"], floats(case["y"]), floats(case["weight"]), case["n_outputs"])
    assert np.allclose(start, stored_start(case), rtol=5e-6, atol=1e-7)
