"""Calls of the screen Predict: what a row would have to say, and the way of a row through the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.column import Categories, Column, Numbers, Objects, take_rows
from treewright.data.named_columns import NamedColumns
from treewright.data.schema import Feature
from treewright.explain import PathReport
from treewright.files.kinds import typed_category
from treewright.learning import column_values
from treewright.web.calls import Body, Progress, all_cores, current_estimator
from treewright.web.session import Session
from treewright.web.tree_nodes import model_tree

__all__ = ["CALLS", "typed_row"]

MOST_LISTED = 200
MOST_CHANGES = 6
MOST_CONTRIBUTIONS = 10


def fields(session: Session, body: Body, progress: Progress) -> Any:
    """Return the features as fields of a form, filled with a row or with typical values."""
    estimator = chosen_model(session)
    schema = estimator.model_.schema
    number = body.get("row")
    n_rows = 0 if session.source is None else session.source.table.n_rows
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < n_rows:
        number = None
    table = None if session.source is None else session.source.table
    found = []
    for feature in schema.features:
        known = None
        if table is not None and feature.name in table.names:
            known = table.column(feature.name)
        found.append(_field(feature, known, number))
    truth = None
    if table is not None and number is not None and session.source is not None:
        target = session.source.target
        if target is not None and target in table.names:
            truth = _plain_value(table.column(target), number)
    return {"fields": found, "rows": n_rows, "row": number, "truth": truth}


def chosen_model(session: Session) -> Any:
    """Return the forest or booster that is looked at where there is no tree; else the tree."""
    if session.grower is None and session.model is None and session.ensemble is not None:
        return session.ensemble
    return current_estimator(session)


def _field(feature: Feature, column: Column | None, row: int | None) -> dict[str, Any]:
    found: dict[str, Any] = {"name": feature.name, "kind": feature.kind, "value": None}
    if feature.kind != "numeric":
        words = [str(category) for category in feature.categories or ()]
        found |= {
            "options": words[:MOST_LISTED],
            "n_options": len(words),
            "value": words[0] if words else None,
        }
    if column is None:
        return found
    if row is not None:
        found["value"] = _plain_value(column, row)
    if isinstance(column, Numbers):
        values = np.asarray(column.values, dtype=np.float64)
        known = values[np.isfinite(values)]
        if len(known):
            low, middle, high = (float(np.quantile(known, q, method="nearest")) for q in (0, 0.5, 1))
            found |= {"low": low, "high": high}
            if row is None:
                found["value"] = middle
    elif row is None and isinstance(column, Categories):
        counts = np.bincount(column.codes, minlength=len(column.categories) + 1)[1:]
        if counts.sum():
            found["value"] = str(column.categories[int(np.argmax(counts))])
    return found


def _plain_value(column: Column, row: int) -> Any:
    one = take_rows(column, np.array([row]))
    values = np.asarray(one.values) if isinstance(one, Numbers) else column_values(one)
    if values[0] is None or values[0] != values[0]:
        return None
    value = values[0].item() if isinstance(values[0], np.generic) else values[0]
    return value if isinstance(column, Numbers) else str(value)


def typed_row(features: tuple[Feature, ...], values: Any) -> NamedColumns:
    """Return one row from values by name; a column that is not named, or None, is missing.

    Parameters
    ----------
    features : tuple of Feature
        The columns that a model knows.
    values : dict
        Text or numbers by name.
    """
    if not isinstance(values, dict):
        raise ValueError("A row is given by the names of its columns.")
    unknown = [name for name in values if name not in {feature.name for feature in features}]
    if unknown:
        raise ValueError(f"The model has no column {unknown[0]!r}.")
    columns = tuple(_cell(feature, values.get(feature.name)) for feature in features)
    return NamedColumns(tuple(feature.name for feature in features), columns, 1)


def _cell(feature: Feature, value: Any) -> Column:
    if value is None or value == "":
        return (
            Numbers(np.array([np.nan]))
            if feature.kind == "numeric"
            else Categories(np.zeros(1, np.uint32), ())
        )
    if feature.kind == "numeric":
        try:
            return Numbers(np.array([float(value)]))
        except (TypeError, ValueError):
            raise ValueError(f"{feature.name!r} holds numbers, got {value!r}.") from None
    by_words = {str(category): category for category in feature.categories or ()}
    if value in by_words:
        value = by_words[value]
    elif feature.sorts == {False} and isinstance(value, str):
        value = typed_category(value, feature.categories or ())
    return Objects([value])


def predict(session: Session, body: Body, progress: Progress) -> Any:
    """Return the answer for a row, its way through the tree, and what would change the answer."""
    estimator = chosen_model(session)
    model = estimator.model_
    row = typed_row(model.schema.features, body.get("values"))
    with all_cores():
        report = estimator.explain_prediction(row)
    found: dict[str, Any] = {
        "text": str(report),
        "answer": report.answer,
        "python": f"est.explain_prediction({_python_row(body.get('values'))})",
    }
    if isinstance(report, PathReport):
        way = [0, *(step.node for step in report.steps)]
        found |= {
            "classes": report.classes,
            "prediction": report.prediction,
            "steps": [
                {"node": s.node, "words": s.words, "value": s.value, "n": s.n, "share": s.share,
                 "prediction": s.prediction, "end": s.is_end, "routing": s.routing, "feature": s.feature}
                for s in report.steps
            ],
            "changes": [
                {"feature": c.feature, "now": c.now, "instead": c.instead, "answer": c.answer}
                for c in report.changes[:MOST_CHANGES]
            ],
            "way": way,
            "tree": model_tree(model, wanted=way),
        }  # fmt: skip
    elif model.classes is not None:
        with all_cores():
            shares = estimator.predict_proba(row)[0]
        found |= {"classes": [str(label) for label in model.classes], "prediction": shares}
    return {**found, **_contributions(estimator, row, report.answer)}


def _contributions(estimator: Any, row: NamedColumns, answer: str) -> dict[str, Any]:
    """Return what each feature adds to the answer, the largest first: exact Shapley values."""
    with all_cores():
        report = estimator.shap(row)
    values, base = report.values[0], report.base_values[0]
    if values.ndim == 2:
        place = report.classes.index(answer) if answer in (report.classes or ()) else 0
        values, base = values[:, place], base[place]
    order = np.argsort(-np.abs(values), kind="stable")
    found = [
        {"feature": report.feature_names[i], "value": float(values[i])}
        for i in order[:MOST_CONTRIBUTIONS]
        if values[i] != 0
    ]
    return {"contributions": found, "base": float(base), "meaning": report.meaning}


def _python_row(values: Any) -> str:
    return f"pandas.DataFrame([{values!r}])"


CALLS = {"fields": fields, "predict": predict}
