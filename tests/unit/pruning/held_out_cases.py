"""Trees of every algorithm with rows they have not seen: missing values, unseen categories, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treewright import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, _core
from treewright.data import read_table
from treewright.model import Tree
from treewright.pruning import HeldOut, find_row_leaves

LETTERS = list("abcd")
NAMES = ("color", "shape", "taste")


@dataclass(frozen=True)
class Case:
    """A fitted estimator and new rows."""

    estimator: Any
    x: pd.DataFrame
    y: NDArray[Any]
    weights: NDArray[np.float64] | None

    @property
    def tree(self) -> Tree:
        return self.estimator.tree_

    @property
    def is_classifier(self) -> bool:
        return hasattr(self.estimator, "classes_")

    @property
    def matrix(self) -> NDArray[Any]:
        name = type(self.estimator).__name__
        return read_table(self.x, estimator_name=name, schema=self.estimator.model_.schema).to_matrix()

    @property
    def target(self) -> NDArray[Any]:
        if not self.is_classifier:
            return self.y
        places = {label: place for place, label in enumerate(self.estimator.classes_)}
        return np.array([places.get(label, -1) for label in self.y])

    def held_out(self) -> HeldOut:
        return HeldOut(
            self.tree, find_row_leaves(self.tree, self.matrix), self.target, self.weights, self.is_classifier
        )

    def row_losses(self, tree: Tree) -> NDArray[np.float64]:
        """Loss of each row by another tree of the same columns, predicted row by row."""
        values = _core.Predictor([tree.to_arrays()], tree.n_codes).values(self.matrix)
        if self.is_classifier:
            return (np.round(values, 10).argmax(axis=1) != self.target).astype(float)
        return (values[:, 0] - self.target) ** 2


def make(kind: str, *, weighted: bool = False, n_rows: int = 300, seed: int = 0) -> Case:
    rng = np.random.default_rng(seed)

    def table(n: int, letters: list[str]) -> pd.DataFrame:
        frame = pd.DataFrame({name: pd.Categorical(rng.choice(letters, n)) for name in NAMES})
        if kind != "ID3":
            frame["size"] = rng.normal(size=n).round(1)
            frame.loc[rng.random(n) < 0.2, "size"] = np.nan
        for name in NAMES:
            frame.loc[rng.random(n) < 0.15, name] = None
        return frame

    def labels(frame: pd.DataFrame) -> NDArray[Any]:
        score = frame.color.isin(["a", "b"]).to_numpy() * 1.0 + frame["shape"].eq("c").to_numpy()
        noisy = score + rng.normal(0, 0.7, len(frame))
        if kind == "CART regression":
            return noisy * 100 + 1e4
        return np.array(["low", "mid", "high"])[np.digitize(noisy, [0.4, 1.2])]

    learner = {
        "ID3": ID3Classifier(),
        "C4.5": C45Classifier(faithful="j48", prune=None, collapse=False),
        "CART": CARTClassifier(),
        "CART regression": CARTRegressor(),
    }[kind]
    train = table(n_rows, LETTERS)
    estimator = learner.fit(train, labels(train))
    fresh = table(n_rows, [*LETTERS, "e"])  # a category that training has not seen
    y = labels(fresh)
    if kind != "CART regression":
        y[:3] = "never seen"
    return Case(estimator, fresh, y, rng.uniform(0.2, 3.0, n_rows) if weighted else None)


KINDS = ("ID3", "C4.5", "CART", "CART regression")
