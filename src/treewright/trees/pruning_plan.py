"""PruningPlan: what `prune`, `ccp_alpha` and `early_stopping` do to the grown tree inside `fit`.

Every value of `prune` is one line of `PRUNERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils._param_validation import InvalidParameterError

from treewright import _core
from treewright.fitting.rows import TrainingRows
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
    leaves_as_grown,
    level_losses,
    prune,
    prune_by_loss,
    prune_by_reduced_error,
    pruning_report,
    pruning_sequence,
)
from treewright.pruning.risk import total_risk
from treewright.recipe import CHOICES
from treewright.side_by_side import run_side_by_side
from treewright.trees._folds import FoldTrees, integer_seed, make_folds, read_groups
from treewright.trees._set_aside import Aside, send_down, set_aside
from treewright.trees.growing import Grown, class_codes, grow

if TYPE_CHECKING:
    from treewright.trees.classifier import TreeClassifier
    from treewright.trees.single_tree import SingleTree

__all__ = ["FitData", "Pessimism", "Pruner", "PruningPlan", "check_pruning", "pruner_names", "validated"]

# Fields of TreeFacts: the report, and the best subtree where a smaller one was kept.
PRUNING = "pruning"
BEST_TREE = "pruning_best"
# The parameters of the tree that all pruning starts from.
UNPRUNED: MappingProxyType[str, Any] = MappingProxyType(
    {"prune": None, "ccp_alpha": 0.0, "alpha_total": None, "early_stopping": None}
)
CLASSES, NUMBERS = "classification", "regression"


class FitData(NamedTuple):
    """What the user passed to fit."""

    X: Any
    y: Any
    sample_weight: Any = None
    groups: Any = None
    X_val: Any = None
    y_val: Any = None


class Pessimism(NamedTuple):
    """How pessimistic errors prune: whose they are, and what may happen besides making a node a leaf."""

    program: _core.PruneProgram
    raising: bool  # the largest branch may take the place of its node
    narrows_groups: bool = False  # groups of categories lose those that tests above rule out


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
    estimator : SingleTree
        The same.
    data : FitData
        The same.
    rows : ndarray of int or None
        The rows to grow on; None: all.
    aside : Aside or None
        The others, for a pruner that needs them.
    facts : dict
        What the model remembers of its pruning.
    """

    def __init__(self, estimator: SingleTree, data: FitData) -> None:
        self.estimator = estimator
        self.data = data
        self.rows: NDArray[np.intp] | None = None
        self.aside: Aside | None = None
        self.facts: dict[str, Any] = {}
        method = estimator._pruning_method
        self._pruner = None if method is None else PRUNERS[method]
        if (data.X_val is None) != (data.y_val is None):
            raise ValueError("Pass X_val and y_val together.")
        if self._pruner is not None and self._pruner.sets_aside:
            self.rows, self.aside = set_aside(estimator, data)
        elif data.X_val is not None:
            raise ValueError(
                f'X_val and y_val are used by prune="reduced_error" only, but prune is {method!r}: '
                "leave them out or change prune."
            )

    @property
    def looks_at_rows_again(self) -> bool:
        """Whether pruning needs the features of the rows that the tree was grown on."""
        return self._pruner is not None and self._pruner.looks_at_rows_again

    def prune(self, grown: Grown) -> tuple[Tree, dict[str, Any]]:
        """Return the tree to keep, and facts for the model."""
        estimator = self.estimator
        self.facts = {} if self.aside is None else dict(self.aside.facts)
        if estimator.early_stopping is not None:
            self._remember("early_stopping", grown)
            kept = _stopped_early(self, grown)
        elif self._pruner is not None:
            self._remember(estimator._pruning_method, grown)
            kept = self._pruner.prune(self, grown)
        elif estimator.ccp_alpha > 0:
            self._remember("ccp_alpha", grown)
            kept = prune(grown.tree, estimator.ccp_alpha, estimator.pruning_risk)
        else:
            kept = grown.tree
        return kept, self.facts

    def _remember(self, method: str | None, grown: Grown) -> None:
        self.facts[PRUNING] = {"method": method, "leaves_before": grown.leaves_before}


# --- the pruners
# --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pruner:
    """A way to prune: what the parameter `prune` can be.

    Attributes
    ----------
    prune : callable
        Gets the plan and the grown tree and returns the tree to keep; may add to the plan's facts.
    tasks : tuple of str
        What the trees predict that it can prune.
    sets_aside : bool
        Whether it needs rows that the tree is not grown on.
    looks_at_rows_again : bool
        Whether it needs the features of those that it is grown on. Then its result counts as the tree of the
        algorithm, so that the trees of folds are pruned, too.
    """

    prune: Callable[[PruningPlan, Grown], Tree]
    tasks: tuple[str, ...] = (CLASSES, NUMBERS)
    sets_aside: bool = False
    looks_at_rows_again: bool = False


def _by_cost_complexity(plan: PruningPlan, grown: Grown) -> Tree:
    estimator, tree, rule = plan.estimator, grown.tree, plan.estimator.pruning_rule
    sequence = pruning_sequence(tree, estimator.pruning_risk, estimator.path_method)
    if len(sequence) > 1:
        validation = validated(estimator, sequence, grown.rows, plan.data, estimator.cv)
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
    plan.facts[PRUNING] = report.to_dict()
    if choice is not None and choice.index_min != index:
        plan.facts[BEST_TREE] = dict(sequence.subtree(tree, choice.index_min).to_arrays())
    return kept


def _by_loss(plan: PruningPlan, grown: Grown) -> Tree:
    tree, risk = grown.tree, plan.estimator.pruning_risk
    kept = prune_by_loss(tree, float(plan.estimator.alpha_total or 0.0), risk)
    plan.facts[PRUNING] |= {
        "loss_before": float(total_risk(tree, risk)[tree.n_children == 0].sum()),
        "node_leaves_before": leaves_as_grown(tree, kept),
    }
    return kept


def _by_reduced_error(plan: PruningPlan, grown: Grown) -> Tree:
    estimator = plan.estimator
    assert plan.aside is not None, "set aside before the tree was grown"
    return prune_by_reduced_error(send_down(grown, plan.aside, type(estimator).__name__, estimator.n_jobs))


def _by_pessimistic_error(plan: PruningPlan, grown: Grown) -> Tree:
    estimator, rows = cast("TreeClassifier", plan.estimator), grown.rows
    assert grown.dataset is not None and rows.n_classes is not None, "kept for this, and for classes only"
    how = estimator._pessimism(grown.arrays)
    arrays = _core.prune_pessimistic(
        grown.arrays,
        grown.dataset,
        class_codes(rows, grown.order),
        rows.n_classes,
        rows.weights,
        CHOICES["criterion"][estimator._loss_name],
        how.program,
        float(estimator.confidence_factor),
        how.raising,
        int(effective_n_jobs(estimator.n_jobs)),
    )
    if how.narrows_groups:
        arrays = _core.narrow_groups(arrays, grown.dataset)
    return grown.with_arrays(arrays).tree


PRUNERS: MappingProxyType[str, Pruner] = MappingProxyType(
    {
        "cost_complexity": Pruner(_by_cost_complexity),
        "loss": Pruner(_by_loss),
        "reduced_error": Pruner(_by_reduced_error, sets_aside=True),
        "pessimistic_error": Pruner(_by_pessimistic_error, tasks=(CLASSES,), looks_at_rows_again=True),
    }
)


def pruner_names(task: str) -> tuple[str, ...]:
    """Return what the parameter `prune` can be for a tree that does "classification" or "regression"."""
    return tuple(name for name, pruner in PRUNERS.items() if task in pruner.tasks)


# --- cross-validation
# --------------------------------------------------------------------------------------------------------


def _stopped_early(plan: PruningPlan, grown: Grown) -> Tree:
    """Return the tree cut at the depth with the least cross-validated error."""
    estimator, tree, rows = plan.estimator, grown.tree, grown.rows
    if tree.max_depth == 0:
        return tree
    seed = integer_seed(estimator.random_state)
    trees = _fold_trees(estimator, seed, rows, plan.data)
    folds = make_folds(estimator.cv, rows, plan.data.X, _groups(plan.data, rows), seed)

    def run(train: NDArray[np.int64], test: NDArray[np.int64]) -> LossSums:
        return level_losses(trees(train, test), tree.max_depth)

    validation = from_losses(run_side_by_side(run, folds, estimator.n_jobs), _measure(rows))
    errors = validation.mean[::-1]
    depth = choose_depth(errors, estimator.tol)
    plan.facts[PRUNING] |= {
        "depth": depth,
        "errors": errors.tolist(),
        "standard_errors": validation.standard_error[::-1].tolist(),
    }
    return cut_at_depth(tree, depth)


def validated(
    estimator: SingleTree, sequence: PruningSequence, rows: TrainingRows, data: FitData, cv: Any
) -> CrossValidation:
    """Cross-validate a sequence of subtrees with one tree per fold.

    Parameters
    ----------
    estimator : SingleTree
        With the parameters of the fit.
    sequence : PruningSequence
        The subtrees.
    rows : TrainingRows
        The rows of the full tree.
    data : FitData
        The same as the user passed them.
    cv : int, splitter or list of (train, test)
        The folds.
    """
    seed = integer_seed(estimator.random_state)
    folds = make_folds(cv, rows, data.X, _groups(data, rows), seed)
    trees = _fold_trees(estimator, seed, rows, data)
    return cross_validate(sequence, folds, trees, measure=_measure(rows), n_jobs=estimator.n_jobs)


def _fold_trees(estimator: SingleTree, seed: int, rows: TrainingRows, data: FitData) -> FoldTrees:
    method = estimator._pruning_method
    belongs_to_tree = method is not None and PRUNERS[method].looks_at_rows_again
    changed = {} if belongs_to_tree else dict(UNPRUNED)
    return FoldTrees(estimator, _grow_and_prune, changed, seed, rows, data)


def _grow_and_prune(learner: SingleTree, rows: TrainingRows) -> Grown:
    plan = PruningPlan(learner, FitData(None, None))
    grown = grow(learner, rows, keep=plan.looks_at_rows_again, warn=False)
    return grown.with_tree(plan.prune(grown)[0])


def _groups(data: FitData, rows: TrainingRows) -> NDArray[Any] | None:
    return read_groups(data.groups, rows.n_rows_read)


def _measure(rows: TrainingRows) -> str:
    return "squared error" if rows.classes is None else "error rate"


# --- which parameters go together
# --------------------------------------------------------------------------------------------------------


def check_pruning(estimator: SingleTree) -> None:
    """Refuse parameters, each of them valid, of which one would have no effect."""
    owner, method = type(estimator).__name__, estimator._pruning_method
    price, total, stopping = estimator.ccp_alpha, estimator.alpha_total, estimator.early_stopping
    if price > 0 and method is not None:
        same = " pruned(alpha=…) of a fitted tree takes a price, too." if method == "cost_complexity" else ""
        raise InvalidParameterError(
            f"{owner} got ccp_alpha={price!r} together with prune={method!r}, but a tree is pruned in one "
            f"way. Pass prune=None to prune by ccp_alpha alone, or leave ccp_alpha at 0.{same}"
        )
    if method == "loss" and total is None:
        raise InvalidParameterError(
            f'{owner} got prune="loss" without a price of a leaf: pass alpha_total, in units of the total '
            "loss (the number of rows times ccp_alpha)."
        )
    if method != "loss" and total is not None:
        raise InvalidParameterError(
            f'{owner} got alpha_total={total!r}, which only prune="loss" uses, together with '
            f'prune={method!r}. Pass prune="loss", or leave alpha_total at None.'
        )
    if stopping is not None and (method is not None or price > 0):
        other = f"prune={method!r}" if method is not None else f"ccp_alpha={price!r}"
        raise InvalidParameterError(
            f"{owner} got early_stopping={stopping!r} together with {other}, but a tree is "
            "either stopped or pruned. Pass prune=None and ccp_alpha=0, or leave early_stopping at None."
        )
