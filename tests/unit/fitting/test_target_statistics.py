"""Target statistics: the numbers against loops, and where a row gets them from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright.fitting.rows import TrainingRows, read_rows
from treewright.fitting.statistics_choice import asked_columns
from treewright.fitting.target_statistics import PARTS, SHRINKAGE, TrainingStatistics, parts_of
from treewright.model.level_means import NUMBERS, ROWS


def make_rows(
    n_rows: int = 400, n_levels: int = 60, *, classes: int = 0, weights: bool = False, seed: int = 0
) -> TrainingRows:
    random = np.random.default_rng(seed)
    level = random.integers(0, n_levels, n_rows)
    city = pd.Series([f"city {number}" for number in level], dtype=object)
    city[random.random(n_rows) < 0.1] = None
    frame = pd.DataFrame({"age": random.normal(size=n_rows).round(1), "city": city})
    y: Any = random.normal(size=n_rows) + level / n_levels
    if classes:
        y = (y * 2).astype(int) % classes
    weight = random.integers(1, 4, n_rows) / 2.0 if weights else None
    task = "classification" if classes else "regression"
    return read_rows(frame, y, weight, owner="test", task=task)


def brute_force(rows: TrainingRows, part: Any, hit: Any) -> tuple[list[float], list[float]]:
    """Return the mean of every code over all rows, and for every row that of the other parts' rows."""
    codes = np.asarray(rows.whole_table.columns[1])
    weight = np.ones(rows.n_rows) if rows.weights is None else rows.weights

    def mean(chosen: Any, level: int) -> float:
        total = sum(weight[i] for i in chosen)
        prior = sum(weight[i] * hit[i] for i in chosen) / total
        ours = [i for i in chosen if codes[i] == level]
        amount = sum(weight[i] for i in ours)
        return (sum(weight[i] * hit[i] for i in ours) + SHRINKAGE * prior) / (amount + SHRINKAGE)

    every = range(rows.n_rows)
    full = [mean(every, level) for level in range(rows.schema.features[1].n_codes + 2)]
    own = [mean([i for i in every if part[i] != part[row]], codes[row]) for row in every]
    return full, own


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("weights", [False, True])
def test_statistics_are_those_of_plain_loops(classes: int, weights: bool) -> None:
    rows = make_rows(150, 12, classes=classes, weights=weights)
    parts = parts_of(rows)
    found = TrainingStatistics.learned(rows, [1], parts)
    assert found is not None
    wanted = {0: [NUMBERS], 2: [1], 3: [0, 1, 2]}[classes]
    assert found.means.output.tolist() == [*wanted, ROWS]
    for column, output in enumerate(wanted):
        hit = rows.target if output == NUMBERS else rows.target == output
        full, own = brute_force(rows, parts.part, hit)
        np.testing.assert_allclose(found.means.values(column), full, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(found.columns[column], own, rtol=1e-6, atol=1e-7)
    codes = np.asarray(rows.whole_table.columns[1])
    weight = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    counts = [weight[codes == level].sum() for level in range(rows.schema.features[1].n_codes + 2)]
    np.testing.assert_allclose(found.means.values(len(wanted)), counts)
    np.testing.assert_allclose(found.columns[-1], np.array(counts)[codes])


def test_a_category_that_was_not_seen_has_the_mean_of_all_rows() -> None:
    rows = make_rows()
    found = TrainingStatistics.learned(rows, [1], parts_of(rows))
    assert found is not None
    assert found.means.values(0)[-1] == pytest.approx(rows.target.mean(), rel=1e-6)
    assert found.means.weights(0)[-1] == 0


def test_parts_follow_rows_in_any_order() -> None:
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"x": random.integers(0, 3, 500), "city": random.choice(list("abcdefgh"), 500)})
    y, w = random.integers(0, 3, 500).astype(float), random.integers(1, 3, 500).astype(float)
    order = random.permutation(500)
    one = read_rows(frame, y, w, owner="test", task="regression")
    other = read_rows(frame.iloc[order], y[order], w[order], owner="test", task="regression")
    # Many rows are alike: what belongs to a row is known up to those that are alike in all.
    kinds = pd.DataFrame({"x": frame["x"], "city": frame["city"], "y": y, "w": w, "part": parts_of(one).part})
    again = kinds.iloc[order].assign(part=parts_of(other).part)
    assert sorted(kinds.itertuples(index=False)) == sorted(again.itertuples(index=False))
    first = TrainingStatistics.learned(one, [1], parts_of(one))
    second = TrainingStatistics.learned(other, [1], parts_of(other))
    assert first is not None and second is not None
    assert sorted(first.means.value.tolist()) == sorted(second.means.value.tolist())


def test_parts_say_nothing_about_the_target_of_rows_that_are_alike() -> None:
    random = np.random.default_rng(2)
    y = random.integers(0, 2, 20_000).astype(float)
    frame = pd.DataFrame({"city": random.choice(list("ab"), 20_000)})
    part = parts_of(read_rows(frame, y, owner="test", task="regression")).part
    assert np.bincount(part, minlength=PARTS).min() > 3700
    means = [y[part == number].mean() for number in range(PARTS)]
    assert max(means) - min(means) < 0.05


def test_weights_are_repetitions_to_the_statistics_of_prediction() -> None:
    rows = make_rows(200, 12)
    frame = pd.DataFrame({"age": rows.whole_table.columns[0], "city": rows.whole_table.columns[1]}).astype(
        {"city": str}
    )
    times = np.random.default_rng(3).integers(1, 4, 200)
    weighted = read_rows(frame, rows.target, times.astype(float), owner="test", task="regression")
    often = np.repeat(np.arange(200), times)
    repeated = read_rows(frame.iloc[often], rows.target[often], owner="test", task="regression")
    one, other = (TrainingStatistics.learned(some, [1], parts_of(some)) for some in (weighted, repeated))
    assert one is not None and other is not None
    np.testing.assert_allclose(one.means.value, other.means.value, rtol=1e-6)


def test_columns_are_listed_by_name_position_or_mask() -> None:
    schema = make_rows().schema
    assert asked_columns(True, schema) == asked_columns("auto", schema) == [1]
    assert asked_columns(["city"], schema) == asked_columns([1], schema) == [1]
    assert asked_columns([False, True], schema) == [1]
    assert asked_columns(False, schema) == asked_columns([], schema) == []
    assert asked_columns(True, make_rows(n_levels=20).schema) == []
    with pytest.raises(ValueError, match="'age', which is numeric"):
        asked_columns(["age"], schema)
    with pytest.raises(ValueError, match="target_statistics has an item value 'town'"):
        asked_columns(["town"], schema)
