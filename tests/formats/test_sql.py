"""Exported queries, run by real databases; BigQuery's and Snowflake's by duckdb, translated by sqlglot."""

import pytest

import treewright as tw
from tests.contract.export_cases import CASES, fitted_case, hostile_frame
from tests.contract.probes import probe_frame
from treewright.export.checking import Source, largest_difference
from treewright.export.code.running_sql import read_answers

ROWS = 2000
FEW = [case for case in CASES if "mixed" in case or "-" not in case or "c45" in case]


@pytest.mark.parametrize("case", CASES)
def test_duckdb_says_what_the_model_says(case):
    pytest.importorskip("duckdb")
    estimator = fitted_case(case)
    report = tw.export_sql(estimator, check=probe_frame(estimator.model_, ROWS)).check
    assert report.runtime.startswith("duckdb") and report.largest_difference <= 1e-12


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake"])
@pytest.mark.parametrize("case", FEW)
def test_other_dialects_say_it_after_a_translation(case, dialect):
    pytest.importorskip("duckdb")
    pytest.importorskip("sqlglot")
    estimator = fitted_case(case)
    report = tw.export_sql(estimator, dialect=dialect, check=probe_frame(estimator.model_, 300)).check
    assert "translated" in report.runtime and report.largest_difference <= 1e-12


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def written(value):
    """Return a value as text; NaN is a number of PostgreSQL."""
    if value is None:
        return None
    return repr(float(value)) if isinstance(value, float) else str(value)


def asked(connection, estimator, X):
    """Compare what PostgreSQL answers with the model, with the values of X as they are."""
    kinds = {
        feature.name: "double precision" if feature.kind == "numeric" else "text"
        for feature in estimator.model_.schema.features
    }
    text = tw.export_sql(estimator, dialect="postgres", table="probe rows")
    with connection.cursor() as cursor:
        cursor.execute('DROP TABLE IF EXISTS "probe rows"')
        listed = ", ".join(f"{quoted(name)} {kind}" for name, kind in kinds.items())
        cursor.execute(f'CREATE TABLE "probe rows" ("tw row number" integer, {listed})')
        marks = ", ".join(["%s", *(f"%s::text::{kind}" for kind in kinds.values())])
        lines = [
            [number, *map(written, row)] for number, row in enumerate(X.itertuples(index=False, name=None))
        ]
        cursor.executemany(f'INSERT INTO "probe rows" VALUES ({marks})', lines)
        cursor.execute(text.encode())
        names = [column.name for column in cursor.description]
        answers = sorted(cursor.fetchall(), key=lambda row: row[0])
    assert names[: len(kinds) + 1] == ["tw row number", *kinds]
    source = Source.of(estimator, "test")
    said = read_answers(source.program, [row[len(kinds) + 1 :] for row in answers], "PostgreSQL")
    expected = source.expected(X, source.rows(X))
    assert largest_difference(said.numbers, expected.numbers) <= 1e-12
    if expected.labels is not None:
        assert list(said.labels) == expected.labels


@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith("id3")])
def test_postgres_says_what_the_model_says(postgres, case):
    estimator = fitted_case(case)
    asked(postgres, estimator, probe_frame(estimator.model_, ROWS))


def test_hostile_names_do_no_harm_in_any_database(postgres):
    X, y = hostile_frame()
    estimator = tw.CARTClassifier(max_depth=8).fit(X, y)
    asked(postgres, estimator, X)
    pytest.importorskip("duckdb")
    assert tw.export_sql(estimator, check=X).check.largest_difference == 0
