"""rpart's complexity tables, computed anew: `python -m tests.golden.cptable` prints how far they agree."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tests.golden.frames import frame_of, target_of
from tests.golden.oracle_data import OracleTable, golden, load, names_of
from tests.golden.rpart_agreement import VARIANTS, compare, fit
from treewright.data import read_table
from treewright.model import Tree
from treewright.pruning import (
    HeldOut,
    PruningSequence,
    complexity_table,
    find_row_leaves,
    fold_losses,
    from_losses,
    rpart_links,
    weakest_links,
)

N_FOLDS = 10
NEAR = 1e-8
SAME_CP = 1e-10


@dataclass
class CpAgreement:
    """What one stored run and ours have in common."""

    variant: str
    name: str
    same_tree: bool  # every split is the stored one, none a tie
    same_table: bool  # CP, nsplit, rel error
    same_validation: bool  # xerror, xstd
    same_as_exact: bool  # the exact path lists the same subtrees

    def row(self) -> str:
        """Return one line of the table in the documentation."""
        flags = (self.same_tree, self.same_table, self.same_validation, self.same_as_exact)
        return (
            f"| {self.variant} | {self.name} | "
            + " | ".join("yes" if flag else "no" for flag in flags)
            + " |"
        )


HEADER = (
    "| run | data | same tree | CP, nsplit, rel error | xerror, xstd | exact path the same |\n"
    "|---|---|---|---|---|---|"
)


def stored_table(stored: dict[str, Any]) -> NDArray[np.float64]:
    """Return the rows of a stored cptable, those whose CP differs by rounding only as one."""
    names = ("CP", "nsplit", "rel error", "xerror", "xstd")
    rows = np.array([[row.get(name, np.nan) for name in names] for row in stored["cptable"]], dtype=float)
    distinct = np.append(True, rows[1:, 0] < rows[:-1, 0] * (1 - SAME_CP))
    return rows[distinct]


def grown_like(stored: dict[str, Any], data: OracleTable) -> Any:
    """Fit with the settings of a stored run but its cp; rpart makes no split without a gain."""
    estimator = clone(fit(stored, data)).set_params(min_gain=0.0)
    return estimator.fit(frame_of(data), target_of(data))


def risk_of(data: OracleTable) -> str:
    """Return the risk that rpart prunes by."""
    return "misclassification" if data.classes else "impurity"


def sequence_of(stored: dict[str, Any], data: OracleTable, estimator: Any) -> PruningSequence:
    """Return the sequence of a tree that was grown like the stored one."""
    tree, risk = estimator.tree_, risk_of(data)
    root = float(weakest_links(tree, risk).risk[-1])
    return rpart_links(tree, risk, least_alpha=stored["options"]["cp"] * root)


def below(tree: Tree) -> Tree:
    """Return the tree with rpart's tests: a value that equals a threshold goes the other way than here."""
    arrays = dict(tree.to_arrays())
    for name in ("threshold", "surrogate_threshold"):
        arrays[name] = np.nextafter(arrays[name], -np.inf)
    return Tree(arrays, tree.n_codes)


def validation_of(data: OracleTable, estimator: Any, sequence: PruningSequence) -> NDArray[np.float64]:
    """Return xerror and xstd with the stored folds: row i is held out in fold i mod 10."""
    x, y = frame_of(data), target_of(data)
    classes = None if not data.classes else estimator.classes_
    fold_of = np.arange(len(y)) % N_FOLDS
    sums = []
    for fold in np.unique(fold_of):
        train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        part = clone(estimator).fit(x.iloc[train], y[train])
        target = y[test]
        if classes is not None:
            places = {label: place for place, label in enumerate(part.classes_)}
            target = np.array([places.get(label, -1) for label in target])
        schema = part.model_.schema
        matrix = read_table(x.iloc[test], estimator_name="CART", schema=schema).to_matrix()
        held_out = HeldOut(
            part.tree_, find_row_leaves(below(part.tree_), matrix), target, None, classes is not None
        )
        sums.append(fold_losses(held_out, sequence))
    validation = from_losses(sums, "")
    root = float(sequence.risk[-1]) or 1.0
    return np.column_stack([validation.mean, validation.standard_error])[::-1] / root


def agreement(variant: str, name: str) -> CpAgreement:
    """Compare one stored run."""
    data, stored = load(name), golden(variant, name)
    splits = compare(variant, name)
    same_tree = splits.tied_splits + splits.searched_splits + splits.other_splits == 0 and not splits.notes
    estimator = grown_like(stored, data)
    sequence = sequence_of(stored, data, estimator)
    expected = stored_table(stored)
    found = np.array(complexity_table(sequence))
    same_table = len(found) == len(expected) and bool(
        np.allclose(found, expected[:, :3], rtol=NEAR, atol=NEAR)
    )
    # rpart does not cross-validate a tree without splits.
    same_validation = same_table and (
        len(expected) == 1
        or bool(np.allclose(validation_of(data, estimator, sequence), expected[:, 3:], rtol=NEAR, atol=NEAR))
    )
    exact = weakest_links(estimator.tree_, risk_of(data))
    kept = exact.alpha > sequence.alpha[0] * (1 + NEAR)
    listed = sequence.leaves[sequence.alpha > sequence.alpha[0] * (1 + NEAR)]
    return CpAgreement(
        variant, name, same_tree, same_table, same_validation, listed.tolist() == exact.leaves[kept].tolist()
    )


def main(arguments: list[str]) -> None:
    """Print the table, for the named runs or for all."""
    print(HEADER)
    for variant in arguments or VARIANTS:
        for name in names_of(variant):
            print(agreement(variant, name).row(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
