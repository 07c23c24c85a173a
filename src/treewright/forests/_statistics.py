"""Target statistics of a forest's rows: which columns have them, whether they pay, and honest answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.data import Table
from treewright.fitting.rows import TrainingRows
from treewright.fitting.target_statistics import (
    Parts,
    TrainingStatistics,
    asked_columns,
    check_is_dense,
    parts_of,
)
from treewright.forests._growing import GrownTrees
from treewright.forests._placed_rows import PlacedRows, with_interval_levels
from treewright.model import Forest, Model
from treewright.model.level_means import LevelMeans

if TYPE_CHECKING:
    from treewright.forests.forest import BaseForest

__all__ = ["ForestStatistics"]

#: Rows and trees of a trial at most, and the fewest rows that it could tell anything from.
TRIED_ROWS: Final = 20_000
TRIED_TREES: Final = 30
FEWEST_ROWS: Final = 200
#: The part of the rows that a trial is judged by, the blocks whose errors say how sure that is, and how many
#: standard errors it must gain.
JUDGED: Final = 0
BLOCKS: Final = 20
LEAST_GAIN: Final = 1.0


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
        asked = forest.target_statistics
        sources = asked_columns(asked, rows.schema)
        is_tried = isinstance(asked, str) and earlier is None
        if earlier is not None:
            known = LevelMeans.of(earlier)
            sources = [] if known is None else np.unique(known.feature).tolist()
        if is_tried and (rows.n_rows < FEWEST_ROWS or rows.whole_table.is_sparse):
            return None
        if not sources:
            return None
        check_is_dense(rows)
        parts = parts_of(rows)
        found = TrainingStatistics.learned(rows, sources, parts, only_telling=is_tried)
        if found is None or (is_tried and not _pays(forest, rows, y, found.sources, parts)):
            return None
        return cls(found, rows.whole_table)

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
        trees, means = self.learned.means.compiled(grown.trees, rows.own_schema)
        n_own = len(rows.own_schema.features)
        importances = grown.importances[:, :n_own].copy()
        for place, source in enumerate(rows.statistic_sources):
            importances[:, source] += grown.importances[:, n_own + place]
        before, n_nodes = None, 0
        if earlier is not None:
            assert isinstance(earlier.trees, Forest), "only the engine's forests test statistics"
            before, n_nodes = LevelMeans.of(earlier), earlier.trees.node_count
        return grown._replace(trees=trees, importances=importances), means.after(before, n_nodes)

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


# --- the trial
# ----------------------------------------------------------------------------------------------------------


def _pays(forest: BaseForest, rows: TrainingRows, y: Any, sources: list[int], parts: Parts) -> bool:
    """Tell whether a small forest predicts rows better that it has not seen when it has the statistics."""
    used = parts.order[:TRIED_ROWS]
    in_order = np.sort(used)
    tried = rows.take(in_order, None if rows.weights is None else rows.weights[in_order])
    tried.table = tried.whole_table.in_memory()
    place = np.argsort(np.argsort(used))
    is_judged = parts.part[used] == JUDGED
    judged, learned = place[is_judged], np.sort(place[~is_judged])
    if len(judged) < BLOCKS or len(learned) < BLOCKS:
        return False
    weights = None if tried.weights is None else tried.weights[learned]
    errors = []
    for asked in (False, sources):
        alike = clone(forest).set_params(**_small(forest), target_statistics=asked)
        part = tried.take(learned, weights)
        part.kept, part.n_rows_read = None, len(learned)
        model = alike._learned(part, y, None)
        errors.append(_errors(model, tried, judged, int(effective_n_jobs(forest.n_jobs))))
    gain = errors[0] - errors[1]
    if tried.weights is not None:
        gain = gain * tried.weights[judged]
    means = np.array([block.mean() for block in np.array_split(gain, BLOCKS)])
    return bool(means.mean() > LEAST_GAIN * means.std(ddof=1) / math.sqrt(BLOCKS))


def _errors(
    model: Model, tried: TrainingRows, judged: NDArray[np.intp], n_threads: int
) -> NDArray[np.float64]:
    """Return the squared error of each row, over the shares of all classes."""
    found = model.values(tried.whole_table.take(judged).to_matrix(), n_threads)
    target = tried.target[judged]
    wanted = target[:, np.newaxis] if tried.n_classes is None else np.eye(tried.n_classes)[target]
    return np.asarray(np.square(found - wanted).sum(axis=1))


def _small(forest: BaseForest) -> dict[str, Any]:
    """Return the parameters of a trial."""
    small = {
        "n_estimators": min(int(forest.n_estimators), TRIED_TREES),
        "oob_score": False,
        "calibrate": None,
        "quantiles": False,
        "warm_start": False,
        "verbose": 0,
    }
    known = forest.get_params(deep=False)
    return {name: value for name, value in small.items() if name in known}
