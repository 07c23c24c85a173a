"""`treewright fit`: learn a model from a table and save it."""

from __future__ import annotations

import json
import time
import tomllib
from pathlib import Path
from typing import Any

import click
import numpy as np

from treewright.cli.completion import algorithm_names, column_names, file_names
from treewright.cli.estimators import algorithm_name, made, saved, title
from treewright.cli.failures import Mistyped, close_match, note
from treewright.cli.hints import with_options
from treewright.cli.letters import plain_text
from treewright.cli.options import as_json, kinds, parsed_kinds, parsed_pairs, plain_letters, table_options
from treewright.cli.output import said_beside
from treewright.cli.progress import on_terminal
from treewright.cli.scans import is_many, is_too_long, scanned_table
from treewright.cli.scores import worded
from treewright.cli.tables import learning_table, opened
from treewright.data.column import Categories
from treewright.learning import LearningTable, cross_validated, describe, measured, misleading

#: What a settings file may say, beside the table [params].
SETTINGS = (
    "target",
    "algorithm",
    "task",
    "weight",
    "ignore",
    "seed",
    "cv",
    "valid",
    "kind",
    "missing",
    "sep",
    "decimal",
    "encoding",
)


@click.command("fit")
@click.argument("file", shell_complete=file_names)
@click.option("-t", "--target", metavar="NAME", help="The column to predict.", shell_complete=column_names())
@click.option(
    "-a",
    "--algorithm",
    metavar="NAME",
    help="treewright algorithms lists them.  [default: cart]",
    shell_complete=algorithm_names,
)
@click.option(
    "-o",
    "--output",
    metavar="MODEL",
    required=True,
    help="Where the model goes, customarily *.tree; - is a pipe.",
)
@click.option(
    "-p", "--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter of the algorithm."
)
@click.option("--task", type=click.Choice(["classification", "regression"]), help="Instead of the guess.")
@click.option("--weight", metavar="NAME", help="The column with the weights of the rows.")
@click.option(
    "--ignore", multiple=True, metavar="NAME", help="A column to leave out.", shell_complete=column_names()
)
@kinds
@click.option("--valid", metavar="FILE", help="Rows to measure on; boosters watch them round by round.")
@click.option("--cv", type=click.IntRange(2), help="Folds: of the pruning, if there is one, else to measure.")
@click.option("--config", type=click.Path(exists=True, dir_okay=False), help="Settings as TOML; options win.")
@click.option(
    "--scan", "in_batches", is_flag=True, help="Read batch by batch, for tables that do not fit in memory."
)
@click.option("--seed", type=int, help="random_state of the algorithm.")
@click.option("--all", "every_row", is_flag=True, help="Of a pruning, show every subtree.")
@table_options
@plain_letters
@as_json
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Learn a model from FILE and save it.

    FILE may be a folder of Parquet files or a pattern like 'rows/*.parquet'; these are read batch by batch.

    What is predicted decides the task: text and booleans are classes, numbers are numbers.
    """
    chosen = _with_config(ctx, given)
    if not chosen["target"]:
        raise Mistyped("Name the column to predict: -t NAME.")
    name = algorithm_name(chosen["algorithm"] or "cart")
    in_batches = chosen["in_batches"] or is_many(chosen["file"]) or is_too_long(chosen["file"])
    roles = {"target": chosen["target"], "weight": chosen["weight"], "ignore": chosen["ignore"]}
    if in_batches:
        table = scanned_table(chosen["file"], chosen, **roles)
    else:
        source = opened(chosen["file"], chosen)
        table = learning_table(source, kinds=chosen["kinds"], task=chosen["task"], **roles)
        _warn_of_columns(table)
    params = chosen["params"]
    if chosen["cv"] and params.get("prune") == "cost_complexity":
        params.setdefault("cv", str(chosen["cv"]))
    estimator: Any = made(name, table.task, params, chosen["seed"])
    valid = None
    if chosen["valid"]:
        valid = learning_table(
            opened(chosen["valid"], chosen),
            target=table.target,
            weight=chosen["weight"],
            ignore=chosen["ignore"],
            kinds=chosen["kinds"],
            task=table.task,
        )
    begin = time.perf_counter()
    watched = {} if valid is None or not hasattr(estimator, "scoring") else _validation(valid)
    with on_terminal():
        if in_batches:
            estimator.fit(table.X)
        else:
            estimator.fit(table.X, table.target_column(), table.weights, **watched)
    seconds = time.perf_counter() - begin
    saved(estimator, chosen["output"])
    found = _facts(estimator, name, table, seconds)
    if valid is not None:
        found["validation"] = measured(estimator, valid)
    if chosen["cv"] and params.get("prune") != "cost_complexity":
        found["cv"] = cross_validated(
            lambda: made(name, table.task, params, chosen["seed"]), table, chosen["cv"]
        )
    say = said_beside(chosen["output"])
    if chosen["as_json"]:
        say(json.dumps(found, ensure_ascii=False))
        return
    text = _worded(estimator, found, chosen["output"], chosen["every_row"])
    say(plain_text(text) if chosen["plain_letters"] else text)
    if "random_state" in estimator.get_params() and estimator.random_state is None and "trees" in found:
        note("note: drawn at random; --seed makes it the same again")


def _warn_of_columns(table: LearningTable) -> None:
    """Say which columns of text would make a model that only seems to be good."""
    for name, column in zip(table.X.names, table.X.columns, strict=True):
        if isinstance(column, Categories):
            for words in misleading(describe(name, column), table.X.n_rows):
                note(f"note: {words}")


def _validation(valid: LearningTable) -> dict[str, Any]:
    return {"X_val": valid.X, "y_val": valid.target_column(), "sample_weight_val": valid.weights}


def _with_config(ctx: click.Context, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options, completed from the settings file."""
    params = parsed_pairs(given["params"], "-p")
    chosen = {**given, "params": params, "kinds": parsed_kinds(given["kinds"])}
    if given["config"] is None:
        return chosen
    try:
        settings = tomllib.loads(Path(given["config"]).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Mistyped(f"{given['config']} is not TOML: {error}.") from None
    stored = settings.pop("params", {})
    names = {"sep": "separator", "kind": "kinds"}
    for key, value in settings.items():
        if key not in SETTINGS:
            raise Mistyped(f"{given['config']}: there is no setting {key!r}.{close_match(key, SETTINGS)}")
        option = names.get(key, key)
        if ctx.get_parameter_source(option) in (None, click.core.ParameterSource.DEFAULT):
            chosen[option] = _typed_setting(ctx, given["config"], key, option, value)
    if not isinstance(stored, dict):
        raise Mistyped(f"{given['config']}: [params] is a table of names and values.")
    chosen["params"] = {**{key: str(value) for key, value in stored.items()}, **params}
    return chosen


def _typed_setting(ctx: click.Context, file: str, key: str, option: str, value: Any) -> Any:
    """Return a setting as its option would have it."""
    if key == "kind":
        if not isinstance(value, dict):
            raise Mistyped(f"{file}: [kind] is a table of columns and kinds.")
        return {name: str(kind) for name, kind in value.items()}
    param = next(param for param in ctx.command.params if param.name == option)
    if param.multiple:
        return tuple(str(one) for one in (value if isinstance(value, list) else [value]))
    if isinstance(value, list | dict | bool):
        raise Mistyped(f"{file}: {key} is one value, got {value!r}.")
    try:
        return param.type.convert(value, param, ctx)
    except click.UsageError as error:
        raise Mistyped(f"{file}: {key}: {error.message}") from None


def _facts(estimator: Any, name: str, table: LearningTable, seconds: float) -> dict[str, Any]:
    found: dict[str, Any] = {
        "algorithm": name,
        "estimator": type(estimator).__name__,
        "task": table.task,
        "target": table.target,
        "rows": table.X.n_rows,
        "features": len(table.X.names),
        "seconds": round(seconds, 3),
    }
    if hasattr(estimator, "get_n_leaves"):
        found |= {"leaves": int(estimator.get_n_leaves()), "depth": int(estimator.get_depth())}
    else:
        found["trees"] = len(estimator.model_.trees)
    if table.task == "classification":
        wrong = np.asarray(estimator.predict(table.X) != table.y)
        found["training_errors"] = int(wrong.sum())
    else:
        residual = np.asarray(estimator.predict(table.X), dtype=np.float64) - table.y
        found["training_rmse"] = float(np.sqrt(np.mean(residual**2)))
    return found


def _worded(estimator: Any, found: dict[str, Any], output: str, every_row: bool) -> str:
    size = (
        f"{found['leaves']} leaves, depth {found['depth']}"
        if "leaves" in found
        else f"{found['trees']} trees"
    )
    if "training_errors" in found:
        training = f"training errors {found['training_errors']} / {found['rows']}"
    else:
        training = f"training RMSE {found['training_rmse']:.4g}"
    head = f"{title(found['algorithm'])}   {found['rows']} rows, {found['features']} features → {size}"
    lines = [f"{head}     {training}"]
    if getattr(estimator, "prune", None) == "cost_complexity":
        lines.append(with_options(estimator.explain_pruning().to_text(every_row=every_row)))
    for words, key in (("validation", "validation"), ("cross-validated", "cv")):
        if key in found:
            lines.append(worded(words, found[key]))
    if output != "-":
        lines.append(f"saved {output}   ·   next:  treewright show {output}   |   treewright app {output}")
    return "\n".join(lines)
