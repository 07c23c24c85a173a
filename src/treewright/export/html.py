"""A model as one HTML file: picture, text, rules, why each split, pruning; of many trees also a summary."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any

import numpy as np

from treewright.argument import check_count
from treewright.draw.bars import Bar, draw_bars
from treewright.explain import explain_split
from treewright.explain.boosted import explain_boosted_split
from treewright.explain.words import number
from treewright.export.rules import export_rules
from treewright.export.source import model_of
from treewright.export.summary import export_summary, importances_of
from treewright.export.svg import export_svg
from treewright.export.text import export_text
from treewright.export.written import written
from treewright.model import Forest
from treewright.model.model import Model
from treewright.model.text import printable
from treewright.pruning import explain_pruning
from treewright.reports.html import page_to_html
from treewright.reports.whole_page import Section, whole_page
from treewright.version import VERSION

__all__ = ["export_html"]

FEW_TREES = 3
OTHER_ROWS = "These rows are not those of the fit: splits are told as the model remembers them."
OTHER_FIT = "Another library has fitted this model: splits are told as the model remembers them."


def export_html(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    X: Any = None,
    y: Any = None,
    tree: int | Sequence[int] | None = None,
    max_depth: int | None = None,
    max_nodes: int = 127,
    max_reports: int = 20,
    highlight: Any = None,
    feature_names: Sequence[str] | None = None,
    target_name: str | None = None,
    interactive: bool = False,
) -> str:
    """Return a fitted model as one HTML file, and write it if asked to.

    The file needs nothing else: no network and, unless it is to be interactive, no script. A tree comes as a
    picture, as text and as rules, with the arithmetic of its splits and how it was pruned; many trees as a
    summary and some of them in full.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    X, y : table and target, optional
        Rows as `fit` takes them. They are drawn in the nodes; where they are the rows of the fit and an
        estimator is given, every feature is searched again for the reports.
    tree : int or sequence of int, optional
        Which trees of an ensemble are shown in full; by default the first three.
    max_depth : int, optional
        The deepest level that is drawn and printed.
    max_nodes : int, default=127
        Nodes of a picture; what is left out is summed up in its place.
    max_reports : int, default=20
        Splits that are worked out, those of the most rows; 0: none.
    highlight : table of one row, optional
        Mark the way of this row and, where an estimator is given, explain its prediction.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    target_name : str, optional
        What is predicted; by default the name that the target had in `fit`.
    interactive : bool, default=False
        Of a single tree: the page of `treewright app` with its script inside, to walk through the nodes and
        the pruning path; nothing can be changed. Takes `X` and `y`, and no other option.

    Returns
    -------
    str
        The file's text, without a line break at the end.

    Examples
    --------
    >>> from treewright import C45Classifier, export_html
    >>> from treewright.datasets import load_tennis
    >>> X, y, names, target = load_tennis()
    >>> page = export_html(C45Classifier().fit(X, y), feature_names=names, target_name=target)
    >>> page.startswith("<!DOCTYPE html>"), "outlook = sunny" in page, "<script" in page
    (True, True, False)
    """
    if interactive:
        page = import_module("treewright.web.whole_file")  # stands above everything else
        return written(page.interactive_page(model, X, y), path)
    found = model_of(model, "export_html")
    check_count("max_reports", max_reports, 0)
    estimator = None if isinstance(model, Model) else model
    chosen = _chosen_trees(found, tree)
    maker = _Maker(
        model=found,
        estimator=estimator,
        rows=(X, y),
        max_reports=max_reports,
        highlight=highlight,
        names=found.names(feature_names),
        sizes={"max_depth": max_depth, "max_nodes": max_nodes},
        words={"feature_names": feature_names, "target_name": target_name},
    )
    many = len(found.trees) > 1
    sections = [maker.summary()] if many else []
    for one in chosen:
        sections += maker.tree_sections(one)
    if maker.knows_pruning():
        sections.append(maker.pruning())
    if highlight is not None and estimator is not None:
        sections.insert(0, maker.prediction())
    target = target_name if target_name is not None else found.target_name
    predicts = f" predicts {printable(str(target))}" if target else ""
    text = whole_page(
        f"{found.algorithm}{predicts}",
        maker.lead(chosen),
        sections,
        footer=f"Written by Treewright {VERSION}.",
    )
    return written(text, path)


def _chosen_trees(model: Model, tree: int | Sequence[int] | None) -> list[int]:
    if tree is None:
        return list(range(min(len(model.trees), FEW_TREES)))
    asked = list(tree) if isinstance(tree, Sequence | np.ndarray) else [tree]
    return list(dict.fromkeys(model.tree_number(one) for one in asked))


@dataclass(frozen=True)
class _Maker:
    """Makes the sections; holds what all of them need."""

    model: Model
    estimator: Any
    rows: tuple[Any, Any]
    max_reports: int
    highlight: Any
    names: list[str]
    sizes: dict[str, Any]
    words: dict[str, Any]

    @property
    def is_many(self) -> bool:
        return len(self.model.trees) > 1

    @property
    def own_names(self) -> dict[str, Any]:
        return {"feature_names": self.words["feature_names"]}

    def which(self, tree: int) -> dict[str, Any]:
        """Return how other functions are told which tree is meant."""
        return {"tree": tree} if self.is_many else {}

    def lead(self, chosen: Sequence[int]) -> str:
        model = self.model
        parts = [f"{len(self.names)} {'feature' if len(self.names) == 1 else 'features'}"]
        root = model.view(**self.which(chosen[0]))
        if self.is_many:
            shown = ", ".join(str(one) for one in chosen)
            parts.append(
                f"{len(model.trees)} trees, of which {shown} {'is' if len(chosen) == 1 else 'are'} shown"
            )
        else:
            leaves = root.tree.n_leaves
            parts.append(f"{root.root.rows} rows, {leaves} {'leaf' if leaves == 1 else 'leaves'}")
            parts.append(f"depth {root.tree.max_depth}")
        if model.classes is not None:
            parts.append(f"{len(model.classes)} classes")
        if model.edited is not None:
            parts.append(f"edited by hand: {model.edited}")
        return " · ".join(parts)

    def summary(self) -> Section:
        text = export_summary(self.model, **self.own_names)
        importances = importances_of(self.model)
        picture = ""
        if importances is not None and importances.sum() > 0:
            order = sorted(range(len(importances)), key=lambda i: -importances[i])
            bars = [
                Bar(printable(self.names[i]), float(importances[i]), number(float(importances[i])))
                for i in order
                if importances[i] > 0
            ]
            picture = draw_bars(
                bars, title="Importance of the features", unit="importance",
                sentence=", ".join(f"{bar.label} {bar.words}" for bar in bars[:8]),
            )  # fmt: skip
        return Section("summary", "Summary", f'<div class="picture">{picture}</div>\n{_pre(text)}')

    def tree_sections(self, tree: int) -> list[Section]:
        which = self.which(tree)
        suffix, of_tree = (f"-{tree}", f" of tree {tree}") if self.is_many else ("", "")
        X, y = self.rows
        picture = export_svg(
            self.model, X=X, y=y, highlight=self.highlight, **self.sizes, **self.words, **which
        )
        text = export_text(self.model, **self.sizes, **self.words, **which)
        rules = export_rules(self.model, **self.words, **which)
        found = [
            Section(f"picture{suffix}", f"Picture{of_tree}", f'<div class="picture">{picture}</div>'),
            Section(f"text{suffix}", f"Tree {tree} as text" if of_tree else "As text", _pre(text)),
            Section(f"rules{suffix}", f"Rules{of_tree}", _unfold("One rule for each leaf", _pre(rules))),
        ]
        forest = self.model.trees
        # Boosters of other libraries come without the sums of gradients that gains follow from.
        is_told = self.model.aggregation != "sum" or (
            isinstance(forest, Forest) and "gradient" in forest.arrays
        )
        splits = self._splits(tree) if self.max_reports and is_told else ""
        return [*found, Section(f"splits{suffix}", f"Why each split{of_tree}", splits)] if splits else found

    def _splits(self, tree: int) -> str:
        view = self.model.view(**self.which(tree))
        inner = np.flatnonzero(view.tree.n_children)
        order = np.argsort(-view.tree.weighted_n_node_samples[inner], kind="stable")
        heavy = np.sort(inner[order[: self.max_reports]]).tolist()
        parts, note = [], ""
        for node in heavy:
            report, told = self._split(node, tree)
            note = note or told
            rows = view[node].rows
            words = f"Node {node}: {printable(self.names[int(view.tree.feature[node])])}? · {rows} rows"
            body = page_to_html(report._page(), report.to_svg(), with_style=False)
            parts.append(_unfold(words, body, is_open=node == 0))
        if len(inner) > len(heavy):
            parts.append(f"<p>… {len(inner) - len(heavy)} more splits of fewer rows</p>")
        return "\n".join([*([f"<p>{escape(note)}</p>"] if note else []), *parts])

    def _split(self, node: int, tree: int) -> tuple[Any, str]:
        """Return the report, from the rows if they are those of the fit, and what is to be said about it."""
        X, y = self.rows
        which = self.which(tree)
        note = ""
        if self.estimator is not None and X is not None and y is not None:
            try:
                return self.estimator.explain_split(node, X, y, **self.own_names, **which), ""
            except ValueError:
                note = OTHER_ROWS if self.model.source is None else OTHER_FIT
        explain = explain_boosted_split if self.model.aggregation == "sum" else explain_split
        return explain(self.model, node, **which, **self.own_names), note

    def knows_pruning(self) -> bool:
        """Tell whether there is something to say about pruning.

        A tree of numbers that was part of a forest does not know its losses; how another library has pruned
        a tree is not written down.
        """
        model = self.model
        if self.is_many or model.aggregation != "one" or model.source is not None:
            return False
        return not np.isnan(model.trees[0].loss).any()

    def pruning(self) -> Section:
        report = explain_pruning(self.model)
        return Section("pruning", "Pruning", page_to_html(report._page(), report.to_svg(), with_style=False))

    def prediction(self) -> Section:
        report = self.estimator.explain_prediction(self.highlight)
        body = page_to_html(report._page(), report.to_svg(), with_style=False)
        return Section("prediction", "The highlighted row", body)


def _pre(text: str) -> str:
    return f'<pre tabindex="0">{escape(text)}</pre>'


def _unfold(summary: str, body: str, *, is_open: bool = False) -> str:
    return f"<details{' open' if is_open else ''}><summary>{escape(summary)}</summary>\n{body}\n</details>"
