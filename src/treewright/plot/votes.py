"""plot_votes: how the trees of a forest vote for a row, or the rounds of a booster add up to its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.draw.chart import Axis, Bars, Chart, Layer, Line, Note, Rule
from treewright.draw.colours import BLUE, ORANGE, OTHER, class_colours
from treewright.draw.scale import axis_around
from treewright.explain import SumReport, VotesReport, WeightedReport
from treewright.export.source import model_of
from treewright.model.number import format_threshold
from treewright.model.text import printable
from treewright.plot.display import Display

__all__ = ["VotesDisplay", "plot_votes"]

Floats = NDArray[np.float64]
MOST_CLASSES = 12
BINS = 20


@dataclass(eq=False)
class VotesDisplay(Display):
    """What the trees say about one row.

    Attributes
    ----------
    report : VotesReport, SumReport or WeightedReport
        Where the numbers come from.
    by : {"trees", "rounds", "features"}
        What is shown.
    labels : list of str
        Classes, or the names of the raw scores; empty for numbers.
    values : ndarray
        For "trees": the share of votes of each class, or each tree's number. For "rounds": the scores after
        each round, of shape (n_rounds + 1, n_scores), the start first. For "features": what each feature
        adds to the raw score of the answer, largest first.
    colours : list of str
        One per label.
    top : int
        How many features are drawn.
    """

    report: VotesReport | SumReport | WeightedReport
    by: str
    labels: list[str]
    values: Floats
    colours: list[str]
    top: int = 10

    @classmethod
    def compute(
        cls,
        estimator: Any,
        row: Any,
        *,
        by: Literal["auto", "trees", "rounds", "features"] = "auto",
        top: int = 10,
        palette: str | Sequence[str] = "okabe_ito",
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_votes`."""
        model = model_of(estimator, "plot_votes")
        check_count("top", top, 1)
        if model.aggregation == "one":
            raise ValueError(
                f"{type(estimator).__name__} is a single tree: nobody votes. "
                "export_svg(…, highlight=row) shows the row's way."
            )
        if estimator is model:
            raise TypeError("plot_votes takes the fitted estimator, not its model_.")
        # A forest would look for the nearest change, which nobody sees here.
        options: dict[str, Any] = {"changes": False} if hasattr(estimator, "oob_learning_curve") else {}
        report = estimator.explain_prediction(row, feature_names=feature_names, **options)
        known = {VotesReport: ("trees",), SumReport: ("rounds", "features"), WeightedReport: ("rounds",)}
        if isinstance(report, WeightedReport) and report.classes is None:
            known[WeightedReport] = ("trees",)
        allowed = known[type(report)]
        if by == "auto":
            by = allowed[0]  # type: ignore[assignment]
        if by not in allowed:
            raise ValueError(
                f"by must be 'auto' or {' or '.join(map(repr, allowed))} for {type(estimator).__name__}, "
                f"got {by!r}."
            )
        classes = list(report.classes or ())
        colours = class_colours(len(classes), palette)
        labels, values, shown = _values(report, by, classes, colours)
        return cls(report, by, labels, values, shown, top)

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        if self.by == "features":
            return self._features()
        if self.by == "rounds":
            return self._rounds()
        return self._numbers() if not self.labels else self._classes()

    @property
    def _answer(self) -> str:
        return printable(self.report.answer)

    def _classes(self) -> Chart:
        report = self.report
        assert isinstance(report, VotesReport), "votes of trees"
        shown = report.votes[:MOST_CLASSES]
        colour = dict(zip(self.labels, self.colours, strict=True))
        rest = len(report.votes) - len(shown)
        words = [f"{one.votes} · mean probability {format_threshold(one.probability, 3)}" for one in shown]
        return Chart(
            title=f"{report.algorithm}: {report.n_trees} trees vote, the forest answers {self._answer}",
            sentence="; ".join(f"{printable(one.label)}: {one.votes} trees" for one in shown) + ".",
            x=Axis("share of the trees", 0.0, max(1e-9, max(one.share for one in shown))),
            y=Axis(
                "",
                -0.6,
                len(shown) - 0.4,
                reverse=True,
                ticks=[(float(at), printable(one.label)) for at, one in enumerate(shown)],
            ),
            layers=[
                Bars(
                    list(range(len(shown))),
                    [0.0] * len(shown),
                    [one.share for one in shown],
                    [colour[one.label] for one in shown],
                    words=words,
                )
            ],
            remark=f"{rest} more classes are not shown." if rest else "",
            height=max(60.0, 24.0 * len(shown)),
            width=360.0,
        )

    def _numbers(self) -> Chart:
        report = self.report
        answer = report.prediction[0]
        finite = self.values[np.isfinite(self.values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        bins = min(BINS, max(1, len(np.unique(finite))))
        width = high - low if high > low else 1.0
        edges = np.linspace(
            low - (0.5 if high <= low else 0.0), high + (0.5 if high <= low else 0.0), bins + 1
        )
        counts, _ = np.histogram(finite, edges)
        middles = (edges[:-1] + edges[1:]) / 2
        is_median = isinstance(report, WeightedReport)
        how = "weighted median" if is_median else "mean"
        weighted = " (each counted once, whatever its weight)" if is_median else ""
        most = float(counts.max(initial=1))
        return Chart(
            title=f"{report.algorithm}: {len(self.values)} trees, the answer is {self._answer}",
            sentence=f"The trees answer from {low:.4g} to {high:.4g}; their {how} is {answer:.4g}.",
            x=axis_around("answer of a tree", [*edges.tolist(), answer]),
            y=Axis(f"trees{weighted}", 0.0, most * 1.08),
            layers=[
                Bars(
                    middles.tolist(),
                    [0.0] * bins,
                    counts.astype(float).tolist(),
                    [BLUE],
                    lying=False,
                    thick=width / bins * 0.94,
                ),
                Rule(answer, lying=False, colour=ORANGE),
            ],
            legend=[(BLUE, "trees"), (ORANGE, f"{how} {format_threshold(answer, 4)}")],
            height=220.0,
        )

    def _rounds(self) -> Chart:
        report = self.report
        rounds = list(range(len(self.values)))
        is_sum = isinstance(report, SumReport)
        name = "raw score" if is_sum else "mean of the weighted votes"
        first = 0 if is_sum else 1  # nobody has voted before the first round
        layers: list[Layer] = []
        legend = []
        single = len(self.labels) <= 1
        order = np.argsort(-self.values[-1], kind="stable")[:MOST_CLASSES]
        if is_sum:
            layers.append(Rule(0.0, lying=True, colour="edge", dashed=False))
        for place in order[::-1]:
            values = self.values[first:, place].tolist()
            layers.append(Line(rounds[first:], values, self.colours[place], stepped=len(rounds) <= 60))
        for place in order:
            label = printable(self.labels[place]) if self.labels else "raw score"
            legend.append(
                (self.colours[place], f"{label} {format_threshold(float(self.values[-1, place]), 4)}")
            )
        if single and self.labels:
            name += f" for {printable(self.labels[0])}"
        top = int(order[0])
        end = float(self.values[-1, top])
        layers.append(Note(float(rounds[-1]), end, f"answer: {self._answer}", ORANGE))
        inside = self.values[first:, order]
        rest = len(self.labels) - len(order)
        return Chart(
            title=f"{report.algorithm}: how {rounds[-1]} rounds add up to {self._answer}",
            sentence=f"The {name} ends at {end:.4g}.",
            x=axis_around("round (0: before the first)" if is_sum else "round", rounds[first:], room=0.02),
            y=axis_around(name, [*inside.ravel().tolist(), *([0.0] if is_sum else [])]),
            layers=layers,
            legend=legend,
            remark=f"{rest} more classes are not shown." if rest > 0 else "",
        )

    def _features(self) -> Chart:
        """Return a staircase: from the start, feature by feature, to the raw score."""
        report = self.report
        assert isinstance(report, SumReport), "features add up in sums"
        score = report.scores[report.shown]
        own = [one for one in report.features if one.output == report.shown]
        shown = own[: self.top]
        rest = sum(one.adds for one in own[self.top :])
        steps = [("start", score.start + score.offset), ("all rows", score.average)]
        steps += [(f"{printable(one.feature)} = {printable(one.value)}", one.adds) for one in shown]
        if len(own) > len(shown):
            steps.append((f"{len(own) - len(shown)} more features", rest))
        ends = np.cumsum([step for _, step in steps])
        begins = ends - [step for _, step in steps]
        colours = [OTHER, OTHER, *(BLUE if step >= 0 else ORANGE for _, step in steps[2:])]
        label = "" if score.label is None else f" for {printable(score.label)}"
        return Chart(
            title=f"{report.algorithm}: what features add to the raw score{label}",
            sentence=f"The raw score is {score.raw:.4g}"
            + (f"; {steps[2][0]} moves it most." if shown else "."),
            x=axis_around("raw score", [0.0, *begins.tolist(), *ends.tolist()]),
            y=Axis(
                "",
                -0.6,
                len(steps) - 0.4,
                reverse=True,
                ticks=[(float(at), words) for at, (words, _) in enumerate(steps)],
            ),
            layers=[
                Rule(score.raw, lying=False, colour="grey"),
                Bars(
                    list(range(len(steps))),
                    begins.tolist(),
                    ends.tolist(),
                    colours,
                    words=[f"{step:+.4g}".replace("-", "−") for _, step in steps],
                ),
            ],
            legend=[(BLUE, "adds"), (ORANGE, "takes away"), ("grey", f"raw score {score.raw:.4g}")],
            height=22.0 * len(steps),
            width=380.0,
        )


def plot_votes(
    estimator: Any,
    row: Any,
    *,
    by: Literal["auto", "trees", "rounds", "features"] = "auto",
    top: int = 10,
    palette: str | Sequence[str] = "okabe_ito",
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> VotesDisplay:
    """Draw how an ensemble comes to its answer for one row.

    A forest for classes: how many trees vote for each; for numbers: how the trees' numbers spread around
    their mean. A gradient booster: the raw score after each round, or what each feature adds to it.
    AdaBoost: the weighted votes after each round.

    Parameters
    ----------
    estimator : estimator
        A fitted forest or booster.
    row : table of one row
        The row, e.g. ``X[[0]]`` or ``X.iloc[[0]]``.
    by : {"auto", "trees", "rounds", "features"}, default="auto"
        What to show: "trees" for forests, "rounds" for boosters, "features" for gradient boosters.
    top : int, default=10
        How many features to draw; the others are one bar.
    palette : "okabe_ito" or sequence of str, default="okabe_ito"
        Colours of the classes, as ``#rrggbb``.
    feature_names : sequence of str, optional
        Names to show instead of those of the training data.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    VotesDisplay
        With ``values``, ``labels`` and the ``report``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import RandomForestClassifier
    >>> from treewright.plot import VotesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> VotesDisplay.compute(forest, X[[0]]).values.tolist()
    [1.0, 0.0, 0.0]
    """
    return VotesDisplay.from_estimator(
        estimator, row, by=by, top=top, palette=palette, feature_names=feature_names, ax=ax
    )


def _values(
    report: VotesReport | SumReport | WeightedReport, by: str, classes: list[str], colours: list[str]
) -> tuple[list[str], Floats, list[str]]:
    """Return labels, values and colours of what is shown."""
    if isinstance(report, VotesReport):
        if not classes:
            return [], np.array([one.prediction[0] for one in report.trees]), []
        share = {one.label: one.share for one in report.votes}
        return classes, np.array([share[label] for label in classes]), colours
    if isinstance(report, WeightedReport):
        if not classes:
            return [], np.array([one.prediction[0] for one in report.members]), []
        votes = np.cumsum([[0.0] * len(classes), *(one.votes for one in report.members)], axis=0)
        weights = np.cumsum([0.0, *(one.weight for one in report.members)])
        shares = np.divide(
            votes, weights[:, np.newaxis], out=np.zeros_like(votes), where=weights[:, np.newaxis] > 0
        )
        return classes, shares, colours
    if by == "features":
        return classes, np.array([one.adds for one in report.features if one.output == report.shown]), colours
    n_scores = len(report.scores)
    labels = [] if not classes else [str(score.label) for score in report.scores]
    values = np.zeros((report.n_rounds + 1, n_scores))
    values[0] = [score.start + score.offset for score in report.scores]
    for step in report.trees:
        values[step.round + 1, step.output] = step.raw
    own = dict(zip(classes, colours, strict=True))
    return labels, values, [own.get(label, BLUE) for label in labels] or [BLUE]
