"""Target statistics of a forest's rows: which columns have them, whether they pay, and honest answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from treewright.data import Table
from treewright.fitting.rows import TrainingRows
from treewright.fitting.statistics_choice import BLOCKS, chosen_statistics, tried_estimator
from treewright.fitting.target_statistics import TrainingStatistics, parts_of
from treewright.forests._growing import GrownTrees
from treewright.forests._placed_rows import PlacedRows, with_interval_levels
from treewright.model import Forest, Model
from treewright.model.level_means import LevelMeans

if TYPE_CHECKING:
    from treewright.forests.forest import BaseForest

__all__ = ["ForestStatistics"]

Numbers = NDArray[np.intp]

#: Trees of a trial at most.
TRIED_TREES: Final = 30


@dataclass(frozen=True, eq=False)
class ForestStatistics:
    """Target statistics of the rows of a fit, and the table that they are about."""

    learned: TrainingStatistics
    table: Table

    @classmethod
    def of_rows(
        cls, forest: BaseForest, rows: TrainingRows, y: Any, earlier: Model | None
    ) -> ForestStatistics | None:
        """Return the statistics that trees may test; None: there are none, or they do not pay.

        Parameters
        ----------
        forest : BaseForest
            Its parameters count.
        rows : TrainingRows
            Rows whose table is not encoded yet.
        y : object
            The target as the user has it.
        earlier : Model or None
            The model that trees are added to: they test what its trees test.
        """
        trial = ForestTrial(forest, rows, y)
        found = chosen_statistics(forest.target_statistics, rows, trial, earlier)
        return None if found is None else cls(found, rows.whole_table)

    @classmethod
    def of_model(cls, model: Model, rows: TrainingRows) -> ForestStatistics | None:
        """Return the statistics of the rows of a fitted forest; ValueError when they are other rows."""
        known = LevelMeans.of(model)
        if known is None or len(known.node) == 0:
            return None
        found = TrainingStatistics.learned(rows, np.unique(known.feature).tolist(), parts_of(rows))
        if found is None or not found.continues(model):
            raise ValueError(
                "The target statistics of these rows are not those of the forest, e.g. because fit had "
                "weights: what its trees say about rows that they have not seen is not known."
            )
        return cls(found, rows.whole_table)

    def compiled(
        self, grown: GrownTrees, rows: TrainingRows, earlier: Model | None
    ) -> tuple[GrownTrees, LevelMeans]:
        """Return new trees with sets of categories in place of statistics, and all statistics of the model.

        Parameters
        ----------
        grown : GrownTrees
            The trees of this fit.
        rows : TrainingRows
            What they grew from, statistics included.
        earlier : Model or None
            The model that they are added to.
        """
        assert isinstance(grown.trees, Forest), "only the engine's forests test statistics"
        trees, means = self.learned.compiled(grown.trees, rows.own_schema, earlier)
        n_own = len(rows.own_schema.features)
        importances = grown.importances[:, :n_own].copy()
        for place, source in enumerate(rows.statistic_sources):
            importances[:, source] += grown.importances[:, n_own + place]
        return grown._replace(trees=trees, importances=importances), means

    def seen(self, model: Model) -> tuple[Model, Table]:
        """Return a forest as it grew, and the training rows as its trees saw them.

        Rows that a tree has not drawn are in the statistics of all rows; the cross-fitted ones are without
        them.

        Parameters
        ----------
        model : Model
            The finished forest.
        """
        means = LevelMeans.of(model)
        assert means is not None, "the forest has statistics"
        grown = means.grown(model)
        matrix = self.table.to_matrix()
        earlier = means.extended(matrix, model.schema.n_codes)[:, matrix.shape[1] :].T
        columns = [*earlier[: len(means) - len(self.learned.columns)], *self.learned.columns]
        return grown, self.table.with_columns(grown.schema.features[model.n_features :], columns)

    def with_interval_levels(self, model: Model, asked: PlacedRows, n_threads: int) -> Model:
        """Return the forest with the levels of its intervals, by rows as its trees saw them."""
        grown, table = self.seen(model)
        placed = PlacedRows(asked.numbers, table.take(asked.numbers).to_matrix())
        found = with_interval_levels(grown, placed, n_threads).arrays
        more = {name: array for name, array in found.items() if name not in model.arrays}
        return replace(model, arrays={**model.arrays, **more})


@dataclass(frozen=True, eq=False)
class ForestTrial:
    """A small forest on some of the rows."""

    forest: BaseForest
    rows: TrainingRows
    y: Any

    def on_rows(self, numbers: Numbers) -> Self:
        """Return a trial on some of the rows, in memory."""
        tried = self._taken(numbers)
        tried.table = tried.whole_table.in_memory()
        return replace(self, rows=tried)

    def block_losses(self, asked: Any, learned: Numbers, judged: Numbers) -> NDArray[np.float64]:
        """Return the mean squared error of each block of rows, over the shares of all classes."""
        part = self._taken(learned)
        part.kept, part.n_rows_read = None, len(learned)
        forest, rows = self.forest, self.rows
        smaller = {
            "n_estimators": min(int(forest.n_estimators), TRIED_TREES),
            "oob_score": False,
            "calibrate": None,
            "quantiles": False,
            "warm_start": False,
            "verbose": 0,
        }
        model = tried_estimator(forest, asked, **smaller)._learned(part, self.y, None)
        n_threads = int(effective_n_jobs(forest.n_jobs))
        found = model.values(rows.whole_table.take(judged).to_matrix(), n_threads)
        target = rows.target[judged]
        wanted = target[:, np.newaxis] if rows.n_classes is None else np.eye(rows.n_classes)[target]
        errors = np.square(found - wanted).sum(axis=1)
        if rows.weights is not None:
            errors = errors * rows.weights[judged]
        return np.array([block.mean() for block in np.array_split(errors, BLOCKS)])

    def _taken(self, numbers: Numbers) -> TrainingRows:
        weights = self.rows.weights
        return self.rows.take(numbers, None if weights is None else weights[numbers])
