"""Exported C and JavaScript, compiled and run for real."""

import numpy as np
import pytest

import treewright as tw
from tests.contract.export_cases import CASES, fitted_case, hostile_frame
from tests.contract.probes import probe_frame
from tests.formats.conftest import needed
from treewright.export.checking import Source, largest_difference
from treewright.export.code import nested, running

ROWS = 2000
STRICT = ("-std=c99", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def compared(estimator, X, run):
    source = Source.of(estimator, "test")
    rows = source.rows(X)
    expected, said = source.expected(X, rows), run(rows)
    assert largest_difference(said.numbers, expected.numbers) <= 1e-12
    if expected.labels is not None:
        assert list(said.labels) == expected.labels


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("case", CASES)
def test_c_compiles_without_a_warning_and_says_what_the_model_says(case, compiler):
    estimator = fitted_case(case)
    program = needed(compiler)
    text = tw.export_c(estimator)
    X = probe_frame(estimator.model_, ROWS)
    compared(estimator, X, lambda rows: running.run_c(text, rows, "model", program, STRICT))


@pytest.mark.parametrize("case", [case for case in CASES if "mixed" in case])
def test_c_in_tables_says_what_the_model_says(case, monkeypatch):
    monkeypatch.setattr(nested, "MOST_NODES", 0)
    program = needed("gcc")
    estimator = fitted_case(case)
    text = tw.export_c(estimator)
    X = probe_frame(estimator.model_, ROWS)
    compared(estimator, X, lambda rows: running.run_c(text, rows, "model", program, STRICT))


def test_large_boosters_are_tables_of_bits_and_compile_soon():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(6000, 6))
    X[generator.random(X.shape) < 0.1] = np.nan
    y = np.digitize(np.nan_to_num(np.sin(3 * X)).sum(axis=1), [-1.0, 1.0])
    booster = tw.LeafwiseBoostingClassifier(n_estimators=60, max_leaf_nodes=63, gamma=0.0, n_jobs=1)
    booster.fit(X, y)
    assert "RULED" in tw.export_c(booster)
    compared(
        booster,
        probe_frame(booster.model_, ROWS).to_numpy(),
        lambda rows: running.run_c(tw.export_c(booster), rows, "model", needed("gcc"), STRICT),
    )
    deep = tw.LeafwiseBoostingClassifier(n_estimators=20, max_leaf_nodes=200, gamma=0.0, n_jobs=1).fit(X, y)
    assert "RULED" not in tw.export_c(deep)


@pytest.mark.parametrize("case", CASES)
def test_javascript_says_what_the_model_says(case):
    node = needed("node")
    estimator = fitted_case(case)
    text = tw.export_javascript(estimator)
    X = probe_frame(estimator.model_, ROWS)
    compared(estimator, X, lambda rows: running.run_javascript(text, rows, node))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_hostile_names_compile_and_run(task):
    X, y = hostile_frame(task)
    estimator = tw.make("cart", task, max_depth=8).fit(X, y)
    X.iloc[:20, ::2] = np.nan
    for compiler in ("gcc", "clang"):
        program, text = needed(compiler), tw.export_c(estimator)
        compared(estimator, X, lambda rows, p=program, t=text: running.run_c(t, rows, "model", p, STRICT))
    node, module = needed("node"), tw.export_javascript(estimator)
    compared(estimator, X, lambda rows: running.run_javascript(module, rows, node))
