"""The examples of docs/forests.md print what the page says, and it names every parameter of its own."""

import doctest
import inspect
import re
from pathlib import Path

from tests.unit.forests.forest_data import FORESTS

PAGE = Path(__file__).parents[3] / "docs" / "forests.md"


def test_the_sessions_of_the_page_are_reproduced():
    code = "\n".join(
        re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    )
    test = doctest.DocTestParser().get_doctest(code, {}, "forests.md", "forests.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.summarize(verbose=False).attempted > 20
    assert runner.failures == 0


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
