"""What is wrong with a row is said with its number in the user's table, not in a fold."""

import numpy as np
import pytest

from treewright import LeafwiseBoostingRegressor, tune


@pytest.mark.parametrize("row", [0, 3, 150, 199])
@pytest.mark.parametrize("value, loss", [(-1.0, "poisson"), (np.nan, "squared_error")])
def test_a_row_is_counted_in_the_table_of_the_user(row, value, loss):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 3)), random.random(200)
    y[row] = value
    with pytest.raises(ValueError, match=rf"row {row}\b"):
        tune(LeafwiseBoostingRegressor(loss=loss, n_estimators=5), X, y, n_settings=2)
