"""TrainingRows: what an estimator learns from, read in one way, and what parameters mean for such rows.

Rows are a table, targets, and weights without zeros. Parameters speak of shares and names; the engine is told
numbers of rows and positions of columns.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from treewright._core import Dataset
from treewright.data import (
    Schema,
    Table,
    check_target_range,
    encode_labels,
    encode_numbers,
    encode_weights,
    read_table,
    target_name,
)
from treewright.data.named_columns import NamedColumns
from treewright.data.scan import Scan
from treewright.data.weights import RowWeights
from treewright.fitting.leaks import warn_of_leaks
from treewright.model import Model

__all__ = [
    "TrainingRows",
    "feature_count",
    "growth_settings",
    "monotone_signs",
    "read_rows",
    "row_limits",
    "row_subset",
]


@dataclass(eq=False)
class TrainingRows:
    """The rows of positive weight.

    Attributes
    ----------
    table : Table or None
        The features; None once they are encoded.
    schema : Schema
        Their names, kinds and categories.
    n_rows : int
        Number of rows.
    target : ndarray of int32 or float64
        Position of each row's class in `classes`, or its number.
    outputs : dict
        Task, classes and the target's name, as `Model` takes them.
    n_rows_read : int
        Rows of X, those of weight 0 included.
    weights : ndarray of float64 or None
        Weight of each row; None: each counts 1.
    kept : ndarray of int or None
        Which rows of X these are; None: all.
    missing_features : list of int or None
        Features without a value in some row; None until they are encoded.
    statistic_sources : tuple of int
        The columns that the last features are target statistics of, one for each of these features.
    """

    table: Table | None
    schema: Schema
    n_rows: int
    target: NDArray[Any]
    outputs: dict[str, Any]
    n_rows_read: int
    weights: NDArray[np.float64] | None = None
    kept: NDArray[np.int64] | None = None
    missing_features: list[int] | None = None
    statistic_sources: tuple[int, ...] = ()

    @property
    def own_schema(self) -> Schema:
        """The features of X, without target statistics."""
        n_own = len(self.schema.features) - len(self.statistic_sources)
        return replace(self.schema, features=self.schema.features[:n_own])

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None for numbers."""
        return None if self.classes is None else len(self.classes)

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels in the order of their positions; None for numbers."""
        found: NDArray[Any] | None = self.outputs.get("classes")
        return found

    @property
    def declared_classes(self) -> NDArray[Any] | None:
        """The classes that y itself declares, in its order; None when it does not."""
        order: NDArray[Any] | None = self.outputs.get("class_order")
        return None if order is self.classes else order

    @property
    def checksum(self) -> int:
        """A number that two different targets hardly share."""
        return zlib.crc32(self.target.tobytes())

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    def take(
        self, rows: NDArray[np.int64] | None, weights: NDArray[np.float64] | None = None
    ) -> TrainingRows:
        """Return some of the rows (None: all), with their weights."""
        if rows is None:
            return replace(self, weights=weights)
        return replace(
            self,
            table=self.whole_table.take(rows),
            n_rows=len(rows),
            target=self.target[rows],
            weights=weights,
            kept=rows,
        )

    @property
    def whole_table(self) -> Table:
        """The table, which must not have been encoded yet."""
        assert self.table is not None, "the table is read before it is encoded"
        return self.table

    def check_learned(self, model: Model) -> None:
        """Raise ValueError where numbers of a model overflowed, with the extremes of y and weights.

        Readers of y, weights and offsets refuse what is hopeless by itself. Together even moderate numbers
        can leave the range of a loss, an exponential or single precision, and only the model shows it.
        """
        overflown = model.overflown
        if overflown is None:
            return
        known = []
        if self.n_classes is None:
            known.append(f"y reaches from {self.target.min():g} to {self.target.max():g}")
        if self.weights is not None:
            known.append(f"weights from {self.weights.min():g} to {self.weights.max():g}")
        about = f" ({', '.join(known)})" if known else ""
        raise ValueError(
            f"{model.algorithm} cannot learn from these numbers: {overflown} would not be finite{about}. "
            "Bring y, weights and offsets closer to 1: divide each by a constant."
        )

    def encode(
        self, max_bins: int, n_threads: int, *, keep: bool = False, keep_sparse: bool = False
    ) -> Dataset:
        """Return the features as codes and, unless `keep` is set, let go of the table.

        With `keep_sparse` columns of a sparse matrix may stay lists of entries, which not all growers read.
        """
        dataset = self.whole_table.to_dataset(max_bins, n_threads, keep_sparse=keep_sparse)
        self.missing_features = dataset.missing_features
        if not keep:
            self.table = None  # while trees grow its columns would only take up memory
        return dataset


def read_rows(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    owner: str,
    task: str,
    class_weight: Any = None,
    priors: Any = None,
    categorical_features: Any = "from_dtype",
    rows: NDArray[np.intp] | None = None,
    zeros_declare: bool = True,
    model: Model | None = None,
    same_rows: bool = False,
    warn: bool = True,
) -> TrainingRows:
    """Read X, y and weights.

    Parameters
    ----------
    X, y, sample_weight : object
        What the user passed.
    owner : str
        Name of the estimator class, for messages.
    task : {"classification", "regression"}
        What is predicted.
    class_weight, priors, categorical_features : object
        The parameters.
    rows : ndarray of int or None
        Which rows to read; nothing is learned from the others. None: all.
    zeros_declare : bool, default=True
        Whether the categories of rows of weight 0 are known to the table that is left.
    model : Model or None
        A model that is to have more trees, or whose rows these are: columns, categories and classes must be
        the ones that it knows.
    same_rows : bool, default=False
        Whether these must be the rows that the model was fitted on, so that no class may be missing.
    warn : bool, default=True
        Whether to warn of columns that are not what they look like.
    """
    if isinstance(X, Scan):
        y, sample_weight = X.targets(y, sample_weight)
    outputs: dict[str, Any] = {"task": task, "target_name": target_name(y)}
    if model is not None and model.target_name is not None:
        outputs["target_name"] = model.target_name
    if rows is not None:
        y, sample_weight = row_subset(y, rows), row_subset(sample_weight, rows)
    if model is None:
        table = read_table(
            X, estimator_name=owner, categorical_features=categorical_features, rows=rows, warn=warn
        )
    else:
        table = read_table(X, estimator_name=owner, schema=model.schema)
        table = table if rows is None else table.take(rows)
    labels = None
    if task == "regression":
        target: NDArray[Any] = encode_numbers(y, table.n_rows, estimator_name=owner)
        check_target_range(target)
    else:
        labels = encode_labels(y, table.n_rows, estimator_name=owner)
        target = labels.codes
        outputs |= {"classes": labels.classes, "class_order": labels.class_order}
        if model is not None and same_rows:
            _check_same_classes(labels.classes, model)
        elif model is not None:
            target = _known_codes(labels.classes, model)[target]
            outputs |= {"classes": model.classes, "class_order": model.class_order}
    found = TrainingRows(table, table.schema, table.n_rows, target, outputs, table.n_rows, kept=rows)
    if sample_weight is not None or class_weight is not None or priors is not None:
        weights = encode_weights(
            sample_weight, table.n_rows, labels=labels, class_weight=class_weight, priors=priors
        )
        found = _without_zeros(found, weights)
    if model is not None:
        # Of the rows that are left: nothing was learned from the others, what they hold does not count.
        _check_categories(found.whole_table, owner, same_rows)
    elif found.n_rows < table.n_rows and not zeros_declare:
        found.table = read_table(
            X, estimator_name=owner, categorical_features=categorical_features, rows=found.kept, warn=False
        )
        found.schema = found.table.schema
    # Other tables leave rows where they are, and sparse ones would have to be made dense.
    if warn and model is None and type(found.table) is Table and not found.table.is_sparse:
        warn_of_leaks(found.table, found.target, found.n_classes)
    return found


def _without_zeros(found: TrainingRows, weights: RowWeights) -> TrainingRows:
    """Return the rows with their weights, without those of weight 0."""
    if weights.keep is None:
        return replace(found, weights=weights.values)
    kept = weights.keep.astype(np.int64)
    left = found.take(kept, weights.values)
    left.kept = kept if found.kept is None else found.kept[kept]
    return left


def row_subset(values: Any, rows: NDArray[np.intp] | None) -> Any:
    """Return some of the rows, in the container that they came in, so that declared classes stay declared.

    Parameters
    ----------
    values : array-like, Series, DataFrame, sparse matrix, Table, number or None
        One entry per row; None and a number, which stands for all rows, are returned as they are.
    rows : ndarray of int or None
        Which; None: all.
    """
    if rows is None or values is None or isinstance(values, Real):
        return values
    if isinstance(values, Table):
        return values.take(rows)
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    if isinstance(values, list | tuple):
        return [values[row] for row in rows.tolist()]
    native = nw.from_native(values, allow_series=True, eager_only=True, pass_through=True)
    if native is not values:
        return native[rows.tolist()].to_native()
    if isinstance(values, NamedColumns):
        return values.take(rows)
    return values[rows] if hasattr(values, "shape") else np.asarray(values)[rows]


def _known_codes(labels: NDArray[Any], model: Model) -> NDArray[np.int32]:
    """Return the position of each label in the classes of the model."""
    known = _labels(model)
    place = {label: position for position, label in enumerate(known)}
    new = [label for label in labels.tolist() if label not in place]
    if new:
        raise ValueError(
            f"y has the class(es) {new[:5]}, which the fitted forest does not know; its classes are {known}. "
            "Trees can only be added for the same classes: fit anew with warm_start=False."
        )
    return np.array([place[label] for label in labels.tolist()], dtype=np.int32)


def _check_same_classes(labels: NDArray[Any], model: Model) -> None:
    if labels.tolist() != _labels(model):
        raise ValueError(
            f"y has the classes {labels.tolist()}, but fit had {_labels(model)}: pass the y of fit."
        )


def _labels(model: Model) -> list[Any]:
    return [] if model.classes is None else model.classes.tolist()


def _check_categories(table: Table, owner: str, same_rows: bool) -> None:
    if table.schema.all_numeric:
        return
    columns = table.columns
    for position, feature in enumerate(table.schema.features):
        if feature.kind == "numeric" or not (np.asarray(columns[position]) > feature.n_codes).any():
            continue
        if same_rows:
            raise ValueError(
                f"Column {feature.name!r} has categories that fit did not see: pass the X of fit."
            )
        raise ValueError(
            f"Column {feature.name!r} has categories that the fitted {owner} does not know. Its trees "
            "can only be added to, or examined, with the categories of its first fit: declare all of "
            "them there (e.g. with a pandas Categorical), or fit anew with warm_start=False."
        )


# --- what parameters mean for rows
# ----------------------------------------------------------------------------------------------------------


def growth_settings(params: Any, rows: TrainingRows, total_weight: float | None = None) -> dict[str, Any]:
    """Return what the parameters that all trees share mean for rows, under the names of the native plan.

    Parameters
    ----------
    params : object
        An estimator, or anything with its parameters as attributes.
    rows : TrainingRows
        The rows that shares of rows refer to.
    total_weight : float or None
        The weight that shares of weight refer to; None: that of the rows.
    """
    n_features = rows.schema.n_features
    total_weight = rows.total_weight if total_weight is None else total_weight
    min_rows_split, min_rows_leaf = row_limits(params.min_samples_split, params.min_samples_leaf, rows.n_rows)
    settings: dict[str, Any] = {
        "min_rows_split": min_rows_split,
        "min_rows_leaf": min_rows_leaf,
        "min_weight_leaf": params.min_weight_fraction_leaf * total_weight,
        "min_impurity_decrease": params.min_impurity_decrease,
    }
    if params.max_depth is not None:
        settings["max_depth"] = int(params.max_depth)
    if params.max_leaf_nodes is not None:
        settings["max_leaves"] = int(params.max_leaf_nodes)
        settings["order"] = "best_first"
    if feature_count(params.max_features, n_features) < n_features:
        settings["max_features"] = feature_count(params.max_features, n_features)
    signs = monotone_signs(params.monotonic_cst, rows.own_schema, rows.n_classes)
    if signs is not None:
        settings["monotone"] = [*signs.tolist(), *[0] * len(rows.statistic_sources)]
    return settings


def row_limits(min_samples_split: float, min_samples_leaf: float, n_rows: int) -> tuple[int, int]:
    """Return the fewest rows of a node that is split and of a leaf, by scikit-learn's rules."""
    leaf = _rows(min_samples_leaf, n_rows)
    return max(2, _rows(min_samples_split, n_rows), 2 * leaf), leaf


def _rows(limit: Any, n_rows: int) -> int:
    return int(limit) if isinstance(limit, Integral) else math.ceil(limit * n_rows)


def feature_count(max_features: Any, n_features: int) -> int:
    """Return how many features are searched at each node, by scikit-learn's rules."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(math.log2(n_features)))
    if isinstance(max_features, Integral):
        return int(max_features)
    return max(1, int(max_features * n_features))


def monotone_signs(monotonic_cst: Any, schema: Schema, n_classes: int | None) -> NDArray[np.int8] | None:
    """Return -1, 0 or 1 for each feature, None when nothing is constrained.

    Parameters
    ----------
    monotonic_cst : array-like, dict or None
        The parameter.
    schema : Schema
        The features.
    n_classes : int or None
        Number of classes, None for regression.
    """
    if monotonic_cst is None:
        return None
    signs = (
        _signs_by_name(monotonic_cst, schema)
        if isinstance(monotonic_cst, dict)
        else np.asarray(monotonic_cst)
    )
    n_features = len(schema.features)
    if signs.shape != (n_features,):
        raise ValueError(
            f"monotonic_cst has shape {signs.shape} but the input data X has {n_features} features."
        )
    wrong = sorted({repr(sign) for sign in signs.tolist() if sign not in (-1, 0, 1)})
    if wrong:
        raise ValueError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {', '.join(wrong)}."
        )
    if not signs.any():
        return None
    if n_classes is not None and n_classes > 2:
        raise ValueError("Monotonicity constraints are not supported with multiclass classification.")
    for feature, sign in zip(schema.features, signs.tolist(), strict=True):
        if sign and feature.kind == "nominal":
            raise ValueError(
                f"Categorical features cannot have monotonic constraints: column {feature.name!r}."
            )
    return signs.astype(np.int8)


def _signs_by_name(signs: dict[Any, Any], schema: Schema) -> NDArray[Any]:
    if schema.names is None:
        raise ValueError(
            "monotonic_cst was passed as a dict, but X has no feature names; pass an array instead."
        )
    names = schema.names.tolist()
    unknown = sorted(str(name) for name in signs if name not in names)
    if unknown:
        raise ValueError(f"monotonic_cst contains {len(unknown)} unexpected feature names: {unknown[:5]}.")
    return np.array([signs.get(name, 0) for name in names])
