"""PruningPlan: what `prune`, `ccp_alpha` and `early_stopping` do to the grown tree inside `fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import is_classifier

from treewright.data import encode_labels, encode_numbers, encode_weights
from treewright.model import Tree
from treewright.pruning import (
    CrossValidation,
    LossSums,
    PruningSequence,
    choose,
    choose_depth,
    cross_validate,
    cut_at_depth,
    from_losses,
    level_losses,
    prune,
    prune_by_loss,
    prune_by_reduced_error,
    pruning_report,
    pruning_sequence,
)
from treewright.trees._fold_trees import FoldTrees, integer_seed
from treewright.trees._folds import make_folds, read_groups
from treewright.trees._grown import Grown
from treewright.trees._set_aside import Aside, class_factors, divide, read_aside, send_down

if TYPE_CHECKING:
    from treewright.trees._base import SingleTree

__all__ = ["FitData", "PruningPlan", "validated"]

# Names of facts in the model: the report, and the best subtree where a smaller one was kept.
PRUNING = "pruning"
BEST_TREE = "pruning_best"


class FitData(NamedTuple):
    """What the user passed to fit."""

    X: Any
    y: Any
    sample_weight: Any = None
    groups: Any = None
    X_val: Any = None
    y_val: Any = None


class PruningPlan:
    """The pruning of one fit.

    Parameters
    ----------
    estimator : SingleTree
        With valid parameters.
    data : FitData
        What fit was given.

    Attributes
    ----------
    rows : ndarray of int or None
        The rows to grow on; None: all.
    """

    def __init__(self, estimator: SingleTree, data: FitData) -> None:
        self._estimator = estimator
        self._data = data
        self._method = estimator._pruning_method
        self._aside: Aside | None = None
        self.rows: NDArray[np.intp] | None = None
        if (data.X_val is None) != (data.y_val is None):
            raise ValueError("Pass X_val and y_val together.")
        if self._method == "reduced_error":
            self.rows, self._aside = _set_aside(estimator, data)
        elif data.X_val is not None:
            raise ValueError(
                f'X_val and y_val are used by prune="reduced_error" only, but prune is {self._method!r}: '
                "leave them out or change prune."
            )

    def prune(self, grown: Grown) -> tuple[Tree, dict[str, Any]]:
        """Return the tree to keep, and facts for the model."""
        estimator, tree, risk = self._estimator, grown.tree, self._estimator._risk
        if estimator.early_stopping is not None:
            return self._stopped(grown)
        if self._method == "cost_complexity":
            return self._cross_validated(grown)
        if self._method == "loss":
            kept = prune_by_loss(tree, float(estimator.alpha_total or 0.0), risk)
        elif self._method == "reduced_error" and self._aside is not None:
            name, n_jobs = type(estimator).__name__, estimator.n_jobs
            kept = prune_by_reduced_error(send_down(grown, self._aside, name, n_jobs))
        else:
            kept = prune(tree, estimator.ccp_alpha, risk)
        method = "ccp_alpha" if estimator.ccp_alpha > 0 else self._method
        return kept, {} if method is None else _brief(method, grown)

    def _cross_validated(self, grown: Grown) -> tuple[Tree, dict[str, Any]]:
        estimator, tree = self._estimator, grown.tree
        sequence = pruning_sequence(tree, estimator._risk, estimator.path_method)
        rule = estimator.pruning_rule
        if len(sequence) > 1:
            validation = validated(estimator, sequence, grown, self._data, estimator.cv)
            choice = choose(validation, rule)
            index = choice.index
        else:  # a single leaf, or nothing gains: there is no choice
            validation, choice, index = None, None, 0
        kept = sequence.subtree(tree, index)
        report = pruning_report(
            tree,
            sequence,
            algorithm=type(estimator).__name__,
            method="cost_complexity",
            leaves_after=kept.n_leaves,
            selected=index,
            rule=rule,
            validation=validation,
            choice=choice,
        )
        facts: dict[str, Any] = {PRUNING: report.to_dict()}
        if choice is not None and choice.index_min != index:
            facts[BEST_TREE] = dict(sequence.subtree(tree, choice.index_min).to_arrays())
        return kept, facts

    def _stopped(self, grown: Grown) -> tuple[Tree, dict[str, Any]]:
        estimator, tree = self._estimator, grown.tree
        facts = _brief("early_stopping", grown)
        if tree.max_depth == 0:
            return tree, facts
        seed = integer_seed(estimator.random_state)
        trees = _fold_trees(estimator, seed, grown, self._data)
        folds = make_folds(estimator.cv, grown, self._data.X, _groups(self._data, grown), seed)

        def run(train: NDArray[np.int64], test: NDArray[np.int64]) -> LossSums:
            return level_losses(trees(train, test), tree.max_depth)

        sums = Parallel(n_jobs=estimator.n_jobs, require="sharedmem")(delayed(run)(*fold) for fold in folds)
        validation = from_losses(sums, _measure(grown))
        errors = validation.mean[::-1]
        depth = choose_depth(errors, estimator.tol)
        facts[PRUNING] |= {
            "depth": depth,
            "errors": errors.tolist(),
            "standard_errors": validation.standard_error[::-1].tolist(),
        }
        return cut_at_depth(tree, depth), facts


def validated(
    estimator: SingleTree, sequence: PruningSequence, grown: Grown, data: FitData, cv: Any
) -> CrossValidation:
    """Cross-validate a sequence of subtrees with one tree per fold.

    Parameters
    ----------
    estimator : SingleTree
        With the parameters of the fit.
    sequence : PruningSequence
        The subtrees.
    grown : Grown
        The rows; its tree is not looked at.
    data : FitData
        The same as the user passed them.
    cv : int, splitter or list of (train, test)
        The folds.
    """
    seed = integer_seed(estimator.random_state)
    folds = make_folds(cv, grown, data.X, _groups(data, grown), seed)
    trees = _fold_trees(estimator, seed, grown, data)
    return cross_validate(sequence, folds, trees, measure=_measure(grown), n_jobs=estimator.n_jobs)


def _fold_trees(estimator: SingleTree, seed: int, grown: Grown, data: FitData) -> FoldTrees:
    # The algorithm's own pruning belongs to the tree whose subtrees are compared.
    own = {} if estimator._pruning_method == "pessimistic_error" else estimator._unpruned()
    return FoldTrees(estimator, own, seed, grown, data.X, data.y, data.sample_weight)


def _groups(data: FitData, grown: Grown) -> NDArray[Any] | None:
    return read_groups(data.groups, grown.n_rows_read)


def _measure(grown: Grown) -> str:
    return "squared error" if grown.classes is None else "error rate"


def _brief(method: str, grown: Grown) -> dict[str, Any]:
    return {PRUNING: {"method": method, "leaves_before": grown.leaves_before}}


def _set_aside(estimator: SingleTree, data: FitData) -> tuple[NDArray[np.intp] | None, Aside]:
    """Return the rows to grow on and the others."""
    name = type(estimator).__name__
    n_rows = estimator._read(data.X).n_rows
    labels, factors = None, None
    target: NDArray[Any]
    if is_classifier(estimator):
        labels = encode_labels(data.y, n_rows, estimator_name=name)
        class_weight, priors = getattr(estimator, "class_weight", None), getattr(estimator, "priors", None)
        factors = class_factors(labels, class_weight, priors)
        weights = encode_weights(
            data.sample_weight, n_rows, labels=labels, class_weight=class_weight, priors=priors
        )
        target = labels.codes
    else:
        target = encode_numbers(data.y, n_rows, estimator_name=name)
        weights = encode_weights(data.sample_weight, n_rows)
    if data.X_val is not None:
        return None, read_aside(data.X_val, data.y_val, name, factors, is_classifier=labels is not None)
    kept = np.arange(n_rows) if weights.keep is None else weights.keep
    groups = read_groups(data.groups, n_rows)
    train, aside = divide(
        float(estimator.validation_fraction),
        None if labels is None else target[kept],
        len(kept),
        None if groups is None else groups[kept],
        integer_seed(estimator.random_state),
    )
    rest = Aside(
        data.X,
        kept[aside],
        target[kept[aside]],
        None if labels is None else labels.classes,
        None if weights.values is None else weights.values[aside],
    )
    return kept[train], rest
