"""Random tables, random parameters, and what must hold whatever they are."""

from __future__ import annotations

import inspect
import io
import json
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import treewright
from tests.fuzz.target import Target
from tests.fuzz.usage import answers, expect

__all__ = ["Properties"]

ENTRIES = [(name, task) for name, tasks in treewright.ALGORITHMS.items() for task in tasks]
COLUMNS = ("number", "step", "narrow", "constant", "text", "grade", "flag")
# A parameter that an estimator has is given one of these now and then; words come from its own list.
VALUES: dict[str, tuple[Any, ...]] = {
    "max_depth": (None, 1, 2, 5),
    "min_samples_leaf": (1, 2, 0.1),
    "min_samples_split": (2, 6, 0.2),
    "max_leaf_nodes": (None, 2, 5),
    "max_features": (None, 1, 0.5),
    "min_impurity_decrease": (0.0, 0.01),
    "ccp_alpha": (0.0, 0.01),
    "surrogates": (1, 3),
    "class_weight": (None, "balanced"),
    "learning_rate": (0.1, 1.0),
    "subsample": (0.5, 1.0),
    "bootstrap": (True, False),
    "max_bins": (3, 20, 255),
    "reg_lambda": (0.0, 1.0),
    "reg_alpha": (0.0, 0.1),
    "min_child_weight": (0.0, 1.0),
    "goss": (True, False),
    "group_values": (True, False),
    "binary_splits": (True, False),
    "laplace": (True, False),
}
WORDS = ("criterion", "missing", "prune", "faithful", "loss", "tree_method", "voting", "algorithm")


def draw_params(name: str, task: str, random: Random) -> dict[str, Any]:
    """Return some parameters that the estimator has."""
    cls = treewright.ALGORITHMS[name][task]
    own = inspect.signature(cls).parameters
    params: dict[str, Any] = {}
    for key, values in VALUES.items():
        if key in own and random.random() < 0.2:
            params[key] = random.choice(values)
    for key in WORDS:
        if key in own and random.random() < 0.25 and cls._choices.get(key):
            params[key] = random.choice(cls._choices[key])
    if "n_estimators" in own:
        params["n_estimators"] = random.choice((1, 3))
    if "random_state" in own:
        params["random_state"] = random.randrange(100)
    if "cv" in own:
        params["cv"] = 2
    return params


def table(case: dict[str, Any]) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """Return columns, target and weights of a case."""
    generator, n = np.random.default_rng(case["seed"]), case["rows"]
    columns: dict[str, Any] = {}
    score = np.zeros(n)
    for position, kind in enumerate(case["columns"]):
        draws = generator.random(n)
        score += generator.normal() * draws
        if kind == "number":
            column: Any = np.where(generator.random(n) < case["gaps"], np.nan, (draws * 50).round(1))
        elif kind == "step":
            column = np.floor(draws * 4)
        elif kind == "narrow":
            column = draws.astype(np.float32)
        elif kind == "constant":
            column = np.full(n, 2.5)
        elif kind == "flag":
            column = draws < 0.5
        else:
            names = np.array(["a", "b", "c", "d", "é"], dtype=object)[np.floor(draws * 5).astype(int)]
            column = pd.Categorical(names, list("abcdé"), ordered=True) if kind == "grade" else names
        columns[f"{kind}{position}"] = column
    target = score + 0.1 * generator.normal(size=n)
    if case["task"] == "classification":
        target = np.digitize(target, np.quantile(target, [0.4, 0.8]))
    else:
        target = np.exp(target / 4)
    weights = generator.integers(1, 4, n).astype(float) if case["weights"] else None
    return pd.DataFrame(columns), target, weights


class Fitted:
    """A case at work: its table and its estimator."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.X, self.y, self.weights = table(case)
        self.estimator = self.fit(self.X)

    def fit(self, X: Any, **params: Any) -> Any:
        """Fit a new estimator of the case."""
        case = self.case
        estimator = treewright.make(case["algorithm"], case["task"], **{**case["params"], **params})
        return estimator.fit(X, self.y, self.weights)

    def expect_same(self, other: Any, X: Any, words: str) -> None:
        """Expect the same answers, to the last bit."""
        expect(np.array_equal(answers(other, X), answers(self.estimator, self.X)), words)


# --- what must hold
# ----------------------------------------------------------------------------------------------------------


def threads_do_not_matter(fitted: Fitted) -> None:
    """One, two and three threads give the same trees."""
    if "n_jobs" not in fitted.estimator.get_params():
        return
    for n_jobs in (2, 3):
        other = fitted.fit(fitted.X, n_jobs=n_jobs)
        for ours, theirs in zip(fitted.estimator.model_.trees, other.model_.trees, strict=True):
            a, b = ours.to_arrays(), theirs.to_arrays()
            same = all(np.array_equal(a[k], b[k], equal_nan=a[k].dtype.kind == "f") for k in a)
            expect(same, f"{n_jobs} threads give another tree")


def batches_do_not_matter(fitted: Fitted) -> None:
    """A row alone gets the answer that it gets among others."""
    whole = answers(fitted.estimator, fitted.X)
    parts = [answers(fitted.estimator, fitted.X[i : i + 1]) for i in range(min(8, len(fitted.X)))]
    expect(np.array_equal(np.concatenate(parts), whole[: len(parts)]), "a row alone gets another answer")


def copies_are_equal(fitted: Fitted) -> None:
    """Files and pickles answer the same."""
    file = io.BytesIO()
    fitted.estimator.save(file)
    fitted.expect_same(treewright.load(file), fitted.X, "the loaded model answers otherwise")
    fitted.expect_same(pickle.loads(pickle.dumps(fitted.estimator)), fitted.X, "a pickle answers otherwise")


def containers_do_not_matter(fitted: Fitted) -> None:
    """Polars and Arrow give what pandas gives."""
    for words, X in (("Polars", pl.from_pandas(fitted.X)), ("Arrow", pa.Table.from_pandas(fitted.X))):
        fitted.expect_same(fitted.estimator, X, f"{words} gets other answers")
        # An order of categories is not kept on the way from pandas to Polars.
        if words == "Arrow" or "grade" not in fitted.case["columns"]:
            fitted.expect_same(fitted.fit(X), X, f"{words} gives another model")


def units_do_not_matter(fitted: Fitted) -> None:
    """Numbers in another unit (a power of two, so that nothing is rounded) give the same answers."""
    numbers = [name for name in fitted.X if name.startswith(("number", "step", "narrow"))]
    scaled = fitted.X.assign(**{name: fitted.X[name] * 8 for name in numbers})
    fitted.expect_same(fitted.fit(scaled), scaled, "another unit gives other answers")


def leaves_hold_all_rows(fitted: Fitted) -> None:
    """The root of a single tree has every row, and its leaves share them out."""
    if len(fitted.estimator.model_.trees) > 1 or fitted.case["params"].get("prune") in ("reduced_error",):
        return
    arrays = fitted.estimator.model_.trees[0].to_arrays()
    leaves = arrays["kind"] == 0
    expect(arrays["rows"][0] <= len(fitted.X), "the root has more rows than there are")
    if fitted.case["algorithm"] == "c45":  # a row may be in several leaves
        expect(np.isclose(arrays["weight"][leaves].sum(), arrays["weight"][0]), "leaves lose weight")
    else:
        expect(arrays["rows"][leaves].sum() == arrays["rows"][0], "leaves lose rows")


def the_last_stage_is_the_answer(fitted: Fitted) -> None:
    """The answers after the last round are the answers."""
    if hasattr(fitted.estimator, "staged_predict"):
        stages = list(fitted.estimator.staged_predict(fitted.X))
        expect(np.array_equal(stages[-1], fitted.estimator.predict(fitted.X)), "the last stage is another")


def reports_name_the_test_of_the_node(fitted: Fitted) -> None:
    """The winner of the report on the root of a tree is the test that the tree has there."""
    estimator = fitted.estimator
    if fitted.case["algorithm"] not in ("cart", "id3", "c45") or estimator.model_.view(0).root.is_leaf:
        return
    if fitted.case["params"].get("prune") is not None or fitted.case["algorithm"] == "c45":
        return  # a node that was raised, or rows that were set aside
    report = estimator.explain_split(0, fitted.X, fitted.y, fitted.weights)
    split = estimator.model_.view(0).root.split
    expect(report.winner.feature == split.feature.name, "the report names another feature")


PROPERTIES: tuple[Callable[[Fitted], None], ...] = (
    threads_do_not_matter, batches_do_not_matter, copies_are_equal, containers_do_not_matter,
    units_do_not_matter, leaves_hold_all_rows, the_last_stage_is_the_answer,
    reports_name_the_test_of_the_node,
)  # fmt: skip


class Properties(Target):
    """Fits of random tables with random parameters."""

    name = "properties"
    suffix = ".json"
    share = 2.0
    cpu_seconds = 120

    def draw(self, seed: int) -> bytes:
        """Return a case as JSON: everything that the fit depends on."""
        random = Random(seed)
        algorithm, task = random.choice(ENTRIES)
        kinds = ("text", "grade", "flag", "step") if algorithm == "id3" else COLUMNS
        case = {
            "algorithm": algorithm,
            "task": task,
            "params": draw_params(algorithm, task, random),
            "seed": seed,
            "rows": random.choice((6, 20, 60, 150)),
            "columns": [random.choice(kinds) for _ in range(random.randint(1, 5))],
            "gaps": random.choice((0.0, 0.2)),
            "weights": random.random() < 0.3,
        }
        return json.dumps(case).encode()

    def run(self, case: bytes) -> str:
        """Fit; parameters that do not go together may be refused with a sentence."""
        try:
            fitted = Fitted(json.loads(case))
        except ValueError as error:
            expect(len(str(error)) > 30, f"refused with {error!r}")
            return "refused"
        for check in PROPERTIES:
            check(fitted)
        return "held"
