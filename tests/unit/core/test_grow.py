"""`_core.grow_*` and the estimators above it on odd tables, and the same tree for every number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from treewright import CARTClassifier, CARTRegressor, _core
from treewright.criteria import choices

Arrays = dict[str, NDArray[Any]]
CLASS_CRITERIA = choices(classes=True)
MEAN_CRITERIA = choices(classes=False)
CRITERIA = CLASS_CRITERIA + MEAN_CRITERIA


def grow(
    columns: list[Any],
    y: Any,
    criterion: str,
    weights: Any = None,
    n_codes: list[int] | None = None,
    n_threads: int = 1,
    **plan_values: Any,
) -> Arrays:
    """Grow a tree on numeric columns, or on categories where n_codes is not 0, and check its arrays."""
    n_codes = n_codes or [0] * len(columns)
    kinds = [1 if codes else 0 for codes in n_codes]
    dataset = _core.Dataset.from_columns(columns, kinds, n_codes, 0, n_threads)
    plan = _core.GrowPlan()
    plan.criterion = getattr(_core.Criterion, criterion)
    for name, value in plan_values.items():
        setattr(plan, name, value)
    if criterion in CLASS_CRITERIA:
        labels = np.asarray(y).astype(np.int32)
        arrays = _core.grow_classes(dataset, labels, max(2, int(labels.max()) + 1), weights, plan, n_threads)
    else:
        arrays = _core.grow_means(dataset, np.asarray(y, float), weights, plan, n_threads)
    _core.check_tree(arrays, np.array(n_codes, np.uint32))
    return arrays


def predict(arrays: Arrays, *columns: Any) -> NDArray[Any]:
    """Return the values of the leaves that the rows fall into."""
    matrix = np.column_stack([np.asarray(column, float) for column in columns])
    return _core.Predictor([arrays], np.zeros(len(columns), np.uint32)).values(matrix)


@pytest.mark.parametrize("criterion", CRITERIA)
class TestOddTables:
    """Every criterion on tables at the edge of what can be learned from."""

    def test_one_row(self, criterion: str) -> None:
        assert grow([np.array([3.0])], [1.0], criterion)["rows"].tolist() == [1]

    def test_constant_columns(self, criterion: str) -> None:
        arrays = grow([np.full(9, 2.0), np.full(9, np.nan)], np.arange(9) % 2, criterion)
        assert arrays["rows"].tolist() == [9]

    def test_infinite_values_are_ordinary_ends(self, criterion: str) -> None:
        x = np.array([-np.inf, -np.inf, 1.0, np.inf])
        y = np.array([1.0, 1.0, 2.0, 1.0])
        arrays = grow([x], y, criterion, max_depth=3)
        expected = np.eye(3)[y.astype(int)] if criterion in CLASS_CRITERIA else y[:, np.newaxis]
        assert predict(arrays, x).tolist() == expected.tolist()

    def test_both_zeros_are_one_value(self, criterion: str) -> None:
        assert grow([np.array([0.0, -0.0, 0.0, -0.0])], [1, 2, 1, 2], criterion)["rows"].tolist() == [4]

    def test_neighbouring_denormals_are_told_apart(self, criterion: str) -> None:
        x = np.array([0.0, 5e-324, 1e-323, -5e-324])
        y = np.array([1.0, 2.0, 1.0, 2.0])
        values = predict(grow([x], y, criterion), x)
        assert (values.argmax(axis=1) if criterion in CLASS_CRITERIA else values[:, 0]).tolist() == y.tolist()

    def test_missing_rows_alone_make_a_test(self, criterion: str) -> None:
        arrays = grow([np.array([7.0, 7.0, np.nan])], [2, 2, 1], criterion)
        assert arrays["threshold"][0] == np.inf
        assert arrays["rows"].tolist() == [3, 2, 1]

    def test_weights_of_very_different_size(self, criterion: str) -> None:
        """Rows that vanish in the sum of weights do not attract a cut."""
        rng = np.random.default_rng(0)
        x = rng.normal(size=2000)
        y = (x + rng.normal(size=2000) > 0) + 1
        heavy = rng.random(2000) < 0.5
        arrays = grow([x], y, criterion, weights=np.where(heavy, 1e20, 1.0), max_depth=1)
        alone = grow([x[heavy]], y[heavy], criterion, weights=np.full(heavy.sum(), 1e20), max_depth=1)
        assert arrays["gain"][0] == pytest.approx(alone["gain"][0], rel=1e-6)

    @pytest.mark.parametrize("weight", [1e-100, 1e100])
    def test_all_weights_tiny_or_huge(self, criterion: str, weight: float) -> None:
        rng = np.random.default_rng(1)
        x = rng.normal(size=500)
        y = (x + rng.normal(size=500) > 0) + 1
        plain = grow([x], y, criterion, weights=np.ones(500), max_depth=4)
        scaled = grow([x], y, criterion, weights=np.full(500, weight), max_depth=4)
        np.testing.assert_array_equal(plain["threshold"][0], scaled["threshold"][0])
        np.testing.assert_allclose(plain["gain"][0] * weight, scaled["gain"][0])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_target_with_a_large_offset_gives_the_same_cuts(criterion: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=3000)
    y = np.round((x > 0.3) + rng.normal(size=3000), 2)
    y = np.round(y * 1024) / 1024  # exact after the shift
    plain = grow([x], y, criterion, max_depth=3, relative_tie=1e-6)
    shifted = grow([x], y + 2.0**30, criterion, max_depth=3, relative_tie=1e-6)
    np.testing.assert_array_equal(plain["threshold"], shifted["threshold"])


def test_an_empty_table_and_too_many_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="0 feature"):
        CARTClassifier().fit(np.zeros((4, 0)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="65535"):
        CARTClassifier().fit(np.arange(140_000.0)[:, np.newaxis], np.arange(140_000) // 2)


def test_a_thousand_classes_fit() -> None:
    y = np.arange(3000) % 1000
    tree = CARTClassifier().fit(y[:, np.newaxis].astype(float), y)
    assert tree.get_n_leaves() == 1000
    assert (tree.predict(y[:, np.newaxis].astype(float)) == y).all()


def test_a_million_rows_of_one_column_fit() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((1_000_000, 1), np.float32)
    tree = CARTRegressor(max_depth=6).fit(x, x[:, 0] > 0.5)
    assert tree.get_n_leaves() == 2


def big_table() -> tuple[pd.DataFrame, NDArray[np.float64], NDArray[np.float64]]:
    """100 000 rows, 20 columns: reals, repeated values, gaps and categories; a target and weights."""
    rng = np.random.default_rng(3)
    n_rows = 100_000
    table = pd.DataFrame({f"x{i}": rng.normal(size=n_rows).astype(np.float32) for i in range(16)})
    table["x1"] = table["x1"].round(1)
    table["x2"] = rng.integers(0, 5, n_rows)
    for name in ("x3", "x4"):
        table.loc[rng.random(n_rows) < 0.2, name] = np.nan
    for i, n_categories in enumerate((3, 20, 300, 40)):
        codes = rng.integers(-1 if i % 2 else 0, n_categories, n_rows)
        table[f"c{i}"] = pd.Categorical.from_codes(codes, [f"k{k}" for k in range(n_categories)])
    signal = table["x0"] + table["x3"].isna() + (table["c1"].cat.codes % 3) * table["x5"]
    return table, (signal + rng.normal(size=n_rows)).to_numpy(), rng.random(n_rows) + 0.1


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("limits", [{"max_depth": 9}, {"max_leaf_nodes": 300}], ids=["depth", "leaves"])
def test_one_two_and_eight_threads_grow_the_same_large_tree(
    criterion: str, weighted: bool, limits: dict[str, int]
) -> None:
    table, y, weights = big_table()
    if criterion == "absolute_error":
        table, y, weights = table[:20_000], y[:20_000], weights[:20_000]
        limits = {name: limit // 2 for name, limit in limits.items()}
    grown = []
    for n_jobs in (1, 2, 8):
        if criterion in CLASS_CRITERIA:
            tree: Any = CARTClassifier(criterion=criterion, n_jobs=n_jobs, **limits)
            tree.fit(table, np.digitize(y, [-1, 1]), sample_weight=weights if weighted else None)
        else:
            tree = CARTRegressor(criterion=criterion, n_jobs=n_jobs, **limits)
            tree.fit(
                table,
                np.exp(y / 4) if criterion == "poisson" else y,
                sample_weight=weights if weighted else None,
            )
        grown.append(tree.tree_.to_arrays())
    for other in grown[1:]:
        for name, array in grown[0].items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)


def test_tables_of_many_categories_grow_with_the_rows_not_with_rows_times_categories() -> None:
    random = np.random.default_rng(5)
    n_rows, n_categories = 20_000, 5_000
    codes = random.integers(1, n_categories + 1, n_rows).astype(np.uint32)
    numbers = random.normal(size=n_rows)
    dataset = _core.Dataset.from_columns([codes, numbers], [1, 0], [n_categories, 0])
    labels = random.integers(0, 2, n_rows).astype(np.int32)
    tree = _core.grow_classes(dataset, labels, 2, None, _core.GrowPlan())
    # Every level lists at most the categories it holds.
    assert np.count_nonzero(tree["kind"] == 2) > 100
    assert len(tree["tables"]) < 30 * n_rows


def test_a_large_common_part_of_y_does_not_change_a_tree_of_medians() -> None:
    random = np.random.default_rng(6)
    x = random.normal(size=(400, 3))
    y = np.round((x[:, 0] * x[:, 1] + random.normal(size=400)) * 1024) / 1024  # exact, also beside a billion
    near, far = (CARTRegressor(criterion="absolute_error", max_depth=6).fit(x, y + far) for far in (0.0, 1e9))
    assert near.tree_.feature.tolist() == far.tree_.feature.tolist()
    assert near.tree_.threshold.tolist() == far.tree_.threshold.tolist()
    assert (near.tree_.value + 1e9).tolist() == far.tree_.value.tolist()
