"""Modules whose package is missing are not searched for tests; `make` targets install what theirs need."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob: list[str] = []
if find_spec("distributed") is None:
    collect_ignore_glob += ["src/treewright/dask/*", "tests/dask/*"]
if find_spec("anywidget") is None:
    collect_ignore_glob += ["src/treewright/web/widgets.py"]
if find_spec("jpmml_evaluator") is None:
    collect_ignore_glob += ["src/treewright/export/pmml/running_jpmml.py"]
if find_spec("treelite") is None:
    collect_ignore_glob += ["src/treewright/export/treelite_model.py"]
if find_spec("lightgbm") is None or find_spec("xgboost") is None or find_spec("catboost") is None:
    collect_ignore_glob += ["tests/imported/make_files.py"]
