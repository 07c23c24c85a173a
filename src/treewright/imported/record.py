"""What an importer has read becomes a `Model`; whether a model from a file is such a one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.imported.assembly import PeerTrees, assemble
from treewright.imported.faults import fault
from treewright.model import Aggregation, Forest, Model
from treewright.model.facts import BoosterFacts, ImportedFacts, WeightedFacts
from treewright.store.checks import check_model

__all__ = ["Reading", "check_record", "model_of_reading"]

Floats = NDArray[np.float64]

# Names of arrays in a model: what the other library calls each node, its number of each tree, the gains.
LEAVES: Final = "leaf_number"
ORDER: Final = "tree_number"
IMPORTANCES: Final = "importances"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What an importer has found.

    Attributes
    ----------
    source, source_kind : str
        The library, and what the model was there.
    schema : Schema
        The columns.
    trees : PeerTrees
        The trees.
    aggregation : str
        How they become one answer.
    classes : sequence or None
        The labels; None for numbers.
    criterion : str
        What trees were grown by.
    link, loss : str
        From the sums of trees to answers, and what was made small; of sums.
    start : ndarray or None
        Scores before the first tree; of sums.
    single : bool
        Whether sums are rounded to single precision.
    estimator_weights, estimator_errors : ndarray or None
        Of trees that vote with weights.
    algorithm : str or None
        How trees got their weights.
    order : ndarray or None
        The number that each tree has in the other library, where it is another one.
    missing_features : list of int or None
        Features that had missing values, where the library tells.
    spare_nodes : bool
        See `assemble`.
    target_name : str or None
        What is predicted.
    """

    source: str
    source_kind: str
    schema: Schema
    trees: PeerTrees
    aggregation: Aggregation
    classes: Sequence[Any] | NDArray[Any] | None = None
    criterion: str = "squared_error"
    link: str = "identity"
    loss: str = "squared_error"
    start: Floats | None = None
    single: bool = False
    estimator_weights: Floats | None = None
    estimator_errors: Floats | None = None
    algorithm: str | None = None
    order: NDArray[np.int64] | None = None
    missing_features: list[int] | None = None
    spare_nodes: bool = False
    target_name: str | None = None


def model_of_reading(reading: Reading) -> Model:
    """Return the model; ModelFileError when its parts do not fit together.

    Parameters
    ----------
    reading : Reading
        From a file that may hold anything.
    """
    forest, numbers = assemble(
        reading.trees, reading.schema.n_codes, reading.criterion, spare_nodes=reading.spare_nodes
    )
    classes = None if reading.classes is None else np.asarray(reading.classes)
    arrays: dict[str, NDArray[Any]] = {
        LEAVES: numbers,
        IMPORTANCES: _importances(reading.trees, reading.schema.n_features),
    }
    if reading.order is not None and (reading.order != np.arange(len(reading.order))).any():
        arrays[ORDER] = reading.order.astype(np.int32)
    if reading.start is not None:
        arrays["start"] = np.asarray(reading.start, dtype=np.float64)
    for name in ("estimator_weights", "estimator_errors"):
        if (numbers_of_trees := getattr(reading, name)) is not None:
            arrays[name] = np.asarray(numbers_of_trees, dtype=np.float64)
    model = Model(
        algorithm="ImportedRegressor" if classes is None else "ImportedClassifier",
        params={"n_jobs": None},
        task="regression" if classes is None else "classification",
        schema=reading.schema,
        trees=forest,
        classes=classes,
        class_order=classes,
        facts=_facts(reading, len(forest)),
        arrays=arrays,
        target_name=reading.target_name,
    )
    check_model(model)
    check_record(model)
    return model


def _facts(reading: Reading, n_trees: int) -> dict[str, Any]:
    """Return the facts of what it is, and that it was imported; None is not kept."""
    family: dict[str, Any] = {"missing_features": reading.missing_features}
    if reading.aggregation == "sum":
        assert reading.start is not None, "sums start somewhere"
        if not len(reading.start):
            fault("the model", "it has no score to start from")
        family |= vars(
            BoosterFacts(
                loss=reading.loss,
                link=reading.link,
                n_rounds=n_trees // len(reading.start),
                learning_rate=1.0,
                l2=0.0,
                l1=0.0,
                seed=0,
                missing_features=reading.missing_features,
            )
        )
    elif reading.aggregation == "weighted":
        algorithm: Any = reading.algorithm
        family |= vars(WeightedFacts(algorithm=algorithm, criterion=reading.criterion))
    own = ImportedFacts(
        aggregation=reading.aggregation,
        source=reading.source,
        source_kind=reading.source_kind,
        sums="float32" if reading.single else None,
    )
    return {name: value for name, value in {**family, **vars(own)}.items() if value is not None}


def _importances(trees: PeerTrees, n_features: int) -> Floats:
    inner = trees.left >= 0
    gain = np.where(np.isfinite(trees.gain[inner]), trees.gain[inner], 0.0)
    sums = np.bincount(trees.feature[inner].astype(np.int64), weights=gain, minlength=n_features)
    whole = sums.sum()
    return sums / whole if 0 < whole < np.inf and (sums >= 0).all() else np.zeros(n_features)


def check_record(model: Model) -> None:
    """Raise ValueError unless the model says what an imported one needs, however hostile its file was.

    Parameters
    ----------
    model : Model
        From a file that may hold anything.
    """
    ImportedFacts.of(model)
    forest = model.trees
    if not isinstance(forest, Forest):
        raise ValueError("its trees are not a forest")
    if model.aggregation == "sum":
        n_rounds = BoosterFacts.of(model).n_rounds
        if n_rounds * len(model.arrays["start"]) != len(forest):
            raise ValueError(f"it says that {str(n_rounds)[:20]} rounds made {len(forest)} trees")
    if model.aggregation == "weighted":
        WeightedFacts.of(model)
        errors = model.arrays.get("estimator_errors")
        if errors is None or errors.dtype != np.float64 or errors.shape != (len(forest),):
            raise ValueError("its trees have no errors")
    leaves = model.arrays.get(LEAVES)
    if leaves is None or leaves.dtype != np.int32 or leaves.shape != (forest.node_count,):
        raise ValueError(f"its array {LEAVES!r} has not one number for each node")
    order = model.arrays.get(ORDER)
    if order is not None and (
        order.dtype != np.int32
        or order.shape != (len(forest),)
        or not np.array_equal(np.sort(order), np.arange(len(forest)))
    ):
        raise ValueError(f"its array {ORDER!r} does not number the trees")
    found = model.arrays.get(IMPORTANCES)
    if found is None or found.dtype != np.float64 or found.shape != (model.n_features,):
        raise ValueError(f"its array {IMPORTANCES!r} has not one number for each feature")
    if not (np.isfinite(found) & (found >= 0)).all():
        raise ValueError(f"its array {IMPORTANCES!r} holds something else than shares")
