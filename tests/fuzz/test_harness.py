"""The harness notices a crash, a hang, memory and exceptions, and writes the case that shows it."""

from __future__ import annotations

import pytest

from tests.fuzz.campaign import Campaign
from tests.fuzz.planted import Planted
from tests.fuzz.targets import TARGETS

pytest.importorskip("resource", reason="the limits of a worker are those of Unix")


@pytest.mark.slow  # its limits of time are real ones
def test_everything_that_was_planted_is_found(tmp_path, capsys):
    campaign = Campaign(tmp_path)
    campaign.run(Planted(), 1, seconds=600, jobs=1, most_cases=12)
    found = {finding.seed: finding.signature for finding in campaign.findings}
    assert sorted(found) == [3, 5, 7, 9]
    assert found[3].startswith("ZeroDivisionError")
    assert "MB of memory" in found[5] or "# MB" in found[5]
    assert found[7] == "crash: SIGABRT"
    assert found[9] == "hang: more than 1 s of processor time"
    assert (tmp_path / "planted_7.case.txt").read_bytes() == b"7"
    assert campaign.outcomes["planted"].total() >= 12
    assert "FOUND crash: SIGABRT" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_seed_gives_the_same_case_every_time(name):
    assert TARGETS[name].draw(123456) == TARGETS[name].draw(123456)
    assert TARGETS[name].draw(123456) != TARGETS[name].draw(123457)
