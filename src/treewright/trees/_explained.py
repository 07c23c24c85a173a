"""Explained: what a fitted tree says about itself, as methods of the estimators."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from treewright.explain import PathReport, SplitReport, Training, explain_prediction, explain_split
from treewright.export import export_text, tree_to_html
from treewright.model.model import Model
from treewright.model.tree import Tree, Words
from treewright.trees._training import read_training

if TYPE_CHECKING:
    from treewright.trees._base import SingleTree

__all__ = ["Explained", "show_tree"]

SHOWN_NODES = 60


def show_tree(model: Model) -> Tree:
    """Return the model's tree, able to print itself with the model's names."""
    tree = model.trees[0]
    if tree._words is None:
        frame = replace(model, trees=())  # without the tree, which would otherwise keep itself alive
        tree.show_in(
            Words(
                lambda own: export_text(frame.with_trees((own,)), max_nodes=SHOWN_NODES),
                lambda own: tree_to_html(frame.with_trees((own,))),
            )
        )
    return tree


class Explained:
    """Mixin: reports about the fitted model."""

    # Classifiers by the names that `as_` takes; the package sets it when all of them are defined.
    _others: ClassVar[Mapping[str, type[Any]]] = {}
    # A tree of a forest knows the bag that it was grown on.
    _bag_: Any = None

    def explain_split(
        self,
        node: int,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        as_: str | None = None,
        cuts: bool = False,
        top: int | None = None,
        tree: int | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> SplitReport:
        """Explain why a node tests what it tests.

        Parameters
        ----------
        node : int
            Number of the node, 0 for the root.
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features), optional
            The rows of `fit`: all features are searched again at the node, by the engine that grew the tree.
            Without them the report knows the stored tree alone.
        y : array-like of shape (n_rows,), optional
            Their target.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights in `fit`.
        as_ : {"cart", "c45", "id3"}, optional
            Show what this algorithm, with its default parameters, would choose here instead.
        cuts : bool, default=False
            Whether the report holds the gain of every cut of numeric features.
        top : int, optional
            How many candidates the text shows; by default all.
        tree : int, optional
            Which tree of an ensemble.
        feature_names : sequence of str, optional
            Names to show instead of those of the training data.

        Returns
        -------
        SplitReport
            Print it, show it in a notebook, or read its attributes.

        Examples
        --------
        >>> from treewright import C45Classifier
        >>> from treewright.datasets import load_tennis
        >>> X, y, names, _ = load_tennis()
        >>> print(C45Classifier().fit(X, y).explain_split(0, X, y, feature_names=names))
        Node 0   14 rows: yes 9, no 5                                        C4.5, gain ratio
          entropy  H = −(9/14)·log2(9/14) − (5/14)·log2(5/14) = 0.9403 bits
        <BLANKLINE>
          feature       branches     gain   split info   gain ratio
          outlook              3   0.2467       1.5774       0.1564   ← chosen
          humidity             2   0.1518       1.0000       0.1518     margin 0.0046
          wind                 2   0.0481       0.9852       0.0488     gain below average, not eligible
          temperature          3   0.0292       1.5567       0.0188     gain below average, not eligible
          average gain 0.1190
        <BLANKLINE>
          outlook: 5/14·0.9710 (sunny) + 4/14·0.0000 (overcast) + 5/14·0.9710 (rain) = 0.6935
                   gain 0.9403 − 0.6935 = 0.2467      ratio 0.2467 / 1.5774 = 0.1564
          ID3 would choose outlook (gain 0.2467).  CART would first test binary groupings:
          explain_split(0, X, y, as_="cart")
        """
        model = _fitted(self).model_
        if (X is None) != (y is None):
            raise ValueError("Pass X and y together: both are needed to search a node again.")
        if X is not None and self._bag_ is not None:
            sample_weight = self._bag_.weights(model, X, y, sample_weight)
        training = None if X is None else self._own_training(X, y, sample_weight)
        if as_ is not None and as_ not in self._others:
            raise ValueError(f"as_ must be one of {', '.join(map(repr, sorted(self._others)))}, got {as_!r}.")
        return explain_split(
            model,
            node,
            training,
            other=None if as_ is None else lambda: self._other_training(as_, X, y, sample_weight),
            cuts=cuts,
            top=top,
            tree=tree,
            feature_names=feature_names,
            X=X,
        )

    @property
    def is_edited_(self) -> bool:
        """Whether a hand chose or removed splits of the tree (see `treewright.Grower`)."""
        return "edited" in _fitted(self).model_.facts

    def explain_prediction(
        self, X: Any, *, changes: bool = True, feature_names: Sequence[str] | None = None
    ) -> PathReport:
        """Explain the prediction for one row.

        Parameters
        ----------
        X : DataFrame or array-like of shape (1, n_features)
            The row.
        changes : bool, default=True
            Whether to look for the smallest change of a single feature that would change the answer.
        feature_names : sequence of str, optional
            Names to show instead of those of the training data.

        Returns
        -------
        PathReport
            The tests on the way, in words, and what the tree would answer at each of them.

        Examples
        --------
        >>> from treewright import C45Classifier
        >>> from treewright.datasets import load_tennis
        >>> X, y, names, _ = load_tennis()
        >>> tree = C45Classifier().fit(X, y)
        >>> report = tree.explain_prediction([["sunny", "mild", "normal", "weak"]], feature_names=names)
        >>> report.answer, [step.words for step in report.steps]
        ('yes', ['outlook = sunny', 'humidity = normal'])
        """
        estimator = _fitted(self)
        model, matrix, _ = estimator._encode(X)
        return explain_prediction(
            model, matrix, self._chosen_classes, changes=changes, feature_names=feature_names, X=X
        )

    def _chosen_classes(self, shares: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the position of the predicted class in each row of class shares."""
        order = getattr(self, "_tie_order_", None)
        best = shares.argmax(axis=1) if order is None else order[shares[:, order].argmax(axis=1)]
        return np.asarray(best, dtype=np.intp)

    def _own_training(self, X: Any, y: Any, sample_weight: Any) -> Training:
        model = _fitted(self).model_
        # Parameters may have been changed since fit; the model keeps those of its fit.
        training = read_training(type(_fitted(self)).from_model(model), X, y, sample_weight, model)
        return training if self._bag_ is None else replace(training, chance=self._bag_.chance)

    def _other_training(self, name: str, X: Any, y: Any, sample_weight: Any) -> Training:
        if not is_classifier(self):
            raise ValueError(f"{name!r} is an algorithm for classes; this tree predicts numbers.")
        params = {
            key: value
            for key, value in _fitted(self).model_.params.items()
            if key in ("categorical_features", "class_weight", "n_jobs")
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # ID3 on numbers: what it would do is the question
            return read_training(self._others[name](**params), X, y, sample_weight)


def _fitted(estimator: Any) -> SingleTree:
    check_is_fitted(estimator, "model_")
    return cast("SingleTree", estimator)
