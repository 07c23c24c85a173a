from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright import C45Classifier
from treewright.datasets import load_cricket, load_loans, load_tennis


@pytest.mark.parametrize("load", [load_tennis, load_loans, load_cricket])
def test_loaders_have_the_forms_of_scikit_learn(load: Any) -> None:
    plain, framed = load(), load(as_frame=True)
    X, y = load(return_X_y=True)
    assert np.array_equal(X, plain.X) and np.array_equal(y, plain.y)
    assert plain.data is plain.X and plain.target is plain.y and plain.frame is None
    assert isinstance(framed.X, pd.DataFrame) and isinstance(framed.y, pd.Series)
    assert framed.X.columns.tolist() == list(plain.feature_names) and framed.y.name == plain.target_name
    assert framed.frame.columns.tolist() == [*plain.feature_names, plain.target_name]
    assert framed.target_names == sorted(set(plain.y))
    frame, series = load(return_X_y=True, as_frame=True)
    assert frame.equals(framed.X) and series.equals(framed.y)
    tree = C45Classifier().fit(frame, series)
    assert tree.predict(frame).tolist() == C45Classifier().fit(X, y).predict(X).tolist()
