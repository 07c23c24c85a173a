"""Ctrl-C, or too little memory, at any line of the library: all or nothing, and all works afterwards."""

from __future__ import annotations

import io
import os

import numpy as np
import pytest

import treewright
from tests.contract.data import mixed_frame
from tests.contract.entries import ENTRIES, make_entry
from tests.faults.interrupted import count_lines, run_with_exception_at

pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.TreewrightWarning")
FEW, MANY = 12, 150
IDS = [f"{name}-{task}" for name, task in ENTRIES]


def lines_to_try(call, n_places):
    """Return places from the first line of a call to its last."""
    return sorted(set(np.linspace(1, count_lines(call), n_places).astype(int).tolist()))


def fitted_state(estimator):
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}


def new(entry):
    small = {"max_depth": 2} if entry[0] in ("id3", "c45", "cart") else {"n_estimators": 2}
    return make_entry(entry, **small)


def rows(entry):
    frame, y = mixed_frame(entry[1], 60)
    return (frame[["city", "member?"]] if entry[0] == "id3" else frame), y


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
@pytest.mark.parametrize("n_places", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_fit_that_is_broken_off_leaves_the_estimator_as_it_was(entry, n_places, error):
    X, y = rows(entry)
    few = X[:40], y[:40]
    answers = new(entry).fit(*few).predict(X)
    last = count_lines(lambda: new(entry).fit(X, y))
    # The end is where a fit hands over what it made.
    near_the_end = range(last - n_places, last + 1)
    for line in sorted({*np.linspace(1, last, n_places).astype(int).tolist(), *near_the_end}):
        unfitted = new(entry)
        if is_broken_off(line, unfitted, X, y, error):
            assert fitted_state(unfitted) == {}, f"line {line} of {last}"
        fitted = new(entry).fit(*few)
        before = fitted_state(fitted)
        if is_broken_off(line, fitted, X, y, error):
            after = fitted_state(fitted)
            assert after.keys() == before.keys(), f"line {line} of {last}"
            assert all(after[name] is before[name] for name in before), f"line {line} of {last}"
            np.testing.assert_array_equal(fitted.predict(X), answers)


def is_broken_off(line, estimator, X, y, error):
    return run_with_exception_at(line, lambda: estimator.fit(X, y), error)


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
@pytest.mark.parametrize("question", ["predict", "apply", "explain_prediction", "feature_importances_"])
def test_a_question_that_is_broken_off_can_be_asked_again(entry, question):
    X, y = rows(entry)
    saved = io.BytesIO()
    new(entry).fit(X, y).save(saved)

    def ask(estimator):
        if question == "feature_importances_":
            return estimator.feature_importances_
        found = getattr(estimator, question)(X[:1] if question.startswith("explain") else X)
        return str(found) if question.startswith("explain") else found

    expected = ask(treewright.load(saved))
    for line in lines_to_try(lambda: ask(treewright.load(saved)), 8):
        estimator = treewright.load(saved)
        run_with_exception_at(line, lambda e=estimator: ask(e), KeyboardInterrupt)
        assert np.array_equal(ask(estimator), expected), f"line {line}"


# The end of a `with` block is a line, too: there the file is closed by Python itself, which warns.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", ["cart", "random_forest", "gbm"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError])
def test_saving_that_is_broken_off_leaves_the_old_file_or_the_new_one_and_nothing_else(name, error, tmp_path):
    X, y = rows((name, "classification"))
    old, other = (new((name, "classification")).fit(X[:n], y[:n]) for n in (40, 60))
    path = tmp_path / "model.tree"
    contents = []
    for estimator in (other, old):
        estimator.save(path)
        contents.append(path.read_bytes())
    last = count_lines(lambda: other.save(path))
    # Where files are touched every line is tried, elsewhere some are.
    for line in sorted({*lines_to_try(lambda: other.save(path), 60), *range(last - 40, last + 1)}):
        path.write_bytes(contents[1])
        run_with_exception_at(line, lambda: other.save(path), error)
        assert os.listdir(tmp_path) == ["model.tree"], f"line {line} of {last}"
        assert path.read_bytes() in contents, f"line {line} of {last}"


def test_loading_that_is_broken_off_closes_its_file(tmp_path):
    X, y = rows(("random_forest", "classification"))
    path = tmp_path / "model.tree"
    new(("random_forest", "classification")).fit(X, y).save(path)
    for line in lines_to_try(lambda: treewright.load(path), 25):
        # An open file would be a ResourceWarning, which is an error here.
        run_with_exception_at(line, lambda: treewright.load(path), KeyboardInterrupt)
    assert len(treewright.load(path).predict(X)) == len(X)
