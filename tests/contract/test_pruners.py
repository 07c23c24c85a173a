"""What every value of `prune` keeps; the list is that of the library."""

from __future__ import annotations

import io

import numpy as np
import pytest

import treewright
from treewright.trees.pruning_plan import pruner_names

PRUNED = [(task, name) for task in ("classification", "regression") for name in pruner_names(task)]
NEEDED = {"loss": {"alpha_total": 3.0}}  # parameters without a default


def rows(task: str) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    X = random.normal(size=(300, 4))
    y = X[:, 0] + random.normal(size=300)
    return X, (y > 0).astype(int) if task == "classification" else y


def fitted(task: str, name: str | None):
    settings = {"random_state": 0, **NEEDED.get(name or "", {})}
    return treewright.make("cart", task, prune=name, **settings).fit(*rows(task))


@pytest.mark.parametrize(("task", "name"), PRUNED)
def test_noise_is_pruned_away_and_nothing_is_added(task: str, name: str) -> None:
    assert fitted(task, name).get_n_leaves() < fitted(task, None).get_n_leaves()


@pytest.mark.parametrize(("task", "name"), PRUNED)
def test_the_report_names_the_pruner_and_both_sizes(task: str, name: str) -> None:
    pruned = fitted(task, name)
    report = pruned.explain_pruning()
    assert report.method == name
    assert report.leaves_after == pruned.get_n_leaves() <= report.leaves_before
    assert report.to_text() and report.to_svg()


@pytest.mark.parametrize(("task", "name"), PRUNED)
def test_a_pruned_tree_survives_its_file(task: str, name: str) -> None:
    pruned, file = fitted(task, name), io.BytesIO()
    pruned.save(file)
    file.seek(0)
    X, _ = rows(task)
    assert np.array_equal(treewright.load(file).predict(X), pruned.predict(X))


def test_there_are_pruners_for_both_tasks() -> None:
    assert {"cost_complexity", "pessimistic_error"} <= set(pruner_names("classification"))
    assert "pessimistic_error" not in pruner_names("regression")
