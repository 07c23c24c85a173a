"""Oracle data as data frames: categories declared in the stored order, missing as NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tests.golden.oracle_data import OracleTable


def frame_of(data: OracleTable) -> pd.DataFrame:
    """Columns of a data set, nominal ones as Categorical."""
    columns: dict[str, Any] = {}
    for number, (name, categories) in enumerate(zip(data.names, data.categories, strict=True)):
        if categories is None:
            columns[name] = data.numeric(number)
        else:
            codes = data.codes(number).astype(np.int64) - 1
            columns[name] = pd.Categorical.from_codes(codes, categories=list(categories))
    return pd.DataFrame(columns)


def target_of(data: OracleTable) -> NDArray[Any]:
    """Class numbers (so that their order is the stored one) or the numeric target."""
    return data.y.astype(np.int64) if data.classes else data.y
