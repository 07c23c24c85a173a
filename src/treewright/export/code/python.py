"""A model as a Python module that needs nothing but Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from treewright.export.checking import Source, finished, refuse_nul
from treewright.export.code.nested import CodeSets, Syntax, can_nest, nested_lines
from treewright.export.code.running import run_python
from treewright.export.code.tables import Places, Tables
from treewright.export.code.wrapping import wrapped
from treewright.export.exported import Exported
from treewright.program import Program
from treewright.version import VERSION

__all__ = ["export_python", "python_text"]


def export_python(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    check: Any = None,
) -> Exported:
    """Return a fitted model as a Python module without dependencies, and write it to a file if asked to.

    The module has ``predict(row)`` and, for classes, ``predict_proba(row)``; a row is a mapping from names of
    columns to values. A missing value is None or NaN. It answers to the last bit of a sum as the model does.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the training data.
    check : table, optional
        Rows on which to run the module beside the model: what was compared is in ``.check`` of the result. If
        the two disagree nothing is written and ExportCheckError is raised.

    Returns
    -------
    Exported
        The text, a str, without a line break at the end.

    Examples
    --------
    >>> from treewright import CARTClassifier, export_python
    >>> tree = CARTClassifier().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    >>> text = export_python(tree, check=[[1.5], [2.5], [9.0]])
    >>> print(text.check)
    3 rows compared, largest difference 0, no other predictions; run by Python
    >>> module = {}
    >>> exec(text, module)
    >>> module["predict"]({"x0": 9.0})
    'b'
    """
    source = Source.of(model, "export_python", feature_names)
    refuse_nul(source.program, "a module")
    return finished(source, python_text(source.program), path, check, run_python)


def python_text(program: Program) -> str:
    """Return the module of a program."""
    classes = program.answer.classes
    what = "the predicted number" if classes is None else "the predicted class"
    lines = [
        f'"""{program.algorithm}, written by Treewright {VERSION}. It needs nothing but Python.',
        "",
        f"predict(row) returns {what}"
        + ("." if classes is None else ", predict_proba(row) one number per class."),
        "A row is a mapping from the names of the columns to values; a missing value is None or NaN.",
        '"""',
        "",
        "from math import exp, inf, log, log1p, nan",
        "from struct import pack, unpack",
        "",
        f"COLUMNS = {_listed(map(repr_text, (column.name for column in program.columns)))}",
    ]
    if classes is not None:
        lines.append(f"CLASSES = {_listed(map(repr_text, classes))}")
    used = set(program.used)
    for i, column in enumerate(program.columns):
        if i in used and not column.is_numeric:
            pairs = (f"{repr_text(category)}: {code}" for code, category in enumerate(column.categories, 1))
            lines.append(f"CODES_{i} = {wrapped('{', pairs, '}')}")
    tables = Tables(program)
    trees = _nested(program, tables) if can_nest(program) else _looped(tables)
    return "\n".join(
        [*lines, *_ROW, *_rows_text(program), *trees, *_sums_text(program, tables), *_answer(program)]
    )


def repr_text(value: Any) -> str:
    """Return a value as Python writes it, in ASCII: no name can leave its quotes."""
    return number_text(value) if isinstance(value, float) else ascii(value)


def number_text(value: float) -> str:
    """Return a number as Python writes it; `inf` and `nan` are names of the module."""
    return repr(float(value))


def _listed(items: Iterable[str]) -> str:
    return wrapped("[", items, "]")


_ROW = """

def _number(row, name):
    value = row[name]
    return nan if value is None else float(value)


def _known(row, name):
    value = _number(row, name)
    return nan if abs(value) <= 1e-35 else value


def _code(row, name, codes, unseen):
    value = row[name]
    return nan if value is None or value != value else codes.get(value, unseen)
""".splitlines()


def _rows_text(program: Program) -> list[str]:
    """Return the function that makes numbers and codes of a row by name."""
    used = set(program.used)
    lines = ["", "def _encoded(row):", "    return ["]
    for i, column in enumerate(program.columns):
        name = repr_text(column.name)
        if i not in used:
            lines.append("        nan,")
        elif column.is_numeric:
            lines.append(f"        {'_known' if column.zero_is_missing else '_number'}(row, {name}),")
        else:
            unseen = column.unseen or "nan"
            lines.append(f"        _code(row, {name}, CODES_{i}, {unseen}),")
    return [*lines, "    ]", ""]


def _values(tables: Tables) -> list[str]:
    rows = (f"({', '.join(map(number_text, row))},)" for row in tables.values.tolist())
    return [f"VALUES = {_listed(rows)}", ""]


def _nested(program: Program, tables: Tables) -> list[str]:
    sets = CodeSets()
    syntax = Syntax(
        at_most=lambda f, t: f"row[{f}] <= {number_text(t)}",
        not_above=lambda f, t: f"not row[{f}] > {number_text(t)}",
        has=lambda f, number: f"row[{f}] in SET_{number}",
        is_missing=lambda f: f"row[{f}] != row[{f}]",
        test="if {}:",
        close="",
        leave="return VALUES[{}]",
    )
    bodies: list[str] = []
    for number, (tree, root) in enumerate(zip(program.trees, tables.roots, strict=True)):
        bodies += ["", f"def _tree_{number}(row):"]
        bodies += nested_lines(tree, Places(tables.value, root), sets, syntax)
        bodies.append("")
    constants = [
        f"SET_{number} = frozenset({_listed(map(str, codes))})" for (_, codes), number in sets.sets.items()
    ]
    names = _listed(f"_tree_{number}" for number in range(len(program.trees)))
    walk = ["", f"TREES = {names}", "", "", "def _values(tree, row):", "    return TREES[tree](row)", ""]
    return ["", *_values(tables), *constants, *bodies, *walk]


_STEP = """
def _branch(node, row):
    kind, x = KIND[node], row[FEATURE[node]]
    if x == x:
        if kind == 1:
            return 0 if x <= THRESHOLD[node] else 1
        if kind == 2:
            return WORDS[AT[node] + (x >> 5)] >> (x & 31) & 1
        return WAYS[AT[node] + x]
    for test in range(SUBSTITUTES[node], SUBSTITUTES[node + 1]):
        x = row[TEST_FEATURE[test]]
        if x != x:
            continue
        at = TEST_AT[test]
        if at < 0:
            return TEST_BELOW[test] if x <= TEST_THRESHOLD[test] else TEST_ABOVE[test]
        if x <= N_CODES[TEST_FEATURE[test]]:
            return WORDS[at + (x >> 5)] >> (x & 31) & 1
    return MISSING[node]


def _values(tree, row):
    waiting = [(ROOTS[tree], 1.0)]
    total = None
    while waiting:
        node, share = waiting.pop()
        while KIND[node]:
            branch = _branch(node, row)
            if branch < 0:
                break
            node = CHILD[node] + branch
        if KIND[node] and branch == -1:
            at = SHARE[node]
            pairs = ((CHILD[node] + k, SHARES[at + k]) for k in range(COUNT[node]))
            parts = [(child, share * part) for child, part in pairs if part > 0]
            if parts:
                waiting.extend(reversed(parts))
                continue
        value = VALUES[VALUE[node]]
        if not MIXES:
            return value
        total = total or [0.0] * len(value)
        total = [t + share * v for t, v in zip(total, value)]
    return total
""".splitlines()


def _looped(tables: Tables) -> list[str]:
    lines = [""]
    whole = {
        "ROOTS": tables.roots, "KIND": tables.kind, "FEATURE": tables.feature, "AT": tables.at,
        "CHILD": tables.child, "COUNT": tables.count, "MISSING": tables.missing, "VALUE": tables.value,
        "SHARE": tables.share, "SUBSTITUTES": tables.substitutes, "WORDS": tables.words, "WAYS": tables.ways,
        "TEST_FEATURE": tables.test_feature, "TEST_AT": tables.test_at, "TEST_BELOW": tables.test_below,
        "TEST_ABOVE": tables.test_above,
    }  # fmt: skip
    reals = {"THRESHOLD": tables.threshold, "SHARES": tables.shares, "TEST_THRESHOLD": tables.test_threshold}
    lines += [f"{name} = {_listed(map(str, numbers))}" for name, numbers in whole.items()]
    lines += [f"{name} = {_listed(map(number_text, numbers))}" for name, numbers in reals.items()]
    lines.append(f"MIXES = {tables.mixes}")
    return [*lines, *_values(tables), *_STEP, ""]


def _sums_text(program: Program, tables: Tables) -> list[str]:
    lines = []
    if any(column.categories for column in program.columns):
        lines += [f"N_CODES = {[len(column.categories) for column in program.columns]}"]
    else:
        lines += [f"N_CODES = [0] * {len(program.columns)}"]
    if program.median_weights is not None:
        lines += [
            f"WEIGHTS = {_listed(map(number_text, program.median_weights.tolist()))}",
            "",
            "",
            "def _sums(row):",
            "    said = sorted((_values(tree, row)[0], tree) for tree in range(len(WEIGHTS)))",
            "    so_far, weight = [], 0.0",
            "    for _, tree in said:",
            "        weight += WEIGHTS[tree]",
            "        so_far.append(weight)",
            "    place = next(i for i, weight in enumerate(so_far) if weight >= 0.5 * so_far[-1])",
            "    return [said[place][0]]",
            "",
        ]
        return lines
    voices = [voice for voice in program.voices if voice is not None]
    lines += [f"START = {_listed(map(number_text, program.start.tolist()))}"]
    if voices:
        lines += _voices_text(program)
    lines += [
        "",
        "",
        "def _single(x):",
        '    return unpack("f", pack("f", x))[0]',
        "",
        "",
        "def _sums(row):",
        "    sums = list(START)",
        f"    for tree in range({len(program.trees)}):",
        "        values = _values(tree, row)",
    ]
    if voices:
        lines.append("        values = _said(tree, values)")
    stride = program.n_sums if set(program.first_sum) != {0} else 0
    first = f"tree % {stride}" if stride else "0"
    lines.append(f"        for k, value in enumerate(values, {first}):")
    lines.append(
        "            sums[k] = _single(sums[k] + value)"
        if program.single_sums
        else "            sums[k] += value"
    )
    divided = "" if program.divisor == 1.0 else f" / {number_text(program.divisor)}"
    return [*lines, f"    return [x{divided} for x in sums]" if divided else "    return sums", ""]


def _voices_text(program: Program) -> list[str]:
    """Return what trees that mix leaves say: their shares alone do not count."""
    told = (
        "None"
        if v is None
        else repr((v.kind, v.right, v.wrong, v.single, v.order or tuple(range(program.n_sums))))
        for v in program.voices
    )
    return [
        f"VOICES = {_listed(told)}",
        "",
        "",
        "def _said(tree, values):",
        "    if VOICES[tree] is None:",
        "        return values",
        "    kind, right, wrong, single, order = VOICES[tree]",
        '    if kind == "shares":',
        "        total = sum(values)",
        "        return [x / total for x in values]",
        '    if kind == "logs":',
        "        logs = [log(max(x, 2.220446049250313e-16)) for x in values]",
        "        mean = sum(logs) / len(logs)",
        "        return [right * (x - mean) for x in logs]",
        "    compared = [_single(x) for x in values] if single else values",
        "    best = max(order, key=compared.__getitem__)",
        "    return [right if k == best else wrong for k in range(len(values))]",
    ]


def _answer(program: Program) -> list[str]:
    answer = program.answer
    lines = ["", "def _numbers(sums):"]
    lines += [f"    sums = sums[{answer.begin}:]"] if answer.begin else []
    name, factor = answer.named_link
    if name == "identity":
        lines.append("    found = list(sums)")
    elif name == "log":
        lines.append("    found = [exp(x) if x < 709.782712893384 else inf for x in sums]")
    elif name == "square":
        lines.append("    found = [x * abs(x) for x in sums]")
    elif name == "softplus":
        lines.append("    found = [max(x, 0.0) + log1p(exp(-abs(x))) for x in sums]")
    elif name == "step":
        lines.append("    found = [1.0 if x > 0 else 0.0 for x in sums]")
    elif name in ("logit", "sigmoid", "one_vs_rest"):
        lines += [
            "    found = []",
            "    for score in sums:",
            f"        score *= {number_text(factor)}",
            "        small = exp(-abs(score))",
            "        smaller = small / (1.0 + small)",
            "        found.append(1.0 - smaller if score > 0 else smaller)",
        ]
        lines += ["    found = [1.0 - found[0], found[0]]"] if name == "logit" else []
    elif answer.link == "shares":
        lines += ["    total = sum(sums)", "    found = [x / total for x in sums]"]
    else:
        scale = f" / {max(1, answer.n_outputs - 1)}" if answer.link == "votes" else ""
        shift = "" if answer.link == "votes" else " - most"
        lines += [] if answer.link == "votes" else ["    most = max(sums)"]
        lines += [f"    powers = [exp((x{shift}){scale}) for x in sums]", "    total = sum(powers)"]
        lines.append("    found = [x / total for x in powers]")
    if answer.calibration is not None and answer.calibration.curves:
        lines.append("    return _calibrated(found)")
        lines = [*_calibration_text(program), *lines]
    else:
        lines.append("    return found")
    if answer.classes is None:
        return [*lines, "", "", "def predict(row):", "    return _numbers(_sums(_encoded(row)))[0]"]
    order = answer.order or tuple(range(answer.n_outputs))
    lines += [
        "",
        "",
        "def predict_proba(row):",
        "    return _numbers(_sums(_encoded(row)))",
        "",
        "",
        "def predict(row):",
    ]
    lines.append("    sums = _sums(_encoded(row))")
    if answer.choice == "sign":
        return [*lines, "    return CLASSES[1 if sums[0] > 0 else 0]"]
    compared = "_numbers(sums)" if answer.choice == "probabilities" else f"sums[:{answer.n_outputs}]"
    if answer.single:
        compared = f"[_single(x) for x in {compared}]"
    return [
        *lines,
        f"    compared = {compared}",
        f"    return CLASSES[max({order}, key=compared.__getitem__)]",
    ]


def _calibration_text(program: Program) -> list[str]:
    calibration = program.answer.calibration
    assert calibration is not None, "asked for"
    curves = _listed(
        f"([{', '.join(map(number_text, first))}], [{', '.join(map(number_text, second))}])"
        for first, second in calibration.curves
    )
    lines = [f"CURVES = {curves}", "", "", "def _curve(k, x):", "    first, second = CURVES[k]"]
    if calibration.kind == "sigmoid":
        lines += [
            "    line = first[0] * x + second[0]",
            "    return 1.0 / (1.0 + exp(-line)) if line > 0 else exp(line) / (1.0 + exp(line))",
        ]
    else:
        lines += [
            "    if x <= first[0]:",
            "        return second[0]",
            "    for i in range(len(first) - 1):",
            "        if first[i] <= x < first[i + 1]:",
            "            slope = (second[i + 1] - second[i]) / (first[i + 1] - first[i])",
            "            return slope * (x - first[i]) + second[i]",
            "    return second[-1]",
        ]
    lines += ["", "", "def _calibrated(found):"]
    if len(calibration.curves) == 1:
        lines += ["    second = _curve(0, found[1])", "    return [1.0 - second, second]"]
    else:
        lines += [
            "    found = [_curve(k, x) for k, x in enumerate(found)]",
            "    total = sum(found)",
            "    return [x / total if total > 0 else 1.0 / len(found) for x in found]",
        ]
    return ["", *lines, ""]
