"""A BoostSplitReport laid out: sums of the node, candidates where there are data, the arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.explain.boosted.formula import hessian_words, plain_number, split_steps
from treewright.explain.numbers import number, signed
from treewright.explain.page import Column, Page, Row, Table
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.boosted.report import BoostCandidate, BoostSplitReport, BoostSums

__all__ = ["loss_words", "split_page"]

TIE = 1e-10  # of the gain: what the search takes for equal


def loss_words(loss: str) -> str:
    """Return the name of a loss as people write it."""
    return "a loss of your own" if loss == "custom" else loss.replace("_", " ")


def split_page(report: BoostSplitReport) -> Page:
    """Lay out the report."""
    steps = split_steps(report)
    tables = []
    if report.recomputed and report.candidates:
        tables.append(_candidate_table(report))
    if report.winner is not None:
        tables.append(_side_table(report, report.winner))
    rows = f"{report.node_sums.n} {'row' if report.node_sums.n == 1 else 'rows'}"
    return Page(
        title=f"Node {report.node}   {rows}   {_tree_words(report)}",
        subject=f"{report.algorithm}, {loss_words(report.loss)}",
        facts=(_facts(report),),
        tables=tuple(tables),
        worked=tuple(_worked(report)),
        latex=tuple(step.latex for step in steps),
        notes=tuple(printable(note) for note in (*_verdict(report), *report.notes)),
    )


def _tree_words(report: BoostSplitReport) -> str:
    words = f"tree {report.tree} of {report.n_trees}"
    if report.n_outputs > 1:
        words += f", round {report.round}, class {printable(str(report.output_name))}"
    elif report.output_name is not None:
        words += f", for {printable(report.output_name)}"
    return words


def _facts(report: BoostSplitReport) -> str:
    sums, rate = report.node_sums, f"learning rate {plain_number(report.learning_rate)}"
    if report.method == "least_squares":
        return (
            f"negative gradients in all {number(-sums.gradient)}   weight {hessian_words(sums.hessian)}   "
            f"mean {number(sums.value)}   {rate}"
        )
    words = [f"G = {number(sums.gradient)}", f"H = {hessian_words(sums.hessian)}"]
    words += [
        f"{sign} = {plain_number(value)}"
        for sign, value in (("λ", report.l2), ("α", report.l1), ("γ", report.gamma))
    ]
    if report.max_step > 0:
        words.append(f"largest value {plain_number(report.max_step)}")
    return "   ".join([*words, rate])


def _side_table(report: BoostSplitReport, winner: BoostCandidate) -> Table:
    name = printable(winner.feature)
    newton = report.method == "newton"
    titles = ("G", "H", "value", "score") if newton else ("sum", "weight", "mean", "score")
    columns = (Column("side"), Column("rows", True), *(Column(title, True) for title in titles))

    def cells(words: str, sums: BoostSums) -> Row:
        gradient = sums.gradient if newton else -sums.gradient
        after = (number(sums.value), number(sums.score))
        return Row((words, str(sums.n), number(gradient), hessian_words(sums.hessian), *after))

    rows = [cells("node", report.node_sums)]
    rows += [cells(f"{name} {_side(winner, place)}", b) for place, b in enumerate(winner.branches)]
    caption = "The node and its children" if newton else "Negative gradients of the node and its children"
    return Table(caption, columns, tuple(rows))


def _side(candidate: BoostCandidate, place: int) -> str:
    words = candidate.branches[place].words
    if candidate.kind == "subset":
        words = f"in {{{words}}}" if ", " in words else f"= {words}"
    return words


def _candidate_table(report: BoostSplitReport) -> Table:
    shown = report.candidates if report.top is None else report.candidates[: report.top]
    hidden = len(report.candidates) - len(shown)
    width = max(len(printable(candidate.feature)) for candidate in shown)
    rows = []
    for candidate in shown:
        words = f"{printable(candidate.feature):<{width}} {_side(candidate, 0) if candidate.branches else ''}"
        counts = [str(branch.n) for branch in candidate.branches] or ["", ""]
        gain = number(candidate.competing_gain) if candidate.branches else ""
        rows.append(Row((words.rstrip(), *counts, gain), _remark(report, candidate), candidate.chosen))
    return Table(
        f"Best test of each feature at node {report.node}, by gain",
        (Column("test"), Column("left", True), Column("right", True), Column("gain", True)),
        tuple(rows),
        (f"… {hidden} more features",) if hidden else (),
    )


def _remark(report: BoostSplitReport, candidate: BoostCandidate) -> str:
    if candidate.chosen:
        return "← chosen"
    if candidate.reason:
        return candidate.reason if candidate.branches else f"no admissible test: {candidate.reason}"
    winner = report.winner
    if winner is None:
        return ""
    behind = candidate.competing_gain - winner.competing_gain
    if abs(behind) <= TIE * abs(winner.competing_gain):
        return "exact tie"
    # The difference of the numbers that are shown, so that a column can be checked by hand.
    return signed(round(candidate.competing_gain, 4) - round(winner.competing_gain, 4))


def _worked(report: BoostSplitReport) -> list[str]:
    steps = {step.name: step for step in split_steps(report)}
    if report.is_leaf:
        lines = [steps["value of node"].text]
        lines += [steps[name].text for name in ("own value", "step") if name in steps]
        return lines
    winner = report.winner
    if winner is None:
        return [steps["value of node"].text]
    name = printable(winner.feature)
    indent = " " * (len(name) + 2)
    formula = "score (sum)²/weight" if report.method == "least_squares" else _score_formula(report)
    lines = [f"{name}: {formula}"]
    for place, branch in enumerate(winner.branches):
        key = f"score of {winner.feature} {branch.words}"
        lines.append(f"{indent}{_side(winner, place)}: {steps[key].text}")
    lines.append(f"{indent}node: {steps['score of node'].text}")
    gain = "gain" if report.method == "newton" else "squared error falls by"
    lines.append(f"{indent}{gain} {steps[gain].text}")
    if "competing gain" in steps:
        more = plain_number(winner.more_l2)
        lines.append(
            f"{indent}subsets of many categories compete with λ + {more}: {steps['competing gain'].text}"
        )
    if report.method == "newton":
        lines.append(f"{indent}the loss falls by half of the gain, {steps['loss falls by'].text}")
    return lines


def _score_formula(report: BoostSplitReport) -> str:
    return "score G²/(H + λ)" if report.l1 == 0 else "score (G nearer to 0 by α)²/(H + λ)"


def _verdict(report: BoostSplitReport) -> list[str]:
    """Say how γ compares: with the gain itself, not with half of it."""
    winner = report.winner
    if report.method != "newton" or winner is None:
        return []
    gain, gamma = number(winner.competing_gain), plain_number(report.gamma)
    relation = ">" if winner.competing_gain > report.gamma else "≤"
    return [f"γ is compared with the gain without the factor ½: {gain} {relation} {gamma}."]
