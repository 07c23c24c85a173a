"""How two sides are timed: in turns in one process, the best of several, wall and processor time."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Times:
    """Seconds per call of one side, one number per turn."""

    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    serials: list[float] = field(default_factory=list)

    @property
    def wall(self) -> float:
        """The best wall time: what the machine can do when nothing else disturbs it."""
        return min(self.walls)

    @property
    def cpu(self) -> float:
        """The best processor time, all threads added up."""
        return min(self.cpus)

    def undisturbed(self, n_threads: int) -> float:
        """Return the wall time that free cores would give: the caller's part, then the others' shared out."""
        whole, serial = min(zip(self.cpus, self.serials, strict=True))
        return serial + (whole - serial) / n_threads

    def facts(self) -> dict[str, Any]:
        """Return what is stored: the best, and all turns; serial is the calling thread's processor time."""
        facts = {"wall": self.wall, "cpu": self.cpu, "walls": self.walls, "cpus": self.cpus}
        return {**facts, "serials": self.serials} if self.serials else facts


@dataclass(frozen=True)
class Played:
    """Times and last results of both sides."""

    ours: Times
    theirs: Times
    our_result: Any
    their_result: Any


def play(ours: Callable[[], Any], theirs: Callable[[], Any], *, turns: int, calls: int = 1) -> Played:
    """Let two sides work in turns: ours, theirs, ours and so on.

    Parameters
    ----------
    ours, theirs : callable
        The work.
    turns : int
        Turns of each side.
    calls : int, default=1
        Calls per turn, for work that is too short for the clock; times are per call.
    """
    (our_times, our_result), (their_times, their_result) = take_turns(
        (ours, theirs), turns=turns, calls=calls
    )
    return Played(our_times, their_times, our_result, their_result)


def take_turns(works: Sequence[Callable[[], Any]], *, turns: int, calls: int = 1) -> list[tuple[Times, Any]]:
    """Let any number of sides work in turns; return times and last result of each."""
    return race(works, turns=turns, calls=calls, patience=math.inf)


def race(
    works: Sequence[Callable[[], Any]], *, turns: int, calls: int = 1, patience: float = 3.0
) -> list[tuple[Times, Any]]:
    """Let sides work in turns, those that cannot win only once.

    Parameters
    ----------
    works : sequence of callable
        The sides; the first one gets all turns.
    turns, calls : int
        Most turns of a side, and calls per turn.
    patience : float
        A side that took this many times as long as the fastest after the first gets no further turn.
    """
    times, results = [Times() for _ in works], [None] * len(works)
    for _ in range(turns):
        fastest = min((known.wall for known in times[1:] if known.walls), default=math.inf)
        for side, work in enumerate(works):
            if side and times[side].walls and times[side].wall > patience * fastest:
                continue
            results[side] = None  # the last model must not press on the memory of this turn
            gc.collect()
            wall, cpu, serial = time.perf_counter(), time.process_time(), time.thread_time()
            for _ in range(calls):
                results[side] = work()
            times[side].serials.append((time.thread_time() - serial) / calls)
            times[side].cpus.append((time.process_time() - cpu) / calls)
            times[side].walls.append((time.perf_counter() - wall) / calls)
    return list(zip(times, results, strict=True))
