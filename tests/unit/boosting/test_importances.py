"""Importances of boosters by shuffling, beside those that the trees tell."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.inspection import permutation_importance
from tests.unit.explain.boosted.boost_cases import fitted, table, two_classes

import treewright as tw


def test_shuffling_is_that_of_scikit_learn() -> None:
    X, y = two_classes()
    booster = fitted(tw.NewtonBoostingClassifier, X, y)
    ours = booster.importances("permutation", X=X, y=y, n_repeats=3, random_state=1, scoring="neg_log_loss")
    theirs = permutation_importance(booster, X, y, n_repeats=3, random_state=1, scoring="neg_log_loss")
    np.testing.assert_array_equal(ours, theirs.importances_mean)
    assert ours.argmax() == 0 and ours[0] > 0


def test_shuffling_knows_the_names_of_other_frames() -> None:
    X, y = table()
    own = pl.from_pandas(X)
    booster = fitted(tw.LeafwiseBoostingRegressor, own, y)
    found = booster.importances("permutation", X=own, y=y, random_state=0)
    assert found.shape == (3,) and found.argmax() == 0


def test_shuffling_needs_rows_and_the_others_take_none() -> None:
    X, y = table()
    booster = fitted(tw.GradientBoostingRegressor, X, y)
    with pytest.raises(
        ValueError, match="kind='permutation' shuffles features among given rows: pass X and y"
    ):
        booster.importances("permutation")
    with pytest.raises(ValueError, match="X and y belong to kind='permutation'"):
        booster.importances("gain", X=X, y=y)
