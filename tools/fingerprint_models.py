"""The models whose fingerprints are kept: every estimator and option, over the real tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Fit", "fits"]

CLASS_TABLES = (
    "adult",
    "amazon_access",
    "census_income_kdd",
    "covertype",
    "credit_default",
    "german_credit",
    "give_me_credit",
    "higgs_7k",
    "kddcup99_10pct",
    "letter",
    "mammography",
    "mushroom",
    "pd_speech",
    "shuttle",
    "soybean",
    "titanic",
)
NUMBER_TABLES = (
    "abalone",
    "beijing_pm25",
    "bike_sharing",
    "california_housing",
    "diamonds",
    "nycflights",
    "wine_quality",
)
FEW = {"n_estimators": 8, "random_state": 0}
ROUNDS = {"n_estimators": 12, "random_state": 0}

# Algorithm → options that each make another model. A name in capitals says what is passed to `fit`.
CLASS_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "id3": [{}, {"max_depth": 2, "min_gain": 0.01}, {"prune": "pessimistic_error"}, {"WEIGHTS": True}],
    "c45": [
        {},
        {"WEIGHTS": True},
        {"prune": None},
        {"faithful": "j48"},
        {"faithful": "j48", "binary_splits": True, "laplace": True},
        {"faithful": "j48", "subtree_raising": False, "collapse": False, "mdl_correction": False},
        {"faithful": "textbook", "max_depth": 3},
        {"criterion": "gain"},
        {"group_values": True, "min_samples_branch": 5},
        {"prune": "cost_complexity", "cv": 3, "random_state": 0},
        {"prune": "reduced_error", "random_state": 0},
    ],
    "cart": [
        {},
        {"criterion": "entropy", "WEIGHTS": True},
        {"max_leaf_nodes": 20},
        {"max_depth": 4, "missing": "surrogate"},
        {"missing": "majority", "min_samples_leaf": 3},
        {"class_weight": "balanced", "min_impurity_decrease": 1e-4},
        {"max_features": "sqrt", "random_state": 3},
        {"prune": "cost_complexity", "cv": 3, "random_state": 0},
        {"prune": "loss", "alpha_total": 2.0},
        {"prune": "pessimistic_error"},
        {"prune": "reduced_error", "random_state": 0},
        {"ccp_alpha": 0.002, "path_method": "rpart"},
        {"early_stopping": "cv", "cv": 3, "random_state": 1},
        {"n_candidates": 0, "min_gain": 0.001},
    ],
    "bagging": [
        FEW,
        FEW | {"max_samples": 0.5, "max_features": 0.5, "WEIGHTS": True},
        FEW | {"ESTIMATOR": "c45", "voting": "hard"},
        FEW | {"bootstrap": False, "bootstrap_features": True, "max_bins": 32},
    ],
    "random_forest": [
        FEW | {"oob_score": True},
        FEW | {"criterion": "entropy", "class_weight": "balanced_subsample"},
        FEW | {"max_depth": 5, "max_features": None, "WEIGHTS": True},
        FEW | {"max_bins": 64, "max_leaf_nodes": 30},
        FEW | {"ccp_alpha": 0.001, "min_samples_leaf": 2, "voting": "hard"},
        FEW | {"calibrate": "oob", "max_samples": 0.6},
    ],
    "extra_trees": [
        FEW,
        FEW | {"criterion": "entropy", "bootstrap": True, "oob_score": True},
        FEW | {"max_features": None, "max_depth": 6, "WEIGHTS": True},
        FEW | {"max_bins": 32, "min_samples_leaf": 3},
    ],
    "adaboost": [
        FEW,
        FEW | {"ESTIMATOR": "cart3", "learning_rate": 0.5, "WEIGHTS": True},
        FEW | {"algorithm": "SAMME.R"},
        FEW | {"early_stopping": True, "n_iter_no_change": 3},
    ],
    "gbm": [
        ROUNDS,
        ROUNDS | {"loss": "exponential"},
        ROUNDS | {"subsample": 0.6, "max_features": "sqrt", "WEIGHTS": True},
        ROUNDS | {"max_leaf_nodes": 9, "max_depth": None, "ccp_alpha": 0.001},
        ROUNDS | {"n_iter_no_change": 3, "max_bins": 64},
    ],
    "xgboost": [
        ROUNDS,
        ROUNDS | {"tree_method": "exact", "NUMERIC": True, "max_depth": 4},
        ROUNDS
        | {"tree_method": "exact", "NUMERIC": True, "subsample": 0.7, "max_features": 0.5, "WEIGHTS": True},
        ROUNDS | {"reg_alpha": 0.5, "gamma": 0.3, "max_delta_step": 0.7},
        ROUNDS | {"max_features_tree": 0.6, "max_features_level": 0.7, "subsample": 0.8},
        ROUNDS | {"max_leaf_nodes": 15, "WEIGHTS": True, "early_stopping": True},
    ],
    "lightgbm": [
        ROUNDS,
        ROUNDS | {"goss": True, "learning_rate": 0.2},
        ROUNDS | {"max_leaf_nodes": 15, "gamma": 0.0, "max_features": None, "WEIGHTS": True},
        ROUNDS | {"max_depth": 4, "max_bins": 31, "subsample": 0.7, "min_samples_leaf": 10},
        ROUNDS | {"early_stopping": True, "n_iter_no_change": 2, "learning_rate": 0.5},
    ],
}
NUMBER_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "cart": [
        {},
        {"criterion": "poisson", "max_depth": 6, "POSITIVE": True},
        {"criterion": "absolute_error", "max_depth": 4},
        {"max_leaf_nodes": 30, "missing": "surrogate", "WEIGHTS": True},
        {"monotonic_cst": "FIRST", "min_samples_leaf": 5},
        {"prune": "cost_complexity", "cv": 3, "random_state": 0},
        {"prune": "reduced_error", "random_state": 0},
        {"max_features": 0.5, "random_state": 2},
    ],
    "bagging": [FEW, FEW | {"max_samples": 0.5, "max_features": 0.5, "WEIGHTS": True}],
    "random_forest": [
        FEW | {"oob_score": True},
        FEW | {"criterion": "poisson", "POSITIVE": True, "max_depth": 7},
        FEW | {"max_features": 0.4, "WEIGHTS": True, "min_samples_leaf": 3},
        FEW | {"max_bins": 64, "monotonic_cst": "FIRST"},
        FEW | {"criterion": "absolute_error", "max_depth": 4, "max_samples": 0.3},
    ],
    "extra_trees": [FEW, FEW | {"max_depth": 6, "WEIGHTS": True}, FEW | {"bootstrap": True, "max_bins": 32}],
    "adaboost": [
        FEW,
        FEW | {"loss": "square", "resample": True},
        FEW | {"loss": "exponential", "WEIGHTS": True},
    ],
    "gbm": [
        ROUNDS,
        ROUNDS | {"loss": "absolute_error", "subsample": 0.7},
        ROUNDS | {"loss": "huber", "max_leaf_nodes": 9, "WEIGHTS": True},
        ROUNDS | {"loss": "quantile", "alpha": 0.8, "n_iter_no_change": 4},
    ],
    "xgboost": [
        ROUNDS,
        ROUNDS | {"tree_method": "exact", "NUMERIC": True, "monotonic_cst": "FIRST"},
        ROUNDS | {"loss": "gamma", "POSITIVE": True, "WEIGHTS": True},
        ROUNDS | {"loss": "poisson", "POSITIVE": True, "tree_method": "exact", "NUMERIC": True},
        ROUNDS | {"interaction_cst": [[0, 1], [2, 3]], "max_leaf_nodes": 12},
    ],
    "lightgbm": [
        ROUNDS,
        ROUNDS | {"loss": "tweedie", "POSITIVE": True, "gamma": 0.0},
        ROUNDS | {"loss": "quantile", "alpha": 0.3, "WEIGHTS": True},
        ROUNDS | {"goss": True, "monotonic_cst": "FIRST", "learning_rate": 0.2},
        ROUNDS | {"loss": "huber", "max_features": None, "early_stopping": True},
    ],
}
# Tables of more rows than a node needs to be divided by several threads.
LONG: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "classification": [
        ("cart", {"max_depth": 12}),
        ("random_forest", FEW | {"n_estimators": 3}),
        ("extra_trees", FEW | {"n_estimators": 3}),
        ("xgboost", ROUNDS),
        ("lightgbm", ROUNDS),
        ("lightgbm", ROUNDS | {"goss": True, "learning_rate": 0.3}),
    ],
    "regression": [
        ("cart", {"max_depth": 10}),
        ("random_forest", FEW | {"n_estimators": 3}),
        ("gbm", ROUNDS),
        ("xgboost", ROUNDS),
        ("lightgbm", ROUNDS),
    ],
}


@dataclass(frozen=True)
class Fit:
    """One model to fit: which algorithm on which rows, with which parameters and numbers of threads."""

    table: str
    max_rows: int
    algorithm: str
    task: str
    options: dict[str, Any] = field(default_factory=dict)
    threads: tuple[int, ...] = (1,)

    @property
    def name(self) -> str:
        """What the fingerprint is stored under."""
        options = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.table}[{self.max_rows}] {self.algorithm} {self.task}({options})"


def fits() -> Iterator[Fit]:
    """Yield every model: each option on two tables or more, each table with every algorithm."""
    for task, tables, options in (
        ("classification", CLASS_TABLES, CLASS_OPTIONS),
        ("regression", NUMBER_TABLES, NUMBER_OPTIONS),
    ):
        for place, (algorithm, choices) in enumerate(options.items()):
            for which, choice in enumerate(choices):
                # Options meet tables in turns, so that a change of either is seen without fitting all pairs.
                for turn in range(5 if which == 0 else 3):
                    table = tables[(3 * place + 5 * which + 3 * turn) % len(tables)]
                    threads = (1, 2, 3) if turn == 0 else (2,)
                    yield Fit(table, 1200, algorithm, task, choice, threads)
    for table in CLASS_TABLES:
        for algorithm in ("cart", "c45", "random_forest", "lightgbm"):
            yield Fit(
                table, 700, algorithm, "classification", FEW if "f" in algorithm or "l" in algorithm else {}
            )
    for table in NUMBER_TABLES:
        for algorithm in ("cart", "extra_trees", "gbm", "xgboost", "lightgbm"):
            yield Fit(table, 700, algorithm, "regression", {} if algorithm == "cart" else FEW)
    for table, task in (
        ("covertype", "classification"),
        ("adult", "classification"),
        ("nycflights", "regression"),
        ("diamonds", "regression"),
    ):
        for algorithm, choice in LONG[task]:
            yield Fit(table, 30_000, algorithm, task, choice, (1, 2))
