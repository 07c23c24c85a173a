"""Models for treelite, run by its own predictor on rows at every threshold."""

import pytest

import treewright as tw
from tests.contract.export_cases import CASES, fitted_case
from tests.contract.probes import probe_frame
from tests.formats.conftest import CI
from treewright.exceptions import UnsupportedExportError

if not CI:
    pytest.importorskip("treelite")


@pytest.mark.parametrize("case", CASES)
def test_treelite_says_what_the_model_says(case):
    estimator = fitted_case(case)
    try:
        report = tw.export_treelite(estimator, check=probe_frame(estimator.model_, 2000)).check
    except UnsupportedExportError as error:
        pytest.skip(str(error)[:80])
    assert report.rows >= 2000 and report.largest_difference <= 1e-7
    assert report.different_predictions == 0 or estimator.model_.classes is None
