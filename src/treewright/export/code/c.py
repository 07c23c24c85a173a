"""A model as C99: one file, no heap, no other library than the mathematical one."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from treewright.export.checking import Source, finished, refuse_nul
from treewright.export.code.c_answer import answer_lines, best_lines, many_lines, sum_lines
from treewright.export.code.c_masks import masks_of
from treewright.export.code.c_text import comment_text, string_text
from treewright.export.code.c_trees import tree_lines
from treewright.export.code.nested import can_nest
from treewright.export.code.running import c_run
from treewright.export.code.tables import Tables
from treewright.export.exported import Exported
from treewright.program import Program
from treewright.program.spelling import text_codes
from treewright.version import VERSION

__all__ = ["c_text", "export_c"]

KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int "
    "long register restrict return short signed sizeof static struct switch typedef union unsigned void "
    "volatile while".split()
)


def export_c(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "model",
    feature_names: Sequence[str] | None = None,
    check: Any = None,
) -> Exported:
    """Return a fitted model as C99 code in one file, and write it to a file if asked to.

    ``void NAME_predict(const double *row, double *out)`` writes the predicted number, or the probability of
    each class. A row holds the columns in order: numbers, and codes of categories as ``double NAME_code(int
    feature, const char *text)`` returns them; a missing value is NaN. For classes ``int NAME_class(const
    double *row, double *out)`` does the same and returns the predicted class, whose name is
    ``NAME_labels[…]``. ``void NAME_predict_many(const double *rows, size_t n, double *out)`` predicts n rows
    that follow each other, large boosters sooner than row by row. The code has no state, takes no memory
    from the heap and compiles without a warning.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    name : str, default="model"
        What the names of its functions begin with.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the training data.
    check : table, optional
        Rows on which to run the code beside the model, if there is a C compiler (cc, gcc or clang): what was
        compared is in ``.check`` of the result. If the two disagree nothing is written and ExportCheckError
        is raised.

    Returns
    -------
    Exported
        The text, a str, without a line break at the end.

    Examples
    --------
    >>> from treewright import CARTClassifier, export_c
    >>> tree = CARTClassifier().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    >>> text = export_c(tree, name="iris")
    >>> "void iris_predict(const double *row, double *out)" in text
    True
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in KEYWORDS:
        raise ValueError(f"name must be a name that C allows, for example 'model'. Got {name!r}.")
    source = Source.of(model, "export_c", feature_names)
    refuse_nul(source.program, "C")
    return finished(source, c_text(source.program, name), path, check, c_run(source.program, name))


def c_text(program: Program, name: str) -> str:
    """Return the code of a program."""
    classes, columns, tables = program.answer.classes, program.columns, Tables(program)
    masks = masks_of(program) if tables.is_lean and not can_nest(program) else None
    lines = [
        f"/* {program.algorithm}, written by Treewright {VERSION}.",
        "",
        f"   void {name}_predict(const double *row, double *out);",
        f"   void {name}_predict_many(const double *rows, size_t n, double *out);",
        f"   row: {len(columns)} columns; NaN is missing, a category its code, {name}_code(column, text).",
    ]
    lines += [f"     {i}  {comment_text(column.name)}" for i, column in enumerate(columns)]
    if classes is None:
        lines += ["   out: the predicted number. */"]
    else:
        lines += [
            f"   out: the probability of each of {len(classes)} classes, in the order of {name}_labels;",
            f"   {name}_class does the same and returns the number of the predicted class. */",
        ]
    lines += [
        "#include <math.h>",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "#include <string.h>",
        "",
        f"#define N_COLUMNS {len(columns)}",
        f"#define N_OUTPUTS {program.answer.n_outputs}",
        f"#define N_SUMS {program.n_sums}",
        "",
        f"void {name}_predict(const double *row, double *out);",
        f"void {name}_predict_many(const double *rows, size_t n, double *out);",
        f"double {name}_code(int feature, const char *text);",
    ]
    if classes is not None:
        lines += [
            f"int {name}_class(const double *row, double *out);",
            f"extern const char *const {name}_labels[N_OUTPUTS];",
        ]
    lines += ["", *_code_lines(program, name)]
    if masks is None:
        lines += [*tree_lines(program, tables), *sum_lines(program, tables)]
    else:
        lines += [f"#define N_TREES {len(program.trees)}", *masks.text_lines()]
        lines += best_lines(program)
    if classes is not None:
        labels = ",\n  ".join(string_text(str(label)) for label in classes)
        lines += ["", f"const char *const {name}_labels[N_OUTPUTS] = {{\n  {labels}\n}};"]
    return "\n".join([*lines, *answer_lines(program, name), *many_lines(name, in_masks=masks is not None)])


def _code_lines(program: Program, name: str) -> list[str]:
    """Return the function that finds the code of a text, by bisection."""
    used = set(program.used)
    lines, cases = [], []
    for i, column in enumerate(program.columns):
        if column.is_numeric or i not in used:
            continue
        texts = sorted(text_codes(column).items(), key=lambda pair: pair[0].encode())
        unseen = column.unseen or -1
        look = f"texts = TEXTS_{i}; codes = CODES_{i}; n = {len(texts)}; " if texts else ""
        cases.append(f"    case {i}: unseen = {unseen}; {look}break;")
        if texts:
            lines.append(
                f"static const char *const TEXTS_{i}[] = {{\n  "
                + ",\n  ".join(string_text(text) for text, _ in texts)
                + "\n};"
            )
            lines.append(f"static const int CODES_{i}[] = {{{', '.join(str(code) for _, code in texts)}}};")
    lines += [
        "",
        "/* The code of a category: NaN for a missing one (NULL), and for columns that are not asked. */",
        f"double {name}_code(int feature, const char *text) {{",
        "  const char *const *texts = 0;",
        "  const int *codes = 0;",
        "  int n = 0, unseen = -1, low = 0;",
        "  if (!text) return NAN;",
        "  switch (feature) {",
        *cases,
        "    default: return NAN;",
        "  }",
        "  while (low < n) {",
        "    const int middle = low + (n - low) / 2;",
        "    const int order = strcmp(texts[middle], text);",
        "    if (order == 0) return codes[middle];",
        "    if (order < 0) low = middle + 1; else n = middle;",
        "  }",
        "  return unseen < 0 ? NAN : unseen;",
        "}",
        "",
    ]
    return lines
