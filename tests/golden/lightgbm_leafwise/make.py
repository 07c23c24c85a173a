"""Write the outputs of the lightgbm package: raw scores of the training rows after some rounds.

Run ``python -m tests.golden.lightgbm_leafwise.make`` with lightgbm installed. Bins must not matter, so every
column has at most 200 values and every value its own bin.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).with_name("outputs.json")
ROUNDS = (1, 3, 10)
SHOWN = 150  # rows whose scores are stored
Floats = NDArray[np.float64]

NO_GUESS = {"min_data_in_leaf": 0}

CASES: dict[str, dict[str, Any]] = {
    "squared error": {"objective": "regression", "num_leaves": 12},
    "squared error, lambda": {"objective": "regression", "num_leaves": 12, "lambda_l2": 5.0},
    "squared error, missing": {"objective": "regression", "num_leaves": 10, "gaps": 0.15},
    "squared error, depth": {"objective": "regression", "num_leaves": 64, "max_depth": 4},
    # Where hessians differ, the package guesses the rows of a side from them, bin by bin, and a guess of 0
    # fails its limit of 1 row; without the limit it tries every cut, as we do.
    "squared error, weights": {"objective": "regression", "num_leaves": 12, "weighted": True, **NO_GUESS},
    "squared error, rows of a leaf": {"objective": "regression", "num_leaves": 30, "min_data_in_leaf": 25},
    "squared error, least gain": {"objective": "regression", "num_leaves": 60, "min_gain_to_split": 3.0},
    "squared error, l1": {"objective": "regression", "num_leaves": 12, "lambda_l1": 2.0},
    "logistic": {"objective": "binary", "num_leaves": 12, "seed": 100, **NO_GUESS},
    "logistic, missing": {"objective": "binary", "num_leaves": 10, "gaps": 0.15, **NO_GUESS},
    "logistic, lambda": {"objective": "binary", "num_leaves": 12, "lambda_l2": 2.0, **NO_GUESS},
    "logistic, hessian of a leaf": {
        "objective": "binary",
        "num_leaves": 30,
        "min_sum_hessian_in_leaf": 5.0,
        **NO_GUESS,
    },
}


def table(number: int, case: dict[str, Any]) -> tuple[Floats, Floats, Floats | None]:
    """Return features, target and weights of a case."""
    rng = np.random.default_rng(case.get("seed", number))
    x = np.round(rng.normal(size=(500, 5)) * 25)
    x = np.clip(x, -80, 80)
    signal = np.sin(x[:, 0] / 15) + (x[:, 1] > 5) * x[:, 2] / 20 - (x[:, 3] > 0) * (x[:, 4] < 10)
    noisy = signal + rng.normal(size=500) / 2
    x[rng.random(x.shape) < case.get("gaps", 0.0)] = np.nan
    y = noisy if case["objective"] == "regression" else (noisy > 0.2).astype(np.float64)
    weights = np.round(rng.uniform(0.5, 3.0, size=500), 2) if case.get("weighted") else None
    return x, np.round(y, 3), weights


def outputs(number: int, case: dict[str, Any]) -> dict[str, Any]:
    """Train and return the raw scores after each of the rounds."""
    import lightgbm  # noqa: PLC0415 - only who writes the outputs needs it

    x, y, weights = table(number, case)
    params = {key: value for key, value in case.items() if key not in ("gaps", "weighted", "seed")}
    fixed = {
        "learning_rate": 0.1,
        "min_data_in_bin": 1,
        "feature_pre_filter": False,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 1e-3,
        "max_bin": 255,
        "verbosity": -1,
        "num_threads": 1,
        "deterministic": True,
        "force_col_wise": True,
    }
    data = lightgbm.Dataset(x, y, weight=weights, params=fixed | params)
    model = lightgbm.train(fixed | params, data, max(ROUNDS))
    raw = {str(r): model.predict(x[:SHOWN], raw_score=True, num_iteration=r) for r in ROUNDS}
    return {"version": lightgbm.__version__, "raw": {r: np.round(v, 8).tolist() for r, v in raw.items()}}


if __name__ == "__main__":
    found = {name: outputs(number, case) for number, (name, case) in enumerate(CASES.items())}
    FILE.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
