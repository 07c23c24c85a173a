"""docs/forests.md names every parameter of its own."""

import inspect
from pathlib import Path

from tests.unit.forests.forest_data import FORESTS

PAGE = Path(__file__).parents[3] / "docs" / "forests.md"


def test_the_page_names_what_scikit_learn_does_not_have():
    text = PAGE.read_text(encoding="utf-8")
    for cls in FORESTS:
        assert cls.__name__ in text
        for name in (
            "voting",
            "max_bins",
            "calibrate",
            "calibration_method",
            "quantiles",
            "categorical_features",
        ):
            if name in inspect.signature(cls).parameters:
                assert name in text, name
