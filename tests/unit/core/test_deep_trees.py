"""Trees that are as deep as they have rows grow without recursion and without more than quadratic work."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest

import treewright
from treewright import CARTClassifier, CARTRegressor

# y alternates along x: cutting off the first row always gains most, so that every level takes one row away.
LEVELS = 3000


def alternating(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(n_rows, dtype=float)[:, np.newaxis], np.arange(n_rows) % 2


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 10**9}], ids=["depth first", "best first"])
@pytest.mark.parametrize("learner", [CARTClassifier, CARTRegressor])
def test_a_chain_grows_and_answers(learner: type, limits: dict[str, int]) -> None:
    x, y = alternating(LEVELS)
    tree = learner(**limits).fit(x, y)
    assert tree.get_depth() == LEVELS - 1
    assert (tree.predict(x) == y).all()


def test_a_chain_of_medians_grows() -> None:
    x, y = alternating(1000)
    tree = CARTRegressor(criterion="absolute_error").fit(x, y)
    assert tree.get_depth() > 300
    assert (tree.predict(x) == y).all()


def test_a_chain_stops_at_its_depth_limit() -> None:
    x, y = alternating(LEVELS)
    assert CARTClassifier(max_depth=1234).fit(x, y).get_depth() == 1234


@pytest.mark.slow
def test_a_chain_of_twenty_thousand_levels_is_grown_pruned_saved_and_copied() -> None:
    levels = 20_000
    x, y = alternating(levels)
    tree = CARTRegressor().fit(x, y)
    assert tree.get_depth() == levels - 1
    file = io.BytesIO()
    tree.save(file)
    for copied in (treewright.load(file), pickle.loads(pickle.dumps(tree))):
        assert (copied.predict(x) == y).all()
    path = tree.cost_complexity_pruning_path(x, y)
    assert len(path.ccp_alphas) > 1
    assert CARTRegressor(ccp_alpha=1.0).fit(x, y).get_n_leaves() == 1
