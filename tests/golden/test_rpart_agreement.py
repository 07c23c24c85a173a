"""Splits and surrogates of `missing="surrogate"` against rpart's stored trees."""

from __future__ import annotations

import pytest

from tests.golden.oracle_data import names_of, needs_oracle
from tests.golden.rpart_agreement import VARIANTS, compare

SLOW = {"nursery", "mushroom", "hypo", "segment", "vowel"}
# Some data sets are too small for rpart's default limits.
pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")

RUNS = [
    pytest.param(variant, name, marks=pytest.mark.slow if name in SLOW or variant != "rpart-full" else ())
    for variant in VARIANTS
    for name in names_of(variant)
]


@needs_oracle
@pytest.mark.parametrize(("variant", "name"), RUNS)
def test_splits_and_surrogates_are_those_of_rpart_but_for_ties(variant: str, name: str) -> None:
    result = compare(variant, name)
    assert (result.other_splits, result.other_surrogates) == (0, 0), result.notes
    stored_is_a_leaf = result.same_splits + result.tied_splits == 0
    assert not stored_is_a_leaf or name in {"golf", "weather-nominal"}
