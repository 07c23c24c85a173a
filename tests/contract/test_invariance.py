"""What must not matter: repetition against weight, order of columns, names of categories, threads, scale."""

import numpy as np
import pandas as pd
import pytest

from tests.contract.data import coarse_table, mixed_frame, numeric_table, separated_table, trees_of
from treewright.criteria import CRITERIA

# Gini and squared error are defaults; absolute error takes too long here.
MORE_CRITERIA = sorted(CRITERIA.keys() - {"gini", "squared_error", "absolute_error"})


def same_tree(a, b, skip=()):
    for one, other in zip(trees_of(a), trees_of(b), strict=True):
        first, second = one.to_arrays(), other.to_arrays()
        for name in first:
            if not name.startswith(tuple(skip)):
                np.testing.assert_allclose(first[name], second[name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_a_weight_equals_that_many_repetitions(new, task, whole, rounds_gradients, shallow, sums_weights):
    if rounds_gradients:
        pytest.skip("the rounding of gradients depends on the number of rows")
    X, y = separated_table(task)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = new(**whole, **shallow).fit(X, y, sample_weight=weights)
    repeated = new(**whole, **shallow).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    # Missing values that fit did not see go to the side with more rows, which are counted and not weighed.
    same_tree(weighted, repeated, skip=["rows", "missing", *sums_weights])


@pytest.mark.parametrize(("table", "min_rows"), [(numeric_table, 1), (coarse_table, 2)])
def test_a_row_of_weight_zero_is_absent(new, task, table, min_rows):
    X, y = table(task)
    weights = np.random.default_rng(0).integers(0, 2, len(y))
    kept = weights > 0
    weighted = new(min_samples_leaf=min_rows).fit(X, y, sample_weight=weights)
    same_tree(weighted, new(min_samples_leaf=min_rows).fit(X[kept], y[kept]))


def test_a_category_that_only_rows_of_weight_zero_have_is_absent(new, task, rounds_gradients):
    if rounds_gradients:
        pytest.skip("whether categories are tried one by one depends on how many are declared")
    frame, y = mixed_frame(task)
    stranger = pd.concat([frame.head(1).assign(city="Atlantis"), frame], ignore_index=True)
    weights = np.append(0.0, np.ones(len(y)))
    weighted = new().fit(stranger, np.append(y[:1], y), sample_weight=weights)
    same_tree(weighted, new().fit(frame, y), skip=["tables"])


def test_equal_weights_are_no_weights(new, task, rounds_gradients, shallow):
    if rounds_gradients:
        pytest.skip("weights count against λ")
    X, y = separated_table(task)
    weighted = new(**shallow).fit(X, y, sample_weight=np.full(len(y), 3.0))
    same_tree(weighted, new(**shallow).fit(X, y), skip=["weight", "loss", "gain", "candidate_"])


def test_the_order_of_the_columns_does_not_matter(new, task, answer, draws_features, shallow):
    if draws_features:
        pytest.skip("features are drawn by their position")
    X, y = separated_table(task)
    order = [2, 0, 1]
    expected = answer(new(**shallow).fit(X, y), X)
    np.testing.assert_allclose(answer(new(**shallow).fit(X[:, order], y), X[:, order]), expected)


def test_a_monotone_transformation_of_a_column_does_not_matter(new, entry, task, answer, whole):
    if entry[0] == "extra_trees":
        pytest.skip("cuts are drawn uniformly between values, which a transformation changes")
    X, y = numeric_table(task)
    stretched = X.copy()
    stretched[:, 0] = np.exp(X[:, 0])
    stretched[:, 1] = X[:, 1] ** 3
    # A row outside of a bag may lie between a threshold and what it becomes.
    plain, other = new(**whole).fit(X, y), new(**whole).fit(stretched, y)
    np.testing.assert_allclose(answer(other, stretched), answer(plain, X))
    same_tree(plain, other, skip=["threshold", "candidate_"])


def test_the_order_of_the_rows_does_not_matter(new, task, answer, whole):
    X, y = separated_table(task)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled, plain = new(**whole).fit(X[order], y[order]), new(**whole).fit(X, y)
    np.testing.assert_allclose(answer(shuffled, X), answer(plain, X))


def test_the_names_of_categories_do_not_matter(new, task, answer):
    frame, y = mixed_frame(task)
    renamed = frame.assign(
        city=frame["city"].map({"Paris": "z", "Rom": "", "København": "😀", "北京": "a b"})
    )
    same_tree(new().fit(frame, y), new().fit(renamed, y))
    np.testing.assert_array_equal(answer(new().fit(renamed, y), renamed), answer(new().fit(frame, y), frame))


@pytest.mark.parametrize("criterion", ["default", "gain", *MORE_CRITERIA])
def test_one_thread_gives_the_same_as_two_and_eight(new, task, criterion):
    choices = type(getattr(new(), "estimator", None) or new())._choices
    if criterion not in ("default", *choices.get("criterion", ())):
        pytest.skip("not a criterion of this algorithm")
    generator = np.random.default_rng(0)
    X = generator.normal(size=(20_000, 6)).astype(np.float32)
    X[generator.random(X.shape) < 0.02] = np.nan
    score = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 + generator.normal(size=len(X))
    y = score > 1 if task == "classification" else np.exp(score / 4)
    params = {} if criterion == "default" else {"criterion": criterion}
    one, two, eight = (new(n_jobs=n, **params).fit(X, y) for n in (1, 2, 8))
    for other in (two, eight):
        for theirs, ours in zip(trees_of(other), trees_of(one), strict=True):
            for name, array in ours.to_arrays().items():
                np.testing.assert_array_equal(theirs.to_arrays()[name], array, err_msg=name)
        np.testing.assert_array_equal(other.predict(X), one.predict(X))


def test_the_same_seed_gives_the_same_tree_for_any_number_of_threads(new, task):
    X, y = numeric_table(task, 2000)
    trees = [new(max_features=2, random_state=5, n_jobs=n).fit(X, y) for n in (1, 2, 8)]
    same_tree(trees[0], trees[1])
    same_tree(trees[0], trees[2])


def test_the_container_does_not_matter(new, task, answer):
    X, y = numeric_table(task)
    expected = answer(new().fit(X, y), X)
    for convert in (np.asfortranarray, pd.DataFrame, lambda a: a[:, ::-1][:, ::-1], lambda a: a.tolist()):
        table = convert(X)
        np.testing.assert_array_equal(answer(new().fit(table, y), table), expected)


def test_batches_of_any_size_and_order_give_the_same_answers(new, task, answer):
    X, y = numeric_table(task)
    estimator = new().fit(X, y)
    expected = answer(estimator, X)
    np.testing.assert_array_equal(
        np.concatenate([answer(estimator, X[i : i + 1]) for i in range(len(X))]), expected
    )
    np.testing.assert_array_equal(answer(estimator, X[::-1])[::-1], expected)
