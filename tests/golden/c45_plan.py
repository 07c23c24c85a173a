"""C4.5 Release 8 as a plan of the engine, on encoded columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.oracle_data import OracleTable
from treewright import _core

NUMERIC, NOMINAL = 0, 1


def dataset_of(data: OracleTable) -> Any:
    """Encode a data set: numeric columns as float32 (as the program stores them), nominal ones as codes."""
    columns = [
        data.numeric(number, np.float32) if categories is None else data.codes(number)
        for number, categories in enumerate(data.categories)
    ]
    kinds = [NUMERIC if categories is None else NOMINAL for categories in data.categories]
    return _core.Dataset.from_columns(columns, kinds, data.n_codes)


def release_8(n_classes: int, min_objects: float = 2.0) -> Any:
    """Return the plan of the program's default run."""
    plan = _core.GrowPlan()
    plan.criterion = _core.Criterion.entropy
    plan.ranking = _core.Ranking.gain_ratio
    plan.selection = _core.Selection.above_average_gain
    plan.categories = _core.CategoryGrouping.multiway
    plan.cut = _core.CutRule.value_below
    plan.missing = _core.MissingRule.fractional
    plan.min_weight_split = 2 * min_objects
    plan.min_branch_weight = min_objects
    plan.declared_classes = n_classes
    plan.cut_penalty = True
    plan.min_value_gap = 1e-5
    plan.many_values_share = 0.3
    plan.relative_tie = 0.0
    return plan


def grow(data: OracleTable, n_threads: int = 1) -> dict[str, Any]:
    """Grow the tree of the default run; the collapse of useless splits is left to the caller."""
    arrays: dict[str, Any] = _core.grow_classes(
        dataset_of(data),
        data.y.astype(np.int32),
        len(data.classes),
        None,
        release_8(len(data.classes)),
        n_threads,
    )
    return arrays
