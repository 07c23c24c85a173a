"""From sums to the answer, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewright.export.code.sql_dialects import Dialect
from treewright.export.code.sql_steps import Stages, balanced, best_of, single
from treewright.program import Program

__all__ = ["add_answer"]

# Beyond these the exponential is as good as 0, or infinite; some databases raise an error there.
SMALLEST_POWER, LARGEST_POWER = -708.0, 709.782712893384


def add_answer(program: Program, dialect: Dialect, stages: Stages) -> list[str]:
    """Return the prediction and the probabilities as expressions, after adding the steps that they need."""
    answer = program.answer
    sums = [stages.column(f"s{k}") for k in range(program.n_sums)]
    if answer.classes is None:
        return [_number(program, dialect, sums[0])]
    numbers = _numbers(program, dialect, stages, sums[answer.begin :])
    stages.add({f"q{k}": text for k, text in enumerate(numbers)})
    found = [stages.column(f"q{k}") for k in range(len(numbers))]
    if answer.choice == "sign":
        choice = f"(CASE WHEN {sums[0]} > 0 THEN 1 ELSE 0 END)"
    else:
        compared = found if answer.choice == "probabilities" else sums[: answer.n_outputs]
        if answer.single:
            stages.add({f"r{k}": single(column) for k, column in enumerate(compared)})
            compared = [stages.column(f"r{k}") for k in range(len(compared))]
        choice = best_of(compared, answer.order)
    stages.add({"k": choice})
    labels = [_label(dialect, label) for label in answer.classes]
    cases = " ".join(f"WHEN {k} THEN {label}" for k, label in enumerate(labels[:-1]))
    name = stages.column("k")
    return [f"CASE {name} {cases} ELSE {labels[-1]} END" if cases else labels[0], *found]


def _label(dialect: Dialect, label: Any) -> str:
    if isinstance(label, bool):
        return dialect.boolean[label]
    if isinstance(label, int):
        return str(label)
    return dialect.number(label) if isinstance(label, float) else dialect.text(str(label))


def _power(dialect: Dialect, x: str) -> str:
    infinite = dialect.number(float("inf"))
    return (
        f"(CASE WHEN {x} < {dialect.number(SMALLEST_POWER)} THEN {dialect.number(0.0)} "
        f"WHEN {x} > {dialect.number(LARGEST_POWER)} THEN {infinite} ELSE EXP({x}) END)"
    )


def _share(dialect: Dialect, score: str) -> str:
    """Return 1 / (1 + e^-score)."""
    one, small = dialect.number(1.0), _power(dialect, f"(-ABS({score}))")
    smaller = f"{small} / ({one} + {small})"
    return f"(CASE WHEN {score} > 0 THEN {one} - {smaller} ELSE {smaller} END)"


def _number(program: Program, dialect: Dialect, x: str) -> str:
    """Return the predicted number that a sum stands for."""
    one, zero = dialect.number(1.0), dialect.number(0.0)
    match program.answer.named_link[0]:
        case "log":
            return _power(dialect, x)
        case "square":
            return f"{x} * ABS({x})"
        case "step":
            return f"CASE WHEN {x} > 0 THEN {one} ELSE {zero} END"
        case "sigmoid":
            return _share(dialect, x)
        case "softplus":
            return f"{dialect.greatest}({x}, {zero}) + LN({one} + {_power(dialect, f'(-ABS({x}))')})"
    return x


def _numbers(program: Program, dialect: Dialect, stages: Stages, sums: Sequence[str]) -> list[str]:
    """Return the probabilities of the classes."""
    answer = program.answer
    one = dialect.number(1.0)
    link, factor = answer.named_link
    if link == "logit":
        stages.add({"e": _share(dialect, f"({sums[0]} * {dialect.number(factor)})")})
        return [f"{one} - {stages.column('e')}", stages.column("e")]
    if link == "one_vs_rest":
        return [_share(dialect, f"({x} * {dialect.number(factor)})") for x in sums]
    if answer.link in ("softmax", "votes"):
        if answer.link == "softmax" and len(sums) > 1:
            stages.add({"e": f"{dialect.greatest}({', '.join(sums)})"})
            inner = [f"({x} - {stages.column('e')})" for x in sums]
        elif answer.link == "softmax":
            inner = [f"({sums[0]} - {sums[0]})"]
        else:
            inner = [f"({x} / {max(1, len(sums) - 1)})" for x in sums]
        stages.add({f"e{k}": _power(dialect, x) for k, x in enumerate(inner)}, ["e"])
        sums = [stages.column(f"e{k}") for k in range(len(inner))]
    if answer.link != "identity":
        stages.add({"e": balanced(sums, "+")})
        sums = [f"{x} / {stages.column('e')}" for x in sums]
    calibration = answer.calibration
    if calibration is None or not calibration.curves:
        return list(sums)
    curve = _sigmoid if calibration.kind == "sigmoid" else _isotonic
    if len(calibration.curves) == 1:
        stages.add({"e": curve(dialect, sums[1], *calibration.curves[0])})
        return [f"{one} - {stages.column('e')}", stages.column("e")]
    pairs = zip(sums, calibration.curves, strict=True)
    stages.add({f"e{k}": curve(dialect, x, *points) for k, (x, points) in enumerate(pairs)})
    found = [stages.column(f"e{k}") for k in range(len(sums))]
    stages.add({"e": balanced(found, "+")})
    total = stages.column("e")
    even = dialect.number(1.0 / len(sums))
    return [f"CASE WHEN {total} > 0 THEN {x} / {total} ELSE {even} END" for x in found]


def _sigmoid(dialect: Dialect, x: str, first: Sequence[float], second: Sequence[float]) -> str:
    line = f"({dialect.number(first[0])} * {x} + {dialect.number(second[0])})"
    one = dialect.number(1.0)
    return (
        f"CASE WHEN {line} > 0 THEN {one} / ({one} + {_power(dialect, f'(-{line})')}) "
        f"ELSE {_power(dialect, line)} / ({one} + {_power(dialect, line)}) END"
    )


def _isotonic(dialect: Dialect, x: str, first: Sequence[float], second: Sequence[float]) -> str:
    number = dialect.number
    cases = [f"WHEN {x} <= {number(first[0])} THEN {number(second[0])}"]
    for i in range(len(first) - 1):
        slope = (second[i + 1] - second[i]) / (first[i + 1] - first[i])
        value = number(second[i])
        if slope:
            value = f"{number(slope)} * ({x} - {number(first[i])}) + {number(second[i])}"
        cases.append(f"WHEN {x} < {number(first[i + 1])} THEN {value}")
    return f"CASE {' '.join(cases)} ELSE {number(second[-1])} END"
