"""C4.5 against every stored run of Release 8 and J48: identical, or different for a known reason."""

from __future__ import annotations

import pytest

from tests.golden.c45_agreement import report
from tests.golden.c45_runs import LARGE, QUICK, Run, all_runs
from tests.golden.c45_verdict import EXPLAINED, IDENTICAL, NOT_EXPLAINED, Outcome, judge
from tests.golden.oracle_data import needs_oracle

# Some option sets prune a small data set down to its root.
pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")


def is_slow(run: Run) -> bool:
    """Whether a run is left to the slow tests: large sets, and unusual options but for a few sets."""
    usual = run.variant in ("c45-r8", "j48-w39")
    return run.name in LARGE or not (usual or run.name in QUICK)


RUNS = [
    pytest.param(run, id=f"{run.title} {run.name}", marks=pytest.mark.slow if is_slow(run) else ())
    for run in all_runs()
    if run.program != "id3"
]


@needs_oracle
@pytest.mark.parametrize("run", RUNS)
def test_the_tree_and_its_answers_are_the_programs(run: Run) -> None:
    outcome = judge(run)
    assert outcome.verdict != NOT_EXPLAINED, outcome.unexplained


@needs_oracle
@pytest.mark.parametrize("variant", ["c45-r8", "j48-w39"])
def test_a_default_run_without_gaps_is_identical(variant: str) -> None:
    for name in ("car", "iris", "wine", "balance-scale"):
        stage = "unpruned" if variant == "c45-r8" else ""
        assert judge(Run(variant, name, stage)).verdict == IDENTICAL


@needs_oracle
def test_another_tree_would_be_noticed() -> None:
    wrong = Run("j48-w39-M5C10", "diabetes")
    outcome = judge(wrong)
    assert outcome.verdict == IDENTICAL
    # The same data with other options is not what this run stored.
    confused = judge(ConfusedRun("j48-w39-M5C10", "diabetes"))
    assert confused.verdict == NOT_EXPLAINED


class ConfusedRun(Run):
    """A run that is compared with the output of other options."""

    def stored(self) -> dict[str, object]:
        """Return the output of the default options."""
        return Run("j48-w39", self.name).stored()


def test_the_report_numbers_its_disagreements() -> None:
    outcomes = [
        Outcome(Run("j48-w39", "iris")),
        Outcome(Run("j48-w39", "vote"), notes=["a reason"]),
        Outcome(Run("j48-w39", "wine"), unexplained=["a riddle"]),
    ]
    assert [outcome.verdict for outcome in outcomes] == [IDENTICAL, EXPLAINED, NOT_EXPLAINED]
    text = report(outcomes)
    assert "3 runs: 1 identical, 1 explained, 1 not explained." in text
    assert "1. **j48-w39, vote** (explained)\n   - a reason" in text
