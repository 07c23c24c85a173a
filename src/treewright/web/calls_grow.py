"""Calls of the screen Grow: start a tree, split, grow, take back; candidates, curves, rows."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.algorithms import make
from treewright.data.column import Column, Numbers, take_rows
from treewright.explain.split_report import SplitReport, split_page
from treewright.explain.words import number, signed
from treewright.grower import Grower
from treewright.grower.looking import candidates_as, cuts_of, in_first_group, offered_gain, rows_to_grow_on
from treewright.learning import column_values
from treewright.web.calls import Body, Progress, all_cores, need_grower, need_source
from treewright.web.choices import checked_params, estimator_of
from treewright.web.session import Session
from treewright.web.state import state, tree_state
from treewright.web.tree_nodes import model_tree, tree_error

__all__ = ["CALLS"]

MOST_CANDIDATES = 60
MOST_BRANCHES = 12
MOST_LETTERS = 1200
MOST_POINTS = 400
MOST_ROWS = 200
ORDERS = ("best", "level", "depth")


def start(session: Session, body: Body, progress: Progress) -> Any:
    """Start a tree: the algorithm, its parameters, and one leaf with all rows."""
    source = need_source(session)
    name = str(body.get("algorithm", session.algorithm))
    # A seed of its own, so that folds are the same again wherever the code of the page runs.
    params = {"random_state": 0} | checked_params(name, source.task, body.get("params", {}))
    X, y, weights = source.fit_arguments()
    with all_cores():
        grower = Grower(estimator_of(name, source.task, params), X, y, weights)
    session.keep_before()
    session.grower = grower
    session.algorithm, session.params, session.model = name, params, None
    session.changed()
    return state(session)


def act(session: Session, body: Body, progress: Progress) -> Any:
    """Do one thing to the tree."""
    grower = need_grower(session)
    action = body.get("action")
    with all_cores():
        if action == "split":
            _split(grower, body)
        elif action == "next":
            grower.split(_next_leaf(session, grower, str(body.get("order", "best"))))
        elif action == "grow":
            levels = body.get("levels")
            grower.grow(levels, watch=lambda nodes: progress(nodes, None, "nodes"))
        elif action == "prune":
            grower.prune_node(_whole(body, "node"))
        elif action in ("undo", "redo"):
            getattr(grower, str(action))()
        elif action == "replay":
            _replay(grower, body, progress)
        else:
            raise ValueError(f"There is no action {action!r}.")
    session.changed()
    return state(session, _whole(body, "root", 0))


def _split(grower: Grower, body: Body) -> None:
    threshold, categories = body.get("threshold"), body.get("categories")
    feature = body.get("feature")
    if categories is not None and feature in grower.feature_names:
        known = rows_to_grow_on(grower).schema.features[grower.feature_names.index(str(feature))].categories
        by_words = {str(category): category for category in known or ()}
        categories = [by_words.get(str(word), word) for word in categories]
    grower.split(_whole(body, "node"), feature=feature, threshold=threshold, categories=categories)


def _next_leaf(session: Session, grower: Grower, order: str) -> int:
    """Return the leaf that the algorithm would split next."""
    if order not in ORDERS:
        raise ValueError(f"The order is {', '.join(ORDERS)}, not {order!r}.")
    gains = session.kept.setdefault("gains", {})
    leaves = sorted(grower.leaves, key=lambda key: (grower.nodes[key].depth, key))
    if order == "depth":
        leaves = sorted(leaves, key=lambda key: (-grower.nodes[key].depth, key))
    best, best_gain = -1, -1.0
    for key in leaves:
        if key not in gains:
            gains[key] = offered_gain(grower, key)
        gain = gains[key]
        if gain is None:
            continue
        if order != "best":
            return key
        if gain > best_gain:
            best, best_gain = key, gain
    if best < 0:
        raise ValueError("The tree is complete: the algorithm would split no leaf any more.")
    return best


def _replay(grower: Grower, body: Body, progress: Progress) -> None:
    """Do again what a log says; each line is looked at, none is executed."""
    lines = body.get("log")
    if not isinstance(lines, list) or grower.log:
        raise ValueError("A log is repeated on a tree without a split.")
    for done, line in enumerate(lines):
        progress(done, len(lines), "actions")
        method, arguments, named = _parsed(str(line))
        if method == "grow":
            named["watch"] = lambda nodes: progress(nodes, None, "nodes")
        getattr(grower, method)(*arguments, **named)


def _parsed(line: str) -> tuple[str, list[Any], dict[str, Any]]:
    try:
        call = ast.parse(line, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            raise ValueError
        method = call.func.attr
        arguments = [ast.literal_eval(argument) for argument in call.args]
        named = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(f"This is no line of a log: {line[:80]!r}.") from None
    allowed = {"split": {"feature", "threshold", "categories"}, "grow": {"levels"}, "prune_node": set()}
    if method not in allowed or not set(named) <= allowed[method]:
        raise ValueError(f"This is no line of a log: {line[:80]!r}.")
    return method, arguments, named


def _whole(body: Body, name: str, default: int | None = None) -> int:
    value = body.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be a whole number, got {value!r}.")
    return value


# --- looking
# --------------------------------------------------------------------------------------------------------


def nodes(session: Session, body: Body, progress: Progress) -> Any:
    """Return the part of the tree below a node."""
    return tree_state(session, _whole(body, "root", 0))


def candidates(session: Session, body: Body, progress: Progress) -> Any:
    """Return the best test of every feature at a node, with margins, ties and the arithmetic."""
    node = _whole(body, "node")
    other = body.get("as")
    if session.grower is None:
        if session.model is None:
            raise ValueError("There is no tree yet.")
        rows_of_fit = () if session.source is None else session.source.fit_arguments()
        with all_cores():
            report = session.model.explain_split(node, *rows_of_fit)
        more = ", X, y" if rows_of_fit else ""
        return {**_worded(report, None), "python": f"print(est.explain_split({node}{more}))"}
    grower = session.grower
    key = ("candidates", node, other)
    if key not in session.kept:
        with all_cores():
            if other is None:
                report = grower.candidates(node)
            else:
                task = "classification" if need_source(session).task == "classification" else "regression"
                report = candidates_as(grower, node, make(str(other), task))
        found = _worded(report, grower.nodes[node])
        line = f"print(g.candidates({node}))"
        if other is not None:
            line = f"print(g.to_estimator().explain_split({node}, X, y, as_={other!r}))"
        session.kept[key] = {**found, "python": line}
    return session.kept[key]


def _worded(report: SplitReport, node: Any) -> dict[str, Any]:
    page = split_page(report)
    winner = report.winner
    best = winner.score(report.ranking) if winner is not None else None
    found = []
    for candidate in report.candidates[:MOST_CANDIDATES]:
        score = candidate.score(report.ranking)
        found.append(
            {
                "feature": candidate.feature,
                "index": candidate.index,
                "kind": candidate.kind,
                "threshold": candidate.threshold,
                "branches": [
                    {"words": b.words, "n": b.n, "weight": b.weight, "impurity": b.impurity,
                     "classes": b.class_weights, "value": b.value}
                    for b in candidate.branches[:MOST_BRANCHES]
                ],
                "n_branches": candidate.n_branches,
                "score": score if candidate.offers_test else None,
                "gain": candidate.gain if candidate.offers_test else None,
                "split_info": candidate.split_info,
                "score_words": number(score) if candidate.offers_test else "–",
                "margin": None if best is None or not candidate.offers_test else score - best,
                "margin_words": "" if best is None or not candidate.offers_test else _margin(score, best),
                "admissible": candidate.admissible,
                "reason": candidate.reason,
                "best": candidate.chosen,
                "tie": candidate.feature in report.ties,
                "used": node is not None and node.test is not None and node.test.feature == candidate.index,
            }
        )  # fmt: skip
    return {
        "node": report.node,
        "title": page.title,
        "subject": page.subject,
        "n": report.n,
        "impurity": report.impurity,
        "criterion": report.criterion,
        "ranking": report.ranking,
        "condition": list(report.condition),
        "candidates": found,
        "more": len(report.candidates) - len(found),
        "average_gain": report.average_gain,
        "ties": list(report.ties),
        "tie_rule": report.tie_rule,
        "worked": [line[:MOST_LETTERS] for line in (*page.facts, *page.worked)],
        "notes": list(page.notes),
        "below": list(page.tables[0].below) if page.tables else [],
        "leaf": node is None or node.test is None,
    }


def _margin(score: float, best: float) -> str:
    """Return the difference of the numbers that are shown, so that it can be checked by hand."""
    return signed(round(score, 4) - round(best, 4))


def cuts(session: Session, body: Body, progress: Progress) -> Any:
    """Return the gain of the cuts of a numeric feature at a node: the curve behind its best test."""
    grower = need_grower(session)
    node, feature = _whole(body, "node"), _whole(body, "feature")
    if not 0 <= feature < len(grower.feature_names) or node not in grower.nodes:
        raise ValueError("There is no such node or feature.")
    with all_cores():
        curve = cuts_of(grower, node, feature)
    weight = grower.nodes[node].weight
    threshold, gain, left = curve["threshold"], curve["gain"] / weight, curve["left_rows"]
    # A cut is listed once per side that missing values were tried on: the better one counts.
    order = np.lexsort((-gain, threshold))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = threshold[order][1:] != threshold[order][:-1]
    keep = order[first]
    threshold, gain, left = threshold[keep], gain[keep], left[keep]
    allowed = curve["admissible"][keep].astype(bool)
    n = len(threshold)
    picked = np.arange(n)
    if n > MOST_POINTS:  # of each stretch the highest point, so that no peak is lost
        parts = np.array_split(picked, MOST_POINTS)
        picked = np.array([part[int(np.argmax(gain[part]))] for part in parts])
    values = rows_to_grow_on(grower).matrix[grower.nodes[node].rows.rows, feature]
    known = values[np.isfinite(values)]
    return {
        "feature": grower.feature_names[feature],
        "threshold": threshold[picked],
        "gain": gain[picked],
        "left": left[picked],
        "admissible": allowed[picked],
        "cuts": n,
        "n": len(values),
        "missing": int(np.isnan(values).sum()),
        "low": float(known.min()) if len(known) else None,
        "high": float(known.max()) if len(known) else None,
        "python": f"g.candidates({node}, cuts=True)",
    }


def categories(session: Session, body: Body, progress: Progress) -> Any:
    """Return the categories of a nominal feature at a node, with rows and classes of each."""
    grower = need_grower(session)
    node, feature = _whole(body, "node"), _whole(body, "feature")
    if not 0 <= feature < len(grower.feature_names) or node not in grower.nodes:
        raise ValueError("There is no such node or feature.")
    training = rows_to_grow_on(grower)
    rows = grower.nodes[node].rows.rows
    codes = training.matrix[rows, feature]
    known = training.schema.features[feature].categories or ()
    codes = np.where(np.isnan(codes), 0, codes).astype(np.int64)
    counts = np.bincount(codes, minlength=len(known) + 1)
    present = np.flatnonzero(counts[1:]).astype(np.int64) + 1
    with all_cores():
        first = in_first_group(grower, node, feature, present)
    found = [
        {"value": str(known[c - 1]), "rows": int(counts[c]), "first": bool(goes)}
        for c, goes in zip(present, first, strict=True)
    ]
    return {"feature": grower.feature_names[feature], "values": found, "missing": int(counts[0])}


def rows(session: Session, body: Body, progress: Progress) -> Any:
    """Return the first rows of a node."""
    grower, source = need_grower(session), need_source(session)
    node = _whole(body, "node")
    if node not in grower.nodes:
        raise ValueError(f"There is no node {node}.")
    own = grower.nodes[node].rows.rows
    table = source.rows
    shown = own[:MOST_ROWS].astype(np.int64)
    if source.weight is not None:  # rows without weight are not grown on
        weights = np.asarray(source.learning.weights)
        shown = np.flatnonzero(weights > 0)[shown]
    columns = [_values_at(column, shown) for column in table.columns]
    return {
        "names": list(table.names),
        "rows": [
            [int(source.row_numbers[row]), *(_cell(column[place]) for column in columns)]
            for place, row in enumerate(shown)
        ],
        "n": len(own),
    }


def _values_at(column: Column, rows: NDArray[np.int64]) -> Any:
    if isinstance(column, Numbers):
        return np.asarray(column.values)[rows]
    return column_values(take_rows(column, rows))


def _cell(value: Any) -> Any:
    if value is None or value != value:
        return None
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def beside(session: Session, body: Body, progress: Progress) -> Any:
    """Return the algorithm's own tree of the same rows, to stand beside the tree by hand."""
    source, grower = need_source(session), need_grower(session)
    if "beside" not in session.kept:
        X, y, weights = source.fit_arguments()
        limit = len(grower.leaves) if body.get("same_size") else None
        estimator = estimator_of(session.algorithm, source.task, session.params)
        if limit is not None and limit > 1:
            estimator.set_params(max_leaf_nodes=limit)
        with all_cores():
            estimator.fit(X, y, weights)
        found = model_tree(estimator.model_)
        session.kept["beside"] = {**found, "error": tree_error(estimator.model_), "title": repr(estimator)}
    return session.kept["beside"]


CALLS = {
    "start": start,
    "act": act,
    "nodes": nodes,
    "candidates": candidates,
    "cuts": cuts,
    "categories": categories,
    "rows": rows,
    "beside": beside,
}
