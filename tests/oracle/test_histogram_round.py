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


def engine_round(
    data: _core.Dataset, g: Floats, h: Floats, limits: Limits, n_threads: int = 1, **options: Any
) -> dict[str, Any]:
    """Grow the tree of one round with the engine."""
    plan = _core.BoostPlan()
    plan.order = _core.BoostOrder.depth_wise if limits.level_wise else _core.BoostOrder.leaf_wise
    plan.max_depth = limits.max_depth if limits.max_depth is not None else 2**40
    plan.max_leaves = limits.max_leaves if limits.max_leaves is not None else 2**40
    plan.min_hessian_leaf, plan.min_rows_leaf = limits.min_hessian_leaf, limits.min_rows_leaf
    plan.min_gain, plan.l2 = limits.min_gain, limits.reg_lambda
    plan.one_against_rest, plan.category_smoothing = limits.one_against_rest, limits.smoothing
    plan.few_categories = limits.few_categories
    plan.category_l2, plan.max_categories_side = limits.category_lambda, limits.max_categories_side
    plan.min_rows_category = limits.min_rows_category
    plan.share_codes = options.pop("share_codes", True)
    sample = (g.astype(np.float32), h.astype(np.float32))
    arrays: dict[str, Any] = _core.boost_histogram_tree(data, *sample, plan, n_threads=n_threads, **options)
    return arrays


def assert_same_round(tree: TreeView, root: Node, x: Floats, exact_gain: bool = True) -> int:
    """Walk both trees together; return the number of splits they share."""
    splits = 0
    stack: list[tuple[int, Node]] = [(0, root)]
    while stack:
        number, node = stack.pop()
        assert tree.rows[number] == len(node.rows)
        # The engine's values come from the gradients, those here from their steps.
        assert tree.value[number, 0] == pytest.approx(node.value, rel=1e-5, abs=1e-7)
        assert tree.is_leaf(number) == (node.cut is None)
        if node.cut is None:
            continue
        splits += 1
        assert tree.gain is not None
        # With a penalty on subsets the gain of the search is not that of the values.
        if not exact_gain:
            assert tree.gain[number] >= node.cut.gain * (1 - 1e-5)
        else:
            assert tree.gain[number] == pytest.approx(node.cut.gain, rel=1e-4, abs=1e-6)
        assert tree.feature[number] == node.cut.feature
        left = tree.branches(number, x[node.rows]) == 0
        np.testing.assert_array_equal(node.rows[left], node.children[0].rows)
        stack += list(zip(tree.children(number), node.children, strict=True))
    return splits


ROUNDS = {
    "best first": Limits(max_leaves=25, min_hessian_leaf=2.0),
    "level-wise": Limits(max_depth=5, level_wise=True, min_hessian_leaf=1.0),
    "strong penalty": Limits(reg_lambda=30.0, max_leaves=12),
    "least gain": Limits(min_gain=3.0, max_leaves=60),
    "rows of a leaf": Limits(min_rows_leaf=40, max_leaves=40),
}


def gradients(y: Floats, loss: str) -> tuple[Floats, Floats]:
    """First and second derivatives at a first guess, as the engine gets them: in single precision."""
    if loss == "squared":
        g, h = y.mean() - y, np.ones(len(y))
    else:
        share = 1 / (1 + np.exp(-3 * np.sin(7 * y)))
        g, h = share - (y > 0.8), share * (1 - share)
    return g.astype(np.float32).astype(np.float64), h.astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("limits", ROUNDS.values(), ids=list(ROUNDS))
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_engines_round_is_the_numpy_round(loss: str, limits: Limits) -> None:
    for seed in range(3):
        codes, y = make_codes(seed, n_rows=1500)
        g, h = gradients(y, loss)
        root = grow(codes, [N_CODES] * 4, Quantised.fine(g, h), limits)
        data = _core.Dataset.from_matrix(matrix_of(codes), 255)
        tree = TreeView.of_arrays(engine_round(data, g, h, limits, equal_hessians=loss == "squared"))
        assert assert_same_round(tree, root, matrix_of(codes)) >= 5


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("min_rows", [3, 10])
def test_nodes_with_fewer_rows_than_codes_keep_the_limit_of_rows(loss: str, min_rows: int) -> None:
    limits = Limits(min_rows_leaf=min_rows, max_leaves=18)
    codes, y = make_codes(min_rows, n_rows=400)
    # Five times as many codes, so that most nodes have fewer rows than a column has codes.
    fine = np.where(codes == 0, 0, 5 * codes - np.arange(400)[:, None] % 5)
    fine[:200] = np.arange(1, 201)[:, None]
    g, h = gradients(y, loss)
    root = grow(fine, [200] * 4, Quantised.fine(g, h), limits)
    data = _core.Dataset.from_matrix(matrix_of(fine), 255)
    tree = TreeView.of_arrays(engine_round(data, g, h, limits, equal_hessians=loss == "squared"))
    assert assert_same_round(tree, root, matrix_of(fine)) >= 12


def make_categories(seed: int, n_categories: int, n_rows: int = 1500) -> tuple[Ints, _core.Dataset, Floats]:
    """Two columns of categories and one of numbers, gaps included."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_categories + 1, size=(n_rows, 3))
    codes[: n_categories + 1] = np.arange(n_categories + 1)[:, None]
    effect = rng.normal(size=(n_categories + 1, 3))
    y = effect[codes[:, 0], 0] + effect[codes[:, 1], 1] * (codes[:, 2] > n_categories // 2)
    y += rng.normal(size=n_rows) / 2
    columns = [codes[:, 0].astype(np.uint8), codes[:, 1].astype(np.uint8), matrix_of(codes)[:, 2].copy()]
    data = _core.Dataset.from_columns(columns, [1, 1, 0], [n_categories, n_categories, 0], 255)
    return codes, data, y


@pytest.mark.parametrize(
    ("n_categories", "limits"),
    [
        (4, Limits(max_leaves=10)),
        # Without a penalty the best of all subsets is a cut of their order.
        (7, Limits(max_leaves=12, reg_lambda=0.0)),
        (12, Limits(max_leaves=14, min_rows_category=1, smoothing=1.0, category_lambda=0.0)),
        (30, Limits(max_leaves=10, min_rows_category=30, min_rows_leaf=20)),
        (12, Limits(max_leaves=10, min_rows_category=5, max_categories_side=2)),
    ],
    ids=[
        "one against the rest",
        "the best of all subsets",
        "subsets",
        "rare categories stay together",
        "few on a side",
    ],
)
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_tests_of_categories_are_those_of_numpy(loss: str, n_categories: int, limits: Limits) -> None:
    for seed in range(3):
        codes, data, y = make_categories(seed, n_categories)
        g, h = gradients(y, loss)
        root = grow(codes, [n_categories] * 3, Quantised.fine(g, h), limits, nominal=frozenset([0, 1]))
        tree = TreeView.of_arrays(engine_round(data, g, h, limits, equal_hessians=loss == "squared"))
        exact = n_categories <= limits.few_categories or limits.category_lambda == 0
        assert assert_same_round(tree, root, matrix_of(codes), exact_gain=exact) >= 3


def test_columns_that_share_a_code_give_the_same_trees() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, [2, 2, 3, 5, 2, 7, 2, 90, 200], size=(4000, 9)).astype(np.float64)
    x[rng.random(x.shape) < 0.05] = np.nan
    x[:, 8] = rng.integers(0, 200, 4000)
    y = np.nan_to_num(x[:, 0] * x[:, 3] + x[:, 5] - x[:, 7] / 30) + rng.normal(size=4000)
    g, h = gradients(y, "logistic")
    data = _core.Dataset.from_matrix(x, 255)
    limits = Limits(max_leaves=40, min_rows_leaf=10)
    apart, together = (engine_round(data, g, h, limits, share_codes=share) for share in (False, True))
    for name, array in apart.items():
        np.testing.assert_array_equal(array, together[name], err_msg=name)


def test_sharing_codes_does_not_change_how_fine_packed_steps_are() -> None:
    rng = np.random.default_rng(3)
    # Enough continuous columns for short cells, and flags that share codes.
    x = np.column_stack([rng.normal(size=(20_000, 14)), rng.integers(0, 2, size=(20_000, 12))])
    g = (rng.normal(size=20_000) + x[:, 0] * x[:, 20]).astype(np.float32).astype(np.float64)
    data = _core.Dataset.from_matrix(x, 255)
    grown = [
        engine_round(data, g, np.ones(20_000), Limits(max_leaves=25), packed=True, share_codes=shared)
        for shared in (True, False)
    ]
    for name in ("feature", "threshold", "value", "rows"):
        np.testing.assert_array_equal(grown[0][name], grown[1][name])


def test_exclusive_columns_share_a_code_and_give_the_same_trees() -> None:
    rng = np.random.default_rng(0)
    n_rows, n_columns = 6000, 12
    x = np.full((n_rows, n_columns), 3.0)
    which = rng.integers(0, 2 * n_columns, n_rows)
    for column in range(n_columns):  # at most one column of a row is not 3
        rows = which == column
        x[rows, column] = rng.integers(-10, 11, rows.sum())
    x[which == 4, 4] = np.where(rng.random((which == 4).sum()) < 0.3, np.nan, x[which == 4, 4])
    y = np.nan_to_num(x) @ rng.normal(size=n_columns) + rng.normal(size=n_rows)
    g, h = gradients(y, "logistic")
    data = _core.Dataset.from_matrix(x, 255)
    limits = Limits(max_leaves=40, min_rows_leaf=5)
    apart, together = (engine_round(data, g, h, limits, share_codes=share) for share in (False, True))
    assert len(apart["kind"]) > 20
    for name, array in apart.items():
        np.testing.assert_array_equal(array, together[name], err_msg=name)


def test_very_many_categories_are_searched_as_if_the_rare_ones_were_one() -> None:
    rng = np.random.default_rng(3)
    n_rows, n_categories = 8000, 3000
    codes = np.where(
        rng.random(n_rows) < 0.6, rng.integers(1, 31, n_rows), rng.integers(31, n_categories + 1, n_rows)
    )
    y = np.sin(codes) + rng.normal(size=n_rows)
    g, h = gradients(y, "squared")
    limits = Limits(max_leaves=8, min_rows_category=40)
    data = _core.Dataset.from_columns([codes.astype(np.uint16)], [1], [n_categories], 255)
    root = grow(codes[:, None], [n_categories], Quantised.fine(g, h), limits, nominal=frozenset([0]))
    tree = TreeView.of_arrays(engine_round(data, g, h, limits, equal_hessians=True))
    assert assert_same_round(tree, root, codes[:, None].astype(np.float64), exact_gain=False) >= 3


@pytest.mark.parametrize("packed", [False, True], ids=["fine steps", "packed steps"])
def test_the_round_does_not_depend_on_the_number_of_threads(packed: bool) -> None:
    codes, y = make_codes(0, n_rows=60_000)
    g, h = gradients(y, "logistic")
    data = _core.Dataset.from_matrix(matrix_of(codes), 255)
    limits = Limits(max_leaves=25, min_rows_leaf=20)
    one, *others = (engine_round(data, g, h, limits, threads, packed=packed) for threads in (1, 2, 8))
    assert len(one["kind"]) == 49
    for other in others:
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)


def test_packed_steps_find_splits_that_are_nearly_as_good() -> None:
    codes, y = make_codes(1, n_rows=60_000)
    g, h = gradients(y, "logistic")
    data = _core.Dataset.from_matrix(matrix_of(codes), 255)
    limits = Limits(max_leaves=25, min_rows_leaf=20)
    fine, coarse = (engine_round(data, g, h, limits, packed=packed) for packed in (False, True))
    gains = [tree["gain"].sum() for tree in (fine, coarse)]
    assert gains[1] == pytest.approx(gains[0], rel=2e-3)
    for tree in (fine, coarse):  # values come from the gradients themselves in both
        leaves = tree["kind"] == 0
        assert tree["gradient"][leaves].sum() == pytest.approx(g.sum(), rel=1e-9)
        np.testing.assert_allclose(tree["value"].ravel(), -tree["gradient"] / (tree["weight"] + 1.0))
