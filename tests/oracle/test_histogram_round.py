"""One boosting round: the plain NumPy computation against scikit-learn's, then the engine against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from tests.oracle.reference_histogram import Floats, Ints, Limits, Quantised, grow, predictions

N_CODES = 40


def make_codes(seed: int, n_rows: int = 400, missing: float = 0.1) -> tuple[Ints, Floats]:
    """Binned columns (code 0 = missing) and a target that depends on them, gaps included."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(1, N_CODES + 1, size=(n_rows, 4))
    codes[:N_CODES] = np.arange(1, N_CODES + 1)[:, None]
    codes[N_CODES:][rng.random((n_rows - N_CODES, 4)) < missing] = 0
    y = (
        np.sin(codes[:, 0] / 6)
        + (codes[:, 1] > 17) * codes[:, 2] / 30
        + (codes[:, 3] == 0)
        + rng.normal(size=n_rows)
    )
    return codes, y


@pytest.mark.parametrize(
    "settings",
    [
        {"max_leaf_nodes": 12},
        {"max_leaf_nodes": None, "max_depth": 4},
        {"max_leaf_nodes": 20, "min_samples_leaf": 15},
    ],
    ids=["leaves", "depth", "rows per leaf"],
)
def test_the_numpy_round_predicts_like_scikit_learns_first_round(settings: dict[str, Any]) -> None:
    for seed in range(3):
        codes, y = make_codes(seed)
        x = np.where(codes == 0, np.nan, codes).astype(np.float64)
        options = {"min_samples_leaf": 1} | settings
        peer = HistGradientBoostingRegressor(
            max_iter=1, learning_rate=1.0, l2_regularization=1.0, early_stopping=False, **options
        ).fit(x, y)
        base = float(y.mean())
        sample = Quantised.of(base - y, np.ones(len(y)), g_scale=2.0**40, h_scale=1.0)
        limits = Limits(
            max_leaves=options["max_leaf_nodes"],
            max_depth=options.get("max_depth"),
            min_rows_leaf=options["min_samples_leaf"],
            # scikit-learn asks for a hessian of 1e-3 in each child.
            min_hessian_leaf=1e-3,
        )
        root = grow(codes, [N_CODES] * 4, sample, limits)
        np.testing.assert_allclose(base + predictions(root, len(y)), peer.predict(x), rtol=1e-5, atol=1e-5)
