"""scikit-learn's histogram gradient boosting: trees of doubles, categories as sets of ordinals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Feature
from treewright.data.column import is_missing, plain_category
from treewright.imported.assembly import CategorySets, PeerTrees

__all__ = ["histogram_features", "histogram_trees"]


def histogram_features(estimator: Any, names: list[str]) -> list[Feature]:
    """Return the columns in the order of the table.

    Parameters
    ----------
    estimator : HistGradientBoostingClassifier or HistGradientBoostingRegressor
        The fitted estimator.
    names : list of str
        Their names.
    """
    features = [Feature(name, "numeric") for name in names]
    encoder = getattr(estimator, "_preprocessor", None)
    if encoder is None:
        return features
    columns = _column_order(estimator)
    for place, known in enumerate(encoder.named_transformers_["encoder"].categories_):
        categories = tuple(plain_category(value) for value in known if not is_missing(value))
        column = int(columns[place])
        features[column] = Feature(names[column], "nominal", categories)
    return features


def _column_order(estimator: Any) -> NDArray[np.intp]:
    """Return which column of the table each column of the trees is: categories come first."""
    if getattr(estimator, "_preprocessor", None) is None:
        return np.arange(estimator.n_features_in_)
    chosen = np.asarray(estimator.is_categorical_)
    return np.concatenate([np.flatnonzero(chosen), np.flatnonzero(~chosen)])


def histogram_trees(estimator: Any, n_codes: NDArray[np.uint32]) -> PeerTrees:
    """Return the trees, round after round.

    Parameters
    ----------
    estimator : HistGradientBoostingClassifier or HistGradientBoostingRegressor
        The fitted estimator.
    n_codes : ndarray of uint32
        Number of categories of each column of the table.
    """
    predictors = [tree for one_round in estimator._predictors for tree in one_round]
    sizes = [len(tree.nodes) for tree in predictors]
    begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    nodes = np.concatenate([tree.nodes for tree in predictors])
    inner = nodes["is_leaf"] == 0
    columns = _column_order(estimator)
    internal = np.where(inner, nodes["feature_idx"], 0).astype(np.int64)
    feature = columns[internal].astype(np.int64)
    goes_left = nodes["missing_go_to_left"] != 0
    by_set = np.flatnonzero(inner & (nodes["is_categorical"] != 0))
    sets = CategorySets()
    if len(by_set):
        known, place = estimator._bin_mapper.make_known_categories_bitsets()
        tree_of = np.searchsorted(begin, by_set, side="right") - 1
        lists = []
        for node, tree in zip(by_set.tolist(), tree_of.tolist(), strict=True):
            n = int(n_codes[feature[node]])
            ordinals = np.arange(n)
            left = _bits(predictors[tree].raw_left_cat_bitsets[int(nodes["bitset_idx"][node])], ordinals)
            seen = _bits(known[int(place[internal[node]])], ordinals)
            right = ~left & (seen | (not goes_left[node]))
            codes = np.flatnonzero(right) + 1
            # What was never seen goes with the missing values.
            lists.append((codes if goes_left[node] else np.append(codes, n + 1)).astype(np.uint32))
        lengths = np.array([len(codes) for codes in lists], dtype=np.int64)
        sets = CategorySets.of_codes(by_set, np.concatenate(lists), lengths, np.zeros(len(by_set), np.bool_))
    return PeerTrees(
        begin=begin,
        left=np.where(inner, nodes["left"].astype(np.int64), -1),
        right=np.where(inner, nodes["right"].astype(np.int64), -1),
        feature=feature,
        threshold=np.where(inner, nodes["num_threshold"], 0.0).astype(np.float64),
        missing_right=~goes_left,
        value=nodes["value"].astype(np.float64),
        weight=nodes["count"].astype(np.float64),
        rows=nodes["count"].astype(np.int64),
        number=np.arange(len(nodes)) - np.repeat(begin[:-1], sizes),
        gain=np.where(inner, np.maximum(nodes["gain"], 0.0), 0.0).astype(np.float64),
        sets=sets,
    )


def _bits(words: NDArray[np.uint32], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    word = places // 32
    inside = word < len(words)
    found = np.zeros(len(places), np.bool_)
    found[inside] = (np.asarray(words)[word[inside]] >> (places[inside] % 32).astype(np.uint32)) & 1 == 1
    return found
