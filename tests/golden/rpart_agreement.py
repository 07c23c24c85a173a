"""How far `missing="surrogate"` agrees with rpart, run by run: `python -m tests.golden.rpart_agreement`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.golden.frames import frame_of, target_of
from tests.golden.oracle_data import OracleTable, golden, load, names_of
from tests.golden.rpart import (
    LEFT,
    RIGHT,
    UNKNOWN,
    Ints,
    Surrogate,
    criterion_of,
    improvement,
    plain_table,
    route,
    side_of,
    surrogates,
)
from tests.oracle.reference import Table
from tests.oracle.tree_view import TreeView
from treewright import CARTClassifier, CARTRegressor

VARIANTS = ("rpart-default", "rpart-info", "rpart-cp0", "rpart-full")
EQUAL = 1e-9

#: Up to this number of categories every subset is tried when there are more than two classes.
EXHAUSTIVE = 8


@dataclass
class Agreement:
    """What the walk through one stored run found."""

    variant: str
    name: str
    same_splits: int = 0
    tied_splits: int = 0
    searched_splits: int = 0
    other_splits: int = 0
    same_surrogates: int = 0
    tied_surrogates: int = 0
    quirk_surrogates: int = 0
    other_surrogates: int = 0
    notes: list[str] = field(default_factory=list)

    def row(self) -> str:
        """Return one line of the table in the documentation."""
        return (
            f"| {self.variant} | {self.name} | {self.same_splits} | {self.tied_splits} "
            f"| {self.searched_splits} | {self.other_splits} "
            f"| {self.same_surrogates} | {self.tied_surrogates} | {self.quirk_surrogates} "
            f"| {self.other_surrogates} |"
        )


HEADER = (
    "| run | data | splits: same | tie | many categories | not "
    "| surrogate lists: same | tie | rpart's quirk | not |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


def fit(stored: dict[str, Any], data: OracleTable) -> Any:
    """Fit with the settings of a stored run."""
    options = stored["options"]
    learner = CARTClassifier if data.classes else CARTRegressor
    estimator = learner(
        criterion=criterion_of(stored),
        missing="surrogate",
        surrogates=options["maxsurrogate"],
        min_samples_split=options["minsplit"],
        min_samples_leaf=options["minbucket"],
        max_depth=options["maxdepth"],
    )
    return estimator.fit(frame_of(data), target_of(data))


def compare(variant: str, name: str) -> Agreement:
    """Walk a stored tree and ours while they hold the same rows."""
    data, stored = load(name), golden(variant, name)
    estimator = fit(stored, data)
    arrays = estimator.tree_.to_arrays()
    tree, table = TreeView.of_arrays(arrays), plain_table(data)
    paths = estimator.decision_path(frame_of(data)).tocsc()
    result = Agreement(variant, name)
    stack: list[tuple[int, dict[str, Any], Ints]] = [(0, stored["tree"], np.arange(len(data.y)))]
    while stack:
        node, mate, rows = stack.pop()
        if mate["kind"] == "leaf":
            continue  # the complexity parameter stops rpart earlier
        if not compare_split(tree, node, mate, rows, data, table, criterion_of(stored), result):
            continue
        part, side = table.take(rows), side_of(mate, data, rows)
        compare_surrogates(arrays, node, mate, part, side, result)
        ways = route(mate, data, rows)
        # Our branch 0 may be rpart's right side.
        own_side = tree.branches(node, part.x)
        known = side != UNKNOWN
        turned = bool(np.any(own_side[known] != side[known]))
        for way, child in ((LEFT, mate["children"][0]), (RIGHT, mate["children"][1])):
            own = tree.children(node)[way ^ int(turned)]
            reached = np.sort(paths.indices[paths.indptr[own] : paths.indptr[own + 1]])
            if np.array_equal(reached, np.sort(rows[ways == way])):
                stack.append((own, child, rows[ways == way]))
            else:
                result.notes.append(f"{mate['id']}: rows with missing values take other ways")
    return result


def compare_split(
    tree: TreeView,
    node: int,
    mate: dict[str, Any],
    rows: Ints,
    data: OracleTable,
    table: Table,
    criterion: str,
    result: Agreement,
) -> bool:
    """Count the split as the same, a tie, or another one; return whether the partitions are the same."""
    if tree.is_leaf(node):
        result.other_splits += 1
        result.notes.append(f"{mate['id']}: rpart splits by {mate['attribute']}, here it is a leaf")
        return False
    part, side = table.take(rows), side_of(mate, data, rows)
    feature = int(tree.feature[node])
    known = ~np.isnan(part.x[:, feature])
    own = np.where(known, tree.branches(node, part.x), UNKNOWN)
    same_column = feature == mate["attribute_index"]
    same_rows = np.array_equal(own, side) or np.array_equal(own, turn(side))
    if same_rows and same_column:
        result.same_splits += 1
        return True
    gains = improvement(part, own, criterion), improvement(part, side, criterion)
    if abs(gains[0] - gains[1]) <= EQUAL * abs(gains[1]):
        result.tied_splits += 1
    elif table.n_classes > 2 and data.n_codes[mate["attribute_index"]] > EXHAUSTIVE:
        # rpart tries every subset, whatever it costs; here they are searched.
        result.searched_splits += 1
        result.notes.append(
            f"{mate['id']}: {data.names[feature]} {gains[0]} / {mate['attribute']} {gains[1]}"
        )
    else:
        result.other_splits += 1
        result.notes.append(
            f"{mate['id']}: {data.names[feature]} {gains[0]} / {mate['attribute']} {gains[1]}"
        )
    return False


def turn(side: Ints) -> Ints:
    """Exchange left and right."""
    return np.where(side == UNKNOWN, UNKNOWN, 1 - side)


def compare_surrogates(
    arrays: dict[str, Any], node: int, mate: dict[str, Any], part: Table, side: Ints, result: Agreement
) -> None:
    """Compare our list with rpart's, and where its quirk parts them, with the rule as documented."""
    begin = np.asarray(arrays["surrogate_begin"])
    places = range(int(begin[node]), int(begin[node + 1])) if len(begin) else range(0)
    own = [(int(arrays["surrogate_feature"][i]), float(arrays["surrogate_agreement"][i])) for i in places]
    theirs = [(one["attribute_index"], one["agree"]) for one in mate.get("surrogates", ())]
    if same_list(own, theirs):
        result.same_surrogates += 1
        return
    if same_agreements(own, theirs):
        result.tied_surrogates += 1
        return
    # Between equal sides a category without majority goes left, and which side is left differs.
    for orientation in (side, turn(side)):
        documented = surrogates(part, mate["attribute_index"], orientation, quirk=False)[:5]
        if same_agreements(own, short(documented)):
            result.quirk_surrogates += 1
            return
    result.other_surrogates += 1
    result.notes.append(f"{mate['id']}: surrogates {own} / {theirs} / documented {short(documented)}")


def same_agreements(own: list[tuple[int, float]], theirs: list[tuple[int, float]]) -> bool:
    """Whether both lists agree equally well, place by place."""
    return len(own) == len(theirs) and np.allclose(
        [a for _, a in own], [a for _, a in theirs], rtol=EQUAL, atol=0
    )


def same_list(own: list[tuple[int, float]], theirs: list[tuple[int, float]]) -> bool:
    """Whether both lists name the same columns with the same agreement."""
    return same_agreements(own, theirs) and [f for f, _ in own] == [f for f, _ in theirs]


def short(found: list[Surrogate]) -> list[tuple[int, float]]:
    """Name and agreement only."""
    return [(one.feature, one.agreement) for one in found]


def main(arguments: list[str]) -> None:
    """Print the table, for the named runs or for all."""
    print(HEADER)
    notes = []
    for variant in arguments or VARIANTS:
        for name in names_of(variant):
            result = compare(variant, name)
            print(result.row(), flush=True)
            notes += [f"{variant} {name} node {note}" for note in result.notes]
    print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main(sys.argv[1:])
