"""A model as an ES module, for browsers and node."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

from treewright.export.checking import Source, finished, refuse_nul
from treewright.export.code.nested import CodeSets, Syntax, can_nest, nested_lines
from treewright.export.code.running import javascript_run
from treewright.export.code.tables import Places, Tables, set_words
from treewright.export.code.wrapping import wrapped
from treewright.export.exported import Exported
from treewright.program import Program
from treewright.version import VERSION

__all__ = ["export_javascript", "javascript_text"]

LARGEST_SAFE = 2**53


def export_javascript(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    check: Any = None,
) -> Exported:
    """Return a fitted model as an ES module without dependencies, and write it to a file if asked to.

    The module has ``predict(row)`` and, for classes, ``predictProba(row)``, ``classIndex(row)`` and
    ``classes``; a row is an object or a Map from names of columns to values. A missing value is null,
    undefined as a value, or NaN.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the training data.
    check : table, optional
        Rows on which to run the module beside the model, by node if it is installed: what was compared is in
        ``.check`` of the result. If the two disagree nothing is written and ExportCheckError is raised.

    Returns
    -------
    Exported
        The text, a str, without a line break at the end.

    Examples
    --------
    >>> from treewright import CARTClassifier, export_javascript
    >>> tree = CARTClassifier().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    >>> text = export_javascript(tree)
    >>> "export function predict(row)" in text
    True
    """
    source = Source.of(model, "export_javascript", feature_names)
    refuse_nul(source.program, "a module")
    return finished(source, javascript_text(source.program), path, check, javascript_run(source.program))


def javascript_text(program: Program) -> str:
    """Return the module of a program."""
    classes = program.answer.classes
    lines = [
        f"// {program.algorithm}, written by Treewright {VERSION}. It needs nothing else.",
        "// A row is an object or a Map from the names of the columns to values; null and NaN are missing.",
        "",
        f"export const columns = {_listed(value_text(column.name) for column in program.columns)};",
    ]
    if classes is not None:
        lines.append(f"export const classes = {_listed(map(value_text, classes))};")
    used = set(program.used)
    for i, column in enumerate(program.columns):
        if i in used and not column.is_numeric:
            pairs = (f"[{key_text(category)}, {code}]" for code, category in enumerate(column.categories, 1))
            lines.append(f"const CODES_{i} = new Map({_listed(pairs)});")
    tables = Tables(program)
    trees = _nested(program, tables) if can_nest(program) else _looped(program, tables)
    return "\n".join(
        [*lines, *_ROW, *_encoded(program), *trees, *_sums(program), *_numbers(program), *_ends(program)]
    )


def value_text(value: Any) -> str:
    """Return a name, label or category as JavaScript writes it, in ASCII: none can leave its quotes."""
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST_SAFE:
        return f"{value}n"
    return json.dumps(value).replace("<", "\\u003c")


def key_text(category: Any) -> str:
    """Return what a category is looked up by: booleans are the numbers 0 and 1."""
    return str(int(category)) if isinstance(category, bool) else value_text(category)


def number_text(value: float) -> str:
    """Return a number as JavaScript writes it."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "NaN" if math.isnan(value) else repr(float(value))


def _listed(items: Iterable[str]) -> str:
    return wrapped("[", items, "]")


_ROW = """
function valueOf(row, name) {
  if (row instanceof Map ? !row.has(name) : !Object.prototype.hasOwnProperty.call(row, name)) {
    throw new Error(`The row has no value of ${JSON.stringify(name)}; a missing value is null.`);
  }
  return row instanceof Map ? row.get(name) : row[name];
}

function numberOf(row, name) {
  const value = valueOf(row, name);
  if (value === null || value === undefined) return NaN;
  if (typeof value === "string") throw new Error(`${JSON.stringify(name)} must be a number, not text.`);
  return Number(value);
}

function knownOf(row, name) {
  const value = numberOf(row, name);
  return Math.abs(value) <= 1e-35 ? NaN : value;
}

function codeOf(row, name, codes, unseen) {
  let value = valueOf(row, name);
  if (value === null || value === undefined || value !== value) return NaN;
  if (typeof value === "boolean") value = value ? 1 : 0;
  if (typeof value === "bigint" && BigInt(Number(value)) === value) {
    if (Math.abs(Number(value)) <= 9007199254740992) value = Number(value);
  }
  const code = codes.get(value);
  return code === undefined ? unseen : code;
}
""".splitlines()


def _encoded(program: Program) -> list[str]:
    used = set(program.used)
    lines = ["", "function encoded(row) {", "  return ["]
    for i, column in enumerate(program.columns):
        name = value_text(column.name)
        if i not in used:
            lines.append("    NaN,")
        elif column.is_numeric:
            lines.append(f"    {'knownOf' if column.zero_is_missing else 'numberOf'}(row, {name}),")
        else:
            lines.append(f"    codeOf(row, {name}, CODES_{i}, {column.unseen or 'NaN'}),")
    return [*lines, "  ];", "}", ""]


def _values(tables: Tables) -> list[str]:
    rows = (f"[{', '.join(map(number_text, row))}]" for row in tables.values.tolist())
    return [f"const VALUES = {_listed(rows)};"]


def _nested(program: Program, tables: Tables) -> list[str]:
    sets = CodeSets()
    syntax = Syntax(
        at_most=lambda f, t: f"row[{f}] <= {number_text(t)}",
        not_above=lambda f, t: f"!(row[{f}] > {number_text(t)})",
        has=lambda f, number: f"has(SET_{number}, row[{f}])",
        is_missing=lambda f: f"row[{f}] !== row[{f}]",
        test="if ({}) {{",
        close="}",
        leave="return VALUES[{}];",
    )
    bodies: list[str] = []
    for number, (tree, root) in enumerate(zip(program.trees, tables.roots, strict=True)):
        bodies += ["", f"function tree{number}(row) {{"]
        bodies += nested_lines(tree, Places(tables.value, root), sets, syntax, "  ")
        bodies.append("}")
    constants = []
    for (n_codes, codes), number in sets.sets.items():
        words = set_words([int(code in set(codes)) for code in range(1, n_codes + 2)])
        constants.append(f"const SET_{number} = {_listed(map(str, words.tolist()))};")
    if constants:
        constants += [
            "",
            "function has(words, x) {",
            "  return x === x && ((words[x >> 5] >>> (x & 31)) & 1) === 1;",
            "}",
        ]
    names = _listed(f"tree{number}" for number in range(len(program.trees)))
    return [
        *_values(tables), *constants, *bodies, "", f"const TREES = {names};", "",
        "function valuesOf(tree, row) {", "  return TREES[tree](row);", "}",
    ]  # fmt: skip


_STEP = """
function branchOf(node, row) {
  const kind = KIND[node];
  let x = row[FEATURE[node]];
  if (x === x) {
    if (kind === 1) return x <= THRESHOLD[node] ? 0 : 1;
    if (kind === 2) return (WORDS[AT[node] + (x >> 5)] >>> (x & 31)) & 1;
    return WAYS[AT[node] + x];
  }
  for (let test = SUBSTITUTES[node]; test < SUBSTITUTES[node + 1]; test++) {
    x = row[TEST_FEATURE[test]];
    if (x !== x) continue;
    const at = TEST_AT[test];
    if (at < 0) return x <= TEST_THRESHOLD[test] ? TEST_BELOW[test] : TEST_ABOVE[test];
    if (x <= N_CODES[TEST_FEATURE[test]]) return (WORDS[at + (x >> 5)] >>> (x & 31)) & 1;
  }
  return MISSING[node];
}

function valuesOf(tree, row) {
  const waiting = [[ROOTS[tree], 1]];
  const total = new Array(VALUES[0].length).fill(0);
  while (waiting.length) {
    let [node, share] = waiting.pop();
    let branch = 0;
    while (KIND[node]) {
      branch = branchOf(node, row);
      if (branch < 0) break;
      node = CHILD[node] + branch;
    }
    if (KIND[node] && branch === -1) {
      const before = waiting.length;
      for (let k = COUNT[node] - 1; k >= 0; k--) {
        const part = SHARES[SHARE[node] + k];
        if (part > 0) waiting.push([CHILD[node] + k, share * part]);
      }
      if (waiting.length > before) continue;
    }
    const value = VALUES[VALUE[node]];
    if (!MIXES) return value;
    for (let k = 0; k < total.length; k++) total[k] += share * value[k];
  }
  return total;
}
""".splitlines()


def _looped(program: Program, tables: Tables) -> list[str]:
    whole = {
        "ROOTS": tables.roots, "KIND": tables.kind, "FEATURE": tables.feature, "AT": tables.at,
        "CHILD": tables.child, "COUNT": tables.count, "MISSING": tables.missing, "VALUE": tables.value,
        "SHARE": tables.share, "SUBSTITUTES": tables.substitutes, "WAYS": tables.ways,
        "TEST_FEATURE": tables.test_feature, "TEST_AT": tables.test_at, "TEST_BELOW": tables.test_below,
        "TEST_ABOVE": tables.test_above, "N_CODES": [len(column.categories) for column in program.columns],
    }  # fmt: skip
    reals = {"THRESHOLD": tables.threshold, "SHARES": tables.shares, "TEST_THRESHOLD": tables.test_threshold}
    lines = [
        f"const {name} = Int32Array.from({_listed(map(str, numbers))});" for name, numbers in whole.items()
    ]
    lines.append(f"const WORDS = Uint32Array.from({_listed(map(str, tables.words))});")
    lines += [f"const {name} = {_listed(map(number_text, numbers))};" for name, numbers in reals.items()]
    lines.append(f"const MIXES = {'true' if tables.mixes else 'false'};")
    return [*lines, *_values(tables), *_STEP]


def _sums(program: Program) -> list[str]:
    if program.median_weights is not None:
        return [
            f"const WEIGHTS = {_listed(map(number_text, program.median_weights.tolist()))};",
            "",
            "function sumsOf(row) {",
            "  const said = WEIGHTS.map((_, tree) => [valuesOf(tree, row)[0], tree]);",
            "  said.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));",
            "  let weight = 0;",
            "  const soFar = said.map(([, tree]) => (weight += WEIGHTS[tree]));",
            "  return [said[soFar.findIndex((x) => x >= 0.5 * weight)][0]];",
            "}",
        ]
    lines = [f"const START = {_listed(map(number_text, program.start.tolist()))};"]
    voices = any(voice is not None for voice in program.voices)
    if voices:
        lines += _voices(program)
    lines += ["", "function sumsOf(row) {", "  const sums = START.slice();"]
    lines.append(f"  for (let tree = 0; tree < {len(program.trees)}; tree++) {{")
    lines.append(
        "    const values = " + ("saidBy(tree, valuesOf(tree, row));" if voices else "valuesOf(tree, row);")
    )
    first = f"tree % {program.n_sums}" if set(program.first_sum) != {0} else "0"
    added = f"sums[{first} + k] + values[k]"
    added = f"Math.fround({added})" if program.single_sums else added
    lines.append(f"    for (let k = 0; k < values.length; k++) sums[{first} + k] = {added};")
    lines.append("  }")
    divided = "" if program.divisor == 1.0 else f".map((x) => x / {number_text(program.divisor)})"
    return [*lines, f"  return sums{divided};", "}"]


def _voices(program: Program) -> list[str]:
    told = []
    for voice in program.voices:
        if voice is None:
            told.append("null")
            continue
        order = list(voice.order or range(program.n_sums))
        single = "true" if voice.single else "false"
        told.append(
            f'["{voice.kind}", {number_text(voice.right)}, {number_text(voice.wrong)}, {single}, {order}]'
        )
    return [
        f"const VOICES = {_listed(told)};",
        *_BEST,
        "",
        "function saidBy(tree, values) {",
        "  if (VOICES[tree] === null) return values;",
        "  const [kind, right, wrong, single, order] = VOICES[tree];",
        '  if (kind === "shares") {',
        "    const total = values.reduce((a, b) => a + b, 0);",
        "    return values.map((x) => x / total);",
        "  }",
        '  if (kind === "logs") {',
        "    const logs = values.map((x) => Math.log(Math.max(x, 2.220446049250313e-16)));",
        "    const mean = logs.reduce((a, b) => a + b, 0) / logs.length;",
        "    return logs.map((x) => right * (x - mean));",
        "  }",
        "  const best = bestOf(single ? values.map(Math.fround) : values, order);",
        "  return values.map((_, k) => (k === best ? right : wrong));",
        "}",
    ]


_BEST = """
function bestOf(scores, order) {
  let best = order[0];
  for (const k of order) if (scores[k] > scores[best]) best = k;
  return best;
}
""".splitlines()


def _numbers(program: Program) -> list[str]:
    answer = program.answer
    lines = ["", f"function numbersOf({'all' if answer.begin else 'sums'}) {{"]
    lines += [f"  const sums = all.slice({answer.begin});"] if answer.begin else []
    name, factor = answer.named_link
    numbers = {
        "identity": "x",
        "log": "Math.exp(x)",
        "square": "x * Math.abs(x)",
        "softplus": "Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))",
        "step": "x > 0 ? 1 : 0",
    }
    if name in numbers:
        lines.append(f"  const found = sums.map((x) => {numbers[name]});")
    elif name in ("logit", "sigmoid", "one_vs_rest"):
        lines += [
            "  const shares = sums.map((x) => {",
            f"    const score = x * {number_text(factor)};",
            "    const small = Math.exp(-Math.abs(score));",
            "    const smaller = small / (1 + small);",
            "    return score > 0 ? 1 - smaller : smaller;",
            "  });",
            f"  const found = {'[1 - shares[0], shares[0]]' if name == 'logit' else 'shares'};",
        ]
    elif answer.link == "shares":
        lines += [
            "  const total = sums.reduce((a, b) => a + b, 0);",
            "  const found = sums.map((x) => x / total);",
        ]
    else:
        scale = f"x / {max(1, answer.n_outputs - 1)}" if answer.link == "votes" else "x - most"
        lines += [] if answer.link == "votes" else ["  const most = sums.reduce((a, b) => Math.max(a, b));"]
        lines += [
            f"  const powers = sums.map((x) => Math.exp({scale}));",
            "  const total = powers.reduce((a, b) => a + b, 0);",
            "  const found = powers.map((x) => x / total);",
        ]
    if answer.calibration is None or not answer.calibration.curves:
        return [*lines, "  return found;", "}"]
    return [*_calibration(program), *lines, "  return calibrated(found);", "}"]


def _calibration(program: Program) -> list[str]:
    calibration = program.answer.calibration
    assert calibration is not None, "asked for"
    curves = _listed(
        f"[[{', '.join(map(number_text, first))}], [{', '.join(map(number_text, second))}]]"
        for first, second in calibration.curves
    )
    lines = [
        f"const CURVES = {curves};",
        "",
        "function curve(k, x) {",
        "  const [first, second] = CURVES[k];",
    ]
    if calibration.kind == "sigmoid":
        lines += [
            "  const line = first[0] * x + second[0];",
            "  return line > 0 ? 1 / (1 + Math.exp(-line)) : Math.exp(line) / (1 + Math.exp(line));",
        ]
    else:
        lines += [
            "  if (x <= first[0]) return second[0];",
            "  for (let i = 0; i + 1 < first.length; i++) {",
            "    if (first[i] <= x && x < first[i + 1]) {",
            "      const slope = (second[i + 1] - second[i]) / (first[i + 1] - first[i]);",
            "      return slope * (x - first[i]) + second[i];",
            "    }",
            "  }",
            "  return second[second.length - 1];",
        ]
    lines += ["}", "", "function calibrated(found) {"]
    if len(calibration.curves) == 1:
        return [*lines, "  const second = curve(0, found[1]);", "  return [1 - second, second];", "}"]
    return [
        *lines,
        "  const corrected = found.map((x, k) => curve(k, x));",
        "  const total = corrected.reduce((a, b) => a + b, 0);",
        "  return corrected.map((x) => (total > 0 ? x / total : 1 / found.length));",
        "}",
    ]


def _ends(program: Program) -> list[str]:
    answer = program.answer
    if answer.classes is None:
        return ["", "export function predict(row) {", "  return numbersOf(sumsOf(encoded(row)))[0];", "}"]
    lines = ["", "export function predictProba(row) {", "  return numbersOf(sumsOf(encoded(row)));", "}"]
    if answer.choice != "sign" and not any(voice is not None for voice in program.voices):
        lines += _BEST
    lines += ["", "export function classIndex(row) {", "  const sums = sumsOf(encoded(row));"]
    if answer.choice == "sign":
        lines.append("  return sums[0] > 0 ? 1 : 0;")
    else:
        compared = (
            "numbersOf(sums)" if answer.choice == "probabilities" else f"sums.slice(0, {answer.n_outputs})"
        )
        compared += ".map(Math.fround)" if answer.single else ""
        lines.append(f"  return bestOf({compared}, {list(answer.order or range(answer.n_outputs))});")
    return [*lines, "}", "", "export function predict(row) {", "  return classes[classIndex(row)];", "}"]
