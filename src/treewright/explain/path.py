"""PathReport: how one row came to its answer, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from treewright.explain.changes import Change
from treewright.explain.frame import to_frame
from treewright.explain.path_page import path_page
from treewright.explain.plain import to_plain
from treewright.explain.render import page_to_html, page_to_text

__all__ = ["PathReport", "PathStep"]


@dataclass(frozen=True)
class PathStep:
    """One node on the way.

    Attributes
    ----------
    node : int
        The node that is reached.
    depth : int
        Number of tests above it.
    feature : str
        The feature that was tested above it.
    value : str
        The row's value of it.
    words : str
        What holds for rows that come here.
    routing : str
        Why a row without a known value comes here; empty when the value is known.
    share : float
        Which share of the row comes here: 1, or less where a missing value is shared out (C4.5).
    n : int
        Training rows in the node.
    weight : float
        Their weight.
    prediction : tuple of float
        Class distribution in the node, or the number it would predict.
    is_end : bool
        Whether this part of the row ends here.
    """

    node: int
    depth: int
    feature: str
    value: str
    words: str
    routing: str
    share: float
    n: int
    weight: float
    prediction: tuple[float, ...]
    is_end: bool


@dataclass(frozen=True)
class PathReport:
    """How one row came to its answer.

    Attributes
    ----------
    algorithm : str
        The algorithm, e.g. ``C4.5``.
    answer : str
        What is predicted.
    classes : tuple of str, or None
        The classes; None for regression.
    prediction : tuple of float
        Probability of each class, or the predicted number.
    start : tuple of float
        The same before any test, at the root.
    n : int
        Training rows in the root.
    steps : tuple of PathStep
        The nodes on the way, the first test first; where the row is shared out, branch after branch.
    changes : tuple of Change
        For each feature its smallest change that would change the answer, the nearest first.
    """

    schema_version = 1

    algorithm: str
    answer: str
    classes: tuple[str, ...] | None
    prediction: tuple[float, ...]
    start: tuple[float, ...]
    n: int
    steps: tuple[PathStep, ...]
    changes: tuple[Change, ...]
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def nearest_change(self) -> Change | None:
        """The smallest change of a single feature that would change the answer; None: no such change."""
        return self.changes[0] if self.changes else None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/path_report.json describes them."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    def to_frame(self) -> Any:
        """Return one row per step, as a DataFrame of the library that X came from, or pandas."""
        names = ("node", "depth", "feature", "value", "words", "routing", "share", "n", "weight", "is_end")
        columns = {name: [getattr(step, name) for step in self.steps] for name in names}
        labels = ("prediction",) if self.classes is None else self.classes
        for position, label in enumerate(labels):
            columns[label if self.classes is None else f"p({label})"] = [
                step.prediction[position] for step in self.steps
            ]
        return to_frame(columns, self._frame)

    def _repr_html_(self) -> str:
        return page_to_html(path_page(self))

    def __str__(self) -> str:
        return page_to_text(path_page(self))
