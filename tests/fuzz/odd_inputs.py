"""Odd objects for every public method: an answer, or an error that says what is wrong."""

from __future__ import annotations

import datetime
import decimal
import inspect
import io
import json
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

import treewright
from tests.fuzz.models import FEW, FRAME, LABELS, NUMBERS, PLAIN
from tests.fuzz.target import Target

__all__ = ["ODD", "OddInputs"]


class Ill:
    """An object that raises whatever it is asked."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("ill")


def ill_cells() -> Any:
    """Return a table with such an object in it."""
    cells = np.full((6, 2), None, dtype=object)
    cells[0, 0] = Ill()
    return cells


def endless() -> Any:
    """Return a list that holds itself."""
    mine: list[Any] = [1.0]
    mine.append(mine)
    return mine


# By name, so that a case is a few words. A line here is tried on every method.
ODD: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "zero": lambda: 0,
    "minus_one": lambda: -1,
    "huge": lambda: 10**30,
    "nan": lambda: float("nan"),
    "infinite": lambda: float("inf"),
    "text": lambda: "text",
    "bytes": lambda: b"\x00\xff",
    "empty_list": lambda: [],
    "empty_rows": lambda: [[], []],
    "ragged": lambda: [[1.0, 2.0], [3.0]],
    "endless": endless,
    "numbers": lambda: np.arange(12.0).reshape(6, 2),
    "no_rows": lambda: np.empty((0, 2)),
    "no_columns": lambda: np.empty((6, 0)),
    "three_dimensions": lambda: np.zeros((2, 2, 2)),
    "complex": lambda: np.ones((6, 2)) * 1j,
    "dates": lambda: np.array([["2020-01-01", "NaT"]] * 3, "M8[D]"),
    "structured": lambda: np.zeros(6, [("a", "f8"), ("b", "i4")]),
    "masked": lambda: np.ma.masked_invalid([[1.0, np.nan]] * 6),
    "objects": ill_cells,
    "mixed": lambda: [[1, "a"], [None, 2.5], [True, b"x"]],
    "decimals": lambda: [[decimal.Decimal("1.5"), decimal.Decimal("NaN")]] * 6,
    "times": lambda: pd.DataFrame(
        {"a": [datetime.datetime(2020, 1, 1)] * 6, "b": [datetime.timedelta(1)] * 6}
    ),
    "frame": lambda: FRAME.head(6),
    "repeated_names": lambda: pd.DataFrame([[1.0, 2.0]] * 6, columns=["a", "a"]),
    "sparse": lambda: scipy.sparse.random(6, 2, 0.5, "csr", random_state=0),
    "dictionary": lambda: {"a": [1, 2], "b": [3]},
    "set": lambda: {1, 2},
    "generator": lambda: (i for i in range(3)),
    "function": lambda: len,
    "class": lambda: dict,
    "ill": Ill,
    "surrogate": lambda: "\ud800",
    "long_text": lambda: "x" * 100_000,
    "file": lambda: io.BytesIO(b"not a model"),
}
MAKERS: dict[str, Callable[[], Any]] = {
    "cart": lambda: treewright.CARTClassifier(max_depth=2).fit(PLAIN, LABELS),
    "cart_frame": lambda: treewright.CARTRegressor(max_depth=2).fit(FRAME, NUMBERS),
    "c45": lambda: treewright.C45Classifier().fit(FRAME, LABELS),
    "forest": lambda: treewright.RandomForestClassifier(**FEW, max_depth=2).fit(PLAIN, LABELS),
    "adaboost": lambda: treewright.AdaBoostClassifier(**FEW).fit(PLAIN, LABELS),
    "gbm": lambda: treewright.GradientBoostingRegressor(**FEW, max_depth=2).fit(PLAIN, NUMBERS),
    "lightgbm": lambda: treewright.LeafwiseBoostingClassifier(**FEW).fit(FRAME, LABELS),
}
ENTRIES = [(name, task) for name, tasks in treewright.ALGORITHMS.items() for task in tasks]
# What Python and scikit-learn raise for arguments that cannot be; each must come with words.
ALLOWED = (
    ValueError,
    TypeError,
    AttributeError,
    OSError,
    IndexError,
    KeyError,
    NotImplementedError,
    MemoryError,  # ours says how much was asked for and how much there is
)


@cache
def fitted(name: str) -> Any:
    """Return a fitted estimator; nothing that is asked may change it."""
    return MAKERS[name]()


def methods(estimator: Any) -> list[str]:
    """Return what can be called."""
    skipped = ("from_model", "save")  # a model from within, and files by any name
    return [
        name
        for name in dir(type(estimator))
        if not name.startswith(("_", "set_"))
        and name not in skipped
        and callable(getattr(type(estimator), name))
    ]


class OddInputs(Target):
    """Odd objects as arguments of methods, of fits and of parameters."""

    name = "odd_inputs"
    suffix = ".json"

    def draw(self, seed: int) -> bytes:
        """Return which objects are given to what."""
        random = Random(seed)
        kind = random.choice(("method", "method", "fit", "parameter"))
        case: dict[str, Any] = {"kind": kind, "odd": [random.choice(sorted(ODD)) for _ in range(3)]}
        if kind == "method":
            case["model"] = random.choice(sorted(MAKERS))
            case["method"] = random.choice(methods(fitted(case["model"])))
        else:
            case["entry"] = random.choice(ENTRIES)
        if kind == "parameter":
            name, task = case["entry"]
            case["parameter"] = random.choice(
                list(inspect.signature(treewright.ALGORITHMS[name][task]).parameters)
            )
        case["seed"] = seed
        return json.dumps(case).encode()

    def run(self, case: bytes) -> str:
        """Make the call; one of the allowed errors must have words."""
        told = json.loads(case)
        odd = [ODD[name]() for name in told["odd"]]
        try:
            self._call(told, odd)
        except ALLOWED as error:
            if not str(error):
                raise
            return "refused"
        except RuntimeError as error:
            if str(error) != "ill":  # the object's own word
                raise
            return "refused"
        return "answered"

    @staticmethod
    def _call(told: dict[str, Any], odd: list[Any]) -> None:
        if told["kind"] == "method":
            method = getattr(fitted(told["model"]), told["method"])
            if told["method"] == "fit":
                method = MAKERS[told["model"]]().fit
            n_required = sum(
                parameter.default is inspect.Parameter.empty and parameter.kind.name.startswith("POSITIONAL")
                for parameter in inspect.signature(method).parameters.values()
            )
            result = method(*odd[:n_required])
            if inspect.isgenerator(result):
                list(result)
            return
        name, task = told["entry"]
        if told["kind"] == "fit":
            few = {"n_estimators": 2} if name not in ("cart", "id3", "c45") else {}
            treewright.make(name, task, **few).fit(*odd)
            return
        target = LABELS if task == "classification" else NUMBERS
        few = {"n_estimators": 2} if name not in ("cart", "id3", "c45") else {}
        treewright.make(name, task, **{**few, told["parameter"]: odd[0]}).fit(PLAIN, target)
