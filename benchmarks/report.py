"""Outcomes as a Markdown table and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.outcome import Outcome

HEAD = (
    "work", "ours", "scikit-learn", "ratio", "CPU ours", "CPU s.-l.", "CPU ratio", "measured", "target",
    "met", "depth", "leaves", "score", "load",
)  # fmt: skip
NOTHING = "–"


def seconds(value: float | None) -> str:
    """Return a time with three figures and its unit."""
    if value is None:
        return NOTHING
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1 or unit == "µs":
            return f"{value * factor:.3g} {unit}"
    raise AssertionError


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3g}"


def _both(outcome: Outcome, fact: str, form: str) -> str:
    if fact not in outcome.ours or fact not in outcome.theirs:
        return NOTHING
    return " / ".join(format(side[fact], form) for side in (outcome.ours, outcome.theirs))


def row(outcome: Outcome) -> list[str]:
    """Return one outcome as the cells of a table; pairs are ours / scikit-learn's."""
    ours, theirs = outcome.ours.get("wall"), outcome.theirs.get("wall")
    ratio = ours / theirs if ours is not None and theirs else None
    unit = "" if outcome.measure == "ratio" else f" {outcome.measure}"
    met = {True: "yes", False: "**no**", None: NOTHING}[outcome.is_met]
    return [
        outcome.work,
        seconds(ours),
        seconds(theirs),
        _number(ratio),
        seconds(outcome.ours.get("cpu")),
        seconds(outcome.theirs.get("cpu")),
        _number(outcome.cpu_ratio),
        NOTHING if outcome.value is None else f"{_number(outcome.value)}{unit}",
        NOTHING if outcome.target is None else f"≤ {outcome.target:g}{unit}",
        met,
        _both(outcome, "depth", "d"),
        _both(outcome, "leaves", "d"),
        _both(outcome, "score", ".4f"),
        "{load_before:.1f} → {load_after:.1f}".format(**outcome.machine),
    ]


def markdown(outcomes: list[Outcome], about: dict[str, Any]) -> str:
    """Return the whole page: the machine, the table, the notes."""
    lines = ["# Measured", ""]
    lines += [f"- {name}: {value}" for name, value in about.items()]
    lines += ["", "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    lines += ["| " + " | ".join(row(outcome)) + " |" for outcome in outcomes]
    notes = [f"- {outcome.work}: {note}." for outcome in outcomes for note in outcome.notes]
    lines += ["", *notes] if notes else []
    lines += [
        "",
        "Pairs are ours / scikit-learn's; score is accuracy or R² on the training rows unless a note says "
        "otherwise; times are the best of several turns; CPU adds up all threads.",
    ]
    return "\n".join(lines) + "\n"


def write(outcomes: list[Outcome], about: dict[str, Any], path: Path, page: str) -> None:
    """Write ``path``.json and the page, ``path``.md."""
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {"about": about, "outcomes": [asdict(outcome) for outcome in outcomes]}
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page, encoding="utf-8")
