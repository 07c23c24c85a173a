"""The page of the contests of boosting: every row names the peer that it is about."""

from __future__ import annotations

from typing import Any

from benchmarks.outcome import Outcome
from benchmarks.report import NOTHING, row

HEAD = (
    "work", "peer", "ours", "peer's", "ratio", "CPU ours", "CPU peer's", "CPU ratio", "measured", "target",
    "met", "loss ours", "loss peer's", "load",
)  # fmt: skip


def cells(outcome: Outcome) -> list[str]:
    """Return one outcome as the cells of the table."""
    work, *times, load = row(outcome)
    # After the times: depth, leaves and score, which boosters have no use for.
    losses = [f"{side['loss']:.5g}" if "loss" in side else NOTHING for side in (outcome.ours, outcome.theirs)]
    return [work, outcome.theirs.get("side", NOTHING), *times[:-3], *losses, load]


def markdown(outcomes: list[Outcome], about: dict[str, Any]) -> str:
    """Return the whole page: the machine, the table, the notes."""
    lines = ["# Boosting, measured", "", *(f"- {name}: {value}" for name, value in about.items())]
    lines += ["", "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    lines += ["| " + " | ".join(cells(outcome)) + " |" for outcome in outcomes]
    lines += [""]
    for outcome in outcomes:
        lines += [f"- {outcome.name}: {note}." for note in outcome.notes]
    lines += [
        "",
        "Times are the best of several turns with two threads on each side; CPU adds up all threads. Loss is "
        "that of rows held out: log loss for classes, RMSE for numbers, Poisson deviance for counts. A peer "
        "counts when its loss is at most 1 % above the lowest.",
    ]
    return "\n".join(lines) + "\n"
