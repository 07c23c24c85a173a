"""Measure speed and memory against other libraries: ``python -m benchmarks.run``; ``make bench`` does it."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import (
    boosting,
    boosting_accuracy,
    boosting_memory,
    boosting_predicting,
    boosting_report,
    boosting_shortcuts,
    c45,
    fitting,
    forest_accuracy,
    forest_memory,
    forests,
    imported,
    importing,
    memory,
    predicting,
    pruning,
    shap,
)
from benchmarks.datasets import DataMissingError
from benchmarks.machine import about_machine, busy_warning
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.report import markdown, row, write

SUITES: dict[str, tuple[Contest, ...]] = {
    "cart": (*fitting.CONTESTS, *predicting.CONTESTS, *importing.CONTESTS, *memory.CONTESTS),
    "c45": c45.CONTESTS,
    "pruning": pruning.CONTESTS,
    "forests": (*forests.OF_HUNDRED_TREES, *forest_memory.CONTESTS, *forests.OTHERS),
    "forest-accuracy": forest_accuracy.CONTESTS,
    "boosting": (
        *boosting.OF_MILLION,
        *boosting_predicting.CONTESTS,
        *boosting.OTHERS,
        *boosting_memory.CONTESTS,
    ),
    "boosting-accuracy": boosting_accuracy.CONTESTS,
    "boosting-shortcuts": boosting_shortcuts.CONTESTS,
    "imported": imported.CONTESTS,
    "shap": shap.CONTESTS,
}
#: Suites with a page of their own.
PAGES = {
    "forest-accuracy": forest_accuracy.markdown,
    "boosting": boosting_report.markdown,
    "boosting-accuracy": boosting_accuracy.markdown,
    "boosting-shortcuts": boosting_shortcuts.markdown,
}
RESULTS = Path(__file__).resolve().parent / "results"


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("suite", nargs="?", choices=SUITES, default="cart", help="which contests (cart)")
    parser.add_argument("--only", metavar="NAME", action="append", help="one contest; may be repeated")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: see that the scripts run")
    parser.add_argument("--turns", type=int, help="turns of each side, instead of each contest's own number")
    parser.add_argument(
        "--output", type=Path, help="where results go, without suffix (default: benchmarks/results/<suite>)"
    )
    parser.add_argument("--list", action="store_true", help="print the names of the contests")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.only or ()) - {contest.name for contest in SUITES[chosen.suite]}
    if unknown:
        parser.error(f"there is no contest {', '.join(sorted(unknown))}; see --list")
    return chosen


def run_all(
    suite: str, names: Sequence[str] | None, size: Size, done: Callable[[list[Outcome]], None]
) -> tuple[list[Outcome], list[str]]:
    """Run contests one after the other; return outcomes and why some were left out.

    `done` gets the outcomes so far after each of them: long suites must not lose what they have measured.
    """
    outcomes, skipped = [], []
    for contest in SUITES[suite]:
        if names and contest.name not in names:
            continue
        print(f"{contest.name}: {contest.about}", flush=True)
        try:
            outcome = contest.run(size)
        except DataMissingError as reason:
            skipped.append(f"{contest.name} was left out: {reason}")
            print(f"  left out: {reason}", flush=True)
            continue
        cells = row(outcome)
        print(f"  {outcome.work}: {cells[7]} (target {cells[8]}), CPU ratio {cells[6]}", flush=True)
        for note in outcome.notes:
            print(f"  {note}", flush=True)
        outcomes.append(outcome)
        done(outcomes)
    return outcomes, skipped


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = read_arguments(arguments)
    if chosen.list:
        for contest in SUITES[chosen.suite]:
            print(f"{contest.name:24}{contest.about}")
        return 0
    warning = busy_warning()
    if warning:
        print(f"Warning: {warning}", file=sys.stderr, flush=True)
    about = {"date": datetime.date.today().isoformat(), **about_machine()}
    # Part of a table, or numbers of tiny tables, must not replace the results by accident.
    is_whole = not chosen.quick and not chosen.only
    output = chosen.output or (RESULTS / chosen.suite.replace("-", "_") if is_whole else None)
    page_of = PAGES.get(chosen.suite, markdown)

    def keep(outcomes: list[Outcome]) -> None:
        if output is not None:
            so_far = {**about, "warnings": "the suite was not run to its end"}
            write(outcomes, so_far, output, page_of(outcomes, so_far))

    outcomes, skipped = run_all(chosen.suite, chosen.only, Size(chosen.quick, chosen.turns), keep)
    problems = [*skipped, *([warning] if warning else [])]
    if problems:
        about["warnings"] = "; ".join(problems)
    page = page_of(outcomes, about)
    print("\n" + page)
    if output is not None:
        write(outcomes, about, output, page)
        print(f"written: {output.with_suffix('.md')} and .json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
