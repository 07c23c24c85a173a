"""What another algorithm would choose at the same node, and why the choices differ."""

from __future__ import annotations

from treewright.explain.formula import measure_name
from treewright.explain.numbers import number
from treewright.explain.report import Candidate, SplitReport

__all__ = ["comparison", "other_choices"]


def other_choices(report: SplitReport) -> list[str]:
    """Say what ID3 would choose where its tests are those of the report, and how to ask CART."""
    if report.ranking != "gain_ratio" or report.winner is None:
        return []
    tests = [c for c in report.candidates if c.offers_test]
    ask_cart = f'CART would first test binary groupings: explain_split({report.node}, X, y, as_="cart")'
    if any(c.kind != "multiway" for c in tests):
        return [ask_cart]
    best = max(tests, key=lambda c: (c.gain, -c.index))
    return [f"ID3 would choose {best.feature} (gain {number(best.gain)}).  {ask_cart}"]


def comparison(own: SplitReport, other: SplitReport) -> list[str]:
    """Say in two sentences what the tree has, what the other algorithm would choose and why."""
    mine, theirs = own.winner, other.winner
    sentences = [
        f"The tree itself ({own.algorithm}) {_choice(own, mine)}; "
        f"{other.algorithm} would {_choice(other, theirs).replace('tests', 'test').replace('makes', 'make')}."
    ]
    if _rule(own) != _rule(other):
        sentences.append(f"{own.algorithm} {_rule(own)}; {other.algorithm} {_rule(other)}.")
    return sentences


def _choice(report: SplitReport, winner: Candidate | None) -> str:
    if winner is None:
        return "makes a leaf"
    score = winner.score(report.ranking)
    return f"tests {winner.feature} ({report.ranking.replace('_', ' ')} {number(score)})"


def _rule(report: SplitReport) -> str:
    kinds = {c.kind for c in report.candidates if c.kind}
    how = "one branch per category" if "multiway" in kinds else "two branches"
    if report.ranking == "decrease":
        return f"compares the decrease of the {measure_name(report.criterion)} with {how}"
    if report.ranking == "gain":
        return f"compares the information gain with {how}, which favours features of many values"
    filtered = " among tests of at least average gain" if report.average_gain is not None else ""
    return f"compares the gain ratio with {how}{filtered}"
