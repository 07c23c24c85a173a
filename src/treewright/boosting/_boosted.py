"""Boosted: what a fitted booster is made of and answers, whatever grew it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treewright.boosting._explained import ExplainedBooster
from treewright.boosting._importances import KINDS, totals
from treewright.boosting._least_gain import check_least_gains
from treewright.boosting._out_of_bag import adopt_out_of_bag, check_out_of_bag
from treewright.boosting._permuted import permuted_importances
from treewright.boosting._scores import adopt_scores, check_scores
from treewright.model import Forest, Model
from treewright.model.link import answers
from treewright.trees._fitted import Fitted
from treewright.trees._parameters import Parameters

__all__ = ["Boosted"]


class Boosted(ExplainedBooster, Fitted, Parameters, BaseEstimator):
    """Base of the boosters: from the model to attributes and answers."""

    train_score_: NDArray[np.float64]
    validation_score_: NDArray[np.float64]
    oob_scores_: NDArray[np.float64]
    oob_improvement_: NDArray[np.float64]
    oob_score_: float
    n_iter_: int
    n_estimators_: int

    # --- from the model
    # ----------------------------------------------------------------------------------------------

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_schema(model)
        self.n_iter_ = self.n_estimators_ = int(model.facts["n_rounds"])
        adopt_scores(self, model)
        adopt_out_of_bag(self, model)

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """Return a fitted estimator around a model, e.g. one that was read from a file.

        Parameters
        ----------
        model : Model
            A model that an estimator of this class made.

        Returns
        -------
        estimator : object
            The estimator, with the parameters of the model.
        """
        estimator = cls(**dict(model.params))
        estimator._validate_params()
        try:
            _check(model)
            estimator._adopt(model)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it lacks what a {cls.__name__} needs: {error}") from None
        return estimator

    # --- attributes
    # -------------------------------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Gain of each feature over all tests, normalised to sum to 1 (all 0 without a split)."""
        return self.importances("gain")

    def importances(
        self,
        kind: str = "gain",
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        scoring: Any = None,
        n_repeats: int = 5,
        random_state: Any = None,
    ) -> NDArray[np.float64]:
        """Return how important each feature is.

        Parameters
        ----------
        kind : {"gain", "count", "cover", "permutation"}, default="gain"
            What is added up over the tests of a feature: what they gain, their number, or the weight of the
            rows they divide (the sum of hessians, where trees take Newton steps). Or by how much the score of
            given rows falls when the values of the feature are shuffled among them.
        X, y, sample_weight : object, optional
            The rows for "permutation", best some that `fit` has not seen.
        scoring : str, callable or None, default=None
            The score for "permutation"; None: accuracy or R².
        n_repeats : int, default=5
            How often "permutation" shuffles each feature.
        random_state : int, RandomState instance or None, default=None
            What shuffles.

        Returns
        -------
        importances : ndarray of shape (n_features_in_,)
            Normalised to sum to 1, all 0 when no tree has a test; for "permutation" the mean decrease of the
            score, which may be negative.
        """
        check_is_fitted(self, "model_")
        if kind == "permutation":
            return permuted_importances(
                self, X, y, sample_weight, scoring=scoring, n_repeats=n_repeats, random_state=random_state
            )
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)} and permutation. Got {kind!r}.")
        if X is not None or y is not None:
            raise ValueError(f"kind={kind!r} is about the trees alone: X and y belong to kind='permutation'.")
        trees, facts = self.model_.trees, self.model_.facts
        assert isinstance(trees, Forest), "a booster's trees are a forest"
        sums = totals(trees, kind, float(facts["l2"]), float(facts["l1"]))
        whole = sums.sum()
        return sums / whole if whole > 0 else sums

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    def _raw(self, X: Any) -> NDArray[np.float64]:
        """Return the raw scores, one column per output."""
        model, matrix, n_threads = self._encode(X)
        return model.raw_scores(matrix, n_threads)

    def _values(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class or, in one column, numbers."""
        model, matrix, n_threads = self._encode(X)
        return answers(model.raw_scores(matrix, n_threads), model.facts["link"])

    def _staged_raw(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Return the raw scores after each round."""
        model, matrix, n_threads = self._encode(X)
        raw = None
        for number in range(int(model.facts["n_rounds"])):
            raw = model.raw_scores(matrix, n_threads, number, number + 1, raw)
            yield raw

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_rows, n_rounds), or (n_rows, n_rounds, n_classes) for several raw scores
            Ids of leaves within their trees.
        """
        model, matrix, n_threads = self._encode(X)
        leaves = model.apply(matrix, n_threads)
        n_outputs = len(model.arrays["start"])
        return leaves if n_outputs == 1 else leaves.reshape(len(leaves), -1, n_outputs)

    def _threads(self, n_rows: int) -> int:
        # What a single tree does with a row, a booster does as often as it has trees.
        return super()._threads(n_rows * len(self.model_.trees))


def _check(model: Model) -> None:
    """Raise ValueError unless the model says what a booster needs to know, however hostile its file was."""
    if model.aggregation != "sum" or not isinstance(model.trees, Forest):
        raise ValueError("its trees do not add up to raw scores")
    if "gradient" not in model.trees.arrays:
        raise ValueError("its trees do not know their gradients")
    n_rounds, outputs = model.facts["n_rounds"], len(model.arrays["start"])
    if type(n_rounds) is not int or n_rounds * outputs != len(model.trees):
        raise ValueError(f"it says that {str(n_rounds)[:20]} rounds made {len(model.trees)} trees")
    if type(model.facts["seed"]) is not int or not 0 <= model.facts["seed"] < 2**32:
        raise ValueError("its seed is not one")
    if not isinstance(model.facts["loss"], str):
        raise ValueError("it does not name its loss")
    for name in ("l2", "l1", "learning_rate"):
        if not isinstance(model.facts[name], float) or not 0 <= model.facts[name] < np.inf:
            raise ValueError(f"its {name} is not a number of at least 0")
    check_scores(model)
    check_out_of_bag(model)
    check_least_gains(model)
