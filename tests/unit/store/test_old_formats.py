"""Files of every released format load and answer as they did when they were written.

`files/format_1.tree` was made by `write_example` below with version 0.1.0, the forests by `write_forests`.
They are never written again.
"""

import json
import pathlib

import numpy as np
import pytest

import treewright

FILES = pathlib.Path(__file__).parent / "files"
ROWS = [[1.0, "a"], [9.0, "a"], [9.0, "c"], [None, "b"], [5.0, None], [5.0, "never seen"]]
EXPECTED = {"format_1.tree": ["low", "high", "low", "low", "low", "low"]}
FORESTS = {
    "format_1_random_forest.tree": treewright.RandomForestClassifier(
        12, oob_score=True, calibrate="oob", class_weight={"low": 1.0, "high": 1.5}, random_state=0
    ),
    "format_1_extra_trees.tree": treewright.ExtraTreesRegressor(
        3, quantiles=True, max_depth=3, random_state=0
    ),
    "format_1_bagging.tree": treewright.BaggingRegressor(n_estimators=3, max_features=1, random_state=0),
    "format_1_bagging_c45.tree": treewright.BaggingClassifier(
        treewright.C45Classifier(), 3, voting="hard", random_state=0
    ),
}


def example():
    generator = np.random.default_rng(0)
    number = generator.integers(0, 10, 60).astype(float)
    letter = generator.choice(["a", "b", "c"], 60)
    y = np.where((number > 6) & (letter != "c"), "high", "low")
    return [[x, z] for x, z in zip(number.tolist(), letter.tolist(), strict=True)], y


def write_example(path):
    X, y = example()
    treewright.CARTClassifier(max_depth=4, class_weight={"low": 1.0, "high": 1.5}).fit(X, y).save(path)


def answers(forest):
    """Return what a forest says about the rows, in plain values."""
    is_class = hasattr(forest, "classes_")
    found = {
        "predict": forest.predict(ROWS).tolist(),
        "importances": forest.feature_importances_.tolist(),
        "leaves": forest.apply(ROWS).tolist(),
        "drawn": [rows.tolist() for rows in forest.estimators_samples_],
    }
    if is_class:
        found["proba"] = forest.predict_proba(ROWS).tolist()
    if hasattr(forest, "oob_score_"):
        found["oob_score"] = forest.oob_score_
    if getattr(forest, "quantiles", False):
        found["quantiles"] = forest.predict_quantiles(ROWS, [0.1, 0.9]).tolist()
    return found


def write_forests(folder):
    X, y = example()
    expected = {}
    for name, forest in FORESTS.items():
        target = (
            y
            if "Classifier" in type(forest).__name__
            else np.where(y == "high", 3.0, 1.0) + np.arange(60) / 60
        )
        forest.fit(X, target).save(folder / name)
        expected[name] = answers(forest)
    (folder / "forests.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="ascii")


@pytest.mark.parametrize("name", EXPECTED)
def test_an_old_file_answers_as_it_always_did(name):
    estimator = treewright.load(FILES / name)
    assert estimator.predict(ROWS).tolist() == EXPECTED[name]
    assert estimator.get_params()["class_weight"] == {"low": 1.0, "high": 1.5}
    assert (estimator.get_depth(), estimator.tree_.n_node_samples[0]) == (2, 60)


@pytest.mark.parametrize("name", FORESTS)
def test_an_old_forest_answers_as_it_always_did(name):
    expected = json.loads((FILES / "forests.json").read_text(encoding="ascii"))[name]
    forest = treewright.load(FILES / name)
    found = answers(forest)
    assert type(forest) is type(FORESTS[name]) and repr(forest) == repr(FORESTS[name])
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if value and isinstance(value[0] if isinstance(value, list) else value, str):
            assert found[key] == value
        elif key == "drawn":
            assert found[key] == value  # bags are drawn again, by the rule of the file
        else:
            np.testing.assert_allclose(found[key], value, rtol=1e-12, err_msg=key)


def test_every_stored_file_is_tested():
    assert {path.name for path in FILES.glob("*.tree")} == {*EXPECTED, *FORESTS}
    stored = json.loads((FILES / "forests.json").read_text(encoding="ascii"))
    assert set(stored) == set(FORESTS)
