"""Calls of the screen Compare: algorithms side by side, and the trees and curves of forests and boosters."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.algorithms import ALGORITHMS, make
from treewright.learning import cross_validated
from treewright.web.calls import Body, Progress, all_cores, need_source
from treewright.web.choices import TITLES
from treewright.web.code import compare_lines
from treewright.web.session import Session
from treewright.web.tree_nodes import model_tree

__all__ = ["CALLS"]

SEED = 0
MOST_POINTS = 200
WARNING = (
    "One tree is not the model: {trees} trees answer together. A single one shows how they work, "
    "not what they say."
)


def compare(session: Session, body: Body, progress: Progress) -> Any:
    """Cross-validate algorithms with their default parameters on the same folds."""
    source = need_source(session)
    names, folds = body.get("algorithms"), body.get("folds", 5)
    if not isinstance(names, list) or not names:
        raise ValueError("Choose at least one algorithm.")
    if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= 50:
        raise ValueError(f"Folds are a whole number from 2 to 50, got {folds!r}.")
    names = list(dict.fromkeys(str(name) for name in names))
    for name in names:
        if source.task not in ALGORITHMS.get(name, {}):
            raise ValueError(f"{TITLES.get(name, name)} does not do {source.task}.")
    table = source.learning
    found = []
    for place, name in enumerate(names):
        title = TITLES.get(name, name)

        def watch(done: int, place: int = place, title: str = title) -> None:
            progress(place * folds + done, len(names) * folds, title)

        with all_cores():
            scores = cross_validated(lambda name=name: _made(name, source.task), table, folds, watch)  # type: ignore[misc]
        found.append({"name": name, "title": title, **scores})
    first = "accuracy" if source.task == "classification" else "rmse"
    return {
        "results": sorted(found, key=lambda f: f["scores"][first]["mean"], reverse=first == "accuracy"),
        "first": first,
        "folds": folds,
        "command": compare_lines(source, names, folds),
    }


def _made(name: str, task: str) -> Any:
    estimator: Any = make(name, task)
    return estimator.set_params(random_state=SEED) if "random_state" in estimator.get_params() else estimator


def ensemble(session: Session, body: Body, progress: Progress) -> Any:
    """Fit a forest or booster on all rows and show how it gets better with its trees."""
    source = need_source(session)
    name = str(body.get("algorithm"))
    if source.task not in ALGORITHMS.get(name, {}):
        raise ValueError(f"{TITLES.get(name, name)} does not do {source.task}.")
    estimator = _made(name, source.task)
    params = estimator.get_params()
    if "validation_fraction" in params and "early_stopping" in params and hasattr(estimator, "scoring"):
        estimator.set_params(early_stopping=True, n_iter_no_change=params.get("n_estimators") or 100)
    X, y, weights = source.fit_arguments()
    progress(0, None, TITLES.get(name, name))
    with all_cores():
        estimator.fit(X, y, weights)
        curve = _curve(estimator, X, y)
    session.ensemble = estimator
    return {**about(estimator), "name": name, "title": TITLES.get(name, name), "curve": curve}


def inside(session: Session, body: Body, progress: Progress) -> Any:
    """Return what the forest or booster is that the page was opened with."""
    estimator = session.ensemble
    if estimator is None:
        raise ValueError("There is no forest or booster to look into.")
    name = type(estimator).__name__
    scores = getattr(estimator, "validation_score_", None)
    curve = None
    if scores is not None and len(np.atleast_1d(scores)) > 1:
        curve = _points(np.arange(len(scores)), np.asarray(scores, dtype=np.float64), "validation score")
    return {**about(estimator), "name": name, "title": name, "curve": curve}


def about(estimator: Any) -> dict[str, Any]:
    """Return what a model of many trees is."""
    trees = len(estimator.model_.trees)
    return {"trees": trees, "warning": WARNING.format(trees=trees), "estimator": repr(estimator)}


def _curve(estimator: Any, X: Any, y: Any) -> dict[str, Any] | None:
    """Return the error by number of trees: of validation rows, out of the bag, or of training rows."""
    for attribute, words in (("validation_score_", "validation"), ("train_score_", "training")):
        scores = getattr(estimator, attribute, None)
        if scores is not None and len(np.atleast_1d(scores)) > 1:
            values = np.asarray(scores, dtype=np.float64)
            return _points(np.arange(len(values)), values, f"{words} score")
    if hasattr(estimator, "oob_learning_curve"):
        try:
            found = estimator.oob_learning_curve(X, y)
        except (ValueError, AttributeError):
            return None
        numbers = np.asarray(found["n_trees"])
        return _points(numbers, np.asarray(found["scores"]), "out-of-bag score")
    return None


def _points(numbers: Any, values: Any, words: str) -> dict[str, Any]:
    places = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).astype(np.int64))
    return {"x": np.asarray(numbers)[places], "y": np.asarray(values)[places], "words": words}


def member(session: Session, body: Body, progress: Progress) -> Any:
    """Return one tree of the forest or booster."""
    estimator = session.ensemble
    if estimator is None:
        raise ValueError("Fit a forest or booster first.")
    number, trees = body.get("tree", 0), len(estimator.model_.trees)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < trees:
        raise ValueError(f"There are trees 0 to {trees - 1}, not {number!r}.")
    found = model_tree(estimator.model_, tree=number, most=200)
    return {
        **found,
        "number": number,
        "trees": trees,
        "python": f"print(treewright.export_text(est, tree={number}))",
    }


CALLS = {"compare": compare, "ensemble": ensemble, "inside": inside, "member": member}
