"""One boosting round: the plain NumPy computation against scikit-learn's, then the engine against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from tests.oracle.reference_histogram import Floats, Ints, Limits, Node, Quantised, grow, predictions
from tests.oracle.tree_view import TreeView
from treewright import _core

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
        sample = Quantised.of(base - y, np.ones(len(y)), g_unit=2.0**-40, h_unit=1.0)
        limits = Limits(
            max_leaves=options["max_leaf_nodes"],
            max_depth=options.get("max_depth"),
            min_rows_leaf=options["min_samples_leaf"],
            # scikit-learn asks for a hessian of 1e-3 in each child.
            min_hessian_leaf=1e-3,
        )
        root = grow(codes, [N_CODES] * 4, sample, limits)
        np.testing.assert_allclose(base + predictions(root, len(y)), peer.predict(x), rtol=1e-5, atol=1e-5)


def matrix_of(codes: Ints) -> Floats:
    """Values whose bins are the codes: every value from 1 to N_CODES occurs."""
    return np.where(codes == 0, np.nan, codes).astype(np.float64)


def engine_round(codes: Ints, g: Floats, h: Floats, limits: Limits, n_threads: int = 1) -> dict[str, Any]:
    """Grow the tree of one round with the engine."""
    plan = _core.GrowPlan()
    plan.order = _core.Order.level_wise if limits.level_wise else _core.Order.best_first
    plan.max_depth = limits.max_depth if limits.max_depth is not None else 2**40
    plan.max_leaves = limits.max_leaves if limits.max_leaves is not None else 2**40
    plan.min_weight_leaf = limits.min_hessian_leaf
    plan.min_gain, plan.gain_per_weight = limits.min_gain, False
    plan.min_impurity_decrease = -np.inf
    data = _core.Dataset.from_matrix(matrix_of(codes), 255)
    arrays: dict[str, Any] = _core.grow_gradients(data, g, h, limits.reg_lambda, plan, n_threads)
    return arrays


def assert_same_round(tree: TreeView, root: Node, x: Floats) -> int:
    """Walk both trees together; return the number of splits they share."""
    splits = 0
    stack: list[tuple[int, Node]] = [(0, root)]
    while stack:
        number, node = stack.pop()
        assert tree.rows[number] == len(node.rows)
        assert tree.value[number, 0] == pytest.approx(node.value, rel=1e-12, abs=1e-300)
        assert tree.is_leaf(number) == (node.cut is None)
        if node.cut is None:
            continue
        splits += 1
        assert tree.gain is not None
        assert tree.gain[number] == pytest.approx(node.cut.gain, rel=1e-9)
        assert tree.feature[number] == node.cut.feature
        left = tree.branches(number, x[node.rows]) == 0
        np.testing.assert_array_equal(node.rows[left], node.children[0].rows)
        stack += list(zip(tree.children(number), node.children, strict=True))
    return splits


ROUNDS = {
    "best first": Limits(max_leaves=25, min_hessian_leaf=2.0),
    "level-wise": Limits(max_depth=5, level_wise=True, min_hessian_leaf=1.0),
    "strong penalty": Limits(reg_lambda=30.0, max_leaves=12),
    "least gain": Limits(min_gain=1.5, max_leaves=60),
}


@pytest.mark.parametrize("limits", ROUNDS.values(), ids=list(ROUNDS))
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_engines_round_is_the_numpy_round(loss: str, limits: Limits) -> None:
    for seed in range(3):
        codes, y = make_codes(seed, n_rows=1500)
        g, h = gradients(y, loss)
        root = grow(codes, [N_CODES] * 4, Quantised.packed(g, h), limits)
        tree = TreeView.of_arrays(engine_round(codes, g, h, limits))
        assert assert_same_round(tree, root, matrix_of(codes)) >= 5


def gradients(y: Floats, loss: str) -> tuple[Floats, Floats]:
    """First and second derivatives at a first guess."""
    if loss == "squared":
        return y.mean() - y, np.ones(len(y))
    share = 1 / (1 + np.exp(-np.sin(7 * y) / 2))
    return share - (y > 0.8), share * (1 - share)


def test_the_round_does_not_depend_on_the_number_of_threads() -> None:
    codes, y = make_codes(0, n_rows=60_000)
    g, h = gradients(y, "logistic")
    one, *others = (engine_round(codes, g, h, ROUNDS["best first"], threads) for threads in (1, 2, 8))
    for other in others:
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)
