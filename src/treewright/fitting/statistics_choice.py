"""Which target statistics a fit has: those that were asked for, or that pay by a trial on training rows."""

from __future__ import annotations

import math
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.data import Schema
from treewright.data.kinds import listed_columns
from treewright.fitting.rows import TrainingRows
from treewright.fitting.target_statistics import Parts, TrainingStatistics, parts_of
from treewright.model import Model
from treewright.model.level_means import LevelMeans

__all__ = ["BLOCKS", "MANY", "Trial", "asked_columns", "chosen_statistics", "tried_estimator"]

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

#: Columns of more categories than this have statistics, unless columns are listed.
MANY: Final = 50
#: Rows that are tried at most, and the fewest that a trial could tell anything from.
TRIED_ROWS: Final = 20_000
FEWEST_ROWS: Final = 200
#: The part of the rows that a trial is judged by, and the blocks whose losses say how sure that is.
JUDGED: Final = 0
BLOCKS: Final = 20
#: So many standard errors a trial must gain.
LEAST_GAIN: Final = 1.0


class Trial(Protocol):
    """How a kind of estimator learns from some rows, and what it loses on others."""

    def on_rows(self, numbers: Numbers) -> Self:
        """Return a trial on some of the rows, in memory."""

    def block_losses(self, asked: Any, learned: Numbers, judged: Numbers) -> Floats:
        """Return what an estimator with these `target_statistics` loses on each of `BLOCKS` blocks of rows.

        Parameters
        ----------
        asked : False or list of int
            The parameter of the estimator.
        learned : ndarray of int
            The rows that it learns from.
        judged : ndarray of int
            The rows that are divided into blocks.
        """


def chosen_statistics(
    asked: Any, rows: TrainingRows, trial: Trial | None, earlier: Model | None
) -> TrainingStatistics | None:
    """Return the target statistics that trees may test; None: there are none, or they do not pay.

    Parameters
    ----------
    asked : bool, "auto" or list
        The parameter `target_statistics`.
    rows : TrainingRows
        Rows whose table is not encoded yet.
    trial : Trial or None
        What "auto" goes by; None: nothing can be tried, and "auto" has no statistics.
    earlier : Model or None
        The model that trees are added to: they test what its trees test.
    """
    sources = asked_columns(asked, rows.schema)
    is_tried = isinstance(asked, str) and earlier is None
    if earlier is not None:
        known = LevelMeans.of(earlier)
        sources = [] if known is None else np.unique(known.feature).tolist()
    if is_tried and (trial is None or rows.n_rows < FEWEST_ROWS or rows.whole_table.is_sparse):
        return None
    if not sources:
        return None
    _check_is_dense(rows)
    parts = parts_of(rows)
    found = TrainingStatistics.learned(rows, sources, parts, only_telling=is_tried)
    if found is not None and is_tried and trial is not None and not _pays(trial, found.sources, parts):
        return None
    return found


def tried_estimator(estimator: Any, asked: Any, **smaller: Any) -> Any:
    """Return a copy of an estimator for a trial.

    Parameters
    ----------
    estimator : object
        The estimator.
    asked : False or list of int
        The `target_statistics` that are tried.
    **smaller : object
        Parameters that make the trial short; those that the estimator does not have are left out.
    """
    known = estimator.get_params(deep=False)
    changed = {name: value for name, value in smaller.items() if name in known}
    return clone(estimator).set_params(**changed, target_statistics=asked)


def asked_columns(asked: Any, schema: Schema) -> list[int]:
    """Return the columns that may have statistics.

    Parameters
    ----------
    asked : bool, "auto" or list
        The parameter `target_statistics`.
    schema : Schema
        The features.
    """
    if asked is False:
        return []
    features = schema.features
    if asked is True or isinstance(asked, str):
        return [i for i, f in enumerate(features) if f.kind == "nominal" and f.n_codes > MANY]
    found = sorted(set(listed_columns(asked, schema.names, len(features), "target_statistics")))
    for position in found:
        if features[position].kind != "nominal":
            name, kind = features[position].name, features[position].kind
            raise ValueError(
                f"target_statistics lists column {name!r}, which is {kind}: only categories without an order "
                "have mean targets. List it in categorical_features, too, if its values are names."
            )
    return found


def _check_is_dense(rows: TrainingRows) -> None:
    if rows.whole_table.is_sparse:
        raise ValueError(
            "X is a sparse matrix, which has no room for target statistics: pass a DataFrame, or "
            "target_statistics=False."
        )


def _pays(trial: Trial, sources: list[int], parts: Parts) -> bool:
    """Tell whether a small model predicts rows better that it has not seen when it has the statistics."""
    used = parts.order[:TRIED_ROWS]
    place = np.argsort(np.argsort(used))
    is_judged = parts.part[used] == JUDGED
    judged, learned = place[is_judged], np.sort(place[~is_judged])
    if len(judged) < BLOCKS or len(learned) < BLOCKS:
        return False
    trial = trial.on_rows(np.sort(used))
    without, having = (trial.block_losses(asked, learned, judged) for asked in (False, sources))
    gain = without - having
    return bool(gain.mean() > LEAST_GAIN * gain.std(ddof=1) / math.sqrt(BLOCKS))
