"""The pessimistic errors of a node against the values that the real programs computed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.golden.oracle_data import ORACLE, needs_oracle
from treewright import _core

RELEASE_8, J48 = _core.PruneProgram.release_8, _core.PruneProgram.j48


@needs_oracle
@pytest.mark.parametrize(("key", "program"), [("c45_r8", RELEASE_8), ("j48_w39", J48)])
def test_extra_errors_are_those_of_the_program_at_every_stored_point(key: str, program: Any) -> None:
    points = json.loads((ORACLE / "golden" / "adderrs" / "adderrs.json").read_text())[key]
    assert len(points) == 1057
    # Release 8 computes in single precision.
    relative = 5e-6 if program is RELEASE_8 else 1e-9
    for confidence, weight, errors, expected in points:
        extra = _core.extra_errors(weight, errors, confidence, program)
        assert extra == pytest.approx(expected, rel=relative, abs=5e-6 if program is RELEASE_8 else 1e-12)


@pytest.mark.parametrize(
    ("weight", "errors", "expected"),
    [(6, 0, 1.23780), (9, 0, 1.28480), (1, 0, 0.75), (16, 1, 1.50689), (10, 3, 1.59127)],
)
def test_extra_errors_have_the_values_of_the_book(weight: float, errors: float, expected: float) -> None:
    assert _core.extra_errors(weight, errors, 0.25, RELEASE_8) == pytest.approx(expected, abs=1e-5)


def test_j48_adds_nothing_above_a_confidence_of_one_half() -> None:
    assert _core.extra_errors(10.0, 3.0, 0.51, J48) == 0.0
    assert _core.extra_errors(10.0, 3.0, 0.5, J48) > 0.0


@pytest.mark.parametrize("program", [RELEASE_8, J48])
@pytest.mark.parametrize(
    "arguments",
    [
        (10.0, 3.0, 0.0),
        (10.0, 3.0, 1.1),
        (10.0, 3.0, float("nan")),
        (0.0, 0.0, 0.25),
        (1.0, 2.0, 0.25),
        (1.0, -1.0, 0.25),
    ],
)
def test_impossible_arguments_are_refused(program: Any, arguments: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        _core.extra_errors(*arguments, program)
