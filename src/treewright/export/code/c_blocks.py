"""Large models in C: many trees at a time over nodes of eight bytes.

A number becomes its rank among the thresholds of its column, once per row, so a node compares small whole
numbers, and NaN is a rank that goes where missing values of the node go. A leaf leads back to itself, so
there is no jump that depends on the row, and no load waits for another tree's.
"""

from __future__ import annotations

import numpy as np

from treewright.export.code.c_text import array_text, number_text, whole_type
from treewright.export.code.tables import BITS, END, NUMBER, Tables
from treewright.export.code.wrapping import wrapped
from treewright.program import Program

__all__ = ["AT_ONCE", "block_lines", "fits_blocks", "leaf_value", "value_lines"]

AT_ONCE = 1000
MOST = 2**16 - 2  # thresholds of a column, sets, cells: they are written in 16 bits


def fits_blocks(program: Program, tables: Tables) -> bool:
    """Tell whether all trees can be written in nodes of eight bytes."""
    if not tables.is_lean or 3 * len(program.columns) > MOST or len(tables.kind) >= 2**32:
        return False
    kind, feature, threshold = (np.array(a) for a in (tables.kind, tables.feature, tables.threshold))
    numbers = kind == NUMBER
    tests = np.unique(np.column_stack([feature[numbers], threshold[numbers]]), axis=0)
    most = int(np.unique(tests[:, 0], return_counts=True)[1].max(initial=0))
    return max(most, int(np.count_nonzero(kind == BITS))) < MOST


def value_lines(tables: Tables) -> str:
    """Return the values of leaves, each distinct row once."""
    width = tables.values.shape[1]
    if width == 1:
        return array_text("double", "VALUES", map(number_text, tables.values[:, 0].tolist()))
    rows = ["{" + ", ".join(map(number_text, row)) + "}" for row in tables.values.tolist()]
    return f"static const double VALUES[{len(rows)}][{width}] = {wrapped('{', rows, '}', '  ')};"


def leaf_value(leaf: str, tables: Tables) -> str:
    """Return the value of a leaf of a block: single numbers stand at the place of their node."""
    return f"VALUES[{leaf}]" if tables.values.shape[1] == 1 else f"VALUES[VALUE[{leaf}]]"


def block_lines(program: Program, tables: Tables) -> list[str]:
    """Return tables, ``ranks_of(row, cells)`` and ``leaves_of(cells, first, n, leaves)``."""
    kind, feature = np.array(tables.kind), np.array(tables.feature)
    missing, threshold = np.array(tables.missing), np.array(tables.threshold)
    used = program.used
    cells: dict[tuple[int, int], int] = {}  # (column, branch of a missing number) -> place in the cells
    tests = np.zeros(len(kind), dtype=np.int64)  # cell * 2**16 + rank, or + number of a set
    cut_lines: list[str] = []
    cuts_at, fills = 0, []
    for column in used:
        here = (kind == NUMBER) & (feature == column)
        if here.any():
            cuts, rank = np.unique(threshold[here], return_inverse=True)
            for branch in np.unique(missing[here]).tolist():
                cell = cells.setdefault((column, branch), len(cells))
                fills.append((column, cuts_at, len(cuts), branch, cell))
                there = here & (missing == branch)
                tests[there] = rank[(missing == branch)[here]] + (cell << 32)
            cut_lines += map(number_text, cuts.tolist())
            cuts_at += len(cuts)
    n_numbers = len(cells)
    sets: dict[tuple[int, int, int], int] = {}  # (column, at, branch of a missing one) -> number
    for node in np.flatnonzero(kind == BITS).tolist():
        key = (tables.feature[node], tables.at[node], tables.missing[node])
        cell = cells.setdefault((key[0], 2), len(cells))
        tests[node] = sets.setdefault(key, len(sets)) + (cell << 32)
    nothing = len(cells)  # a cell that is always 0
    tests[kind == END] = nothing << 32
    child = np.where(kind == END, np.arange(len(kind)), np.array(tables.child))
    nodes = ((tests >> 32 << 16) | (tests & 0xFFFF)) << 32 | child
    lines = [
        f"#define N_CELLS {nothing + 1}",
        f"#define AT_ONCE {AT_ONCE}",
        "/* From the highest bits: a cell; the rank or set it is compared with; the place of branch 0. */",
        array_text("uint64_t", "NODES", (f"{node}u" for node in nodes.astype(np.uint64).tolist())),
        array_text("int32_t", "ROOTS", map(str, tables.roots)),
    ]
    if tables.values.shape[1] == 1:
        values = tables.values[:, 0]
        texts = (number_text(float(values[at])) if at >= 0 else "0" for at in tables.value)
        lines.append(array_text("double", "VALUES", texts))
    else:
        lines += [value_lines(tables), array_text(whole_type(tables.value), "VALUE", map(str, tables.value))]
    if cut_lines:
        lines.append(array_text("double", "CUTS", cut_lines))
        lines += _RANK
    if sets:
        counts = [len(column.categories) for column in program.columns]
        words: list[int] = []
        begins = []
        for column, at, branch in sets:
            size = (counts[column] + 2 + 31) // 32
            begins.append(len(words))
            own = list(tables.words[at : at + size])
            own[0] |= branch == 1  # code 0 is a missing value
            words += own
        lines.append(array_text("uint32_t", "WORDS", (f"{one}u" for one in words)))
        lines.append(array_text(whole_type(begins), "SETS", map(str, begins)))
        lines += _CODE
    lines += ["", "static void ranks_of(const double *row, uint32_t *cells) {"]
    for column, at, n, branch, cell in fills:
        lines.append(f"  cells[{cell}] = rank_of(row[{column}], CUTS + {at}, {n}, {branch});")
    for (column, branch), cell in cells.items():
        if branch == 2:
            lines.append(
                f"  cells[{cell}] = code_in(row[{column}], {len(program.columns[column].categories)});"
            )
    lines += [f"  cells[{nothing}] = 0;", "}", ""]
    lines += ["static uint32_t step(const uint32_t *cells, uint32_t at) {"]
    lines += ["  const uint64_t node = NODES[at];", "  const uint32_t cell = cells[node >> 48];"]
    if sets:
        lines += [
            f"  if (node >> 48 >= {n_numbers} && node >> 48 < {nothing}) {{",
            "    const uint32_t *const words = WORDS + SETS[node >> 32 & 0xffffu];",
            "    return (uint32_t)node + (words[cell >> 5] >> (cell & 31) & 1u);",
            "  }",
        ]
    return [*lines, "  return (uint32_t)node + (cell > (node >> 32 & 0xffffu));", "}", *_LEAVES]


_LEAVES = """
/* The leaves of the trees first ... first + n - 1, n <= AT_ONCE. All go some steps; those that have moved in
   the last one go on. */
static void leaves_of(const uint32_t *cells, int first, int n, uint32_t *leaves) {
  int waiting[AT_ONCE], n_waiting = 0, n_left, i, k;
  for (i = 0; i < n; ++i) {
    const uint32_t before = step(cells, step(cells, (uint32_t)ROOTS[first + i]));
    leaves[i] = step(cells, before);
    waiting[n_waiting] = i;
    n_waiting += leaves[i] != before;
  }
  for (; n_waiting > 0; n_waiting = n_left) {
    for (n_left = 0, k = 0; k < n_waiting; ++k) {
      const uint32_t before = step(cells, leaves[waiting[k]]);
      i = waiting[k];
      leaves[i] = step(cells, before);
      waiting[n_left] = i;
      n_left += leaves[i] != before;
    }
  }
}
""".splitlines()


_RANK = """
/* How many of n rising cuts are below x; of a missing x none, or more than there are. */
static uint32_t rank_of(double x, const double *cuts, int n, int missing) {
  int low = 0, high = n;
  if (x != x) return missing ? (uint32_t)n + 1u : 0u;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (x > cuts[middle]) low = middle + 1; else high = middle;
  }
  return (uint32_t)low;
}
""".splitlines()

_CODE = """
/* The code of a category from 1 to n + 1, 0 for a missing one. */
static uint32_t code_in(double x, int n) {
  if (!(x >= 1.0)) return 0;
  return x < n + 1.0 ? (uint32_t)x : (uint32_t)n + 1u;
}
""".splitlines()
