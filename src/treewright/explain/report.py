"""SplitReport: the facts behind one split. Plain data; the renderers make text, HTML and LaTeX of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from treewright.explain.formula import Step, split_steps
from treewright.explain.frame import to_frame
from treewright.explain.plain import to_plain
from treewright.explain.render import page_to_html, page_to_latex, page_to_text
from treewright.explain.split_page import branch_size, split_page

__all__ = ["Branch", "Candidate", "Cuts", "SplitReport"]

Ranking = Literal["decrease", "gain", "gain_ratio"]


@dataclass(frozen=True)
class Branch:
    """One side of a candidate, with the rows that took part in the comparison.

    Attributes
    ----------
    words : str
        Which values go there, e.g. ``overcast`` or ``≤ 2.45``.
    n : int or None
        Training rows; None where a stored tree remembers only their weight.
    weight : float
        Their weight; NaN where a stored tree does not remember it.
    impurity : float
        Their impurity; NaN where a stored tree does not remember it.
    class_weights : tuple of float, or None
        Weight of each class, in the order of the report's `classes`; None for regression.
    value : float or None
        The predicted number of a leaf with these rows; None for classification.
    """

    words: str
    n: int | None
    weight: float
    impurity: float
    class_weights: tuple[float, ...] | None = None
    value: float | None = None


@dataclass(frozen=True)
class Cuts:
    """The gain of every cut of a numeric feature: the curve behind its best test.

    Attributes
    ----------
    threshold : tuple of float
        The cuts, ascending.
    gain : tuple of float
        Gain per unit of weight, before any cost.
    left : tuple of int
        Rows at or below the cut.
    missing_left : tuple of bool
        Whether rows without a value were tried on the left.
    admissible : tuple of bool
        Whether the cut respects all limits.
    """

    threshold: tuple[float, ...]
    gain: tuple[float, ...]
    left: tuple[int, ...]
    missing_left: tuple[bool, ...]
    admissible: tuple[bool, ...]


@dataclass(frozen=True)
class Candidate:
    """The best test of one feature at a node.

    Of tests that were not taken a stored tree knows less than the data: the numbers that it does not remember
    are NaN.

    Attributes
    ----------
    feature : str
        The feature's name.
    index : int
        Its column.
    kind : {"threshold", "subset", "multiway"} or None
        What sort of test; None when the feature offers none.
    threshold : float or None
        The threshold of a numeric test.
    branches : tuple of Branch
        The sides of the test that hold rows; empty when the feature offers no test.
    n_branches : int
        Number of branches, those without rows included.
    known : float
        Share of the node's weight whose value is known.
    impurity_before : float
        Impurity of the rows that are compared.
    impurity_after : float
        Weighted mean of the branches' impurities.
    decrease : float
        Impurity of the node minus that of its children, all rows included; what `fit` stores.
    gain : float
        What the algorithm counts as gain, per unit of weight: from rows with a known value, less `cost`.
    cost : float
        What a choice among `tries` cuts costs, per unit of weight (C4.5).
    tries : int or None
        Number of admissible cuts.
    split_info : float or None
        Entropy of the branch sizes, in bits; None where the algorithm does not ask for it.
    gain_ratio : float or None
        Gain divided by split info.
    admissible : bool
        Whether the test may win.
    reason : str
        Why it may not; empty when it may.
    chosen : bool
        Whether the tree tests this here.
    cuts : Cuts or None
        Every cut of a numeric feature, when asked for.
    """

    feature: str
    index: int
    kind: str | None
    threshold: float | None
    branches: tuple[Branch, ...]
    n_branches: int
    known: float
    impurity_before: float
    impurity_after: float
    decrease: float
    gain: float
    cost: float
    tries: int | None
    split_info: float | None
    gain_ratio: float | None
    admissible: bool
    reason: str
    chosen: bool
    cuts: Cuts | None = None

    @property
    def offers_test(self) -> bool:
        """Whether the feature offers a test at all."""
        return self.kind is not None

    def score(self, ranking: Ranking) -> float:
        """Return what the candidate competes with."""
        if ranking == "gain_ratio":
            return -float("inf") if self.gain_ratio is None else self.gain_ratio
        return self.gain


@dataclass(frozen=True)
class SplitReport:
    """Why a node tests what it tests.

    Print it, show it in a notebook, or read its attributes. `to_dict`, `to_frame` and `to_latex` give the
    same numbers in other forms.

    Attributes
    ----------
    node : int
        Number of the node.
    tree : int
        Number of its tree.
    depth : int
        Number of tests above it.
    condition : tuple of str
        These tests, in words.
    algorithm : str
        Whose rules were applied, e.g. ``CART``.
    criterion : str
        What impurity means.
    ranking : {"decrease", "gain", "gain_ratio"}
        What candidates compete on.
    n : int
        Training rows in the node.
    weight : float
        Their weight.
    classes : tuple of str, or None
        The classes; None for regression.
    class_weights : tuple of float, or None
        Weight of each class in the node.
    value : float or None
        What the node would predict as a leaf, for regression.
    impurity : float
        Impurity of the node.
    candidates : tuple of Candidate
        The best test of each feature, the best first.
    average_gain : float or None
        What the gain must reach (C4.5); None where there is no such filter.
    ties : tuple of str
        Features whose tests are as good as the winner's.
    tie_rule : str
        Who wins a tie.
    recomputed : bool
        Whether all features were searched again in data; otherwise the report knows what the tree remembers.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    node: int
    tree: int
    depth: int
    condition: tuple[str, ...]
    algorithm: str
    criterion: str
    ranking: Ranking
    n: int
    weight: float
    classes: tuple[str, ...] | None
    class_weights: tuple[float, ...] | None
    value: float | None
    impurity: float
    candidates: tuple[Candidate, ...]
    average_gain: float | None
    ties: tuple[str, ...]
    tie_rule: str
    recomputed: bool
    notes: tuple[str, ...] = ()
    top: int | None = field(default=None, repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def winner(self) -> Candidate | None:
        """The candidate that is chosen, None for a leaf."""
        return next((candidate for candidate in self.candidates if candidate.chosen), None)

    @property
    def margin(self) -> float | None:
        """By how much the winner exceeds the next best one in `ranking`; None without a rival."""
        winner = self.winner
        rivals = [c.score(self.ranking) for c in self.candidates if c.admissible and not c.chosen]
        return winner.score(self.ranking) - max(rivals) if winner is not None and rivals else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The winner's formula with its numbers put in, step by step."""
        return split_steps(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/split_report.json describes them."""
        plain = to_plain(self)
        return {**plain, "margin": self.margin, "steps": [to_plain(step) for step in self.steps]}

    def to_frame(self) -> Any:
        """Return one row per candidate, as a DataFrame of the library that X came from, or pandas."""
        columns: dict[str, list[Any]] = {
            name: [getattr(candidate, name) for candidate in self.candidates]
            for name in (
                "feature", "kind", "threshold", "n_branches", "known", "impurity_before", "impurity_after",
                "decrease", "gain", "cost", "split_info", "gain_ratio", "admissible", "reason", "chosen",
            )
        }  # fmt: skip
        columns["rows"] = [" | ".join(filter(None, map(branch_size, c.branches))) for c in self.candidates]
        columns["test"] = [" | ".join(b.words for b in c.branches) for c in self.candidates]
        return to_frame(columns, self._frame)

    def to_latex(self) -> str:
        """Return the worked formula as LaTeX (amsmath)."""
        return page_to_latex(split_page(self))

    def _repr_latex_(self) -> str:
        return self.to_latex()

    def _repr_html_(self) -> str:
        return page_to_html(split_page(self))

    def __str__(self) -> str:
        return page_to_text(split_page(self))
