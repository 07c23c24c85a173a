"""Runs an exported model beside the model itself, and writes it only if both say the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import read_table
from treewright.exceptions import ExportCheckError
from treewright.export.exported import CheckReport, Exported, ExportedBytes
from treewright.export.source import model_of
from treewright.model.model import Model
from treewright.program import Column, Program, describe, evaluate
from treewright.store.whole_file import write_whole

__all__ = ["DOUBLE", "Rows", "Run", "Said", "Source", "finished", "finished_bytes", "refuse_nul", "steps_run"]

Floats = NDArray[np.float64]
DOUBLE = 1e-9  # of sums in double precision, in any order


@dataclass(frozen=True, eq=False)
class Said:
    """What a runtime said about rows.

    Attributes
    ----------
    runtime : str
        Its name.
    numbers : ndarray of shape (n_rows, n_outputs)
        Probabilities, or numbers.
    labels : sequence or None
        Predicted classes.
    """

    runtime: str
    numbers: Floats
    labels: Sequence[Any] | None


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to compare: numbers and codes, and the values behind them.

    Attributes
    ----------
    program : Program
        The model.
    matrix : ndarray of float64
        Numbers and codes, NaN for missing.
    """

    program: Program
    matrix: Floats

    def __len__(self) -> int:
        return len(self.matrix)

    @cached_property
    def columns(self) -> list[list[Any]]:
        """The values of each column: numbers (NaN for missing) or categories (None for missing)."""
        return [self._values(column, self.matrix[:, i]) for i, column in enumerate(self.program.columns)]

    @staticmethod
    def _values(column: Column, codes: Floats) -> list[Any]:
        if column.is_numeric:
            return [float(x) for x in codes.tolist()]
        words = [None, *column.categories, _never_seen(column)]
        return [words[0 if code != code else int(code)] for code in codes.tolist()]

    def named(self) -> list[dict[str, Any]]:
        """Return each row as a dict by name."""
        names = [column.name for column in self.program.columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*self.columns, strict=True)]


Run: TypeAlias = Callable[[Any, Rows], Said]


def _never_seen(column: Column) -> Any:
    known = set(column.categories)
    if known and not any(isinstance(category, str) for category in known):
        return max(float(category) for category in known) + 1.0
    word = "never seen"
    while word in known:
        word += "!"
    return word


@dataclass(frozen=True, eq=False)
class Source:
    """What is exported: the model as steps, and who says what it predicts.

    Attributes
    ----------
    model : Model
        The model.
    estimator : object or None
        The estimator around it, if one was passed.
    program : Program
        The model as steps.
    """

    model: Model
    estimator: Any
    program: Program

    @classmethod
    def of(cls, model: Any, exporter: str, feature_names: Sequence[str] | None = None) -> Source:
        """Return the source for what an exporter was given."""
        found = model_of(model, exporter)
        return cls(found, None if isinstance(model, Model) else model, describe(found, feature_names))

    def rows(self, X: Any) -> Rows:
        """Return the rows of a table."""
        table = read_table(X, estimator_name=self.model.algorithm, schema=self.model.schema)
        return Rows(self.program, np.asarray(table.to_matrix(), dtype=np.float64))

    def expected(self, X: Any, rows: Rows) -> Said:
        """Return what the model itself says."""
        classes = self.model.classes
        if self.estimator is None:
            found = evaluate(self.program, rows.matrix)
            labels = None if found.chosen is None or classes is None else classes[found.chosen].tolist()
            return Said("the model", found.numbers, labels)
        if classes is None:
            return Said("the model", np.asarray(self.estimator.predict(X))[:, np.newaxis], None)
        return Said("the model", self.estimator.predict_proba(X), self.estimator.predict(X).tolist())

    def compared(self, X: Any, content: Any, run: Run) -> CheckReport:
        """Run an exported model on rows and compare it with the model."""
        rows = self.rows(X)
        expected, said = self.expected(X, rows), run(content, rows)
        if said.numbers.shape != expected.numbers.shape:
            raise ExportCheckError(
                f"{said.runtime} answers with numbers of shape {said.numbers.shape}, the model with "
                f"{expected.numbers.shape}."
            )
        return CheckReport(
            rows=len(rows),
            largest_difference=largest_difference(said.numbers, expected.numbers),
            different_predictions=_different(said, expected),
            runtime=said.runtime,
        )


def largest_difference(found: Floats, expected: Floats) -> float:
    """Return the largest difference, of numbers beyond 1 relative to the number."""
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(found - expected) / np.maximum(1.0, np.abs(expected))
    gap[same] = 0.0
    return float(np.nan_to_num(gap, nan=np.inf).max(initial=0.0))


def _different(said: Said, expected: Said) -> int:
    if expected.labels is None or said.labels is None:
        return int(np.count_nonzero((said.numbers != expected.numbers).any(axis=1)))
    return sum(a != b for a, b in zip(said.labels, expected.labels, strict=True))


def steps_run(program: Program, why: str) -> Run:
    """Return a run of the steps that were exported, for a runtime that is not there."""

    def run(_: Any, rows: Rows) -> Said:
        found = evaluate(program, rows.matrix)
        classes = program.answer.classes
        labels = None if found.chosen is None or classes is None else [classes[k] for k in found.chosen]
        return Said(f"Treewright's own steps ({why})", found.numbers, labels)

    return run


def finished(
    source: Source,
    text: str,
    path: str | os.PathLike[str] | None,
    check: Any,
    run: Run,
    tolerance: float = DOUBLE,
) -> Exported:
    """Check a text if asked to, write it if asked to, and return it."""
    report = None if check is None else _passed(source.compared(check, text, run), source, tolerance)
    if path is not None:
        write_whole(Path(path), memoryview(f"{text}\n".encode()))
    return Exported(text, report)


def finished_bytes(
    source: Source,
    content: bytes,
    path: str | os.PathLike[str] | None,
    check: Any,
    run: Run,
    tolerance: float = DOUBLE,
) -> ExportedBytes:
    """Do the same with bytes."""
    report = None if check is None else _passed(source.compared(check, content, run), source, tolerance)
    if path is not None:
        write_whole(Path(path), memoryview(content))
    return ExportedBytes(content, report)


def _passed(report: CheckReport, source: Source, tolerance: float) -> CheckReport:
    wrong = report.different_predictions if source.program.answer.classes is not None else 0
    # In a runtime of single precision, rows whose best classes are as good as equal may get either.
    allowed = 0 if tolerance <= DOUBLE else report.rows // 1000
    if report.largest_difference > tolerance or wrong > allowed:
        raise ExportCheckError(
            f"The exported model does not say what the {source.model.algorithm} says: {report}. Nothing was "
            "written."
        )
    return report


def refuse_nul(program: Program, form: str) -> None:
    """Refuse names with NUL, which no text of another language can hold."""
    answer = program.answer
    named = [(f"the name of column {i}", column.name) for i, column in enumerate(program.columns)]
    named += [(f"a category of column {c.name!r}", word) for c in program.columns for word in c.categories]
    named += [("a class", word) for word in answer.classes or ()]
    for what, word in named:
        if isinstance(word, str) and "\0" in word:
            raise ValueError(
                f"{what} holds the character NUL ({word!r}), which {form} cannot hold. Rename it."
            )
