"""Importances of features: by what tests say about themselves, by shuffling, by Shapley values."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.data.weights import encode_weights
from treewright.model.forest import Forest
from treewright.model.forest_arrays import FOREST_LEAF

__all__ = ["ImportanceQuestion", "find_importances", "permuted", "tree_importances"]

Floats = NDArray[np.float64]
OF_TREES: Final = ("gain", "count", "cover")
OF_ROWS: Final = ("permutation", "shap")


@dataclass(frozen=True)
class ImportanceQuestion:
    """What is asked.

    Attributes
    ----------
    kind : str
        What importance is.
    X, y, sample_weight : object
        Rows, where it is about rows.
    scoring, n_repeats, random_state : object
        The score that shuffling spoils, how often, and by what chance.
    by_tree : bool
        Whether each tree has a line.
    """

    kind: str
    X: Any
    y: Any
    sample_weight: Any
    scoring: Any
    n_repeats: int
    random_state: Any
    by_tree: bool


def find_importances(estimator: Any, asked: ImportanceQuestion) -> Floats:
    """Return the importances of the features of a fitted estimator.

    Parameters
    ----------
    estimator : Estimator
        The estimator.
    asked : ImportanceQuestion
        What is asked.
    """
    check_is_fitted(estimator, "model_")
    kind = asked.kind
    if not isinstance(kind, str) or kind not in (*OF_TREES, *OF_ROWS):
        raise ValueError(f"kind must be one of {', '.join((*OF_TREES, *OF_ROWS))}. Got {kind!r:.80}.")
    if kind in OF_ROWS:
        if asked.by_tree:
            raise ValueError(f"kind={kind!r} is about all trees together: it has no lines by_tree.")
        if kind == "shap":
            return _by_shap(estimator, asked.X, asked.sample_weight)
        lines = permuted(
            estimator,
            asked.X,
            asked.y,
            asked.sample_weight,
            scoring=asked.scoring,
            n_repeats=asked.n_repeats,
            random_state=asked.random_state,
        )
        mean: Floats = lines.mean(axis=0)
        return mean
    if asked.X is not None or asked.y is not None:
        raise ValueError(
            f"kind={kind!r} is about the trees alone: X and y belong to kind='permutation' and kind='shap'."
        )
    whole, each = estimator._tree_importances(kind, asked.by_tree)
    if not asked.by_tree:
        return np.asarray(whole, dtype=np.float64)
    if each is None:
        raise ValueError(
            f"{type(estimator).__name__} does not know what each tree gains: the other library told the sum."
        )
    return np.asarray(each, dtype=np.float64)


def tree_importances(estimator: Any, kind: str, by_tree: bool) -> tuple[Floats, Floats | None]:
    """Return importances by what tests say about themselves; and the same for each tree, where it is known.

    Parameters
    ----------
    estimator : Estimator
        A fitted tree, forest, AdaBoost or imported model.
    kind : {"gain", "count", "cover"}
        What is added up over the tests of a feature.
    by_tree : bool
        Whether each tree has a line.
    """
    model = estimator.model_
    if kind != "gain":
        lines = _test_sums(model, kind)
        total = lines.sum()
        if total > 0:
            lines *= len(lines) / total
        return lines.mean(axis=0), lines
    whole = np.asarray(estimator.feature_importances_, dtype=np.float64)
    if not by_tree:
        return whole, None
    if model.aggregation in ("one", "weighted"):  # trees are few and whole
        return whole, np.array([tree.compute_feature_importances() for tree in model.trees])
    stored = model.arrays.get("importances")
    if stored is None or stored.ndim != 2:  # a model from elsewhere knows what it was told
        return whole, None
    # Trees without a test do not count in the mean.
    with_tests = stored.sum(axis=1) > 0
    if not with_tests.any():
        return whole, np.asarray(stored, dtype=np.float64)
    scale = len(stored) / np.count_nonzero(with_tests) / stored[with_tests].mean(axis=0).sum()
    return whole, stored * scale


def _test_sums(model: Any, kind: str) -> Floats:
    """Return for each tree and feature the number of tests, or the weight of the rows that they divide."""
    each = np.zeros((len(model.trees), model.n_features))
    if isinstance(model.trees, Forest):
        arrays = model.trees.arrays
        inner = np.flatnonzero(arrays["feature"] != FOREST_LEAF)
        tree = np.repeat(np.arange(len(each)), model.trees.node_counts)[inner]
        worth = np.ones(len(inner)) if kind == "count" else arrays["weight"][inner].astype(np.float64)
        np.add.at(each, (tree, arrays["feature"][inner]), worth)
        return each
    for number, tree in enumerate(model.trees):
        inner = tree.n_children > 0
        worth = tree.weighted_n_node_samples[inner] if kind == "cover" else np.ones(np.count_nonzero(inner))
        np.add.at(each[number], tree.feature[inner], worth)
    return each


def permuted(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
) -> Floats:
    """Return the decrease of the score by scikit-learn's own function, a line per shuffling.

    Parameters
    ----------
    estimator : object
        A fitted estimator.
    X, y, sample_weight : object
        The rows to look at, best some that `fit` has not seen.
    scoring : str, callable or None
        As in scikit-learn; None: accuracy or R².
    n_repeats : int, default=5
        How often each feature is shuffled.
    random_state : object, optional
        What shuffles.
    """
    if X is None or y is None:
        raise ValueError(
            "kind='permutation' shuffles features among given rows: pass X and y, best rows that fit has not "
            "seen."
        )
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame) and not hasattr(X, "iloc"):
        X = frame.to_pandas()  # scikit-learn would make an array without names of other frames
    # Loaded when asked for: it takes a good part of a second.
    found = import_module("sklearn.inspection").permutation_importance(
        estimator,
        X,
        y,
        scoring=scoring,
        n_repeats=n_repeats,
        random_state=random_state,
        sample_weight=sample_weight,
    )
    return np.asarray(found.importances, dtype=np.float64).T


def _by_shap(estimator: Any, X: Any, sample_weight: Any) -> Floats:
    if X is None:
        raise ValueError("kind='shap' is the mean size of the Shapley values of given rows: pass X.")
    total, n_rows, parts = np.zeros(estimator.model_.n_features), 0, []
    for part in estimator.iter_shap(X):
        sizes = np.abs(part.values)
        parts.append(sizes if part.classes is None else sizes.sum(axis=2))
        if sample_weight is None:
            total += parts.pop().sum(axis=0)
        n_rows += len(part)
    if not n_rows:
        raise ValueError("X has no rows, so there are no Shapley values to average.")
    if sample_weight is None:
        return total / n_rows
    found = encode_weights(sample_weight, n_rows)
    weights = np.zeros(n_rows)
    weights[slice(None) if found.keep is None else found.keep] = 1.0 if found.values is None else found.values
    mean: Floats = weights @ np.concatenate(parts) / weights.sum()
    return mean
