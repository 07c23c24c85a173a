"""A subset may list no category, as where a node tests missing against known: such files work."""

import io
import warnings
from itertools import pairwise
from random import Random

import pytest
from tests.fuzz import usage
from tests.fuzz.models import members_of
from tests.fuzz.zipped import pack

import treewright

SUBSETS = (0, 1, 3)  # layouts: bits, and the two lists


def places(arrays):
    """Where the tables of subsets begin."""
    if "forest/tables.npy" in arrays:
        subset = (arrays["forest/flags.npy"] & 2) > 0
        return arrays["forest/number.npy"][subset].astype(int).tolist()
    begins = []
    offsets = arrays["trees/offsets.npy"]
    columns = [("table", 0), ("surrogate_table", 3), ("candidate_table", 4)][: offsets.shape[1] - 2]
    for first, end in pairwise(offsets):
        for name, column in columns:
            tables = arrays[f"trees/{name}.npy"][first[column] : end[column]]
            begins += (tables[tables >= 0] + first[1]).tolist()
    return begins


@pytest.mark.parametrize("name", ["cart", "cart_surrogates", "cart_many", "random_forest", "gbm", "lightgbm"])
def test_a_table_without_categories_answers_every_question(name):
    manifest, arrays = members_of(name)
    key = next(key for key in arrays if key.endswith("/tables.npy"))
    tables, random = arrays[key], Random(0)
    begins = [begin for begin in places(arrays) if tables[begin] in SUBSETS]
    assert begins
    for begin in begins[:4]:
        altered = tables.copy()
        altered[begin : begin + 2] = random.choice(SUBSETS), 0
        estimator = treewright.load(io.BytesIO(pack((manifest, {**arrays, key: altered}))))
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            usage.use(estimator, random, most=len(usage.QUESTIONS))
