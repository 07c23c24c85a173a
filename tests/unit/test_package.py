"""The public names, the registry and what an import costs."""

import subprocess
import sys

import pytest

import treewright
from treewright.exceptions import ModelFileError, ModelVersionError, TreewrightWarning
from treewright.trees import CARTClassifier, CARTRegressor


def test_the_public_names_are_sorted_and_exist():
    assert treewright.__all__ == sorted(treewright.__all__)
    for name in treewright.__all__:
        assert hasattr(treewright, name)


def test_make_finds_an_estimator_by_name_and_task():
    assert type(treewright.make("cart")) is CARTClassifier
    assert treewright.make("cart", "regression", max_depth=2).get_params()["max_depth"] == 2
    assert type(treewright.make("cart", task="regression")) is CARTRegressor


def test_make_lists_what_there_is():
    with pytest.raises(ValueError, match=r"There is no algorithm 'cat'\. Choose one of: .*cart"):
        treewright.make("cat")
    with pytest.raises(
        ValueError, match=r"has no task 'ranking'\. Choose one of: classification, regression\."
    ):
        treewright.make("cart", "ranking")


def test_the_registry_cannot_be_changed_by_accident():
    with pytest.raises(TypeError):
        treewright.ALGORITHMS["mine"] = {}


def test_errors_and_warnings_are_of_the_usual_kinds():
    assert issubclass(ModelVersionError, ModelFileError)
    assert issubclass(ModelFileError, ValueError)
    assert issubclass(TreewrightWarning, UserWarning)


def test_show_versions_names_what_a_report_needs(capsys):
    treewright.show_versions()
    printed = capsys.readouterr().out
    for name in ("treewright", "python", "numpy", "scikit-learn"):
        assert f"{name}: " in printed


def test_importing_loads_nothing_that_is_not_needed():
    # scikit-learn itself may load pandas, so only what comes on top of it counts.
    script = (
        "import sys, sklearn.base; before = set(sys.modules); import treewright; "
        "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before})); "
        "assert 'sklearn.model_selection' not in sys.modules; assert 'sklearn.tree' not in sys.modules"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "treewright" in loaded
    assert not loaded & {"pandas", "polars", "pyarrow", "click", "matplotlib", "IPython"}
