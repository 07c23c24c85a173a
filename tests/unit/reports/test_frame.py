from __future__ import annotations

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.contract.data import mixed_frame
from tests.contract.entries import ENTRIES, make_entry

import treewright
from treewright import CARTClassifier


@pytest.mark.filterwarnings("ignore::treewright.exceptions.ManySymbolsWarning")
@pytest.mark.parametrize("entry", ENTRIES, ids="-".join)
def test_a_report_without_rows_is_a_frame_of_the_library_of_the_fit(entry: tuple[str, str]) -> None:
    X, y = mixed_frame(entry[1])
    fitted = make_entry(entry, max_depth=2).fit(pl.from_pandas(X), y)
    which = {"tree": 0} if len(fitted.model_.trees) > 1 else {}
    assert isinstance(fitted.explain_split(0, **which).to_frame(), pl.DataFrame)
    if hasattr(fitted, "explain_pruning"):
        assert isinstance(fitted.explain_pruning().to_frame(), pl.DataFrame)
    assert isinstance(fitted.explain_split(0, **which).to_frame("pandas"), pd.DataFrame)


def test_rows_that_are_explained_have_a_say_before_those_of_the_fit() -> None:
    X, y = mixed_frame("classification")
    tree = CARTClassifier(max_depth=2).fit(pl.from_pandas(X), y)
    assert isinstance(tree.explain_prediction(X[:1]).to_frame(), pd.DataFrame)
    assert isinstance(tree.explain_prediction(pl.from_pandas(X)[:1]).to_frame(), pl.DataFrame)
    assert isinstance(tree.explain_prediction(pa.table(X[:1])).to_frame(), pa.Table)


def test_where_the_library_is_not_known_the_frame_is_one_of_pandas() -> None:
    X, y = mixed_frame("classification")
    tree = CARTClassifier(max_depth=2).fit(pl.from_pandas(X), y)
    file = io.BytesIO()
    tree.save(file)
    file.seek(0)
    assert isinstance(treewright.load(file).explain_split(0).to_frame(), pd.DataFrame)
    numbers = CARTClassifier().fit(np.arange(4.0).reshape(-1, 1), [0, 0, 1, 1])
    assert isinstance(numbers.explain_split(0).to_frame(), pd.DataFrame)
