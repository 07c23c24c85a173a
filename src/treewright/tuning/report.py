"""TuneReport: which settings were tried, how they did, and whether the best one is better than the start."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from treewright.draw.bars import Bar, draw_bars
from treewright.explain.report import Report
from treewright.explain.words import number
from treewright.reports.page import Column, Page, Row, Table

__all__ = ["Trial", "TuneReport"]

SHOWN = 10
# Of the parameters of a setting in a line; `to_frame` has them all.
WIDTH = 110


@dataclass(frozen=True)
class Trial:
    """One setting and how far it came.

    Attributes
    ----------
    number : int
        0 is the start.
    params : dict
        What differs from the start.
    size : int or None
        Rounds or trees that it was best with; None: it has none, or could not be fitted.
    score : float or None
        Mean over the folds; more is better.
    failure : str
        Why it could not be fitted.
    """

    number: int
    params: dict[str, Any]
    size: int | None
    score: float | None
    failure: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class TuneReport(Report):
    """What `tune` found.

    Attributes
    ----------
    algorithm : str
        Name of the estimator class.
    measure : str
        What settings were judged by.
    n_folds : int
        How many folds chose, and how many others compared.
    trials : tuple of Trial
        All settings, the best first.
    chosen : dict
        Parameters of the estimator that was returned that differ from the start; empty: the start stays.
    start_score, best_score : float
        Scores of the start and of the best setting on folds that did not choose it; NaN where nothing was
        left to compare. More is better: losses are negative.
    difference, error : float
        How much better the best setting is there, and the standard error of that.
    is_better : bool
        Whether the difference is more than its standard error.
    seconds : float
        How long it took.
    """

    schema_version: ClassVar[int] = 1

    algorithm: str
    measure: str
    n_folds: int
    trials: tuple[Trial, ...]
    chosen: dict[str, Any]
    start_score: float
    best_score: float
    difference: float
    error: float
    is_better: bool
    seconds: float
    _frame: Any = field(default=None)

    @property
    def verdict(self) -> str:
        """What came of it, in a sentence."""
        if self.difference != self.difference:
            return "No setting was better than the start on the folds that chose: the start stays."
        compared = (
            f"On other folds the best setting scores {number(self.best_score)}, the start "
            f"{number(self.start_score)}: a difference of {number(self.difference)} ± {number(self.error)}"
        )
        if self.is_better:
            return f"{compared}. The setting was taken."
        return f"{compared}, which may be chance: the start stays."

    def _columns(self) -> dict[str, list[Any]]:
        names = sorted({name for trial in self.trials for name in trial.params})
        return {
            "setting": [trial.number for trial in self.trials],
            "score": [trial.score for trial in self.trials],
            "n_estimators": [trial.size for trial in self.trials],
            **{name: [trial.params.get(name) for trial in self.trials] for name in names},
        }

    def to_svg(self) -> str:
        """Return a bar for each of the best settings: how much better or worse than the start it is."""
        start = next(trial.score for trial in self.trials if trial.number == 0)
        assert start is not None, "the start was fitted"
        bars = [
            Bar(_name(trial), trial.score - start, number(trial.score), _kind(self, trial))
            for trial in self.trials[:SHOWN]
            if trial.score is not None
        ]
        return draw_bars(
            bars,
            title=f"Settings of {self.algorithm}",
            sentence=self.verdict,
            unit=f"{self.measure}, compared with the start; to the right is better",
        )

    def _page(self) -> Page:
        has_size = any(trial.size is not None for trial in self.trials)
        columns = (Column("setting", right=True), Column(self.measure, right=True), Column("parameters"))
        hidden = len(self.trials) - SHOWN
        failed = [trial for trial in self.trials if trial.failure]
        rows = tuple(
            Row(
                (
                    "start" if trial.number == 0 else str(trial.number),
                    "" if trial.score is None else number(trial.score),
                    _words(trial, has_size),
                ),
                marked=_kind(self, trial) == "marked",
            )
            for trial in self.trials[:SHOWN]
        )
        notes = [f"{self.verdict} More is better; losses are negative."]
        if failed:
            notes.append(f"{len(failed)} settings could not be fitted, e.g. {failed[0].failure:.200}")
        return Page(
            title=f"{len(self.trials) - 1} settings, {self.n_folds} folds, {self.seconds:.1f} s",
            subject=self.algorithm,
            facts=(),
            tables=(
                Table(
                    "Settings, the best first",
                    columns,
                    rows,
                    (f"… and {hidden} more",) if hidden > 0 else (),
                ),
            ),
            notes=tuple(notes),
        )


def _name(trial: Trial) -> str:
    return "start" if trial.number == 0 else f"setting {trial.number}"


def _kind(report: TuneReport, trial: Trial) -> Any:
    taken = report.trials[0].number if report.is_better else 0
    return "marked" if trial.number == taken else "plain"


def _words(trial: Trial, has_size: bool) -> str:
    if trial.failure:
        return "could not be fitted"
    params = {"n_estimators": trial.size, **trial.params} if has_size else trial.params
    words = ", ".join(f"{name}={value!r}" for name, value in params.items())
    return words if len(words) <= WIDTH else f"{words[: WIDTH - 1]}…"
