"""Short ways to read a table, and the table that every container of `containers.py` gives."""

from __future__ import annotations

import numpy as np
import pandas as pd

from treewright.data import Feature, Table, read_table

NAN = np.nan
EXPECTED = [[1.5, 1, 2], [NAN, 2, 1], [3.0, NAN, NAN], [4.0, 1, 2]]


def read(X, **options) -> Table:
    return read_table(X, estimator_name="CARTClassifier", **options)


def one(values, **options) -> tuple[Feature, np.ndarray]:
    table = read(pd.DataFrame({"c": values}), **options)
    return table.schema.features[0], table.columns[0]
