"""Fitted models for the tests of exporters: every algorithm, and every way in which trees answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from tests.contract.data import mixed_frame, numeric_table
from tests.contract.entries import ENTRIES, make_entry

__all__ = ["CASES", "fitted_case", "hostile_frame"]

C45, J48 = tw.C45Classifier, {"faithful": "j48", "laplace": True}

# What the registry's defaults do not show.
SPECIAL: dict[str, tuple[str, Callable[[], Any]]] = {
    "j48-laplace": ("classification", lambda: C45(**J48)),
    "c45-textbook": ("classification", lambda: C45(faithful="textbook")),
    "cart-surrogates": ("classification", lambda: tw.CARTClassifier(missing="surrogate", surrogates=3)),
    "cart-surrogates-numbers": ("regression", lambda: tw.CARTRegressor(missing="surrogate", surrogates=3)),
    "bagged-c45": ("classification", lambda: tw.BaggingClassifier(C45(), n_estimators=4, random_state=0)),
    "bagged-c45-votes": (
        "classification",
        lambda: tw.BaggingClassifier(C45(), n_estimators=4, voting="hard", random_state=0),
    ),
    "bagged-laplace": (
        "classification",
        lambda: tw.BaggingClassifier(C45(**J48), n_estimators=4, random_state=0),
    ),
    "forest-votes": (
        "classification",
        lambda: tw.RandomForestClassifier(n_estimators=7, voting="hard", random_state=0),
    ),
    "forest-isotonic": (
        "classification",
        lambda: tw.RandomForestClassifier(n_estimators=20, calibrate="oob", random_state=0),
    ),
    "forest-sigmoid": (
        "two",
        lambda: tw.RandomForestClassifier(
            n_estimators=20, calibrate="oob", calibration_method="sigmoid", random_state=0
        ),
    ),
    "samme-c45": ("classification", lambda: tw.AdaBoostClassifier(C45(), n_estimators=4)),
    "samme-r-c45": (
        "classification",
        lambda: tw.AdaBoostClassifier(C45(), algorithm="SAMME.R", n_estimators=4),
    ),
    "samme-r": ("classification", lambda: tw.AdaBoostClassifier(algorithm="SAMME.R", n_estimators=6)),
    "half-logit": ("two", lambda: tw.GradientBoostingClassifier(loss="exponential", n_estimators=8)),
    "logit": ("two", lambda: tw.LeafwiseBoostingClassifier(n_estimators=8)),
    "poisson": ("counts", lambda: tw.LeafwiseBoostingRegressor(loss="poisson", n_estimators=8)),
    "statistics-booster": (
        "classification",
        lambda: tw.LeafwiseBoostingClassifier(n_estimators=6, target_statistics=["city", "member?"]),
    ),
    "statistics-forest": (
        "regression",
        lambda: tw.RandomForestRegressor(n_estimators=6, target_statistics=["city"], random_state=0),
    ),
    "one-class": ("one", lambda: tw.CARTClassifier()),
    "one-leaf": ("constant", lambda: tw.CARTRegressor()),
}

CASES = [*("-".join(entry) + "-" + table for entry in ENTRIES for table in ("mixed", "numbers")), *SPECIAL]


@cache
def fitted_case(name: str) -> Any:
    """Return the fitted estimator of a case."""
    if name in SPECIAL:
        task, make = SPECIAL[name]
        numbers = ("regression", "counts", "constant")
        X, y = mixed_frame("regression" if task in numbers else "classification")
        if task == "two":
            y = np.where(np.asarray(y) > 0, "yes", "no")
        elif task == "one":
            y = np.full(len(X), "only")
        elif task == "constant":
            y = np.full(len(X), 2.5)
        elif task == "counts":
            y = np.round(np.asarray(y) * 3)
        return make().fit(X, y)
    algorithm, task, table = name.rsplit("-", 2)
    X, y = (mixed_frame if table == "mixed" else _named_numbers)(task)
    if table == "mixed" and task == "classification":
        y = np.array(["low", 'it\'s "mid"', "high"], dtype=object)[np.asarray(y)]
    return make_entry((algorithm, task)).fit(X, y)


def _named_numbers(task: str) -> tuple[pd.DataFrame, Any]:
    X, y = numeric_table(task)
    return pd.DataFrame(X, columns=[f"x{column}" for column in range(X.shape[1])]), y


HOSTILE = [
    'a"; DROP TABLE t; --',
    "b'; DROP TABLE t; --",
    "c */ int main(void) { return 1; } /*",
    "d\nend\r\n#error line",
    "e\\",
    "f??/g??=",
    "${1}`g`",
    "select",
    "int",
    "class",
    "</script><script>",
    "\u2028größe 大小 🌳",
    "%s %d {0} {{x}}",
    " ",
    '"""',
    "x]]>&lt;<!--",
]


def hostile_frame(task: str = "classification", n_rows: int = 400) -> tuple[pd.DataFrame, Any]:
    """Return a table whose columns, categories and classes have hostile names."""
    generator = np.random.default_rng(0)
    frame: dict[str, Any] = {}
    score = np.zeros(n_rows)
    for number, name in enumerate(HOSTILE):
        if number % 2:
            codes = generator.integers(0, len(HOSTILE), n_rows)
            frame[name] = pd.Series([HOSTILE[c] for c in codes], dtype=object)
            score += (codes % 3 == 0) * 1.0
        else:
            frame[name] = generator.normal(size=n_rows)
            score += frame[name]
    if task == "regression":
        return pd.DataFrame(frame), score
    edges = np.quantile(score, np.linspace(0, 1, 7)[1:-1])
    return pd.DataFrame(frame), np.array(HOSTILE[:6], dtype=object)[np.digitize(score, edges)]
