from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[4] / "docs" / "explain_boosting.md"


def test_the_session_about_boosters_is_reproduced_to_the_digit() -> None:
    found = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE, encoding="utf-8"
    )
    assert found.attempted > 15 and found.failed == 0
