"""rpart's stored trees, replayed row by row, and its rules for splits and surrogates in plain NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.golden.oracle_data import OracleTable
from tests.oracle.reference import Table, loss_of, tests_of_known

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

LEFT, RIGHT, UNKNOWN = 0, 1, -1

#: rpart keeps a surrogate only if it sends at least this many rows each way.
MIN_ROWS_EACH_WAY = 2


def side_of(test: dict[str, Any], data: OracleTable, rows: Ints) -> Ints:
    """Side to which a stored test (primary or surrogate) sends each row; `UNKNOWN` where it cannot tell."""
    feature = test["attribute_index"]
    column = data.x[rows, feature]
    side = np.full(len(rows), UNKNOWN)
    if test["kind"] == "numeric":
        known = ~np.isnan(column)
        below = column[known] < test["threshold"]
        side[known] = np.where(below == (test["left"] == "<"), LEFT, RIGHT)
        return side
    categories = data.categories[feature] or ()
    for name, direction in (("left_values", LEFT), ("right_values", RIGHT)):
        codes = [categories.index(value) + 1 for value in test[name]]
        side[np.isin(column, codes)] = direction
    return side


def route(node: dict[str, Any], data: OracleTable, rows: Ints) -> Ints:
    """Side to which a node sends each row: by its test, its surrogates in order, the larger side."""
    side = side_of(node, data, rows)
    larger = np.sign((side == RIGHT).sum() - (side == LEFT).sum())
    for surrogate in node.get("surrogates", ()):
        open_rows = side == UNKNOWN
        side[open_rows] = side_of(surrogate, data, rows[open_rows])
    # With equal sides rpart has no larger one and keeps the row in the node.
    return np.where(side == UNKNOWN, {-1: LEFT, 0: UNKNOWN, 1: RIGHT}[int(larger)], side)


def walk(tree: dict[str, Any], data: OracleTable) -> Iterator[tuple[dict[str, Any], Ints]]:
    """Every node of a stored tree with the training rows that reach it."""
    stack: list[tuple[dict[str, Any], Ints]] = [(tree, np.arange(len(data.y)))]
    while stack:
        node, rows = stack.pop()
        yield node, rows
        if node["kind"] != "leaf":
            side = route(node, data, rows)
            stack += [
                (child, rows[side == way])
                for way, child in ((RIGHT, node["children"][1]), (LEFT, node["children"][0]))
            ]


# --------------------------------------------------------------------------- its rules


def criterion_of(stored: dict[str, Any]) -> str:
    """Name of the criterion of a stored run, in our words."""
    if "classes" not in stored or not stored["classes"]:
        return "squared_error"
    return "entropy" if stored["options"]["split"] == "information" else "gini"


def plain_table(data: OracleTable) -> Table:
    """Return the data set in the form of the reference learner, without classes that never occur."""
    if not data.classes:
        return Table.build(data.x, data.y, nominal=data.nominal)
    present, labels = np.unique(data.y, return_inverse=True)
    return Table.build(data.x, labels.astype(np.float64), nominal=data.nominal, n_classes=len(present))


def improvement(part: Table, side: Ints, criterion: str) -> float:
    """Gain of a test on the rows whose side it knows; for means as a share of the node's loss."""
    known = part.take(np.flatnonzero(side != UNKNOWN))
    sides = [part.take(np.flatnonzero(side == way)) for way in (LEFT, RIGHT)]
    gain = loss_of(known, criterion) - sum(loss_of(rows, criterion) for rows in sides)
    if criterion == "entropy":
        return gain * float(np.log(2))
    return gain if part.n_classes else gain / loss_of(part, criterion)


@dataclass(frozen=True)
class Surrogate:
    """The best imitation of a split by one column: the share of rows it sends the same way, and where."""

    feature: int
    agreement: float
    side: Ints


def best_surrogate(
    column: NDArray[np.float64], nominal: bool, side: Ints, feature: int, *, quirk: bool = True
) -> Surrogate | None:
    """Find the test of a column that agrees with `side` most, if it beats sending all rows one way."""
    told = side != UNKNOWN
    known = ~np.isnan(column) & told
    goal = side[known]
    larger = LEFT if (side == LEFT).sum() >= (side == RIGHT).sum() else RIGHT
    best, best_side = int((side == larger).sum()), None
    for option in imitations(column[known], nominal, goal, larger):
        agreeing = int((option == goal).sum())
        if nominal and quirk:
            # rpart 4.1.19 counts the rows that do not follow where it means the rows on each side:
            # a category column that imitates the split perfectly is refused.
            enough = len(goal) - agreeing >= MIN_ROWS_EACH_WAY
        else:
            enough = np.bincount(option, minlength=2).min() >= MIN_ROWS_EACH_WAY
        if enough and agreeing > best:
            best, best_side = agreeing, option
    if best_side is None:
        return None
    full = np.full(len(column), UNKNOWN)
    full[known] = best_side
    return Surrogate(feature, best / int(told.sum()), full)


def imitations(column: NDArray[np.float64], nominal: bool, goal: Ints, larger: int) -> Iterator[Ints]:
    """Sides that the tests of a column give: every cut both ways, or every category by its majority."""
    if not nominal:
        for mask, _ in tests_of_known(column, nominal=False):
            yield np.where(mask, LEFT, RIGHT)
            yield np.where(mask, RIGHT, LEFT)
        return
    guess = np.empty(len(goal), dtype=np.int64)
    for code in np.unique(column):
        of_code = column == code
        left, right = (int(((goal == way) & of_code).sum()) for way in (LEFT, RIGHT))
        guess[of_code] = larger if left == right else LEFT if left > right else RIGHT
    yield guess


def surrogates(part: Table, feature: int, side: Ints, *, quirk: bool = True) -> list[Surrogate]:
    """All columns that can stand in for a split, best first; `quirk=False`: the rule as documented."""
    found = [
        best_surrogate(part.x[:, other], nominal, side, other, quirk=quirk)
        for other, nominal in enumerate(part.nominal)
        if other != feature
    ]
    return sorted((one for one in found if one is not None), key=lambda one: -one.agreement)
