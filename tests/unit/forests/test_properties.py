"""What holds for every forest on every table."""

import io
import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.forests.forest_data import CLASSIFIERS, FORESTS, answers

import treewright


@st.composite
def fitted(draw):
    """Return a fitted forest with its rows, drawn from everything that users may combine."""
    cls = draw(st.sampled_from(FORESTS))
    n_rows, n_columns = draw(st.integers(1, 60)), draw(st.integers(1, 4))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = generator.integers(0, draw(st.integers(1, 30)), (n_rows, n_columns)).astype(float)
    X[generator.random(X.shape) < draw(st.sampled_from([0.0, 0.3]))] = np.nan
    y = generator.integers(0, 3, n_rows)
    weights = draw(st.sampled_from([None, "some"])) and generator.integers(0, 4, n_rows).astype(float)
    if weights is not None and not weights.any():
        weights[0] = 1.0
    params = {
        "n_estimators": draw(st.integers(1, 6)),
        "random_state": draw(st.integers(0, 100)),
        "bootstrap": draw(st.booleans()),
        "max_bins": draw(st.sampled_from([None, 2, 7])),
        "categorical_features": [0] if draw(st.booleans()) else None,
    }
    if params["bootstrap"]:
        params |= {"oob_score": True, "max_samples": draw(st.sampled_from([None, 1, 0.5, 20]))}
    if cls in CLASSIFIERS:
        params["voting"] = draw(st.sampled_from(["soft", "hard"]))
    else:
        params["quantiles"] = draw(st.booleans())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return cls(**params).fit(X, y, sample_weight=weights), X, y, weights


@given(fitted())
@settings(max_examples=60, deadline=None)
def test_a_forest_is_the_mean_of_trees_that_know_their_bags(given_forest):
    forest, X, _, weights = given_forest
    found = answers(forest, X)
    assert np.isfinite(found).all()
    total, out_total, out_count = 0.0, 0.0, np.zeros(len(X))
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        said = answers(tree, X).reshape(len(X), -1)
        if getattr(forest, "voting", "soft") == "hard":
            said = np.eye(said.shape[1])[said.argmax(axis=1)]
        total = total + said
        inside = np.zeros(len(X), dtype=bool)
        inside[rows] = True
        assert weights is None or (weights[rows] > 0).all()
        # Every row of the bag ends where the tree counted it.
        leaf = tree.tree_.n_children == 0
        ends = np.bincount(tree.apply(X)[inside], minlength=tree.tree_.node_count)
        np.testing.assert_array_equal(ends[leaf], tree.tree_.n_node_samples[leaf])
        outside = ~inside if weights is None else ~inside & (weights > 0)
        out_total = out_total + np.where(outside[:, np.newaxis], said, 0.0)
        out_count += outside
    np.testing.assert_allclose(found.reshape(len(X), -1), total / len(forest.estimators_), atol=1e-9)
    if forest.oob_score:
        with np.errstate(invalid="ignore"):
            expected = out_total / out_count[:, np.newaxis]
        kept = getattr(forest, "oob_decision_function_", None)
        kept = forest.oob_prediction_[:, np.newaxis] if kept is None else kept
        np.testing.assert_allclose(kept, expected, atol=1e-9)


@given(fitted())
@settings(max_examples=40, deadline=None)
def test_threads_files_and_later_trees_change_nothing(given_forest):
    forest, X, y, weights = given_forest
    file = io.BytesIO()
    forest.save(file)
    file.seek(0)
    loaded = treewright.load(file)
    np.testing.assert_array_equal(answers(loaded, X), answers(forest, X))
    more = forest.n_estimators + 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        once = type(forest)(**forest.get_params() | {"n_jobs": 3, "n_estimators": more})
        once.fit(X, y, sample_weight=weights)
        loaded.set_params(warm_start=True, n_estimators=more).fit(X, y, sample_weight=weights)
    assert once.model_.trees.equals(loaded.model_.trees)
    np.testing.assert_array_equal(answers(once, X), answers(loaded, X))
