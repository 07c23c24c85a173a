"""How far C4.5 and ID3 agree with the programs: `python -m tests.golden.c45_agreement [--write]`."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path

from tests.golden.c45_runs import ID3, J48, RELEASE_8, Run, all_runs
from tests.golden.c45_verdict import EXPLAINED, IDENTICAL, NOT_EXPLAINED, Outcome, judge
from tests.golden.oracle_data import ORACLE, names_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "algorithms" / "c45_agreement.md"

INTRODUCTION = """\
# C4.5 and ID3 against the original programs

Written by `python -m tests.golden.c45_agreement --write`; do not edit by hand.

Every stored run of Quinlan's C4.5 Release 8 (`faithful="r8"`), of WEKA's J48 (`faithful="j48"`) and of WEKA's
Id3 (`ID3Classifier`) is repeated with Treewright and compared: the test of every node (column, threshold,
categories of each branch), weight, class weights, class and errors of every node, and for every training and
test row the prediction and the class weights or probabilities. Numbers of J48 and Id3 agree to all stored
digits (1e-9 for probabilities, 1e-8 for weights); those of Release 8, which adds in single precision and
prints six digits, to 1e-5 (weights) and 2e-6 (class shares).

- `=` identical.
- `(3)` explained: entry 3 of the list below has the reason and its numbers.
- `NO` not explained.
- blank: no such run (Id3 takes neither numbers nor missing values).

Reasons that count as an explanation:

- *near tie*: both tests have the same value within 1e-5 when it is computed in doubles on the rows of the
  node; Release 8 computes in float32 and adds shares of rows in its own order.
- *weight boundary*: a weight is within 1e-5 of a limit.
- *tie of classes*: two classes weigh the same in a node, so either may be called its majority; answers do not
  depend on it.
- *minobjs_leak*: with `-s` the program forgets its minimum `-m` once it meets a column without known values.
  This bug is not copied. A reference that repeats it gives the program's tree, but for near ties.
- *classes without rows* (J48 `-A`): `predict_proba` has no column for them.
- *branches without rows* (Id3): WEKA has no class there; here they answer with their parent's classes.
- WEKA 3.6 where WEKA 3.9 itself gives another threshold; 3.9 is the target.

Pruning alone, applied to the program's own unpruned trees, is tested in `tests/golden` too.
"""

TITLES = {
    "C4.5 Release 8 (u: unpruned, p: pruned)": {
        (variant, stage): f"{variant.removeprefix('c45-r8').lstrip('-') or 'default'} {stage[0]}"
        for variant in RELEASE_8
        for stage in ("unpruned", "pruned")
    },
    "J48 3.9.6, and 3.6.14 in the last two columns": {
        (variant, ""): variant.removeprefix("j48-w39").lstrip("-") or "default" for variant in J48
    },
    "Id3 of WEKA 3.6.14": {(variant, ""): variant for variant in ID3},
}


def report(outcomes: list[Outcome]) -> str:
    """Return the tables and the list of all disagreements."""
    numbers = {
        (one.run.variant, one.run.stage, one.run.name): place
        for place, one in enumerate((one for one in outcomes if one.verdict != IDENTICAL), start=1)
    }
    verdicts = {(one.run.variant, one.run.stage, one.run.name): one.verdict for one in outcomes}
    lines = []
    for heading, columns in TITLES.items():
        present = [key for key in columns if any((*key, name) in verdicts for name in names_of(key[0]))]
        if not present:
            continue
        lines += [f"## {heading}", "", "| data | " + " | ".join(columns[key] for key in present) + " |"]
        lines.append("|---" * (len(present) + 1) + "|")
        names = sorted({name for key in present for name in names_of(key[0]) if (*key, name) in verdicts})
        for name in names:
            cells = [cell(verdicts.get((*key, name)), numbers.get((*key, name), 0)) for key in present]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        lines.append("")
    count = Counter(one.verdict for one in outcomes)
    figures = ", ".join(f"{count[verdict]} {verdict}" for verdict in (IDENTICAL, EXPLAINED, NOT_EXPLAINED))
    lines += ["## Every disagreement", "", f"{len(outcomes)} runs: {figures}.", ""]
    for place, one in enumerate((one for one in outcomes if one.verdict != IDENTICAL), start=1):
        lines.append(f"{place}. **{one.run.title}, {one.run.name}** ({one.verdict})")
        lines += [f"   - {note}" for note in [*one.notes, *(f"NOT EXPLAINED: {x}" for x in one.unexplained)]]
    return "\n".join(lines) + "\n"


def cell(verdict: str | None, number: int) -> str:
    """Return the sign of a verdict."""
    if verdict is None:
        return ""
    return {IDENTICAL: "=", EXPLAINED: f"({number})", NOT_EXPLAINED: f"NO ({number})"}[verdict]


def judge_all(runs: list[Run]) -> list[Outcome]:
    """Judge every run, with a sign of life on the error stream."""
    outcomes = []
    for place, run in enumerate(runs, start=1):
        print(f"\r{place}/{len(runs)} {run.title} {run.name}".ljust(70), end="", file=sys.stderr, flush=True)
        outcomes.append(judge(run))
    print(file=sys.stderr)
    return outcomes


def main(arguments: list[str]) -> int:
    """Print the report for all runs or for the named option sets; return 1 if something is not explained."""
    if not ORACLE.is_dir():
        print(f"The stored outputs are not here: {ORACLE}", file=sys.stderr)
        return 2
    wanted = [argument for argument in arguments if argument != "--write"]
    if wanted and "--write" in arguments:
        print("The page holds all runs: --write takes no option sets.", file=sys.stderr)
        return 2
    with warnings.catch_warnings():
        # Some option sets prune a small data set down to its root.
        warnings.simplefilter("ignore")
        outcomes = judge_all([run for run in all_runs() if not wanted or run.variant in wanted])
    text = report(outcomes)
    print(text)
    if "--write" in arguments:
        PAGE.write_text(INTRODUCTION + "\n" + text, encoding="utf-8")
    return int(any(one.verdict == NOT_EXPLAINED for one in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
