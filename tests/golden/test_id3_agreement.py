"""ID3 against every stored run of WEKA's Id3."""

from __future__ import annotations

import pytest

from tests.golden.c45_runs import Run
from tests.golden.c45_verdict import IDENTICAL, NOT_EXPLAINED, judge
from tests.golden.oracle_data import names_of, needs_oracle


@needs_oracle
@pytest.mark.parametrize("name", names_of("id3-w36"))
def test_the_tree_and_its_answers_are_wekas_but_for_branches_without_rows(name: str) -> None:
    outcome = judge(Run("id3-w36", name))
    assert outcome.verdict != NOT_EXPLAINED, outcome.unexplained


@needs_oracle
@pytest.mark.parametrize("name", ["car", "nursery", "contact-lenses", "weather-nominal"])
def test_a_table_without_empty_branches_gives_wekas_tree_itself(name: str) -> None:
    assert judge(Run("id3-w36", name)).verdict == IDENTICAL
