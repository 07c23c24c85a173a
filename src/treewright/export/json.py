"""A model as JSON with a published schema: docs/schemas/program.json."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.export.checking import Rows, Said, Source, finished
from treewright.export.exported import Exported
from treewright.program import Answer, Calibration, Column, Program, Steps, Substitute, Voice, evaluate
from treewright.program.steps import EVERY_WAY, NO_WAY
from treewright.version import VERSION

__all__ = ["export_json", "program_from_json"]

FORMAT = 1
WAYS = {EVERY_WAY: "every", NO_WAY: "none"}


def export_json(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    check: Any = None,
) -> Exported:
    """Return a fitted model as JSON: columns, trees, and how they become an answer.

    The schema is published with the documentation (``docs/schemas/program.json``); every number is the
    model's own to the last bit. Infinite numbers are the texts "inf" and "-inf".

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the training data.
    check : table, optional
        Rows on which to read the text back and run it beside the model: what was compared is in ``.check`` of
        the result. If the two disagree nothing is written and ExportCheckError is raised.

    Returns
    -------
    Exported
        The text, a str, without a line break at the end.

    Examples
    --------
    >>> import json
    >>> from treewright import CARTRegressor, export_json
    >>> tree = CARTRegressor().fit([[1.0], [2.0]], [0.0, 6.0])
    >>> json.loads(export_json(tree))["trees"][0][0]["at_most"]
    1.5
    """
    source = Source.of(model, "export_json", feature_names)
    text = json.dumps(_written(source.program), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return finished(source, text, path, check, _run)


def _run(text: str, rows: Rows) -> Said:
    program = program_from_json(text)
    found = evaluate(program, rows.matrix)
    classes = program.answer.classes
    labels = None if found.chosen is None or classes is None else [classes[k] for k in found.chosen]
    return Said("Treewright, reading the text", found.numbers, labels)


# --- writing
# ----------------------------------------------------------------------------------------------------------


def _number(x: float) -> Any:
    return x if math.isfinite(x) else "inf" if x > 0 else "-inf"


def _value(value: Any) -> Any:
    return {"number": _number(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _way(way: int) -> Any:
    return WAYS.get(way, way)


def _written(program: Program) -> dict[str, Any]:
    answer = program.answer
    columns = []
    for column in program.columns:
        told: dict[str, Any] = {"name": column.name, "kind": column.kind}
        if not column.is_numeric:
            told["categories"] = [_value(category) for category in column.categories]
        if column.zero_is_missing:
            told["zero_is_missing"] = True
        columns.append(told)
    calibration = answer.calibration
    return {
        "format": "treewright-program",
        "version": FORMAT,
        "writer": f"Treewright {VERSION}",
        "algorithm": program.algorithm,
        "target": program.target,
        "columns": columns,
        "start": [_number(x) for x in program.start.tolist()],
        "divisor": program.divisor,
        "median_weights": None if program.median_weights is None else program.median_weights.tolist(),
        "single_sums": program.single_sums,
        "first_sum": list(program.first_sum),
        "voices": [None if voice is None else _voice(voice) for voice in program.voices],
        "answer": {
            "classes": None if answer.classes is None else [_value(label) for label in answer.classes],
            "link": answer.link,
            "begin": answer.begin,
            "choice": answer.choice,
            "single": answer.single,
            "order": list(answer.order),
            "calibration": None
            if calibration is None
            else {"kind": calibration.kind, "curves": calibration.curves},
        },
        "trees": [_tree(tree) for tree in program.trees],
    }


def _voice(voice: Voice) -> dict[str, Any]:
    return {
        "kind": voice.kind, "right": voice.right, "wrong": voice.wrong, "single": voice.single,
        "order": list(voice.order),
    }  # fmt: skip


def _tree(tree: Steps) -> list[dict[str, Any]]:
    ends = set(tree.ends.tolist())
    nodes = []
    for node in range(len(tree)):
        told: dict[str, Any] = {}
        if tree.feature[node] >= 0:
            told = {"column": int(tree.feature[node]), "children": list(tree.children(node))}
            if node in tree.ways:
                ways = [_way(int(way)) for way in tree.ways[node]]
                told |= {"ways": ways[:-1], "unseen": ways[-1]}
            else:
                told["at_most"] = _number(float(tree.threshold[node]))
            told["missing"] = _way(int(tree.missing[node]))
            if node in tree.shares:
                told["shares"] = tree.shares[node].tolist()
            if node in tree.substitutes:
                told["substitutes"] = [_substitute(test) for test in tree.substitutes[node]]
        if node in ends:
            told["value"] = [_number(x) for x in tree.values[node].tolist()]
        nodes.append(told)
    return nodes


def _substitute(test: Substitute) -> dict[str, Any]:
    if test.ways is not None:
        return {"column": test.feature, "ways": test.ways.tolist()}
    return {
        "column": test.feature,
        "at_most": _number(test.threshold),
        "below": test.below,
        "above": test.above,
    }


# --- reading
# ----------------------------------------------------------------------------------------------------------


def program_from_json(text: str) -> Program:
    """Return the program that a text of `export_json` holds."""
    told = json.loads(text)
    if told.get("format") != "treewright-program" or told.get("version") != FORMAT:
        raise ValueError("This is no program of Treewright of a format that this version knows.")
    answer = told["answer"]
    calibration = answer["calibration"]
    weights = told["median_weights"]
    return Program(
        algorithm=told["algorithm"],
        columns=tuple(
            Column(
                one["name"],
                one["kind"],
                tuple(map(_read_value, one.get("categories", ()))),
                one.get("zero_is_missing", False),
            )
            for one in told["columns"]
        ),
        trees=tuple(_read_tree(tree) for tree in told["trees"]),
        first_sum=tuple(told["first_sum"]),
        voices=tuple(
            None if v is None else Voice(**{**v, "order": tuple(v["order"])}) for v in told["voices"]
        ),
        start=np.array([float(x) for x in told["start"]]),
        answer=Answer(
            classes=None if answer["classes"] is None else tuple(map(_read_value, answer["classes"])),
            link=answer["link"],
            begin=answer["begin"],
            calibration=None
            if calibration is None
            else Calibration(calibration["kind"], _read_curves(calibration)),
            choice=answer["choice"],
            single=answer["single"],
            order=tuple(answer["order"]),
        ),
        divisor=told["divisor"],
        median_weights=None if weights is None else np.array(weights, dtype=np.float64),
        single_sums=told["single_sums"],
        target=told["target"],
    )


def _read_value(value: Any) -> Any:
    return float(value["number"]) if isinstance(value, Mapping) else value


def _read_curves(calibration: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple((tuple(first), tuple(second)) for first, second in calibration["curves"])


def _read_way(way: Any) -> int:
    return int({"every": EVERY_WAY, "none": NO_WAY}.get(way, way))


def _read_tree(nodes: Sequence[Mapping[str, Any]]) -> Steps:
    width = next(len(node["value"]) for node in nodes if "value" in node)
    values = np.zeros((len(nodes), width))
    for i, node in enumerate(nodes):
        if "value" in node:
            values[i] = [float(x) for x in node["value"]]
    ways = {
        i: np.array([*map(_read_way, node["ways"]), _read_way(node["unseen"])], dtype=np.int64)
        for i, node in enumerate(nodes)
        if "ways" in node
    }
    return Steps(
        feature=np.array([node.get("column", -1) for node in nodes], dtype=np.int64),
        threshold=np.array([float(node.get("at_most", "nan")) for node in nodes]),
        first_child=np.array(
            [node["children"][0] if "children" in node else -1 for node in nodes], dtype=np.int64
        ),
        n_children=np.array([len(node.get("children", ())) for node in nodes], dtype=np.int64),
        missing=np.array([_read_way(node.get("missing", 0)) for node in nodes], dtype=np.int64),
        ways=ways,
        shares={i: np.array(node["shares"]) for i, node in enumerate(nodes) if "shares" in node},
        substitutes={
            i: tuple(map(_read_substitute, node["substitutes"]))
            for i, node in enumerate(nodes)
            if "substitutes" in node
        },
        values=values,
    )


def _read_substitute(test: Mapping[str, Any]) -> Substitute:
    if "ways" in test:
        return Substitute(test["column"], float("nan"), np.array(test["ways"], dtype=np.int64))
    return Substitute(test["column"], float(test["at_most"]), None, test["below"], test["above"])
