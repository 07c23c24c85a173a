"""From the trees to the answer, in C."""

from __future__ import annotations

from treewright.export.code.c_blocks import leaf_value
from treewright.export.code.c_text import array_text, number_text
from treewright.export.code.c_trees import goes_in_blocks
from treewright.export.code.tables import Tables
from treewright.program import Program

__all__ = ["answer_lines", "best_lines", "many_lines", "sum_lines"]

_MEDIAN = """
static void sums_of(const double *row, double *sums) {
  double said[N_TREES], weight = 0.0, half = 0.0;
  int order[N_TREES], i, k;
  for (i = 0; i < N_TREES; ++i) tree_values(i, row, &said[i]);
  for (i = 0; i < N_TREES; ++i) {
    for (k = i; k > 0 && said[order[k - 1]] > said[i]; --k) order[k] = order[k - 1];
    order[k] = i;
  }
  for (i = 0; i < N_TREES; ++i) half += WEIGHTS[order[i]];
  for (i = 0; i < N_TREES; ++i) {
    weight += WEIGHTS[order[i]];
    if (weight >= 0.5 * half) break;
  }
  sums[0] = said[order[i < N_TREES ? i : N_TREES - 1]];
}
""".splitlines()

_BEST = """
static int best_of(const double *scores, const int *order, int n, int single) {
  int best = order[0], k;
  for (k = 1; k < n; ++k) {
    const double a = single ? (float)scores[order[k]] : scores[order[k]];
    const double b = single ? (float)scores[best] : scores[best];
    if (a > b) best = order[k];
  }
  return best;
}
""".splitlines()

_SAID = """
static void said_by(int tree, double *values) {
  const Voice *const voice = &VOICES[tree];
  double total = 0.0;
  int k, best;
  switch (voice->kind) {
    case 1:
      for (k = 0; k < WIDTH; ++k) total += values[k];
      for (k = 0; k < WIDTH; ++k) values[k] /= total;
      break;
    case 2:
      best = best_of(values, VOICE_ORDER, WIDTH, voice->single);
      for (k = 0; k < WIDTH; ++k) values[k] = k == best ? voice->right : voice->wrong;
      break;
    case 3:
      for (k = 0; k < WIDTH; ++k) {
        values[k] = log(values[k] > 2.220446049250313e-16 ? values[k] : 2.220446049250313e-16);
        total += values[k];
      }
      for (k = 0; k < WIDTH; ++k) values[k] = voice->right * (values[k] - total / WIDTH);
      break;
    default: break;
  }
}
""".splitlines()
_SHARE = """
static double share_of(double score) {
  const double small = exp(-fabs(score));
  const double smaller = small / (1.0 + small);
  return score > 0 ? 1.0 - smaller : smaller;
}
""".splitlines()
_KINDS = {"shares": 1, "choice": 2, "logs": 3}


def _needs_best(program: Program) -> bool:
    answer = program.answer
    return answer.classes is not None and answer.choice != "sign"


def _has_voices(program: Program) -> bool:
    return any(voice is not None for voice in program.voices)


def best_lines(program: Program) -> list[str]:
    """Return ``best_of``, where classes are compared."""
    return list(_BEST) if _needs_best(program) or _has_voices(program) else []


def many_lines(name: str, *, in_masks: bool) -> list[str]:
    """Return the function for many rows, which go through large models together."""
    lines = ["", f"void {name}_predict_many(const double *rows, size_t n, double *out) {{"]
    if not in_masks:
        return [
            *lines,
            "  size_t i;",
            f"  for (i = 0; i < n; ++i) {name}_predict(rows + i * N_COLUMNS, out + i * N_OUTPUTS);",
            "}",
        ]
    return [
        *lines,
        "  double sums[ROWS_AT_ONCE * N_SUMS];",
        "  size_t first;",
        "  for (first = 0; first < n; first += ROWS_AT_ONCE) {",
        "    const int here = n - first < ROWS_AT_ONCE ? (int)(n - first) : ROWS_AT_ONCE;",
        "    int i;",
        "    sums_of_rows(rows + first * N_COLUMNS, here, sums);",
        "    for (i = 0; i < here; ++i) {",
        "      numbers_of(sums + i * N_SUMS, out + (first + (size_t)i) * N_OUTPUTS);",
        "    }",
        "  }",
        "}",
    ]


def sum_lines(program: Program, tables: Tables) -> list[str]:
    """Return ``sums_of(row, sums)``."""
    in_blocks = goes_in_blocks(program, tables)
    if program.median_weights is not None:
        lines = _one_of_a_block(tables) if in_blocks else []
        return [
            *lines,
            array_text("double", "WEIGHTS", map(number_text, program.median_weights.tolist())),
            *_MEDIAN,
        ]
    lines = best_lines(program)
    if _has_voices(program):
        lines += _voice_lines(program)
    lines.append(array_text("double", "START", map(number_text, program.start.tolist())))
    turns = set(program.first_sum) != {0}
    target = "sums[tree % N_SUMS]" if turns else "sums[k]"
    lines += ["", "static void sums_of(const double *row, double *sums) {"]
    leaf = leaf_value("leaves[tree - first]", tables)
    if in_blocks:
        lines += [
            "  int first, tree, k;",
            "  uint32_t cells[N_CELLS], leaves[AT_ONCE];",
            "  ranks_of(row, cells);",
            "  for (k = 0; k < N_SUMS; ++k) sums[k] = START[k];",
            "  for (first = 0; first < N_TREES; first += AT_ONCE) {",
            "    const int last = N_TREES - first > AT_ONCE ? first + AT_ONCE : N_TREES;",
            "    leaves_of(cells, first, last - first, leaves);",
            "    for (tree = first; tree < last; ++tree) {",
            f"      const double *const values = (const double *)&{leaf};",
        ]
        indent = "      "
    else:
        lines += [
            "  int tree, k;",
            "  for (k = 0; k < N_SUMS; ++k) sums[k] = START[k];",
            "  for (tree = 0; tree < N_TREES; ++tree) {",
            "    double values[WIDTH];",
            "    tree_values(tree, row, values);",
            *(["    said_by(tree, values);"] if _has_voices(program) else []),
        ]
        indent = "    "
    added = f"{target} + values[k]"
    added = f"(float)({added})" if program.single_sums else added
    lines.append(f"{indent}for (k = 0; k < WIDTH; ++k) {target} = {added};")
    lines += ["    }", "  }"] if in_blocks else ["  }"]
    if program.divisor != 1.0:
        lines.append(f"  for (k = 0; k < N_SUMS; ++k) sums[k] /= {number_text(program.divisor)};")
    return [*lines, "}"]


def _one_of_a_block(tables: Tables) -> list[str]:
    """Return ``tree_values`` for the median, which asks trees one by one."""
    return [
        "",
        "static void tree_values(int tree, const double *row, double *out) {",
        "  uint32_t cells[N_CELLS], leaf[1];",
        "  ranks_of(row, cells);",
        "  leaves_of(cells, tree, 1, leaf);",
        f"  out[0] = {leaf_value('leaf[0]', tables)};",
        "}",
    ]


def _voice_lines(program: Program) -> list[str]:
    voices = []
    order: tuple[int, ...] = tuple(range(program.n_sums))
    for voice in program.voices:
        if voice is None:
            voices.append("{0, 0, 0.0, 0.0}")
            continue
        order = voice.order or order
        right, wrong = number_text(voice.right), number_text(voice.wrong)
        voices.append(f"{{{_KINDS[voice.kind]}, {int(voice.single)}, {right}, {wrong}}}")
    return [
        "typedef struct { int kind, single; double right, wrong; } Voice;",
        array_text("Voice", "VOICES", voices),
        array_text("int", "VOICE_ORDER", map(str, order)),
        *_SAID,
    ]


def _read_lines(program: Program) -> list[str]:
    """Return how a function begins: with the row as it is, or without the zeros that count as missing."""
    zeros = [i for i, column in enumerate(program.columns) if column.zero_is_missing]
    if not zeros:
        return ["  double sums[N_SUMS];", "  sums_of(row, sums);"]
    return [
        "  double sums[N_SUMS], known[N_COLUMNS];",
        "  memcpy(known, row, sizeof(known));",
        *(f"  if (fabs(row[{i}]) <= 1e-35) known[{i}] = NAN;" for i in zeros),
        "  sums_of(known, sums);",
    ]


def answer_lines(program: Program, name: str) -> list[str]:
    """Return the functions that a program calls."""
    answer = program.answer
    lines = [*_calibration_lines(program), "", "static void numbers_of(const double *sums, double *out) {"]
    begin = f"{answer.begin} + k" if answer.begin else "k"
    link, factor = answer.named_link
    numbers = {
        "identity": f"sums[{begin}]",
        "log": "exp(sums[k])",
        "square": "sums[k] * fabs(sums[k])",
        "softplus": "fmax(sums[k], 0.0) + log1p(exp(-fabs(sums[k])))",
        "step": "sums[k] > 0",
        "sigmoid": f"share_of(sums[k] * {number_text(factor)})",
        "one_vs_rest": f"share_of(sums[k] * {number_text(factor)})",
    }
    if link in ("logit", "sigmoid", "one_vs_rest"):
        lines[-1:-1] = _SHARE
    if link in numbers:
        lines += ["  int k;", f"  for (k = 0; k < N_OUTPUTS; ++k) out[k] = {numbers[link]};"]
    elif link == "logit":
        lines += [f"  out[1] = share_of(sums[0] * {number_text(factor)});", "  out[0] = 1.0 - out[1];"]
    else:
        power = {
            "shares": f"sums[{begin}]",
            "votes": f"exp(sums[k] / {max(1, answer.n_outputs - 1)}.0)",
            "softmax": "exp(sums[k] - most)",
        }[answer.link]
        lines += ["  double total = 0.0;", "  int k;"]
        if answer.link == "softmax":
            lines += [
                "  double most = sums[0];",
                "  for (k = 1; k < N_OUTPUTS; ++k) most = sums[k] > most ? sums[k] : most;",
            ]
        lines += [
            f"  for (k = 0; k < N_OUTPUTS; ++k) total += out[k] = {power};",
            "  for (k = 0; k < N_OUTPUTS; ++k) out[k] /= total;",
        ]
    if answer.calibration is not None and answer.calibration.curves:
        lines.append("  calibrate(out);")
    lines.append("}")
    if answer.classes is None:
        return [
            *lines, "", f"void {name}_predict(const double *row, double *out) {{",
            *_read_lines(program), "  numbers_of(sums, out);", "}",
        ]  # fmt: skip
    chosen = "sums[0] > 0 ? 1 : 0"
    if answer.choice != "sign":
        compared = "out" if answer.choice == "probabilities" else "sums"
        lines.append(array_text("int", "ORDER", map(str, answer.order or range(answer.n_outputs))))
        chosen = f"best_of({compared}, ORDER, N_OUTPUTS, {int(answer.single)})"
    return [
        *lines, "", f"int {name}_class(const double *row, double *out) {{",
        *_read_lines(program), "  numbers_of(sums, out);", f"  return {chosen};", "}", "",
        f"void {name}_predict(const double *row, double *out) {{", f"  (void){name}_class(row, out);", "}",
    ]  # fmt: skip


def _calibration_lines(program: Program) -> list[str]:
    calibration = program.answer.calibration
    if calibration is None or not calibration.curves:
        return []
    lines = []
    for k, (first, second) in enumerate(calibration.curves):
        lines.append(array_text("double", f"FIRST_{k}", map(number_text, first)))
        lines.append(array_text("double", f"SECOND_{k}", map(number_text, second)))
    lines.append("")
    if calibration.kind == "sigmoid":
        lines += [
            "static double curve(const double *first, const double *second, int n, double x) {",
            "  const double line = first[0] * x + second[0];",
            "  (void)n;",
            "  return line > 0 ? 1.0 / (1.0 + exp(-line)) : exp(line) / (1.0 + exp(line));",
            "}",
        ]
    else:
        lines += [
            "static double curve(const double *first, const double *second, int n, double x) {",
            "  int i;",
            "  if (x <= first[0]) return second[0];",
            "  for (i = 0; i + 1 < n; ++i) {",
            "    if (first[i] <= x && x < first[i + 1]) {",
            "      const double slope = (second[i + 1] - second[i]) / (first[i + 1] - first[i]);",
            "      return slope * (x - first[i]) + second[i];",
            "    }",
            "  }",
            "  return second[n - 1];",
            "}",
        ]
    lines += ["", "static void calibrate(double *out) {"]
    asked = [
        f"curve(FIRST_{k}, SECOND_{k}, {len(first)}, out[{{}}])"
        for k, (first, _) in enumerate(calibration.curves)
    ]
    if len(asked) == 1:
        return [*lines, f"  out[1] = {asked[0].format(1)};", "  out[0] = 1.0 - out[1];", "}"]
    return [
        *lines,
        "  double total = 0.0;",
        "  int k;",
        *(f"  out[{k}] = {one.format(k)};" for k, one in enumerate(asked)),
        "  for (k = 0; k < N_OUTPUTS; ++k) total += out[k];",
        "  for (k = 0; k < N_OUTPUTS; ++k) out[k] = total > 0 ? out[k] / total : 1.0 / N_OUTPUTS;",
        "}",
    ]
