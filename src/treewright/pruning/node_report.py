"""NodePruningReport: what pruning that judges node by node compared, in the tree that it kept.

Pruning by the loss and by pessimistic errors weighs each node as a leaf against what is below it. There is no
sequence of subtrees, as in `PruningReport`, but one comparison per inner node.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal

import numpy as np

from treewright import _core
from treewright.draw import Curve, draw_curve
from treewright.model.node import TreeView
from treewright.pruning.risk import total_risk
from treewright.reports.frame import to_frame
from treewright.reports.html import page_to_html
from treewright.reports.page import Column, Page, Row, Table

__all__ = ["NodePruningReport", "PrunedNode", "loss_report", "pessimistic_report"]

SCHEMA_VERSION: Final = 1
#: Nodes that the text shows unless all are asked for.
SHOWN: Final = 20
WIDTH: Final = 100
PROGRAM_WORDS: Final = {"release_8": "C4.5 Release 8", "j48": "J48"}


@dataclass(frozen=True)
class PrunedNode:
    """One node of the tree that was kept.

    Attributes
    ----------
    node, depth : int
        Its number, and the tests above it.
    words : str
        What holds for rows that come from the node above.
    weight : float
        N: the weight of its rows.
    loss : float
        As a leaf: its errors e, or N_t·H_t.
    extra : float
        What a leaf counts beyond that: U(N, e), or α.
    as_leaf : float
        Their sum.
    leaves : int
        Leaves below it; 1 for a leaf.
    below : float
        The sum of `as_leaf` over these leaves.
    leaves_before : int or None
        Leaves below it before pruning; None where the model does not store it.
    g : float or None
        Of an inner node of a judged tree: what its tests take off the loss, per leaf that they add,
        (N_t·H_t − Σ over the leaves below) / (leaves − 1); None elsewhere.
    best : float or None
        Of an inner node of a judged tree: the least that pruning leaves below it.
    collapses : bool or None
        Of an inner node of a judged tree: whether it becomes a leaf, because `as_leaf` is no more than that.
    """

    node: int
    depth: int
    words: str
    weight: float
    loss: float
    extra: float
    as_leaf: float
    leaves: int
    below: float
    leaves_before: int | None = None
    g: float | None = None
    best: float | None = None
    collapses: bool | None = None


@dataclass(frozen=True)
class NodePruningReport:
    """Why pruning kept the nodes that it kept, or what it would do with a tree (`judged`).

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
    method : {"loss", "pessimistic_error"}
        How it was pruned.
    rows : tuple of PrunedNode
        The nodes of the kept tree, by number.
    cost_before : float or None
        The loss of the tree as grown, C_α(T); None where the model does not store it.
    cost_after : float
        The same of the kept tree, or its pessimistic errors.
    alpha_total : float or None
        Price of a leaf, for "loss".
    risk_name : str or None
        What H is, for "loss".
    confidence_factor : float or None
        Confidence of the limit, for "pessimistic_error".
    program : {"release_8", "j48"} or None
        Whose U(N, e) it is, for "pessimistic_error".
    judged : bool
        Whether the tree is judged as it stands: `rows` are all its nodes, `cost_before` is its own loss or
        pessimistic error, `leaves_after` and `cost_after` are those of the subtree that pruning would keep.
    """

    algorithm: str
    n_rows: int
    n_features: int
    weight: float
    leaves_before: int
    leaves_after: int
    method: Literal["loss", "pessimistic_error"]
    rows: tuple[PrunedNode, ...]
    cost_before: float | None
    cost_after: float
    alpha_total: float | None = None
    risk_name: str | None = None
    confidence_factor: float | None = None
    program: str | None = None
    judged: bool = False
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def why(self) -> str:
        """Why this tree was kept, in sentences."""
        kept = f"{self.leaves_after} of {self.leaves_before} leaves kept"
        if self.leaves_before == 1:
            return "The tree is a single leaf: there is nothing to prune."
        after = _number(self.cost_after)
        if self.judged:
            return self._judgement()
        if self.method == "pessimistic_error":
            program = PROGRAM_WORDS[str(self.program)]
            return (
                f"Pruned by the pessimistic error of {program} at confidence_factor = "
                f"{self.confidence_factor:g}: {kept}. A leaf with N rows and e errors is expected to make "
                f"e + U(N, e); the leaves of the kept tree sum up to {after}. A node stays where that is "
                "less than it would be as a leaf, by more than 0.1. Rows count as they reach the "
                "kept tree; what was removed is not stored."
            )
        words = (
            f"Pruned by the loss C_α(T) = Σ N_t·H_t + α·|T| with alpha_total = {self.alpha_total:g}: {kept}."
        )
        if self.cost_before is None:
            return f"{words} C_α is {after}; what it was before pruning is not stored in this model."
        taken = [row for row in self.rows if row.leaves == 1 and (row.leaves_before or 1) > 1]
        count = len(taken)
        what = "No node collapsed" if count == 0 else f"{count} {'node' if count == 1 else 'nodes'} collapsed"
        return f"{words} C_α was {_number(self.cost_before)} and is {after}. {what}."

    def _judgement(self) -> str:
        count = sum(row.collapses is True for row in self.rows)
        becomes = f"{count} inner {'node is' if count == 1 else 'nodes are'} no better than a leaf"
        last = f"{becomes}; pruning would keep {self.leaves_after} of {self.leaves_before} leaves, "
        before = _number(float(self.cost_before or 0.0))
        if self.method == "pessimistic_error":
            program = PROGRAM_WORDS[str(self.program)]
            return (
                f"Pessimistic errors of {program} at confidence_factor = {self.confidence_factor:g}: the "
                f"leaves sum up to {before}. From the leaves upwards, a node becomes a leaf when e + U(N, e) "
                f"is at most 0.1 more than what is left below it: {last}which sum up to "
                f"{_number(self.cost_after)}. Raising a branch needs the rows and is not judged here."
            )
        loss = float(self.cost_before or 0.0) - float(self.alpha_total or 0.0) * self.leaves_before
        return (
            f"C_α(T) = Σ N_t·H_t + α·|T| = {_number(loss)} + {self.alpha_total:g}·{self.leaves_before} = "
            f"{before}. From the leaves upwards, a node collapses when C_α does not rise: {last}"
            f"C_α = {_number(self.cost_after)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas describes them."""
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "_frame"}
        return {"schema_version": SCHEMA_VERSION, **plain, "rows": [dict(vars(row)) for row in self.rows]}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one line per node as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Which library makes the frame. By default that of the X of `fit`; where that was no DataFrame, or
            the model comes from a file, pandas, or polars without pandas.
        """
        columns: dict[str, list[Any]] = {
            one.name: [getattr(row, one.name) for row in self.rows] for one in fields(PrunedNode)
        }
        return to_frame(columns, self._frame, backend)

    def to_text(self, *, every_row: bool = False) -> str:
        """Return the report as text.

        Parameters
        ----------
        every_row : bool, default=False
            Show all nodes, not only the first of a large tree.
        """
        shown = self.rows if every_row else self.rows[:SHOWN]
        header, table = self._cells(shown)
        widths = [max(len(line[i]) for line in [header, *table]) for i in range(len(header))]
        lines = [self._headline()]
        for line in [header, *table]:
            cells = [f"{cell:>{width}}" for cell, width in zip(line[:-1], widths, strict=False)]
            lines.append("  ".join([*cells, line[-1]]).rstrip())
        if len(shown) < len(self.rows):
            lines.append(f"({len(shown)} of {len(self.rows)} nodes shown; to_text(every_row=True) shows all)")
        return "\n".join([*lines, *textwrap.wrap(self.why, WIDTH)])

    def to_svg(self) -> str:
        """Return what was made small by leaves, as SVG: as grown, as kept, and of the root alone."""
        return draw_curve(self.to_curve())

    def to_curve(self) -> Curve:
        """Return what `to_svg` draws as plain data."""
        known = {1: self.rows[0].as_leaf}
        if self.cost_before is not None:
            known[self.leaves_before] = self.cost_before
        known[self.leaves_after] = self.cost_after
        leaves = sorted(known, reverse=True)
        name = "C_α(T)" if self.method == "loss" else "pessimistic errors"
        return Curve(
            title=f"Pruning of {self.algorithm}: {name} by number of leaves",
            words=self.why,
            name=name,
            leaves=leaves,
            values=np.array([known[count] for count in leaves]),
            band=None,
            limit=None,
            limit_words="",
            marks={leaves.index(self.leaves_after): "best" if self.judged else "kept"},
        )

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__  # all fields would fill pages

    def _repr_html_(self) -> str:
        return page_to_html(self._page(), self.to_svg())

    def _page(self) -> Page:
        header, cells = self._cells(self.rows)
        marked = [
            bool(row.collapses) or (row.leaves_before is not None and row.leaves_before > row.leaves)
            for row in self.rows
        ]
        # The last column holds the words of a node: they go first, as in every other report.
        rows = [
            Row((words, *numbers), marked=own) for (*numbers, words), own in zip(cells, marked, strict=True)
        ]
        columns = (Column(header[-1]), *(Column(title, True) for title in header[:-1]))
        return Page(
            title=f"Pruning: {self.leaves_before} → {self.leaves_after} leaves",
            subject=self.algorithm,
            facts=(self.why,),
            tables=(Table(self._headline(), columns, tuple(rows)),),
        )

    def _headline(self) -> str:
        features = "feature" if self.n_features == 1 else "features"
        leaves = "leaf" if self.leaves_before == 1 else "leaves"
        return (
            f"{self.algorithm}   {self.n_rows} rows, {self.n_features} {features} → {self.leaves_before} "
            f"{leaves}{'' if self.judged else ' before pruning'}"
        )

    def _judged_cells(self, shown: Sequence[PrunedNode]) -> tuple[list[str], list[list[str]]]:
        of_loss = self.method == "loss"
        if of_loss:
            header = ["node", "N", "N·H", "g(t)", "as leaf: N·H + α", "leaves", "best below", "test"]
        else:
            header = ["node", "N", "e", "U(N, e)", "as leaf: e + U", "leaves", "best below", "test"]
        lines = []
        for row in shown:
            link = ("" if row.g is None else _number(row.g)) if of_loss else _number(row.extra)
            below = "" if row.best is None else _number(row.best)
            words = (row.words or "all rows") + (" ← becomes a leaf" if row.collapses else "")
            numbers = [f"{row.weight:.6g}", _number(row.loss), link, _number(row.as_leaf)]
            lines.append([str(row.node), *numbers, str(row.leaves), below, words])
        return header, lines

    def _cells(self, shown: Sequence[PrunedNode]) -> tuple[list[str], list[list[str]]]:
        if self.judged:
            return self._judged_cells(shown)
        if self.method == "loss":
            header = ["node", "N", "N·H", "as leaf: N·H + α", "leaves", "below: Σ + α·|T|", "test"]
        else:
            header = ["node", "N", "e", "U(N, e)", "as leaf: e + U", "leaves", "below: Σ", "test"]
        lines = []
        for row in shown:
            own = [_number(row.loss)] if self.method == "loss" else [_number(row.loss), _number(row.extra)]
            below = "" if row.leaves == 1 else _number(row.below)
            words = row.words or "all rows"
            if row.leaves_before is not None and row.leaves_before > row.leaves:
                words += f" ← {row.leaves_before} leaves before"
            lines.append(
                [
                    str(row.node),
                    f"{row.weight:.6g}",
                    *own,
                    _number(row.as_leaf),
                    str(row.leaves),
                    below,
                    words,
                ]
            )
        return header, lines


def loss_report(
    view: TreeView, stored: Mapping[str, Any], *, algorithm: str, alpha_total: float, risk: str
) -> NodePruningReport:
    """Report on pruning by C_α(T).

    Parameters
    ----------
    view : TreeView
        The kept tree.
    stored : mapping
        What the fit wrote down: "leaves_before" and, unless the file is of an early version, "loss_before" (Σ
        over the leaves as grown) and "node_leaves_before" (for each node of the kept tree).
    algorithm : str
        Name of the estimator.
    alpha_total : float
        Price of a leaf.
    risk : str
        What H is.
    """
    own = total_risk(view.tree, risk)
    of_nodes, total = stored.get("node_leaves_before"), stored.get("loss_before")
    # C4.5 takes splits back before it prunes: the tree whose loss is known may be smaller than as grown.
    before = int(stored.get("leaves_before", view.tree.n_leaves) if of_nodes is None else of_nodes[0])
    rows = _rows(view, own, np.full(len(view), float(alpha_total)), of_nodes)
    return NodePruningReport(
        **_about(view, algorithm, before),
        method="loss",
        rows=rows,
        cost_before=None if total is None or of_nodes is None else float(total) + alpha_total * before,
        cost_after=rows[0].below,
        alpha_total=float(alpha_total),
        risk_name=risk,
    )


def pessimistic_report(
    view: TreeView,
    *,
    algorithm: str,
    leaves_before: int,
    confidence_factor: float,
    program: _core.PruneProgram,
) -> NodePruningReport:
    """Report on pruning by pessimistic errors, from the kept tree.

    Parameters
    ----------
    view : TreeView
        The kept tree.
    algorithm : str
        Name of the estimator.
    leaves_before : int
        Leaves of the tree as grown.
    confidence_factor : float
        Confidence of the limit.
    program : PruneProgram
        Whose U(N, e).
    """
    errors = np.maximum(total_risk(view.tree, "misclassification"), 0.0)
    weights = view.tree.weighted_n_node_samples
    extra = [
        _core.extra_errors(float(n), min(float(e), float(n)), confidence_factor, program) if n > 0 else 0.0
        for n, e in zip(weights, errors, strict=True)
    ]
    rows = _rows(view, errors, np.array(extra), None)
    return NodePruningReport(
        **_about(view, algorithm, leaves_before),
        method="pessimistic_error",
        rows=rows,
        cost_before=None,
        cost_after=rows[0].below,
        confidence_factor=float(confidence_factor),
        program=program.name,
    )


def _about(view: TreeView, algorithm: str, leaves_before: int) -> dict[str, Any]:
    return {
        "algorithm": algorithm,
        "n_rows": view.root.rows,
        "n_features": view.tree.n_features,
        "weight": view.root.weight,
        "leaves_before": leaves_before,
        "leaves_after": int(view.tree.n_leaves),
    }


def _rows(view: TreeView, own: Any, extra: Any, before: Sequence[int] | None) -> tuple[PrunedNode, ...]:
    as_leaf = np.asarray(own) + extra
    leaves, below = [1] * len(view), as_leaf.tolist()
    first, count = view.tree.first_child.tolist(), view.tree.n_children.tolist()
    for node in range(len(view) - 1, -1, -1):  # children come after their parents
        if count[node]:
            children = slice(first[node], first[node] + count[node])
            leaves[node], below[node] = sum(leaves[children]), math.fsum(below[children])
    return tuple(
        PrunedNode(
            node=node.id,
            depth=node.depth,
            words=node.condition,
            weight=node.weight,
            loss=float(own[node.id]),
            extra=float(extra[node.id]),
            as_leaf=float(as_leaf[node.id]),
            leaves=leaves[node.id],
            below=float(below[node.id]),
            leaves_before=None if before is None else int(before[node.id]),
        )
        for node in view
    )


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 1000 else f"{value:.6g}"
