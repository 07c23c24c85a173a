"""VotesReport: what the trees of a forest say about one row, and which way is typical of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from treewright.explain.changes import Change
from treewright.explain.frame import to_frame
from treewright.explain.path import PathReport
from treewright.explain.plain import to_plain
from treewright.explain.render import page_to_html, page_to_text
from treewright.explain.votes_page import votes_page

__all__ = ["ClassVotes", "Spread", "TestedFeature", "TreeAnswer", "VotesReport"]


@dataclass(frozen=True)
class ClassVotes:
    """What the trees say about one class.

    Attributes
    ----------
    label : str
        The class.
    votes : int
        Trees that find it most probable; of equally probable classes the first.
    share : float
        The same, divided by the number of trees.
    probability : float
        Mean of the trees' probabilities.
    """

    label: str
    votes: int
    share: float
    probability: float


@dataclass(frozen=True)
class Spread:
    """How the numbers of the trees differ.

    Attributes
    ----------
    mean, sd : float
        Their mean and standard deviation.
    least, lower_quartile, median, upper_quartile, most : float
        The trees' numbers in order: the first, a quarter, the middle, three quarters, the last.
    """

    mean: float
    sd: float
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    most: float


@dataclass(frozen=True)
class TreeAnswer:
    """What one tree says.

    Attributes
    ----------
    tree : int
        Number of the tree.
    answer : str
        Its own answer.
    prediction : tuple of float
        Its probability of each class, or its number.
    agrees : bool
        Whether it answers like the forest; for numbers, whether it is within two standard deviations.
    leaf : int
        The node in which the row ends.
    n : int
        Training rows of the tree in that node.
    n_tests : int
        Tests on the way there.
    """

    tree: int
    answer: str
    prediction: tuple[float, ...]
    agrees: bool
    leaf: int
    n: int
    n_tests: int


@dataclass(frozen=True)
class TestedFeature:
    """How often a feature was asked about the row.

    Attributes
    ----------
    feature : str
        The feature.
    value : str
        The row's value of it.
    trees : int
        Trees that test it on the row's way.
    share : float
        The same, divided by the number of trees.
    tests : int
        Tests of it on the row's ways; a tree may test it more than once.
    """

    # Not a test, whatever the name looks like to pytest.
    __test__ = False

    feature: str
    value: str
    trees: int
    share: float
    tests: int


@dataclass(frozen=True)
class VotesReport:
    """What the trees of a forest say about one row.

    Attributes
    ----------
    algorithm : str
        The algorithm, e.g. ``RandomForest``.
    answer : str
        What is predicted.
    classes : tuple of str, or None
        The classes; None for regression.
    prediction : tuple of float
        The forest's probability of each class, or its number.
    aggregation : {"one", "mean", "votes"}
        How the answers of the trees become one: their mean, or one vote each.
    n_trees : int
        Number of trees.
    votes : tuple of ClassVotes
        One entry per class, most votes first; empty for regression.
    spread : Spread or None
        How the trees' numbers differ; None for classification.
    trees : tuple of TreeAnswer
        What each tree says.
    features : tuple of TestedFeature
        What was tested on the row's ways, by most trees first.
    typical_tree : int
        The tree whose way is the most typical: of the trees that answer like the forest (for numbers the
        nearest quarter of them), the one whose tested features are most like those of all trees. With p the
        share of trees that test a feature, that is the largest quotient of the sum of p over the features
        that it tests and the number of these plus the sum of p over the others; among equals the first.
    typical_similarity : float
        That quotient, 1 when all trees test the same features.
    typical : PathReport
        The row's way in that tree.
    changes : tuple of Change
        For each feature its smallest change that would change the predicted class, the nearest first; found
        in forests of binary trees only.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    answer: str
    classes: tuple[str, ...] | None
    prediction: tuple[float, ...]
    aggregation: Literal["one", "mean", "votes"]
    n_trees: int
    votes: tuple[ClassVotes, ...]
    spread: Spread | None
    trees: tuple[TreeAnswer, ...]
    features: tuple[TestedFeature, ...]
    typical_tree: int
    typical_similarity: float
    typical: PathReport
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def nearest_change(self) -> Change | None:
        """The smallest change of a single feature that would change the answer; None: no such change."""
        return self.changes[0] if self.changes else None

    @property
    def dissenters(self) -> tuple[TreeAnswer, ...]:
        """The trees that do not agree, those farthest from the forest's answer first."""
        return tuple(sorted((one for one in self.trees if not one.agrees), key=self._nearness))

    def _nearness(self, one: TreeAnswer) -> float:
        if self.classes is None:
            return -abs(one.prediction[0] - self.prediction[0])
        return one.prediction[self.classes.index(self.answer)]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/votes_report.json describes them."""
        plain = to_plain(self)
        return {**plain, "dissenters": [one.tree for one in self.dissenters]}

    def to_frame(self) -> Any:
        """Return one row per tree, as a DataFrame of the library that X came from, or pandas."""
        names = ("tree", "answer", "agrees", "leaf", "n", "n_tests")
        columns = {name: [getattr(one, name) for one in self.trees] for name in names}
        labels = ["prediction"] if self.classes is None else [f"p({label})" for label in self.classes]
        for position, label in enumerate(labels):
            columns[label] = [one.prediction[position] for one in self.trees]
        return to_frame(columns, self._frame)

    def _repr_html_(self) -> str:
        return page_to_html(votes_page(self))

    def __str__(self) -> str:
        return page_to_text(votes_page(self))
