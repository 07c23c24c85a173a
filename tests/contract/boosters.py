"""What the contract tests of boosters share."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.contract.entries import BOOSTERS, ENTRIES, make_entry
from treewright import ALGORITHMS

__all__ = ["BOOSTER_ENTRIES", "of_all_boosters", "of_gradient_boosters", "stopping"]

BOOSTER_ENTRIES = [entry for entry in ENTRIES if entry[0] in BOOSTERS]
GRADIENT_ENTRIES = [entry for entry in BOOSTER_ENTRIES if entry[0] != "adaboost"]


def _over(entries: list[tuple[str, str]]) -> Any:
    return pytest.mark.parametrize("entry", entries, ids=[f"{name}-{task}" for name, task in entries])


of_all_boosters = _over(BOOSTER_ENTRIES)
of_gradient_boosters = _over(GRADIENT_ENTRIES)


def stopping(entry: tuple[str, str], n_iter_no_change: int = 3, **params: Any) -> Any:
    """Return a booster that stops early; Friedman's has no switch for it."""
    name, task = entry
    if "early_stopping" in inspect.signature(ALGORITHMS[name][task]).parameters:
        params = {"early_stopping": True, **params}
    return make_entry(entry, **{"n_estimators": 30, "n_iter_no_change": n_iter_no_change, **params})
