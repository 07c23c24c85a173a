"""PruningReport: every subtree of a pruning sequence with its numbers, and why one of them was kept.

Plain data; `treewright.pruning.words` puts it into text and HTML, `treewright.draw` draws its curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, get_type_hints

import numpy as np

from treewright.draw import Curve
from treewright.model import Tree
from treewright.model.facts import fits_type
from treewright.pruning.choice import Choice, CrossValidation
from treewright.pruning.path import PruningSequence
from treewright.pruning.risk import total_risk
from treewright.pruning.sweep import sweep
from treewright.pruning.words import curve_of, describe_svg, describe_text, pruning_page, remark, why
from treewright.reports.frame import to_frame
from treewright.reports.html import page_to_html
from treewright.reports.page import Page

__all__ = ["PruningReport", "PruningRow", "pruning_report"]

#: Version of the form that `PruningReport.to_dict` has.
SCHEMA_VERSION: Final = 1


@dataclass(frozen=True)
class PruningRow:
    """One subtree.

    Attributes
    ----------
    alpha : float
        Price of a leaf from which on the subtree is the answer, as in scikit-learn.
    alpha_total : float
        The same in units of the total loss (the books' α): `alpha` times the weight of all rows.
    leaves : int
        Its leaves.
    risk : float
        R(T): total risk of its leaves per unit of weight.
    train : float
        Training error: share of wrong classes, or the risk again for a regression.
    cv_mean, cv_se : float or None
        Cross-validated mean and its standard error; None without cross-validation.
    """

    alpha: float
    alpha_total: float
    leaves: int
    risk: float
    train: float
    cv_mean: float | None = None
    cv_se: float | None = None


@dataclass(frozen=True)
class PruningReport:
    """How a tree can shrink, and what was chosen.

    Attributes
    ----------
    algorithm : str
        Name of the estimator.
    n_rows, n_features : int
        Size of the training data.
    weight : float
        Weight of all rows.
    leaves_before, leaves_after : int
        Leaves of the tree as grown and as kept.
    method : str
        How it was pruned, e.g. "cost_complexity"; "none" if it was not.
    path_method : {"exact", "rpart"}
        How the sequence of subtrees was found.
    risk_name : str
        What the risk is.
    rows : tuple of PruningRow
        The subtrees, the largest first.
    selected : int or None
        The row of the tree that was kept; None when it is not one of them.
    rule : str
        Why: "min", "1se", "alpha" or "n_leaves"; empty for other methods.
    index_min, index_1se : int or None
        The rows that the two rules choose.
    limit : float or None
        Best mean and one standard error.
    measure : str or None
        What was cross-validated.
    greater_is_better : bool
        Whether a large mean is good.
    n_folds : int
        Number of folds, 0 without cross-validation.
    """

    algorithm: str
    n_rows: int
    n_features: int
    weight: float
    leaves_before: int
    leaves_after: int
    method: str
    path_method: str
    risk_name: str
    rows: tuple[PruningRow, ...]
    selected: int | None = None
    rule: str = ""
    index_min: int | None = None
    index_1se: int | None = None
    limit: float | None = None
    measure: str | None = None
    greater_is_better: bool = False
    n_folds: int = 0
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def why(self) -> str:
        """Why this tree was kept, as a sentence."""
        return why(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values that JSON can hold."""
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "_frame"}
        return {"schema_version": SCHEMA_VERSION, **plain, "rows": [dict(vars(row)) for row in self.rows]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PruningReport:
        """Undo `to_dict`; ValueError for anything else."""
        if values.get("schema_version") != SCHEMA_VERSION:
            raise ValueError(f"a pruning report of version {values.get('schema_version')!r} cannot be read")
        given = {name: value for name, value in values.items() if name != "schema_version"}
        if set(given) - {one.name for one in fields(cls) if one.name != "_frame"}:
            raise ValueError("this is not a pruning report")
        try:
            rows = tuple(PruningRow(**row) for row in given["rows"])
            report = cls(**{**given, "rows": rows})
        except (KeyError, TypeError) as error:
            raise ValueError("this is not a pruning report") from error
        _check_types(report)
        for row in rows:
            _check_types(row)
            if {row.cv_mean is None, row.cv_se is None} != {report.measure is None}:
                raise ValueError("a pruning report has a mean without its measure, or the other way round")
        for index in (report.selected, report.index_min, report.index_1se):
            if index is not None and not 0 <= index < len(rows):
                raise ValueError("a pruning report is about a subtree that it does not have")
        return report

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one line per subtree as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Which library makes the frame. By default that of the X of `fit`; where that was no DataFrame, or
            the model comes from a file, pandas, or polars without pandas.
        """
        columns: dict[str, list[Any]] = {
            one.name: [getattr(row, one.name) for row in self.rows] for one in fields(PruningRow)
        }
        columns["chosen"] = [i == self.selected for i in range(len(self.rows))]
        columns["remark"] = [remark(self, i) for i in range(len(self.rows))]
        return to_frame(columns, self._frame, backend)

    def to_text(self, *, every_row: bool = False) -> str:
        """Return the report as text.

        Parameters
        ----------
        every_row : bool, default=False
            Show all subtrees, not only a dozen of a long sequence.
        """
        return describe_text(self, every_row=every_row)

    def to_svg(self) -> str:
        """Return the curve as SVG: cross-validated mean by leaves, its band of one SE and the 1-SE limit."""
        return describe_svg(self)

    def to_curve(self) -> Curve:
        """Return what `to_svg` draws as plain data."""
        return curve_of(self)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__  # all fields would fill pages

    def _page(self) -> Page:
        return pruning_page(self)

    def _repr_html_(self) -> str:
        return page_to_html(self._page(), self.to_svg())


def _check_types(part: PruningReport | PruningRow) -> None:
    """Raise ValueError unless each field has a value of its type: it may come from a file."""
    types = get_type_hints(type(part))
    for one in fields(part):
        value = getattr(part, one.name)
        if one.name not in ("rows", "_frame") and not fits_type(value, types[one.name]):
            raise ValueError(f"a pruning report says {one.name}={str(value)[:40]!r}")


def pruning_report(
    tree: Tree,
    sequence: PruningSequence,
    *,
    algorithm: str,
    method: str,
    leaves_after: int,
    selected: int | None = None,
    rule: str = "",
    validation: CrossValidation | None = None,
    choice: Choice | None = None,
) -> PruningReport:
    """Put the numbers of a sequence and of its cross-validation together.

    Parameters
    ----------
    tree : Tree
        The tree before pruning, of which `sequence` was made.
    sequence : PruningSequence
        Its subtrees.
    algorithm, method, leaves_after, selected, rule
        As in `PruningReport`.
    validation : CrossValidation, optional
        What cross-validation says about the subtrees.
    choice : Choice, optional
        What the rules choose from it.
    """
    is_classifier = tree.n_values > 1
    train = total_risk(tree, "misclassification" if is_classifier else "impurity") / max(
        sequence.weight, 1e-300
    )
    errors = sweep(tree, sequence.alpha_collapse, sequence.alpha, train[:, np.newaxis])[:, 0]
    rows = tuple(
        PruningRow(
            alpha=float(sequence.alpha[i]),
            alpha_total=float(sequence.alpha[i] * sequence.weight),
            leaves=int(sequence.leaves[i]),
            risk=float(sequence.risk[i]),
            train=float(max(0.0, errors[i])),
            cv_mean=None if validation is None else float(validation.mean[i]),
            cv_se=None if validation is None else float(validation.standard_error[i]),
        )
        for i in range(len(sequence))
    )
    return PruningReport(
        algorithm=algorithm,
        n_rows=int(tree.n_node_samples[0]),
        n_features=tree.n_features,
        weight=sequence.weight,
        leaves_before=tree.n_leaves,
        leaves_after=leaves_after,
        method=method,
        path_method=sequence.method,
        risk_name=sequence.risk_name,
        rows=rows,
        selected=selected,
        rule=rule,
        index_min=None if choice is None else choice.index_min,
        index_1se=None if choice is None else choice.index_1se,
        limit=None if choice is None else choice.limit,
        measure=None if validation is None else validation.measure,
        greater_is_better=validation is not None and validation.greater_is_better,
        n_folds=0 if validation is None else validation.n_folds,
    )
