"""Data and settings of the stored cases: short decimals, ties, missing values, every limit once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Case:
    name: str
    loss: str  # squared_error or log_loss
    settings: dict[str, Any] = field(default_factory=dict)
    decimals: int = 2  # of the matrix: fewer give more ties
    missing: float = 0.0  # share
    weighted: bool = False
    n_outputs: int = 1
    n_rows: int = 120
    n_rounds: int = 3

    def data(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return x, y and the weights."""
        random = np.random.default_rng(sum(map(ord, self.name)))
        x = np.round(random.normal(size=(self.n_rows, 4)) * 2, self.decimals)
        signal = x[:, 0] + np.abs(x[:, 1]) + (x[:, 2] > 0) * x[:, 0] + random.normal(size=self.n_rows)
        x[random.random(x.shape) < self.missing] = np.nan
        if self.loss == "squared_error":
            y = np.round(signal, 2)
        elif self.n_outputs == 1:
            y = signal > np.median(signal)
        else:
            y = np.searchsorted(np.quantile(signal, [0.25, 0.6]), signal)
        weight = np.round(random.uniform(0.25, 3, self.n_rows), 2) if self.weighted else np.ones(self.n_rows)
        return x.astype(np.float32), y.astype(np.float32), weight.astype(np.float32)


CASES = [
    Case("squared error", "squared_error"),
    Case("squared error, weights", "squared_error", weighted=True),
    Case("squared error, many ties", "squared_error", {"max_depth": 4}, decimals=0),
    Case("squared error, few values missing", "squared_error", missing=0.05),
    Case("squared error, most values missing", "squared_error", missing=0.6),
    Case("squared error, gamma prunes", "squared_error", {"gamma": 12.0, "lambda": 0.5}),
    Case("squared error, no lambda, leaves of one row", "squared_error", {"lambda": 0.0, "max_depth": 8}),
    Case("squared error, alpha", "squared_error", {"alpha": 1.5, "eta": 0.1}),
    Case("squared error, large leaves", "squared_error", {"min_child_weight": 15, "eta": 1.0}),
    Case("squared error, short steps", "squared_error", {"max_delta_step": 0.5}),
    Case("squared error, monotone", "squared_error", {"monotone_constraints": [1, -1, 0, 1]}),
    Case("squared error, interactions", "squared_error", {"interaction_constraints": [[0, 1], [1, 2]]}),
    Case("logistic", "log_loss", {"max_depth": 4}),
    Case("logistic, weights, missing", "log_loss", missing=0.15, weighted=True),
    Case("logistic, small hessians", "log_loss", {"min_child_weight": 0.1, "lambda": 0.1, "gamma": 0.2}),
    Case("softmax", "log_loss", n_outputs=3, n_rounds=2),
    Case(
        "softmax, weights, missing, ties",
        "log_loss",
        {"max_depth": 3},
        decimals=0,
        missing=0.1,
        weighted=True,
        n_outputs=3,
    ),
]
