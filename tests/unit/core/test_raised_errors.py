from __future__ import annotations

import pickle

import numpy as np
import pytest

from treewright import _core


def refused_row() -> _core.RowError:
    with pytest.raises(_core.RowError) as caught:
        _core.Objective("poisson").check(np.array([1.0, -2.0]), None)
    return caught.value


def test_an_error_of_a_row_says_which_and_why_in_fields() -> None:
    error = refused_row()
    assert error.row == 1
    assert error.reason.startswith("has the target -2, but ")
    assert f"{error}" == f"Row 1 {error.reason}"


def test_an_error_of_a_row_keeps_its_fields_on_the_way_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(refused_row()))
    assert (type(error), error.row) == (_core.RowError, 1)


def test_errors_of_the_engine_are_errors_that_python_code_knows() -> None:
    assert issubclass(_core.RowError, ValueError)
    assert issubclass(_core.Stopped, RuntimeError)
