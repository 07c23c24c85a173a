"""Every exporter on 100 000 rows: thresholds and their neighbours, infinities, gaps, unseen categories."""

import shutil
from functools import lru_cache
from importlib.util import find_spec

import pytest

from tests.contract.export_cases import CASES, fitted_case
from tests.contract.probes import probe_frame
from treewright.exceptions import UnsupportedExportError
from treewright.export import PROGRAMS

ROWS = 100_000
OPTIONS = {"sql": {"dialect": "sqlite"}}
# What runs a form for real; without it Treewright would compare its own steps.
PROGRAM_OF = {"c": "gcc", "javascript": "node"}
PACKAGE_OF = {"onnx": "onnxruntime", "pmml": "jpmml_evaluator"}
WITHIN = {"treelite": 1e-6}  # its links are single precision


@lru_cache(maxsize=1)
def rows_of(case):
    return probe_frame(fitted_case(case).model_, ROWS, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("form", PROGRAMS)
@pytest.mark.parametrize("case", CASES)
def test_it_says_what_the_model_says_on_many_rows(case, form):
    if form in PROGRAM_OF and shutil.which(PROGRAM_OF[form]) is None:
        pytest.skip(f"{PROGRAM_OF[form]} is not installed")
    if form in PACKAGE_OF and find_spec(PACKAGE_OF[form]) is None:
        pytest.skip(f"{PACKAGE_OF[form]} is not installed")
    estimator = fitted_case(case)
    try:
        report = PROGRAMS[form](estimator, check=rows_of(case), **OPTIONS.get(form, {})).check
    except UnsupportedExportError as error:
        pytest.skip(str(error))
    assert report.rows >= ROWS and report.largest_difference <= WITHIN.get(form, 1e-12)
    if estimator.model_.classes is not None:
        assert report.different_predictions == 0
