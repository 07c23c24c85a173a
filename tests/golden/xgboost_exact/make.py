"""Make stored.json with the xgboost package: ``python -m tests.golden.xgboost_exact.make``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.xgboost_exact import package
from tests.golden.xgboost_exact.cases import CASES, Case

STORED = Path(__file__).with_name("stored.json")


def stored(xgboost: Any, case: Case) -> dict[str, Any]:
    """Return the data of a case and what the package makes of it."""
    x, y, weight = case.data()
    booster = package.train(
        xgboost,
        x,
        y,
        weight if case.weighted else None,
        case.loss,
        case.settings,
        case.n_rounds,
        case.n_outputs,
    )
    return {
        "name": case.name,
        "loss": case.loss,
        "settings": case.settings,
        "n_outputs": case.n_outputs,
        "n_rounds": case.n_rounds,
        "x": [[None if np.isnan(v) else float(str(v)) for v in row] for row in x],
        "y": [float(str(v)) for v in y],
        "weight": [float(str(v)) for v in weight],
        "start": package.start_of(booster),
        "trees": package.trees_of(booster),
    }


if __name__ == "__main__":
    import xgboost

    lines = ",\n".join(json.dumps(stored(xgboost, case), separators=(",", ":")) for case in CASES)
    STORED.write_text(f'{{"xgboost":"{xgboost.__version__}","cases":[\n{lines}\n]}}\n', encoding="utf-8")
