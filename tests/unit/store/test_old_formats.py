"""Files of every released format load and answer as they did when they were written.

`files/format_1.tree` was made by `write_example` below with version 0.1.0. It is never written again.
"""

import pathlib

import numpy as np
import pytest

import treewright

FILES = pathlib.Path(__file__).parent / "files"
ROWS = [[1.0, "a"], [9.0, "a"], [9.0, "c"], [None, "b"], [5.0, None], [5.0, "never seen"]]
EXPECTED = {"format_1.tree": ["low", "high", "low", "low", "low", "low"]}


def write_example(path):
    generator = np.random.default_rng(0)
    number = generator.integers(0, 10, 60).astype(float)
    letter = generator.choice(["a", "b", "c"], 60)
    y = np.where((number > 6) & (letter != "c"), "high", "low")
    X = [[x, z] for x, z in zip(number.tolist(), letter.tolist(), strict=True)]
    treewright.CARTClassifier(max_depth=4, class_weight={"low": 1.0, "high": 1.5}).fit(X, y).save(path)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_old_file_answers_as_it_always_did(name):
    estimator = treewright.load(FILES / name)
    assert estimator.predict(ROWS).tolist() == EXPECTED[name]
    assert estimator.get_params()["class_weight"] == {"low": 1.0, "high": 1.5}
    assert (estimator.get_depth(), estimator.tree_.n_node_samples[0]) == (2, 60)


def test_every_stored_file_is_tested():
    assert {path.name for path in FILES.glob("*.tree")} == set(EXPECTED)
