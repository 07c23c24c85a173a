"""A model as steps says what the estimator says, to the last bit, for every algorithm and way to answer."""

import numpy as np
import pytest

from tests.contract.export_cases import CASES, fitted_case
from tests.contract.probes import probe_frame
from treewright.program import describe, evaluate
from treewright.program.evaluate import walk
from treewright.program.floats import at_most_below, at_most_single, single_at_most
from treewright.program.program import Column
from treewright.program.spelling import text_codes


@pytest.mark.parametrize("case", CASES)
def test_the_steps_say_what_the_estimator_says(case):
    estimator = fitted_case(case)
    X = probe_frame(estimator.model_)
    model, matrix, _ = estimator._encode(X)
    program = describe(model)
    found = evaluate(program, matrix)
    if model.classes is None:
        np.testing.assert_array_equal(found.numbers[:, 0], estimator.predict(X))
        return
    np.testing.assert_array_equal(found.numbers, estimator.predict_proba(X))
    np.testing.assert_array_equal(model.classes[found.chosen], estimator.predict(X))


@pytest.mark.parametrize("case", CASES)
def test_rows_end_in_the_leaves_that_apply_names(case):
    estimator = fitted_case(case)
    model, matrix, _ = estimator._encode(probe_frame(estimator.model_))
    leaves = model.apply(matrix)
    for number, tree in enumerate(describe(model).trees):
        best = np.zeros(len(matrix))
        found = np.full(len(matrix), -1)
        for node, rows, shares in walk(tree, np.asarray(matrix, dtype=np.float64)):
            better = (shares > best[rows]) | ((shares == best[rows]) & (node < found[rows]))
            found[rows[better]], best[rows[better]] = node, shares[better]
        np.testing.assert_array_equal(found, leaves[:, number])


def test_comparisons_of_other_kinds_are_comparisons_in_double_precision():
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 2**32, 20_000, dtype=np.uint32)
    singles = bits.view(np.float32)
    singles = np.append(
        singles[np.isfinite(singles)], np.array([0, 1e-45, 3.4028235e38, -3.4028235e38], "f4")
    )
    thresholds = np.append(singles.astype(np.float64), generator.normal(size=5000))
    with np.errstate(over="ignore", under="ignore"):
        cut = at_most_single(thresholds)
        for x in (cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf), thresholds):
            np.testing.assert_array_equal(x <= cut, x.astype(np.float32) <= thresholds)
    below = at_most_below(thresholds)
    for x in (thresholds, below, np.nextafter(thresholds, np.inf)):
        np.testing.assert_array_equal(x <= below, x < thresholds)
    cut32 = single_at_most(thresholds)
    with np.errstate(over="ignore", under="ignore"):
        above, below32 = (np.nextafter(cut32, np.float32(end)) for end in (np.inf, -np.inf))
    for x in (cut32, above, below32):
        np.testing.assert_array_equal(x <= cut32, x.astype(np.float64) <= thresholds)


def test_categories_that_look_the_same_as_text_are_refused_with_a_way_out():
    assert text_codes(Column("a", "nominal", (True, False)))["1"] == 1
    assert text_codes(Column("a", "nominal", (1, 2.5)))["1.0"] == 1
    with pytest.raises(ValueError, match="'a' has the categories '1' and 1, which look the same"):
        text_codes(Column("a", "nominal", (1, "1")))
