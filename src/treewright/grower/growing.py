"""Ask the engine about a node and send its rows to children, as growing does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.engine_results import FeatureFacts, NodeCandidates
from treewright.explain import NodeRows, Training
from treewright.grower.arrays import test_arrays
from treewright.grower.node import Test
from treewright.model.arrays import EVERY_BRANCH, KIND_SUBSET, KIND_THRESHOLD

__all__ = ["Growing"]

LIST_OF_BRANCH_0 = 3  # table format, see core/tree/table.h
FEWEST_ROWS, ROWS_PER_ROW = 5, 200  # of a node that remembers its candidates, see core/grow/runner_ups.h


class Growing:
    """The rows of a tree that is grown by hand.

    Parameters
    ----------
    training : Training
        The rows and the plan.
    """

    def __init__(self, training: Training) -> None:
        if training.settings.get("missing") == "surrogate":
            raise ValueError('Grower cannot follow substitute tests; use missing="learned" or "majority".')
        self.training = training

    def sums(self, rows: NodeRows) -> tuple[float, float, NDArray[np.float64]]:
        """Return weight, loss and value of some rows as one leaf."""
        node = self.training.candidates(rows, features=[])["node"]
        weight, loss = float(node["weight"][0]), float(node["loss"][0])
        amounts = np.asarray(node["amounts"][0], dtype=np.float64)
        value = amounts if self.training.class_names is None else amounts / weight
        if self.training.settings.get("monotone"):
            value = value.copy()
            value[-1] = np.clip(value[-1], rows.lower, rows.upper)
            if self.training.class_names is not None:
                value[0] = 1 - value[1]
        return weight, loss, value

    def empty_value(self, above: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what a branch without rows answers, from what the node above it answers."""
        if self.training.recipe.empty_leaf == "distribution":
            return above
        value = np.zeros_like(above)
        value[int(np.argmax(above))] = 1.0
        return value

    def answer(self, rows: NodeRows, depth: int) -> NodeCandidates:
        """Return what the engine says about the node; ``accepted`` also asks for depth and size."""
        answer = self.training.candidates(rows)
        deep_enough = depth >= self.training.settings.get("max_depth", np.inf)
        answer["accepted"] = answer["accepted"] and answer["may_split"] and not deep_enough
        return answer

    def memory(self, answer: NodeCandidates) -> dict[str, NDArray[Any]] | None:
        """Return which candidates of an answer the tree remembers, None where it remembers none."""
        n = int(self.training.settings.get("n_candidates", 0))
        n_rows = int(answer["node"]["rows"][0])
        fewest = max(FEWEST_ROWS, self.training.n_rows // ROWS_PER_ROW)
        if n == 0 or answer["winner"] < 0 or n_rows < fewest:
            return None
        found: dict[str, NDArray[Any]] = answer["memory"]
        kept = {name: values if name == "tables" else values[: n + 1] for name, values in found.items()}
        offsets = found["candidate_table"][n + 1 :]
        if (offsets >= 0).any():  # tables stand in the order of the candidates
            kept["tables"] = kept["tables"][: offsets[offsets >= 0][0]]
        return kept

    def test_of(self, facts: FeatureFacts) -> Test:
        """Return the engine's best test of a feature."""
        return Test(
            feature=int(facts["feature"]),
            kind=int(facts["kind"]),
            threshold=float(facts["threshold"]),
            table=facts["table"],
            missing=int(facts["missing"]),
            n_children=int(facts["n_children"]),
            values=(float(facts["left_value"]), float(facts["right_value"])),
        )

    def threshold_test(self, rows: NodeRows, feature: int, threshold: float) -> Test:
        """Return a test of the user's own: numbers up to a threshold against larger ones."""
        values = self.training.matrix[rows.rows, feature]
        left = values <= np.float64(threshold)
        return Test(
            feature, KIND_THRESHOLD, float(threshold), np.zeros(0, dtype=np.uint32),
            self._missing(rows, left, np.isnan(values)), 2,
        )  # fmt: skip

    def subset_test(self, rows: NodeRows, feature: int, codes: Sequence[int]) -> Test:
        """Return a test of the user's own: some categories against all others."""
        values = self.training.matrix[rows.rows, feature]
        missing = self._missing(rows, np.isin(values, codes), np.isnan(values))
        listed = sorted([*codes, *([0] if missing == 0 else [])])
        table = np.array([LIST_OF_BRANCH_0, len(listed), *listed], dtype=np.uint32)
        return Test(feature, KIND_SUBSET, np.nan, table, missing, 2)

    def _missing(self, rows: NodeRows, left: NDArray[np.bool_], absent: NDArray[np.bool_]) -> int:
        if self.training.settings.get("missing", self.training.recipe.missing) == "fractional":
            return EVERY_BRANCH
        weights = np.ones(len(left)) if rows.weights is None else rows.weights
        return 0 if weights[left].sum() > weights[~left & ~absent].sum() else 1

    def children(self, rows: NodeRows, test: Test) -> list[NodeRows]:
        """Return the rows of each branch."""
        training = self.training
        tree = _core.TreeRows(test_arrays(test), training.schema.n_codes)
        signs = training.settings.get("monotone")
        direction = 0 if not signs else signs[test.feature]
        found = []
        for branch in range(test.n_children):
            own, weights = tree.down(
                0, branch, training.matrix, rows.rows, rows.weights, single=training.is_single
            )
            lower, upper = _core.child_bounds(rows.lower, rows.upper, direction, *test.values, branch)
            found.append(NodeRows(own, weights, (*rows.path, branch), lower, upper))
        return found
