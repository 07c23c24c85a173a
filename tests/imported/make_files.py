"""Writes the small models in `files` with the real programs, and what these programs answer.

Run it where LightGBM, XGBoost and CatBoost are installed: ``python -m tests.imported.make_files``.
"""

from __future__ import annotations

import json
from pathlib import Path

import catboost
import lightgbm
import numpy as np
import xgboost

from tests.imported.tables import synthetic_rows

FOLDER = Path(__file__).parent / "files"


def main() -> None:
    rows = synthetic_rows(120)
    y = (rows.score > 1.5).astype(int)
    X = np.round(rows.X, 3)
    some = X[:12]
    expected: dict[str, dict[str, list[float]]] = {}
    params = {"objective": "binary", "verbose": -1, "num_leaves": 4, "min_data_in_leaf": 5, "num_threads": 1}
    params["zero_as_missing"] = True
    booster = lightgbm.train(params, lightgbm.Dataset(X, y, categorical_feature=[5], params=params), 3)
    booster.save_model(FOLDER / "lightgbm.txt")
    (FOLDER / "lightgbm.json").write_text(json.dumps(booster.dump_model()), "utf-8")
    for name in ("lightgbm.txt", "lightgbm.json"):
        expected[name] = {
            "leaves": booster.predict(some, pred_leaf=True).ravel().tolist(),
            "raw": booster.predict(some, raw_score=True).tolist(),
        }
    types = ["q"] * 5 + ["c"]
    data = xgboost.DMatrix(X, y, feature_types=types, enable_categorical=True)
    options = {"objective": "binary:logistic", "max_depth": 2, "max_cat_to_onehot": 2, "nthread": 1}
    trees = xgboost.train(options, data, 3)
    asked = xgboost.DMatrix(some, feature_types=types, enable_categorical=True)
    for name in ("xgboost.json", "xgboost.ubj"):
        trees.save_model(FOLDER / name)
        expected[name] = {
            "leaves": trees.predict(asked, pred_leaf=True).ravel().tolist(),
            "raw": trees.predict(asked, output_margin=True).astype(float).tolist(),
        }
    cat = catboost.CatBoostClassifier(
        iterations=3, depth=2, verbose=0, thread_count=1, allow_writing_files=False
    )
    cat.fit(X, y)
    cat.save_model(str(FOLDER / "catboost.json"), format="json")
    stored = json.loads((FOLDER / "catboost.json").read_text("utf-8"))
    info = {
        "params": {"loss_function": {"type": "Logloss"}},
        "class_params": stored["model_info"]["class_params"],
    }
    (FOLDER / "catboost.json").write_text(json.dumps({**stored, "model_info": info}), "utf-8")
    expected["catboost.json"] = {
        "leaves": cat.calc_leaf_indexes(some).ravel().tolist(),
        "raw": cat.predict(some, prediction_type="RawFormulaVal").tolist(),
    }
    one_hot = catboost.CatBoostRegressor(
        iterations=3, depth=2, verbose=0, thread_count=1, allow_writing_files=False, one_hot_max_size=50
    )
    with_codes = [[*row[:5], int(row[5])] for row in X.tolist()]
    pool = catboost.Pool(with_codes, rows.score, cat_features=[5])
    one_hot.fit(pool)
    one_hot.save_model(str(FOLDER / "catboost_categories.json"), format="json", pool=pool)
    stored = json.loads((FOLDER / "catboost_categories.json").read_text("utf-8"))
    stored["model_info"] = {"params": {"loss_function": {"type": "RMSE"}}}
    (FOLDER / "catboost_categories.json").write_text(json.dumps(stored), "utf-8")
    expected["catboost_categories.json"] = {
        "leaves": one_hot.calc_leaf_indexes(with_codes[:12]).ravel().tolist(),
        "raw": one_hot.predict(with_codes[:12]).tolist(),
    }
    rows_of = [[None if np.isnan(x) else x for x in row] for row in some.tolist()]
    (FOLDER / "expected.json").write_text(json.dumps({"rows": rows_of, "answers": expected}), "utf-8")


if __name__ == "__main__":
    main()
