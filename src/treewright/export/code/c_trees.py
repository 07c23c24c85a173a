"""The trees of a program in C: nested tests, or loops over tables."""

from __future__ import annotations

from treewright.export.code.c_blocks import block_lines, fits_blocks, value_lines
from treewright.export.code.c_text import array_text, number_text, whole_type
from treewright.export.code.nested import CodeSets, Syntax, can_nest, nested_lines
from treewright.export.code.tables import Places, Tables, set_words
from treewright.export.code.wrapping import wrapped
from treewright.program import Program

__all__ = ["goes_in_blocks", "tree_lines"]


def goes_in_blocks(program: Program, tables: Tables) -> bool:
    """Tell whether trees are walked several at a time."""
    return not can_nest(program) and fits_blocks(program, tables)


def tree_lines(program: Program, tables: Tables) -> list[str]:
    """Return tables and the function ``tree_values(tree, row, out)``, or ``leaves_of`` for large models."""
    lines = [f"#define N_TREES {len(program.trees)}", f"#define WIDTH {tables.values.shape[1]}"]
    if goes_in_blocks(program, tables):
        return [*lines, *block_lines(program, tables)]
    lines.append(value_lines(tables))
    if can_nest(program):
        return [*lines, *_nested(program, tables)]
    return [*lines, *_general(program, tables)]


_HAS = """
/* Whether a code is in a set of the codes 1 ... n + 1, those behind n being one; a missing one is in none. */
static int has(const uint32_t *words, int n, double x) {
  const int code = x < n + 1.0 ? (int)x : n + 1;
  return x >= 1.0 && (words[code >> 5] >> (code & 31) & 1u);
}
""".splitlines()


def _nested(program: Program, tables: Tables) -> list[str]:
    sets = CodeSets()
    counts = [len(column.categories) for column in program.columns]
    syntax = Syntax(
        at_most=lambda f, t: f"row[{f}] <= {number_text(t)}",
        not_above=lambda f, t: f"!(row[{f}] > {number_text(t)})",
        has=lambda f, number: f"has(SET_{number}, {counts[f]}, row[{f}])",
        is_missing=lambda f: f"row[{f}] != row[{f}]" if not counts[f] else f"!(row[{f}] >= 1.0)",
        test="if ({}) {{",
        close="}",
        leave="return {};",
    )
    bodies: list[str] = []
    for number, (tree, root) in enumerate(zip(program.trees, tables.roots, strict=True)):
        bodies += ["", f"static int tree_{number}(const double *row) {{", "  (void)row;"]
        bodies += nested_lines(tree, Places(tables.value, root), sets, syntax, "  ")
        bodies.append("}")
    constants = []
    for (n_codes, codes), number in sets.sets.items():
        chosen = set(codes)
        words = set_words([int(code in chosen) for code in range(1, n_codes + 2)])
        constants.append(array_text("uint32_t", f"SET_{number}", (f"{word}u" for word in words.tolist())))
    names = wrapped("{", (f"tree_{number}" for number in range(len(program.trees))), "}", "  ")
    last = [
        "",
        f"static int (*const TREES[N_TREES])(const double *row) = {names};",
        "",
        "static void tree_values(int tree, const double *row, double *out) {",
        "  memcpy(out, &VALUES[TREES[tree](row)], sizeof(double) * WIDTH);",
        "}",
    ]
    return [*constants, *(_HAS if constants else []), *bodies, *last]


# --- loops over nodes of every kind
# ----------------------------------------------------------------------------------------------------------

_BRANCH = """
static int bit(int at, int code) { return (int)(WORDS[at + (code >> 5)] >> (code & 31) & 1u); }

/* The branch of a row at a node: -1 is every branch, with shares, and -2 ends the way. */
static int branch_of(int node, const double *row) {
  const int feature = FEATURE[node], n = N_CODES[feature];
  const double x = row[feature];
  int test;
  if (KIND[node] == 1) {
    if (x <= THRESHOLD[node]) return 0;
    if (x > THRESHOLD[node]) return 1;
  } else if (x >= 1.0) {
    const int code = x < n + 1.0 ? (int)x : n + 1;
    return KIND[node] == 2 ? bit(AT[node], code) : WAYS[AT[node] + code];
  }
  for (test = SUBSTITUTES[node]; test < SUBSTITUTES[node + 1]; ++test) {
    const int other = TEST_FEATURE[test];
    const double value = row[other];
    if (TEST_AT[test] < 0) {
      if (value == value) return value <= TEST_THRESHOLD[test] ? TEST_BELOW[test] : TEST_ABOVE[test];
    } else if (value >= 1.0 && value < N_CODES[other] + 1.0) {
      return bit(TEST_AT[test], (int)value);
    }
  }
  return MISSING[node];
}
""".splitlines()

_PLAIN = """
static void tree_values(int tree, const double *row, double *out) {
  int node = ROOTS[tree];
  while (KIND[node]) {
    const int branch = branch_of(node, row);
    if (branch < 0) break;
    node = CHILD[node] + branch;
  }
  memcpy(out, &VALUES[VALUE[node]], sizeof(double) * WIDTH);
}
""".splitlines()

_MIXED = """
static void tree_values(int tree, const double *row, double *out) {
  int waiting[MOST_WAITING], n = 1, k;
  double shares[MOST_WAITING];
  waiting[0] = ROOTS[tree];
  shares[0] = 1.0;
  for (k = 0; k < WIDTH; ++k) out[k] = 0.0;
  while (n > 0) {
    int node = waiting[--n], branch = 0, before = n;
    const double share = shares[n];
    const double *value;
    while (KIND[node]) {
      branch = branch_of(node, row);
      if (branch < 0) break;
      node = CHILD[node] + branch;
    }
    if (KIND[node] && branch == -1) {
      for (k = COUNT[node] - 1; k >= 0; --k) {
        const double part = SHARES[SHARE[node] + k];
        if (part > 0) {
          waiting[n] = CHILD[node] + k;
          shares[n++] = share * part;
        }
      }
      if (n > before) continue;
    }
    value = (const double *)&VALUES[VALUE[node]];
    for (k = 0; k < WIDTH; ++k) out[k] += share * value[k];
  }
}
""".splitlines()


def _general(program: Program, tables: Tables) -> list[str]:
    whole = {
        "ROOTS": tables.roots, "KIND": tables.kind, "FEATURE": tables.feature, "AT": tables.at,
        "CHILD": tables.child, "MISSING": tables.missing, "VALUE": tables.value,
        "SUBSTITUTES": tables.substitutes, "WAYS": tables.ways, "TEST_FEATURE": tables.test_feature,
        "TEST_AT": tables.test_at, "TEST_BELOW": tables.test_below, "TEST_ABOVE": tables.test_above,
        "N_CODES": [len(column.categories) for column in program.columns],
    }  # fmt: skip
    reals = {"THRESHOLD": tables.threshold, "TEST_THRESHOLD": tables.test_threshold}
    if tables.mixes:
        whole |= {"COUNT": tables.count, "SHARE": tables.share}
        reals["SHARES"] = tables.shares
    lines = [array_text(whole_type(numbers), name, map(str, numbers)) for name, numbers in whole.items()]
    lines += [array_text("double", name, map(number_text, numbers)) for name, numbers in reals.items()]
    lines.append(array_text("uint32_t", "WORDS", (f"{word}u" for word in tables.words)))
    if tables.mixes:
        lines.append(f"#define MOST_WAITING {tables.most_waiting + 1}")
    return [*lines, *_BRANCH, *(_MIXED if tables.mixes else _PLAIN)]
