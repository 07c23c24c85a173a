"""Everything that a fitted estimator can be asked, and whether the answers make sense.

An estimator that was loaded must answer any table of its own schema; only a report that needs the rows of the
fit may refuse, with a sentence.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import treewright
from tests.fuzz.target import FaultError
from treewright.exceptions import UnsupportedExportError
from treewright.export import EXPORTERS

__all__ = ["answers", "rows_for", "use"]

NUMBERS = (0.0, -0.0, 0.5, -1.25, 1.0, 3.0, 8.0, 1e-300, 1e300, -1e300, np.inf, -np.inf, np.nan)
N_ROWS = 6


def rows_for(estimator: Any, random: Random) -> Any:
    """Return a few rows that the schema of the model allows, with gaps and categories that it never saw."""
    columns: dict[Any, Any] = {}
    schema = estimator.model_.schema
    for position, feature in enumerate(schema.features):
        name = feature.name if schema.named else position
        if feature.categories is None:
            columns[name] = np.array([random.choice(NUMBERS) for _ in range(N_ROWS)])
            continue
        known = list(feature.categories[:20])
        stranger: Any = "never seen" if not known or isinstance(known[0], str) else 123456789
        column = np.empty(N_ROWS, dtype=object)
        column[:] = [random.choice([*known, None, stranger]) for _ in range(N_ROWS)]
        columns[name] = pd.Series(column, dtype=object)  # as it is, whatever letters it has
    frame = pd.DataFrame(dict(enumerate(columns.values())))
    frame.columns = pd.Index(list(columns), dtype=object)  # as they are, whatever letters they have
    if schema.named:
        return frame
    table = np.empty(frame.shape, dtype=object)
    for position in range(frame.shape[1]):
        table[:, position] = list(frame[position])
    return table.astype(float) if schema.all_numeric else table


def expect(condition: Any, words: str) -> None:
    """Raise FaultError with the words unless the condition holds."""
    if not condition:
        raise FaultError(words)


def is_classifier(estimator: Any) -> bool:
    """Tell whether the estimator predicts classes."""
    return estimator.model_.task == "classification"


def answers(estimator: Any, X: Any) -> np.ndarray:
    """Return what is predicted, as numbers: shares of the classes, or numbers."""
    return np.asarray(estimator.predict_proba(X) if is_classifier(estimator) else estimator.predict(X))


# --- questions
# ----------------------------------------------------------------------------------------------------------


def ask_predict(estimator: Any, X: Any) -> None:
    """Ask for the answer itself."""
    found = estimator.predict(X)
    expect(found.shape == (len(X),), f"predict gives the shape {found.shape} for {len(X)} rows")
    if is_classifier(estimator):
        known = estimator.classes_.tolist()
        expect(all(label in known for label in found.tolist()), f"predict gives {found}, classes are {known}")
    else:
        # The exponential of a raw score may be beyond the largest number.
        unbounded = estimator.model_.facts.get("link") == "log"
        least = found if not unbounded else np.minimum(found, 0.0)
        expect(np.isfinite(least).all(), "predict gives a number that is not finite")


def ask_shares(estimator: Any, X: Any) -> None:
    """Ask for shares of the classes."""
    if not is_classifier(estimator):
        return
    shares = estimator.predict_proba(X)
    expect(shares.shape == (len(X), len(estimator.classes_)), f"predict_proba gives the shape {shares.shape}")
    expect(np.isfinite(shares).all(), "predict_proba gives a number that is not finite")
    expect((shares >= 0).all() and (shares <= 1 + 1e-9).all(), "predict_proba gives a share outside 0 … 1")
    expect(np.allclose(shares.sum(axis=1), 1, atol=1e-6), "the shares of a row do not add up to 1")
    expect((estimator.predict_log_proba(X) <= 1e-9).all(), "predict_log_proba gives a number above 0")


def ask_leaves(estimator: Any, X: Any) -> None:
    """Ask for the leaves."""
    leaves = np.asarray(estimator.apply(X)).reshape(len(X), -1)
    counts = np.array([tree.node_count for tree in estimator.model_.trees])
    expect(leaves.shape[1] == len(counts), f"apply gives {leaves.shape[1]} leaves for {len(counts)} trees")
    expect((leaves >= 0).all() and (leaves < counts).all(), "apply gives a node that does not exist")
    if hasattr(estimator, "decision_path"):
        estimator.decision_path(X)


def ask_stages(estimator: Any, X: Any) -> None:
    """Ask for the answers after each round; the last one is the answer."""
    if not hasattr(estimator, "staged_predict"):
        return
    stages = list(estimator.staged_predict(X))
    expect(len(stages) > 0, "staged_predict gives nothing")
    expect(np.array_equal(stages[-1], estimator.predict(X)), "the last stage is not the answer")
    if hasattr(estimator, "decision_function"):
        expect(np.isfinite(estimator.decision_function(X)).all(), "a raw score is not finite")


def ask_texts(estimator: Any, X: Any) -> None:
    """Ask for every exporter's text."""
    trees = len(estimator.model_.trees)
    for name, export in EXPORTERS.items():
        subject = (
            estimator
            if trees == 1
            else estimator.estimators_[0]
            if hasattr(estimator, "estimators_")
            else None
        )
        if subject is None or isinstance(subject, np.ndarray):
            continue
        try:
            text = export(subject)
        except (
            UnsupportedExportError,
            ImportError,
        ):  # a format that cannot say it, or a package that is not here
            continue
        expect(isinstance(text, str | bytes), f"the exporter {name} gives no text")
    expect(repr(estimator) and str(estimator.model_), "no text")


def ask_importances(estimator: Any, X: Any) -> None:
    """Ask for importances and sizes."""
    found = estimator.feature_importances_
    expect(found.shape == (estimator.n_features_in_,), f"importances have the shape {found.shape}")
    expect(np.isfinite(found).all() and (found >= 0).all(), "an importance is not a number of at least 0")


def ask_path(estimator: Any, X: Any) -> None:
    """Ask why one row got its answer."""
    report = estimator.explain_prediction(X[:1])
    expect(str(report), "explain_prediction gives no text")
    json.dumps(report.to_dict(), allow_nan=True)
    if len(estimator.model_.trees) > 1:
        expect(
            str(estimator.explain_prediction(X[:1], tree=0)), "explain_prediction gives no text for a tree"
        )


def ask_split(estimator: Any, X: Any) -> None:
    """Ask why a node was split; without the rows of the fit that may be refused."""
    options = {"tree": 0} if len(estimator.model_.trees) > 1 else {}
    try:
        expect(str(estimator.explain_split(0, **options)), "explain_split gives no text")
    except ValueError as error:
        expect(len(str(error)) > 20, f"explain_split refuses with {error!r}")


def ask_pruning(estimator: Any, X: Any) -> None:
    """Ask how a tree was pruned, and prune it more."""
    if not hasattr(estimator, "explain_pruning"):
        return
    try:
        expect(str(estimator.explain_pruning()), "explain_pruning gives no text")
    except (ValueError, AttributeError) as error:
        expect(len(str(error)) > 20, f"explain_pruning refuses with {error!r}")
    try:
        ask_predict(estimator.pruned(alpha=0.5), X)
    except ValueError as error:
        expect(len(str(error)) > 20, f"pruned refuses with {error!r}")


def ask_forest(estimator: Any, X: Any) -> None:
    """Ask what only forests know."""
    if getattr(estimator, "quantiles", False):
        found = estimator.predict_quantiles(X, [0.1, 0.5, 0.9])
        expect(np.isfinite(found).all() and (np.diff(found, axis=1) >= 0).all(), "quantiles do not ascend")
    for name in ("oob_score_", "oob_prediction_", "oob_decision_function_", "estimators_samples_"):
        getattr(estimator, name, None)
    if hasattr(estimator, "estimators_"):
        member = np.ravel(np.asarray(estimator.estimators_, dtype=object))[0]
        expect(member.tree_.node_count >= 1, "a member has no node")


def ask_copies(estimator: Any, X: Any) -> None:
    """Save, load and pickle it: the copies answer as it does."""
    expected = answers(estimator, X)
    file = io.BytesIO()
    estimator.save(file)
    for copy in (treewright.load(file), pickle.loads(pickle.dumps(estimator))):
        expect(np.array_equal(answers(copy, X), expected), "a copy answers otherwise")


QUESTIONS: tuple[Callable[[Any, Any], None], ...] = (
    ask_leaves, ask_stages, ask_texts, ask_importances, ask_path, ask_split, ask_pruning, ask_forest,
    ask_copies,
)  # fmt: skip


def use(estimator: Any, random: Random, most: int = 3) -> None:
    """Ask for answers and some of the other questions; raise FaultError for what makes no sense."""
    X = rows_for(estimator, random)
    ask_predict(estimator, X)
    ask_shares(estimator, X)
    for ask in random.sample(QUESTIONS, random.randint(0, most)):
        ask(estimator, X)
