"""What a contest found out: one number against its target, and the facts of both sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.machine import Watch


@dataclass
class Outcome:
    """One row of the results.

    Attributes
    ----------
    work : str
        What was done, in words.
    measure : str
        What `value` is: "ratio" (wall time ÷ scikit-learn's), or a unit.
    value, target : float or None
        The number that counts, and the largest one wanted.
    ours, theirs : dict
        Seconds, tree sizes, scores, bytes.
    notes : list of str
        What a reader must know before believing the number.
    """

    work: str
    measure: str = "ratio"
    value: float | None = None
    target: float | None = None
    ours: dict[str, Any] = field(default_factory=dict)
    theirs: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    name: str = ""
    machine: dict[str, Any] = field(default_factory=dict)

    @property
    def cpu_ratio(self) -> float | None:
        """Our processor time ÷ theirs; hardly moved by a busy machine."""
        ours, theirs = self.ours.get("cpu"), self.theirs.get("cpu")
        return ours / theirs if ours is not None and theirs else None

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met; None without a number."""
        return None if self.value is None or self.target is None else self.value <= self.target


@dataclass(frozen=True)
class Size:
    """How large and how often: full for facts, quick to see that the scripts run."""

    quick: bool = False
    turns: int | None = None
    quick_rows: int = 1000

    def rows(self, full: int) -> int:
        """Return a number of rows."""
        return min(full, self.quick_rows) if self.quick else full

    def part(self) -> int | None:
        """Return how many rows of a real table are taken; None is all."""
        return self.quick_rows if self.quick else None

    def repeats(self, full: int, quick: int = 1) -> int:
        """Return a number of turns."""
        return quick if self.quick else self.turns or full


@dataclass(frozen=True)
class Contest:
    """A named piece of work that can be measured."""

    name: str
    about: str
    measure: Callable[[Size], Outcome]

    def run(self, size: Size) -> Outcome:
        """Measure, and record what else the machine did meanwhile."""
        watch = Watch()
        outcome = self.measure(size)
        outcome.name = self.name
        outcome.machine = watch.facts()
        outcome.notes += watch.warnings()
        return outcome
