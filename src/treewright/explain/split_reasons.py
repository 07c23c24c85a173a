"""Why a test may not win, why a node is a leaf, and what another algorithm would choose."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from treewright.engine_results import FeatureFacts, NodeCandidates
from treewright.explain.split_report import Candidate, SplitReport
from treewright.explain.training import NodeRows, Training
from treewright.explain.words import measure_name, number
from treewright.model.arrays import KIND_LEAF
from treewright.model.number import format_count

__all__ = ["below_limits", "comparison", "find_missing_tests", "leaf_reason", "other_choices", "refusal"]

UNLIMITED_CLASSES = 10**9  # so many declared classes ask for no rows on a side
NO_SIZE_LIMITS = {
    "min_rows_leaf": 1,
    "min_weight_leaf": 0.0,
    "min_branch_weight": 0.0,
    "declared_classes": UNLIMITED_CLASSES,
}
Build = Callable[[FeatureFacts], Candidate]


def find_missing_tests(
    training: Training, node: NodeRows, missing: list[FeatureFacts], build: Build
) -> dict[int, tuple[Candidate, str]]:
    """Find out why features offer no admissible test.

    Parameters
    ----------
    training : Training
        The rows and the plan.
    node : NodeRows
        The rows of the node.
    missing : list of dict
        What the engine said about the features in question.
    build : callable
        Makes a Candidate of what the engine says.

    Returns
    -------
    dict of int to (Candidate, str)
        For each feature its best test without the limit that forbids it, and that limit in words.
    """
    found: dict[int, tuple[Candidate, str]] = {}
    open_ones: dict[int, FeatureFacts] = {}
    for facts in missing:
        if facts["n_values"] < 2 and not _splits_off_missing(training, node, facts):
            found[facts["feature"]] = (build(facts), "one value only")
        elif facts["tries"] and training.pays_for_cuts:
            words = f"the best of {facts['tries']} cuts gains less than it costs"
            found[facts["feature"]] = (build(facts), words)
        else:
            open_ones[facts["feature"]] = facts
    for changes, words in _relaxations(training):
        if not open_ones:
            break
        relaxed = training.with_settings(**changes)
        for facts in relaxed.candidates(node, features=sorted(open_ones))["features"]:
            if facts["kind"] != KIND_LEAF:
                found[facts["feature"]] = (build(facts), words)
                del open_ones[facts["feature"]]
    for facts in open_ones.values():
        found[facts["feature"]] = (build(facts), "no cut is possible")
    return found


def _splits_off_missing(training: Training, node: NodeRows, facts: FeatureFacts) -> bool:
    """Tell whether the rows without a value could be told from those with the only one."""
    rule = training.settings.get("missing", training.recipe.missing)
    if rule not in ("learned", "own_branch") or facts["n_values"] != 1:
        return False
    return bool((training.dataset.codes(facts["feature"])[node.rows] == 0).any())


def _relaxations(training: Training) -> list[tuple[dict[str, Any], str]]:
    """Return limits of this plan that can be lifted, with the words for a test that fails them."""
    settings, params = training.settings, training.params
    single = training.recipe.arithmetic == "single"
    ways: list[tuple[dict[str, Any], str]] = []
    if settings.get("min_rows_leaf", 1) > 1:
        ways.append(({"min_rows_leaf": 1}, f"fails min_samples_leaf={params['min_samples_leaf']}"))
    if settings.get("min_weight_leaf", 0.0) > 0:
        words = f"fails min_weight_fraction_leaf={params['min_weight_fraction_leaf']}"
        ways.append(({"min_weight_leaf": 0.0}, words))
    if settings.get("monotone"):
        ways.append(({"monotone": []}, "against monotonic_cst"))
    if settings.get("min_branch_weight"):
        lifted = {"min_branch_weight": 0.0, "declared_classes": UNLIMITED_CLASSES}
        own = params["faithful"] != "textbook"
        limit = f"min_samples_branch={format_count(settings['min_branch_weight'])}"
        ways.append((lifted, f"fails {limit}" if own else "a branch would weigh less than a row"))
    if settings.get("cut_penalty") and not single:
        ways.append(({"cut_penalty": False}, "gains less than the choice among its cuts costs"))
    if ways:
        known = ("declared_classes", "min_branch_weight")
        limits = {k: v for k, v in NO_SIZE_LIMITS.items() if k not in known or k in settings}
        ways.append(({**limits, "monotone": []}, "fails the limits on branches"))
    return ways


def refusal(training: Training, facts: FeatureFacts, average: float | None, weight: float) -> str:
    """Return why a test that exists may not win; empty when it may."""
    settings = training.settings
    if not facts["drawn"]:
        return f"not drawn by max_features={training.params['max_features']}"
    if average is not None and not facts["eligible"]:
        return f"gain below average {number(average)}"
    if not math.isfinite(facts["rank"]):
        return "split info is 0"
    by_rank = training.recipe.ranking == "gain_ratio" and training.recipe.selection == "best"
    per_weight = settings.get("gain_per_weight", True)
    return below_limits(
        facts["gain"],
        own=facts["rank"] if by_rank else facts["gain"] / (weight if per_weight else 1.0),
        total_weight=training.total_weight,
        floor=settings.get("min_impurity_decrease", 0.0),
        least=settings.get("min_gain"),
    )


def below_limits(gain: float, *, own: float, total_weight: float, floor: float, least: float | None) -> str:
    """Return which limit on the gain a test does not reach; empty when it reaches all.

    Parameters
    ----------
    gain : float
        The total gain.
    own : float
        What is compared with `min_gain`.
    total_weight : float
        Weight of all rows of the tree.
    floor : float
        `min_impurity_decrease`.
    least : float or None
        `min_gain`.
    """
    share = gain / total_weight
    if share + 2.220446049250313e-16 < floor:
        return f"decrease {number(share)} of all rows below min_impurity_decrease={floor}"
    if least is not None and not own > least:
        return f"gain ≤ {'0' if least < 1e-6 else f'min_gain={least}'}"
    return ""


def leaf_reason(training: Training, answer: NodeCandidates, depth: int, winner: str) -> str:
    """Say why a node is a leaf."""
    rows, loss = int(answer["node"]["rows"][0]), float(answer["node"]["loss"][0])
    settings = training.settings
    if loss <= 0:
        same = "value" if training.class_names is None else "class"
        return f"A leaf: all rows have the same {same}."
    if depth >= settings.get("max_depth", math.inf):
        return f"A leaf: max_depth={settings['max_depth']} is reached."
    if rows < settings.get("min_rows_split", 2):
        return f"A leaf: {rows} rows are fewer than {settings['min_rows_split']}, the fewest that are split."
    if not answer["may_split"]:
        return "A leaf: it is too small for two branches."
    if answer["winner"] < 0:
        return "A leaf: no feature offers an admissible test."
    if not answer["accepted"]:
        return "A leaf: no test gains enough."
    if "max_leaves" in settings:
        return f"A leaf: {winner} was not worth one of max_leaf_nodes={settings['max_leaves']} leaves."
    return f"A leaf: the search would test {winner}, but pruning took the test back."


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
