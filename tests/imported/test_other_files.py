"""Files of other kinds: LightGBM's JSON dumps, CatBoost's own format."""

import json

import numpy as np
import pytest

import treewright
from tests.imported.tables import synthetic_rows, target_for
from treewright.exceptions import ModelFileError, UnsupportedModelError
from treewright.imported import catboost_binary


@pytest.mark.parametrize("objective", ["regression", "binary", "multiclass", "poisson"])
@pytest.mark.parametrize("boosting", ["gbdt", "rf"])
def test_a_dump_of_lightgbm_says_what_its_text_says(tmp_path, objective, boosting):
    lightgbm = pytest.importorskip("lightgbm")
    rows = synthetic_rows(300)
    params = {"objective": objective, "verbose": -1, "num_leaves": 9, "min_data_in_leaf": 5, "num_threads": 1}
    params |= {"num_class": 3} if objective == "multiclass" else {}
    params |= {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6} if boosting == "rf" else {}
    y = target_for(objective, rows.score)
    booster = lightgbm.train(params, lightgbm.Dataset(rows.X, y, categorical_feature=[5]), 5)
    (tmp_path / "dump.json").write_text(json.dumps(booster.dump_model()), "utf-8")
    booster.save_model(tmp_path / "model.txt")
    dump = treewright.from_lightgbm(tmp_path / "dump.json")
    text = treewright.from_lightgbm(tmp_path / "model.txt")
    np.testing.assert_array_equal(dump.raw_scores(rows.X), text.raw_scores(rows.X))
    np.testing.assert_array_equal(dump.apply(rows.X), text.apply(rows.X))
    np.testing.assert_array_equal(dump.predict(rows.X), text.predict(rows.X))


def test_a_dump_that_contradicts_itself_is_refused(tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    X = np.arange(40.0)[:, np.newaxis]
    params = {"verbose": -1, "num_leaves": 3, "min_data_in_leaf": 5}
    dump = lightgbm.train(params, lightgbm.Dataset(X, X[:, 0]), 1).dump_model()
    root = dump["tree_info"][0]["tree_structure"]
    for change, words in (
        ({"missing_type": "Some"}, "the missing_type 'Some' does not exist"),
        ({"decision_type": ">"}, "the decision_type '>' does not exist"),
        ({"split_index": 9}, "it has no node 9"),
        ({"left_child": root["right_child"]}, "not a tree|stands there twice|leaves"),
        ({"threshold": "much"}, "threshold is not a number"),
    ):
        dump["tree_info"][0]["tree_structure"] = {**root, **change}
        path = tmp_path / "dump.json"
        path.write_text(json.dumps(dump), "utf-8")
        with pytest.raises(ModelFileError, match=words):
            treewright.from_lightgbm(path)


def test_catboosts_own_files_are_read_by_catboost_beside_us(tmp_path):
    catboost = pytest.importorskip("catboost")
    X = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = catboost.CatBoostClassifier(
        iterations=4, depth=3, verbose=0, thread_count=1, allow_writing_files=False
    )
    model.fit(X, y)
    model.save_model(str(tmp_path / "model.cbm"))
    found = treewright.from_catboost(tmp_path / "model.cbm")
    assert found.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(found.predict_proba(X), model.predict_proba(X), atol=1e-12)
    content = (tmp_path / "model.cbm").read_bytes()
    for broken in (content[:100], content[:40] + bytes(200) + content[240:], b"CBM1"):
        (tmp_path / "broken.cbm").write_bytes(broken)
        with pytest.raises(ModelFileError, match=r"CatBoost cannot read it|can be imported"):
            treewright.from_catboost(tmp_path / "broken.cbm")


def test_without_catboost_the_message_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(catboost_binary, "find_spec", lambda _: None)
    (tmp_path / "model.cbm").write_bytes(b"CBM1 and more")
    with pytest.raises(UnsupportedModelError, match="pip install catboost"):
        treewright.from_catboost(tmp_path / "model.cbm")
