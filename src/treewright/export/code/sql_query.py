"""A program as one SELECT: columns become numbers and codes, trees are added up, sums become the answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.export.code.sql_answer import add_answer
from treewright.export.code.sql_dialects import Dialect
from treewright.export.code.sql_steps import Stages, balanced, best_of, single
from treewright.export.code.sql_trees import SqlTrees, looked_up
from treewright.program import Program, Voice
from treewright.program.spelling import MISSING_WORDS, text_codes

__all__ = ["sql_query"]

TREES_AT_ONCE = 40  # that one step adds up
LONGEST = 200_000  # characters of what one step adds up
SHARES_AT_ONCE = 40
MOST_TREES = 1200  # whose numbers can stand beside each other, for a median


def sql_query(
    program: Program, dialect: Dialect, table: Sequence[str], answers: Sequence[str], key: str | None
) -> str:
    """Return the query.

    Parameters
    ----------
    program : Program
        The program.
    dialect : Dialect
        The database.
    table : sequence of str
        Name of the table.
    answers : sequence of str
        Names of the prediction and of the probabilities.
    key : str or None
        Column that tells rows apart, for sqlite.
    """
    prefix = "tw_"
    while any(column.name.lower().startswith(prefix) for column in program.columns):
        prefix = f"{prefix[:-1]}0_"
    query = _Query(program, dialect, Stages(dialect, table, prefix, key))
    query.read_columns()
    if program.median_weights is None:
        query.add_up()
    else:
        query.take_median()
    found = add_answer(program, dialect, query.stages)
    return query.stages.finish(dict(zip(answers, found, strict=True)))


class _Query:
    def __init__(self, program: Program, dialect: Dialect, stages: Stages) -> None:
        self.program, self.dialect, self.stages = program, dialect, stages
        self.trees = SqlTrees(program, dialect, lambda feature: stages.column(f"x{feature}"))

    def read_columns(self) -> None:
        """Make numbers, NULL for missing, and codes of the columns that are asked."""
        columns = {}
        for i in self.program.used:
            column = self.program.columns[i]
            name = f"t.{self.dialect.name(column.name)}"
            if column.is_numeric:
                known = self.dialect.known.format(name)
                if column.zero_is_missing:
                    tiny = self.dialect.number(1e-35)
                    known = f"CASE WHEN ABS({known}) <= {tiny} THEN NULL ELSE {known} END"
                columns[f"x{i}"] = known
                continue
            codes: dict[str, int | None] = dict(text_codes(column))
            if not any(isinstance(category, str) for category in column.categories):
                codes |= dict.fromkeys(MISSING_WORDS)
            cases = " ".join(
                f"WHEN {self.dialect.text(text)} THEN {'NULL' if code is None else code}"
                for text, code in codes.items()
            )
            unseen = column.unseen or "NULL"
            found = (
                f"CASE CAST({name} AS {self.dialect.words}) {cases} ELSE {unseen} END"
                if cases
                else f"{unseen}"
            )
            columns[f"x{i}"] = f"CASE WHEN {name} IS NULL THEN NULL ELSE {found} END"
        sums = {f"s{k}": self.dialect.number(float(x)) for k, x in enumerate(self.program.start)}
        self.stages.add(columns | ({} if self.program.median_weights is not None else sums))

    def sums(self) -> list[str]:
        """Return the helping columns of the sums."""
        return [f"s{k}" for k in range(self.program.n_sums)]

    def add_up(self) -> None:
        """Add the values of all trees to the sums, as many trees in a step as it holds."""
        waiting: list[tuple[int, str]] = []
        for number, (tree, voice) in enumerate(zip(self.program.trees, self.program.voices, strict=True)):
            if tree.mixes:
                self._add(waiting)
                self._add_mixed(number, voice)
                continue
            first = self.program.first_sum[number]
            waiting += self._values(number, [first + k for k in range(tree.n_values)])
            if (
                len(waiting) >= TREES_AT_ONCE * self.program.n_sums
                or sum(len(text) for _, text in waiting) > LONGEST
            ):
                self._add(waiting)
        self._add(waiting)
        if self.program.divisor != 1.0:
            divisor = self.dialect.number(self.program.divisor)
            self.stages.add({name: f"{self.stages.column(name)} / {divisor}" for name in self.sums()})

    def _add(self, waiting: list[tuple[int, str]]) -> None:
        """Add what trees count to the sums, in the order of the trees."""
        added: dict[str, list[str]] = {}
        for place, text in waiting:
            added.setdefault(f"s{place}", []).append(text)
        helpers = [name for name in self.stages.names if name[0] == "n"]
        if added:
            self.stages.add({name: self._sum(name, texts) for name, texts in added.items()}, helpers)
        waiting.clear()

    def _sum(self, name: str, texts: Sequence[str]) -> str:
        total = self.stages.column(name)
        if not self.program.single_sums:
            return " + ".join([total, *texts])
        if not self.dialect.single:
            raise ValueError(
                f"This {self.program.algorithm} adds up in single precision, as where it came from, which "
                "this database has not. Export it for duckdb or postgres, or to another language."
            )
        for text in texts:
            total = f"CAST(CAST({total} + {text} AS {self.dialect.single}) AS {self.dialect.double})"
        return total

    def _values(self, number: int, places: Sequence[int]) -> list[tuple[int, str]]:
        """Return for each sum what a tree adds to it."""
        tree = self.program.trees[number]
        texts = [[self.dialect.number(float(x)) for x in tree.values[:, k]] for k in range(tree.n_values)]
        limit = self.dialect.depth
        if int(tree.depths.max()) <= limit:
            return [(place, self.trees.value(tree, texts[k])) for k, place in enumerate(places)]
        # A deep tree: first to a node some levels down, from there on in the next step, and so on.
        name = f"n{number}"
        column, ids = self.stages.column(name), [str(node) for node in range(len(tree))]
        self.stages.add({name: self.trees.value(tree, ids, depth=limit)})
        for roots in self.trees.fragments(tree, limit)[1:]:
            ways = [self.trees.value(tree, ids, root, limit) for root in roots]
            cases = " ".join(f"WHEN {root} THEN {way}" for root, way in zip(roots, ways, strict=True))
            self.stages.add({name: f"(CASE {column} {cases} ELSE {column} END)"})
        ends = tree.ends.tolist()
        return [
            (place, looked_up(column, ends, [texts[k][node] for node in ends], limit))
            for k, place in enumerate(places)
        ]

    # --- trees that share rows
    # ------------------------------------------------------------------------------------------------------

    def _add_mixed(self, number: int, voice: Voice | None) -> None:
        tree = self.program.trees[number]
        values = [f"v{k}" for k in range(tree.n_values)]
        self._mix(number, values)
        columns = [self.stages.column(name) for name in values]
        said = columns if voice is None else self._said(voice, values)
        first = self.program.first_sum[number]
        sums = {f"s{first + k}": self._sum(f"s{first + k}", [text]) for k, text in enumerate(said)}
        self.stages.add(sums, [name for name in self.stages.names if name[0] in "vrl"])

    def _mix(self, number: int, values: Sequence[str]) -> None:
        """Make columns of the values of a tree: the mean over the nodes where parts of a row end."""
        tree = self.program.trees[number]
        shares = self.trees.leaf_shares(tree)
        for begin in range(0, len(shares), SHARES_AT_ONCE):
            part = shares[begin : begin + SHARES_AT_ONCE]
            self.stages.add({f"w{i}": text for i, (_, text) in enumerate(part)})
            totals = {}
            for k, name in enumerate(values):
                terms = [self.stages.column(name)] if begin else []
                terms += [
                    f"{self.stages.column(f'w{i}')} * {self.dialect.number(float(tree.values[node, k]))}"
                    for i, (node, _) in enumerate(part)
                    if tree.values[node, k] != 0
                ]
                totals[name] = " + ".join(terms) or self.dialect.number(0.0)
            self.stages.add(totals, [f"w{i}" for i in range(len(part))])

    def _said(self, voice: Voice, values: Sequence[str]) -> list[str]:
        columns = [self.stages.column(name) for name in values]
        if voice.kind == "shares":
            total = balanced(columns, "+")
            return [f"({column} / ({total}))" for column in columns]
        if voice.kind == "logs":
            least = self.dialect.number(float(np.finfo(np.float64).eps))
            logs = {f"l{k}": f"LN({self.dialect.greatest}({c}, {least}))" for k, c in enumerate(columns)}
            self.stages.add(logs)
            names = [self.stages.column(name) for name in logs]
            mean = f"({balanced(names, '+')}) / {len(names)}"
            return [f"{self.dialect.number(voice.right)} * ({name} - {mean})" for name in names]
        if voice.single:
            self.stages.add({f"r{k}": single(column) for k, column in enumerate(columns)})
            columns = [self.stages.column(f"r{k}") for k in range(len(columns))]
        right, wrong = self.dialect.number(voice.right), self.dialect.number(voice.wrong)
        choice = best_of(columns, voice.order)
        return [f"(CASE WHEN {choice} = {k} THEN {right} ELSE {wrong} END)" for k in range(len(columns))]

    # --- the median
    # ------------------------------------------------------------------------------------------------------

    def take_median(self) -> None:
        """Find the weighted median by bisection over all values that a leaf has."""
        weights = self.program.median_weights
        assert weights is not None, "asked for"
        if len(weights) > MOST_TREES:
            raise ValueError(
                f"A query can hold the numbers of {MOST_TREES} trees beside each other, and the median of "
                f"{len(weights)} is asked for. Export to C, Python or JavaScript, or fit fewer trees."
            )
        names = []
        waiting: dict[str, str] = {}
        for number, tree in enumerate(self.program.trees):
            assert not tree.mixes, "trees of numbers do not share rows"
            names.append(f"m{number}")
            ((_, waiting[names[-1]]),) = self._values(number, [0])
            if sum(map(len, waiting.values())) > LONGEST:
                self.stages.add(waiting)
                waiting = {}
        self.stages.add(waiting, [name for name in self.stages.names if name[0] == "n"])
        known = np.unique(np.concatenate([tree.values[tree.ends, 0] for tree in self.program.trees]))
        columns = [self.stages.column(name) for name in names]
        texts = [self.dialect.number(float(x)) for x in known]
        half = self.dialect.number(0.5 * float(np.cumsum(weights)[-1]))
        found, probe = self.stages.column("s0"), self.stages.column("p")
        self.stages.add({"s0": "0"})
        for bit in reversed(range(max(0, len(known) - 1).bit_length())):
            # Is the answer beyond the entry that the place found so far and half of the rest lead to?
            places = range(0, len(known), 2 ** (bit + 1))
            asked = [place + 2**bit - 1 for place in places]
            inside = [(place, texts[at]) for place, at in zip(places, asked, strict=True) if at < len(known)]
            keys, values = [place for place, _ in inside], [text for _, text in inside]
            self.stages.add({"p": looked_up(found, keys, values, self.dialect.depth)})
            terms = [
                f"(CASE WHEN {column} <= {probe} THEN {self.dialect.number(float(w))} ELSE 0 END)"
                for column, w in zip(columns, weights, strict=True)
            ]
            beyond = f"{found} <= {keys[-1]} AND {balanced(terms, '+')} < {half}"
            self.stages.add({"s0": f"{found} + (CASE WHEN {beyond} THEN {2**bit} ELSE 0 END)"}, ["p"])
        keys = list(range(len(known)))
        self.stages.add({"s0": looked_up(found, keys, texts, self.dialect.depth)}, names)
