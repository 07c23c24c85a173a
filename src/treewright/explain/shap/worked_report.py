"""WorkedShapReport: the Shapley values of one row of a tree, with the arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from treewright.draw.bars import Bar, draw_bars
from treewright.explain.report import WorkedReport
from treewright.explain.words import algorithm_words, latex_words, number, signed
from treewright.model.equation import Written, write_equation
from treewright.model.text import printable
from treewright.reports.page import Column, Page, Row, Step, Table

__all__ = ["Coalition", "Contribution", "LeafTerm", "WorkedLeaf", "WorkedShapReport"]

MAX_LEAVES = 12
MAX_TERMS = 8


@dataclass(frozen=True)
class Contribution:
    """What a feature adds.

    Attributes
    ----------
    feature : str
        The feature.
    value : str
        The row's value of it.
    adds : float
        Its Shapley value.
    """

    feature: str
    value: str
    adds: float


@dataclass(frozen=True)
class Coalition:
    """A set of known features.

    Attributes
    ----------
    known : tuple of str
        The features.
    worth : float
        What the tree answers when these are known and the others are averaged over.
    """

    known: tuple[str, ...]
    worth: float


@dataclass(frozen=True)
class LeafTerm:
    """What a leaf gives one feature of its path.

    Attributes
    ----------
    feature : str
        The feature.
    o : float
        1 when the row passes all tests of the feature on the way, 0 when not; a share where it was divided.
    z : float
        The share of the training rows that pass them.
    integral : float
        That of the product of t·o + (1 − t)·z over the other features, for t from 0 to 1.
    adds : float
        value · (o − z) · integral.
    """

    feature: str
    o: float
    z: float
    integral: float
    adds: float


@dataclass(frozen=True)
class WorkedLeaf:
    """A leaf and what it gives.

    Attributes
    ----------
    node : int
        Its number.
    value : float
        What it answers.
    terms : tuple of LeafTerm
        One entry per feature of its path.
    """

    node: int
    value: float
    terms: tuple[LeafTerm, ...]


@dataclass(frozen=True)
class WorkedShapReport(WorkedReport):
    """The path-dependent Shapley values of one row of a tree, so that a reader can compute them again.

    Up to five features have all their coalitions written out; beyond that the leaves are shown one by one.
    Its DataFrame has one row per leaf and feature.

    Attributes
    ----------
    algorithm : str
        The algorithm.
    tree, n_trees : int
        Which tree of how many.
    meaning : str
        What its leaves say.
    label : str or None
        The class that is explained, where there are several.
    base : float
        The answer when nothing is known.
    prediction : float
        The answer for the row.
    features : tuple of Contribution
        What each tested feature adds.
    coalitions : tuple of Coalition or None
        All sets of known features, the smallest first; None for more than five features.
    leaves : tuple of WorkedLeaf
        What each leaf gives.
    """

    schema_version = 1

    algorithm: str
    tree: int
    n_trees: int
    meaning: str
    label: str | None
    base: float
    prediction: float
    features: tuple[Contribution, ...]
    coalitions: tuple[Coalition, ...] | None
    leaves: tuple[WorkedLeaf, ...]
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The formulas with the numbers put in, step by step."""
        if self.coalitions is not None:
            return tuple(self._coalition_step(one, self.coalitions) for one in self.features)
        return tuple(_leaf_step(leaf, term) for leaf, term in _largest(self.leaves))

    def _coalition_step(self, feature: Contribution, coalitions: tuple[Coalition, ...]) -> Step:
        """Write φ = Σ weight · (with − without) over the coalitions of the other features."""
        worth = {frozenset(one.known): one.worth for one in coalitions}
        n, name = len(self.features), feature.feature
        without = [one.known for one in coalitions if name not in one.known]
        weights = [
            Fraction(math.factorial(len(s)) * math.factorial(n - len(s) - 1), math.factorial(n))
            for s in without
        ]
        pairs = [(worth[frozenset(s) | {name}], worth[frozenset(s)]) for s in without]
        # Where knowing the feature changes nothing there is nothing to add.
        kept = [(w, pair) for w, pair in zip(weights, pairs, strict=True) if abs(pair[0] - pair[1]) > 1e-15]
        numbers = [value for _, pair in kept for value in pair]

        def compute(*given: float) -> float:
            return math.fsum(float(w) * (given[2 * i] - given[2 * i + 1]) for i, (w, _) in enumerate(kept))

        written = write_equation(feature.adds, numbers, compute)
        parts = [
            f"{w}·({written.operands[2 * i]} − {_bracketed(written.operands[2 * i + 1])})"
            for i, (w, _) in enumerate(kept)
        ]
        latex = " + ".join(
            rf"\tfrac{{{w.numerator}}}{{{w.denominator}}}({_tex(written.operands[2 * i])} - "
            rf"{_tex(_bracketed(written.operands[2 * i + 1]))})"
            for i, (w, _) in enumerate(kept)
        )
        text = f"{printable(name)}: {' + '.join(parts) or '0'} {written.end}"
        ending = rf"{written.latex_sign} {_tex(written.result)}"
        return Step(name, text, rf"\varphi_{{{latex_words(name)}}} &= {latex or '0'} {ending}", feature.adds)

    def _columns(self) -> dict[str, list[Any]]:
        pairs = [(leaf, term) for leaf in self.leaves for term in leaf.terms]
        columns: dict[str, list[Any]] = {
            "leaf": [leaf.node for leaf, _ in pairs],
            "value": [leaf.value for leaf, _ in pairs],
        }
        for name in ("feature", "o", "z", "integral", "adds"):
            columns[name] = [getattr(term, name) for _, term in pairs]
        return columns

    def to_svg(self) -> str:
        """Return a bar for every feature, as long as what it adds."""
        shown = sorted(self.features, key=lambda one: -abs(one.adds))
        bars = [Bar(f"{printable(one.feature)} = {one.value}", one.adds, signed(one.adds)) for one in shown]
        bars = bars or [Bar("no feature is tested", 0.0, "0")]
        return draw_bars(
            bars,
            title=f"What features add to the {self.meaning}",
            sentence=", ".join(f"{bar.label}: {bar.words}" for bar in bars),
            unit=self.meaning,
        )

    def _page(self) -> Page:
        of_class = "" if self.label is None else f" of {printable(self.label)}"
        of_many = "" if self.n_trees == 1 else f", tree {self.tree} of {self.n_trees}"
        rows = tuple(Row((printable(one.feature), one.value, signed(one.adds))) for one in self.features)
        columns = (Column("feature"), Column("value"), Column("adds", True))
        tables = [Table("What each feature adds", columns, rows)] if rows else []
        if self.coalitions is not None:
            tables.append(_coalition_table(self.coalitions))
            rule = (
                "Each line adds, over all sets of other features, weight · (answer with the feature − answer "
                "without); the weight of a set of s of n features is s!·(n − s − 1)!/n!."
            )
        else:
            tables.append(_leaf_table(self.leaves))
            rule = (
                "Each line is what one leaf gives one feature: value · (o − z) · ∫ Π (t·o + (1 − t)·z) dt "
                "over the other features of its path; the largest are shown, to_frame() has all of them."
            )
        return Page(
            title=f"{self.meaning[0].upper()}{self.meaning[1:]}{of_class} {number(self.prediction)}",
            subject=f"{algorithm_words(self.algorithm)}{of_many}",
            facts=(f"{number(self.base)} when nothing is known about the row",),
            tables=tuple(tables),
            worked=tuple(step.text for step in self.steps),
            latex=tuple(step.latex for step in self.steps),
            notes=(rule,),
        )


def _coalition_table(coalitions: tuple[Coalition, ...]) -> Table:
    rows = [Row((", ".join(map(printable, one.known)) or "nothing", number(one.worth))) for one in coalitions]
    return Table(
        "The answer for every set of known features", (Column("known"), Column("answer", True)), tuple(rows)
    )


def _leaf_table(leaves: tuple[WorkedLeaf, ...]) -> Table:
    size = {leaf.node: sum(abs(term.adds) for term in leaf.terms) for leaf in leaves}
    shown = sorted(leaves, key=lambda leaf: -size[leaf.node])[:MAX_LEAVES]
    rows = []
    for leaf in shown:
        terms = "  ".join(
            f"{printable(term.feature)} {_share(term.o)}/{_share(term.z)}" for term in leaf.terms[:MAX_TERMS]
        )
        more = " …" if len(leaf.terms) > MAX_TERMS else ""
        rows.append(Row((str(leaf.node), number(leaf.value), f"{terms}{more}")))
    hidden = len(leaves) - len(shown)
    columns = (Column("leaf"), Column("value", True), Column("features of its path, o/z"))
    below = (f"… {hidden} more leaves",) if hidden else ()
    return Table("What the leaves say, and who passes the tests above them", columns, tuple(rows), below)


def _share(value: float) -> str:
    return str(int(value)) if value in (0.0, 1.0) else f"{value:.4g}"


def _largest(leaves: tuple[WorkedLeaf, ...]) -> list[tuple[WorkedLeaf, LeafTerm]]:
    pairs = [(leaf, term) for leaf in leaves for term in leaf.terms]
    return sorted(pairs, key=lambda pair: -abs(pair[1].adds))[:MAX_LEAVES]


def _leaf_step(leaf: WorkedLeaf, term: LeafTerm) -> Step:
    def compute(value: float, o: float, z: float, integral: float) -> float:
        return value * (o - z) * integral

    written: Written = write_equation(term.adds, (leaf.value, term.o, term.z, term.integral), compute)
    value, o, z, integral = written.operands
    text = f"leaf {leaf.node}, {printable(term.feature)}: {value}·({o} − {z})·{integral} {written.end}"
    latex = (
        rf"\varphi_{{{latex_words(term.feature)}}}^{{({leaf.node})}} &= {_tex(value)} "
        rf"({_tex(o)} - {_tex(z)}) \cdot {_tex(integral)} {written.latex_sign} {_tex(written.result)}"
    )
    return Step(f"leaf {leaf.node}, {term.feature}", text, latex, term.adds)


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("−") else text


def _tex(text: str) -> str:
    return text.replace("−", "-")
