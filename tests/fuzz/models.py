"""Small fitted models of every algorithm and of every kind of tree, as the members of their files."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright.store.archive import HEADER, MAGIC

__all__ = ["MAKERS", "Members", "members_of", "unpacked"]

# The parsed manifest, and the arrays by the names of their members.
Members = tuple[dict[str, Any], dict[str, np.ndarray]]

N_ROWS = 48


def table() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return columns of every kind with gaps, labels of three classes, and numbers above 0."""
    generator = np.random.default_rng(0)
    size = generator.normal(size=N_ROWS).round(2)
    age = generator.integers(0, 9, N_ROWS).astype(float)
    town = generator.choice(["Paris", "Rom", "北京", "Oslo", "Bern"], N_ROWS).astype(object)
    grade = generator.integers(0, 3, N_ROWS)
    score = size + (town == "Rom") + 0.4 * grade + 0.1 * age + 0.2 * generator.normal(size=N_ROWS)
    size[::11], town[3::13] = np.nan, None
    frame = pd.DataFrame(
        {
            "size": size,
            "age": age,
            "town": town,
            "grade": pd.Categorical.from_codes(grade, ["low", "mid", "high"], ordered=True),
        }
    )
    return frame, np.array(["no", "perhaps", "yes"])[np.digitize(score, [0.3, 1.4])], np.exp(score / 2)


FRAME, LABELS, NUMBERS = table()
PAIR = LABELS == "yes"
PLAIN = FRAME[["size", "age"]].to_numpy()
# More categories than a branch per code is worth: tables of pairs and lists.
MANY = pd.DataFrame({"code": [f"c{i % 40}" for i in range(N_ROWS)], "age": FRAME["age"]})
FEW = {"n_estimators": 3, "random_state": 0}
ROUNDS = {"n_estimators": 3, "random_state": 0, "learning_rate": 0.5}
WATCHED = {**ROUNDS, "n_estimators": 6, "validation_fraction": 0.3}


def weights() -> np.ndarray:
    """Return weights, some of them 0."""
    return np.arange(N_ROWS) % 4 / 2.0


MAKERS: dict[str, Callable[[], Any]] = {
    "id3": lambda: tw.ID3Classifier(max_depth=3).fit(FRAME[["town", "grade"]], LABELS),
    "c45": lambda: tw.C45Classifier().fit(FRAME, LABELS),
    "c45_j48": lambda: tw.C45Classifier(faithful="j48", laplace=True, prune=None).fit(FRAME, LABELS),
    "c45_groups": lambda: tw.C45Classifier(group_values=True).fit(FRAME, LABELS),
    "c45_many": lambda: tw.C45Classifier(prune=None, min_samples_branch=1).fit(MANY, LABELS),
    "cart": lambda: tw.CARTClassifier(max_depth=4).fit(FRAME, LABELS),
    "cart_surrogates": lambda: tw.CARTClassifier(missing="surrogate", max_depth=3).fit(FRAME, LABELS),
    "cart_pruned": lambda: tw.CARTClassifier(prune="cost_complexity", cv=2).fit(FRAME, LABELS),
    "cart_one_class": lambda: tw.CARTClassifier().fit(PLAIN, np.ones(N_ROWS)),
    "cart_numbers": lambda: tw.CARTRegressor(max_depth=4).fit(FRAME, NUMBERS),
    "cart_poisson": lambda: tw.CARTRegressor(criterion="poisson", max_depth=3).fit(PLAIN, NUMBERS, weights()),
    "cart_medians": lambda: tw.CARTRegressor(criterion="absolute_error", max_depth=3).fit(PLAIN, NUMBERS),
    "cart_many": lambda: tw.CARTRegressor(missing="surrogate", max_depth=3).fit(MANY, NUMBERS),
    "bagging": lambda: tw.BaggingClassifier(**FEW, oob_score=True, calibrate="oob").fit(FRAME, LABELS),
    "bagging_c45": lambda: tw.BaggingClassifier(tw.C45Classifier(), **FEW, max_features=2, voting="hard").fit(
        FRAME, LABELS
    ),
    "bagging_surrogates": lambda: tw.BaggingClassifier(
        tw.CARTClassifier(missing="surrogate", max_depth=2), **FEW
    ).fit(FRAME, LABELS),
    "bagging_numbers": lambda: tw.BaggingRegressor(**FEW, quantiles=True).fit(PLAIN, NUMBERS, weights()),
    "random_forest": lambda: tw.RandomForestClassifier(
        **FEW, max_depth=3, oob_score=True, calibrate="oob", calibration_method="sigmoid"
    ).fit(FRAME, LABELS),
    "random_forest_plain": lambda: tw.RandomForestClassifier(**FEW, max_depth=3).fit(PLAIN, PAIR),
    "random_forest_numbers": lambda: tw.RandomForestRegressor(
        **FEW, max_depth=3, oob_score=True, quantiles=True
    ).fit(FRAME, NUMBERS),
    "extra_trees": lambda: tw.ExtraTreesClassifier(**FEW, max_depth=3, voting="hard").fit(FRAME, LABELS),
    "extra_trees_numbers": lambda: tw.ExtraTreesRegressor(**FEW, max_depth=3).fit(MANY, NUMBERS),
    "adaboost": lambda: tw.AdaBoostClassifier(**FEW).fit(FRAME, LABELS),
    "adaboost_c45": lambda: tw.AdaBoostClassifier(tw.C45Classifier(max_depth=2), **FEW).fit(FRAME, LABELS),
    "adaboost_numbers": lambda: tw.AdaBoostRegressor(**FEW).fit(FRAME, NUMBERS),
    "gbm": lambda: tw.GradientBoostingClassifier(**ROUNDS, max_depth=2).fit(FRAME, LABELS),
    "gbm_pair": lambda: tw.GradientBoostingClassifier(**ROUNDS, max_depth=2, loss="exponential").fit(
        PLAIN, PAIR
    ),
    "gbm_numbers": lambda: tw.GradientBoostingRegressor(**WATCHED, n_iter_no_change=2, loss="huber").fit(
        FRAME, NUMBERS
    ),
    "xgboost": lambda: tw.NewtonBoostingClassifier(**ROUNDS, max_depth=3).fit(FRAME, PAIR),
    "xgboost_exact": lambda: tw.NewtonBoostingRegressor(**ROUNDS, tree_method="exact").fit(PLAIN, NUMBERS),
    "xgboost_numbers": lambda: tw.NewtonBoostingRegressor(**WATCHED, early_stopping=True).fit(FRAME, NUMBERS),
    "lightgbm": lambda: tw.LeafwiseBoostingClassifier(**ROUNDS).fit(FRAME, LABELS),
    "lightgbm_numbers": lambda: tw.LeafwiseBoostingRegressor(**ROUNDS, loss="poisson").fit(MANY, NUMBERS),
}


@cache
def members_of(name: str) -> Members:
    """Return the file of a model, taken apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = MAKERS[name]()
    file = io.BytesIO()
    estimator.save(file)
    return unpacked(file.getvalue())


def unpacked(content: bytes) -> Members:
    """Return a sound file, taken apart."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        read = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(read.pop("manifest.json"))
    return manifest, {name: _array(part) for name, part in read.items()}


def _array(content: bytes) -> np.ndarray:
    start = len(MAGIC) + 2
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    found = HEADER.fullmatch(content[start : start + length])
    assert found is not None
    shape = tuple(int(n) for n in found.group(3, 4) if n is not None)
    return np.frombuffer(content[start + length :], found[1].decode()).reshape(shape)
