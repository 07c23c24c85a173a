"""`treewright import`: a model of another library as one of ours."""

from __future__ import annotations

from pathlib import Path

import click

from treewright.cli.failures import Mistyped, note
from treewright.imported import from_catboost, from_lightgbm, from_xgboost
from treewright.imported.columns import whole_numbers

READERS = {"lightgbm": from_lightgbm, "xgboost": from_xgboost, "catboost": from_catboost}


@click.command("import")
@click.argument("file")
@click.option("-o", "--output", metavar="MODEL", required=True, help="The model file to write.")
@click.option("--from", "library", type=click.Choice(sorted(READERS)), help="[default: what FILE looks like]")
@click.option("--classes", metavar="A,B,…", help="Labels of the classes, where the file has numbers.")
@click.option(
    "--categories",
    metavar="COLUMN=A,B,…",
    multiple=True,
    help="Categories of a column, where the file has codes (in their order) or hashes. May be repeated.",
)
def command(
    file: str, output: str, library: str | None, classes: str | None, categories: tuple[str, ...]
) -> None:
    """Import FILE, a model of LightGBM (text, JSON), XGBoost (JSON, UBJSON) or CatBoost (JSON, cbm)."""
    reader = READERS[library or _looks_like(file)]
    labels = None if classes is None else [one.strip() for one in classes.split(",")]
    estimator = reader(file, classes=labels, categories=dict(map(_listed, categories)) or None)
    estimator.save(output)
    trees = len(estimator.model_.trees)
    note(f"{output}: {estimator.source_}, {trees} trees, {estimator.n_features_in_} features")


def _listed(option: str) -> tuple[str, list[str] | list[int]]:
    """Return the column and its categories: whole numbers if all of them look like some."""
    column, equals, listed = option.rpartition("=")
    if not equals or not column:
        raise Mistyped(f"--categories {option}: expected COLUMN=A,B,…")
    return column, whole_numbers([one.strip() for one in listed.split(",")])


def _looks_like(file: str) -> str:
    """Return which library has written a file, by its first bytes."""
    with Path(file).open("rb") as opened:
        start = opened.read(1 << 16)
    if start.startswith((b"tree\n", b"tree\r\n")):
        return "lightgbm"
    if start[:1] == b"{" and (b"oblivious_trees" in start or b"features_info" in start):
        return "catboost"
    if start[:1] == b"{" and (b'"feature_infos"' in start or b'"tree_structure"' in start):
        return "lightgbm"
    if start[:1] == b"{":
        return "xgboost"
    if start[:4] == b"CBM1":
        return "catboost"
    raise Mistyped(f"{file} does not look like a model of {', '.join(READERS)}: say which with --from.")
