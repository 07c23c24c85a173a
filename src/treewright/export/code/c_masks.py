"""Boosters in C: trees of at most 64 leaves as tables of bits, several trees at a time, no step that waits.

A test that sends a row to the right rules out the leaves on its left, and the first leaf that is left is the
row's (QuickScorer, Lucchese et al. 2015). What the tests of a column rule out follows from the place of the
number among its thresholds, so it is joined beforehand, as the engine does it (core/predict/mask_tables.h).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.export.code.c_text import array_text, number_text, whole_type
from treewright.export.code.wrapping import wrapped
from treewright.program import Program, Steps

__all__ = ["Masks", "masks_of"]

Floats = NDArray[np.float64]
Bits = NDArray[np.uint64]

LANES = 8
MOST_ROWS = 1024  # whose sums are worked out together, while the lines of a group are at hand
MOST_STACK = 1 << 16  # bytes that these rows take
MOST_LEAVES = 64
MOST_CODES = 256
MOST_BYTES = 8 << 20


@dataclass(frozen=True, eq=False)
class _Cell:
    """A column that tests look at: codes are ranks among cuts and one for missing, or those of categories."""

    column: int
    cuts: Floats | None
    n_codes: int


@dataclass(frozen=True, eq=False)
class Masks:
    """A program as tables of bits.

    Attributes
    ----------
    program : Program
        The program.
    cells : list of _Cell
        Columns that tests look at.
    places : list of ndarray of uint8
        Of each cell of each group, by code: which of its lines of bits.
    lines : ndarray of uint64, shape (n, LANES)
        Leaves that are ruled out.
    asked : list of list of pairs
        Of each group, its cells and where their lines begin.
    values : list of ndarray
        The values of the leaves of each tree, from left to right.
    """

    program: Program
    cells: list[_Cell]
    places: list[NDArray[np.uint8]]
    lines: Bits
    asked: list[list[tuple[int, int]]]
    values: list[Floats]

    def text_lines(self) -> list[str]:
        """Return tables, ``codes_of(row, codes)`` and ``sums_of_rows(rows, n, sums)``."""
        program = self.program
        rows = [
            "{" + ", ".join(f"{word:#x}u" if word else "0" for word in row) + "}"
            for row in self.lines.tolist()
        ]
        n_rows = max(1, min(MOST_ROWS, MOST_STACK // (len(self.cells) + 8 * program.n_sums)))
        begins = np.cumsum([0, *map(len, self.asked)]).tolist()
        pairs = [pair for group in self.asked for pair in group]
        firsts = np.cumsum([0, *map(len, self.values)])[:-1].tolist()
        numbers = [number_text(value) for values in self.values for value in values.tolist()]
        start = array_text("double", "START", map(number_text, program.start.tolist()))
        lines = [
            f"#define N_CELLS {max(1, len(self.cells))}",
            f"#define N_GROUPS {len(self.asked)}",
            f"#define LANES {LANES}",
            f"#define ROWS_AT_ONCE {n_rows}",
            "/* The leaves that a place among the tests of a column rules out, in each tree of a group. */",
            f"static const uint64_t RULED[{len(rows)}][LANES] = {wrapped('{', rows, '}', '  ')};",
            "/* The cells of each group, and where the lines of each begin. */",
            array_text("int32_t", "GROUPS", map(str, begins)),
            array_text(whole_type([cell for cell, _ in pairs]), "CELL", (str(cell) for cell, _ in pairs)),
            array_text("int32_t", "LINE", (str(line) for _, line in pairs)),
            "/* The values of the leaves, and where those of a tree begin. */",
            array_text("int32_t", "FIRST", map(str, firsts)),
            array_text("double", "VALUES", numbers),
            start,
        ]
        texts = [f'"{_bytes_text(line.tolist())}"' for line in self.places] or ['""']
        most = max((cell.n_codes for cell in self.cells), default=0) + 1
        lines += [
            "/* By code: which of the lines of a cell. */",
            f"static const char PLACES[{len(texts)}][{most}] = {{\n  " + ",\n  ".join(texts) + "\n};",
        ]
        for number, cell in enumerate(self.cells):
            if cell.cuts is not None:
                lines.append(array_text("double", f"CUTS_{number}", map(number_text, cell.cuts.tolist())))
        if any(cell.cuts is not None for cell in self.cells):
            lines += _RANK
        if any(cell.cuts is None for cell in self.cells):
            lines += _CODE
        lines += [*_FIRST, "", "static void codes_of(const double *row, unsigned char *codes) {"]
        lines += ["  (void)row;"] if self.cells else ["  (void)row;", "  (void)codes;"]
        for number, cell in enumerate(self.cells):
            column = program.columns[cell.column]
            x = f"row[{cell.column}]"
            if column.zero_is_missing:
                x = f"(fabs({x}) <= 1e-35 ? NAN : {x})"
            if cell.cuts is None:
                found = f"code_in({x}, {len(column.categories)})"
            else:
                found = f"rank_of({x}, CUTS_{number}, {len(cell.cuts)})"
            lines.append(f"  codes[{number}] = (unsigned char){found};")
        lines += ["}", *self._adding()]
        return lines

    def _adding(self) -> list[str]:
        program = self.program
        turns = set(program.first_sum) != {0}
        sums = "sums[tree % N_SUMS]" if turns else "sum"
        value = "VALUES[FIRST[tree] + first_of(~ruled[lane])]"
        added = f"(float)({sums} + {value})" if program.single_sums else f"{sums} + {value}"
        registers = [f"r{lane}" for lane in range(LANES)]
        text = f"""
/* Adds what the trees of a group say. */
static void add_group(int group, const unsigned char *codes, double *sums) {{
  uint64_t {", ".join(f"{name} = 0" for name in registers)}, ruled[LANES];
  {"" if turns else "double sum = sums[0];"}
  int k, lane, tree = group * LANES;
  const int n = N_TREES - tree < LANES ? N_TREES - tree : LANES;
  for (k = GROUPS[group]; k < GROUPS[group + 1]; ++k) {{
    const uint64_t *const line = RULED[LINE[k] + (unsigned char)PLACES[k][codes[CELL[k]]]];
    {" ".join(f"{name} |= line[{lane}];" for lane, name in enumerate(registers))}
  }}
  {" ".join(f"ruled[{lane}] = {name};" for lane, name in enumerate(registers))}
  for (lane = 0; lane < n; ++lane, ++tree) {sums} = {added};
  {"" if turns else "sums[0] = sum;"}
}}

/* The sums of at most ROWS_AT_ONCE rows: each group of trees for all of them, while its lines are at hand. */
static void sums_of_rows(const double *rows, int n, double *sums) {{
  unsigned char codes[ROWS_AT_ONCE][N_CELLS];
  int i, k, group;
  for (i = 0; i < n; ++i) {{
    codes_of(rows + (size_t)i * N_COLUMNS, codes[i]);
    for (k = 0; k < N_SUMS; ++k) sums[i * N_SUMS + k] = START[k];
  }}
  for (group = 0; group < N_GROUPS; ++group) {{
    for (i = 0; i < n; ++i) add_group(group, codes[i], sums + i * N_SUMS);
  }}"""
        lines = [line for line in text.splitlines() if line != "  "]
        if program.divisor != 1.0:
            divisor = number_text(program.divisor)
            lines.append(f"  for (i = 0; i < n * N_SUMS; ++i) sums[i] /= {divisor};")
        return [*lines, "}", "", *_ONE_ROW]


def masks_of(program: Program) -> Masks | None:
    """Return a program as tables of bits, or None where it does not fit them.

    Parameters
    ----------
    program : Program
        A program of binary trees; missing values take one branch, and each leaf has one value.
    """
    trees = program.trees
    if program.median_weights is not None or not trees:
        return None
    if any(tree.n_values != 1 or int((tree.feature < 0).sum()) > MOST_LEAVES for tree in trees):
        return None
    cells = _cells(program)
    if cells is None:
        return None
    numbers = {cell.column: number for number, cell in enumerate(cells)}
    groups = [trees[begin : begin + LANES] for begin in range(0, len(trees), LANES)]
    places: list[NDArray[np.uint8]] = []
    lines: list[Bits] = []
    asked: list[list[tuple[int, int]]] = []
    n_lines = 0
    for members in groups:
        joined: dict[int, Bits] = {}
        for lane, tree in enumerate(members):
            _join(tree, lane, cells, numbers, joined)
        asked.append([])
        for number in sorted(joined):
            distinct, place = np.unique(joined[number], axis=0, return_inverse=True)
            places.append(place.ravel().astype(np.uint8))
            asked[-1].append((number, n_lines))
            lines.append(distinct)
            n_lines += len(distinct)
        if n_lines * LANES * 8 + len(places) * MOST_CODES > MOST_BYTES:
            return None
    values = [tree.values[_leaves(tree), 0] for tree in trees]
    every = np.concatenate(lines) if lines else np.zeros((1, LANES), dtype=np.uint64)
    return Masks(program, cells, places, every, asked, values)


def _cells(program: Program) -> list[_Cell] | None:
    """Return the columns that tests look at; None where one has too many codes, or both kinds of tests."""
    cuts: dict[int, list[Floats]] = {}
    coded: set[int] = set()
    for tree in program.trees:
        inner = tree.feature >= 0
        by_code = np.zeros(len(tree), dtype=bool)
        by_code[list(tree.ways)] = True
        coded.update(np.unique(tree.feature[by_code]).tolist())
        for column in np.unique(tree.feature[inner & ~by_code]).tolist():
            cuts.setdefault(column, []).append(tree.threshold[(tree.feature == column) & ~by_code])
    if coded & set(cuts):
        return None
    cells = []
    for column in sorted({*cuts, *coded}):
        own = np.unique(np.concatenate(cuts[column])) if column in cuts else None
        n_codes = (len(program.columns[column].categories) if own is None else len(own)) + 2
        if n_codes > MOST_CODES:
            return None
        cells.append(_Cell(column, own, n_codes))
    return cells


def _walked(tree: Steps) -> list[int]:
    """Return the nodes from left to right, parents first."""
    waiting, found = [0], []
    while waiting:
        node = waiting.pop()
        found.append(node)
        if tree.feature[node] >= 0:
            waiting += [int(tree.first_child[node]) + 1, int(tree.first_child[node])]
    return found


def _leaves(tree: Steps) -> list[int]:
    return [node for node in _walked(tree) if tree.feature[node] < 0]


def _join(
    tree: Steps, lane: int, cells: list[_Cell], numbers: dict[int, int], joined: dict[int, Bits]
) -> None:
    """Add what the tests of a tree rule out to the lines of its group."""
    order = _walked(tree)
    n_leaves = np.ones(len(tree), dtype=np.int64)
    for node in reversed(order):
        if tree.feature[node] >= 0:
            first = int(tree.first_child[node])
            n_leaves[node] = n_leaves[first] + n_leaves[first + 1]
    begin = 0  # leaves on the left of a node, because they come in order
    for node in order:
        if tree.feature[node] < 0:
            begin += 1
            continue
        number = numbers[int(tree.feature[node])]
        cell = cells[number]
        ruled = ((1 << int(n_leaves[int(tree.first_child[node])])) - 1) << begin
        right = np.zeros(cell.n_codes, dtype=bool)
        if cell.cuts is None:
            ways = tree.ways[node]
            right[1:] = ways[np.minimum(np.arange(cell.n_codes - 1), len(ways) - 1)] == 1
            right[0] = tree.missing[node] == 1
        else:
            right[int(np.searchsorted(cell.cuts, tree.threshold[node])) + 1 : -1] = True
            right[-1] = tree.missing[node] == 1
        own = joined.setdefault(number, np.zeros((cell.n_codes, LANES), dtype=np.uint64))
        own[right, lane] |= np.uint64(ruled)


def _bytes_text(content: list[int]) -> str:
    r"""Return bytes as the inside of a literal: \o where no digit follows that would belong to it."""
    found = []
    for byte, following in zip(content, [*content[1:], 0], strict=True):
        letter = chr(byte)
        if 32 <= byte < 127 and letter not in '"\\?':
            found.append(letter)
        else:
            found.append(f"\\{byte:03o}" if 48 <= following < 56 else f"\\{byte:o}")
    return "".join(found)


_RANK = """
/* How many of n rising cuts are below x, and n + 1 for a missing x. */
static int rank_of(double x, const double *cuts, int n) {
  int low = 0, left = n;
  while (left > 0) {
    const int half = (left + 1) / 2;
    low += x > cuts[low + half - 1] ? half : 0;
    left -= half;
  }
  return x == x ? low : n + 1;
}
""".splitlines()

_CODE = """
/* The code of a category from 1 to n + 1, 0 for a missing one. */
static int code_in(double x, int n) {
  if (!(x >= 1.0)) return 0;
  return x < n + 1.0 ? (int)x : n + 1;
}
""".splitlines()

_FIRST = """
/* The place of the first bit; there is one. */
static int first_of(uint64_t bits) {
#if defined(__GNUC__)
  return __builtin_ctzll(bits);
#else
  int place = 0, half;
  for (half = 32; half > 0; half /= 2) {
    if ((bits & ((UINT64_C(1) << half) - 1)) == 0) {
      bits >>= half;
      place += half;
    }
  }
  return place;
#endif
}
""".splitlines()

_ONE_ROW = """
static void sums_of(const double *row, double *sums) { sums_of_rows(row, 1, sums); }
""".strip().splitlines()
