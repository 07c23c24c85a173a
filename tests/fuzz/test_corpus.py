"""Every case that once went wrong goes well now, and so do a few new ones of each target."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
CASES = sorted(path for path in CORPUS.rglob("*") if path.is_file())

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("path", CASES, ids=[f"{path.parent.name}/{path.name}" for path in CASES])
def test_what_was_found_once_does_not_come_back(path):
    TARGETS[path.parent.name].run(path.read_bytes())


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_some_cases_of_every_target_go_well(name):
    for seed in range(20):
        TARGETS[name].run(TARGETS[name].draw(seed))
