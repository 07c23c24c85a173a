"""Pruned: a fitted tree made smaller, and the report about its pruning, as methods of the estimators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.model import Model, Tree
from treewright.params import check_value
from treewright.pruning import (
    PruningReport,
    PruningSequence,
    alpha_collapse,
    choose,
    merge_equal_leaves,
    pruning_report,
    pruning_sequence,
)
from treewright.trees._pruning_plan import BEST_TREE, PRUNING, FitData, validated

if TYPE_CHECKING:
    from treewright.trees._base import SingleTree

__all__ = ["Pruned"]

RULES = ("min", "1se")


class Pruned:
    """Mixin: smaller trees from a fitted one, without growing it again."""

    def pruned(
        self,
        *,
        alpha: float | None = None,
        n_leaves: int | None = None,
        rule: str | None = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        cv: Any = None,
        groups: Any = None,
    ) -> Self:
        """Return a smaller tree of the cost-complexity path as a new fitted estimator.

        Pass one of `alpha`, `n_leaves` and `rule`.

        Parameters
        ----------
        alpha : float, optional
            Price of a leaf, as `ccp_alpha`: the subtree that minimises risk + alpha * leaves.
        n_leaves : int, optional
            The largest subtree of the path with at most so many leaves.
        rule : {"min", "1se"}, optional
            The subtree with the best cross-validated error, or the smallest one within one standard error of
            it. A tree that was fitted with ``prune="cost_complexity"`` knows its cross-validation; for
            others, pass the rows.
        X, y, sample_weight : object, optional
            The rows of fit, to cross-validate with.
        cv : int, splitter or list of (train, test), optional
            The folds; by default those of the parameter `cv`.
        groups : array-like of shape (n_rows,), optional
            Rows of one group stay together in a fold.

        Returns
        -------
        estimator : object
            A new estimator; this one stays as it is.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import CARTClassifier
        >>> tree = CARTClassifier().fit(*load_iris(return_X_y=True))
        >>> [smaller.get_n_leaves() for smaller in (tree, tree.pruned(n_leaves=4), tree.pruned(alpha=0.02))]
        [9, 4, 4]
        """
        estimator = _fitted(self)
        given = [
            name
            for name, value in (("alpha", alpha), ("n_leaves", n_leaves), ("rule", rule))
            if value is not None
        ]
        if len(given) != 1:
            raise ValueError(
                f"Pass one of alpha, n_leaves and rule. Got {' and '.join(given) or 'none of them'}."
            )
        if rule is None:
            sequence = self._sequence()
            index = (
                sequence.index_at(cast(float, alpha))
                if n_leaves is None
                else sequence.index_of_leaves(n_leaves)
            )
            return self._at(sequence, index, given[0])
        if rule not in RULES:
            raise ValueError(f"rule must be 'min' or '1se'. Got {rule!r} instead.")
        if X is None and y is None:
            return self._by_stored_rule(rule)
        if X is None or y is None:
            raise ValueError("Pass X and y together: both are needed to cross-validate.")
        sequence = self._sequence()
        if len(sequence) == 1:
            return self._at(sequence, 0, rule)
        # Parameters may have been changed since fit; the model keeps those of its fit.
        learner = type(estimator).from_model(estimator.model_)
        grown = learner._grow(X, y, sample_weight, warn=False)
        data = FitData(X, y, sample_weight, groups)
        validation = validated(learner, sequence, grown, data, learner.cv if cv is None else _checked(cv))
        choice = choose(validation, rule)
        return self._at(sequence, choice.index, rule, validation=validation, choice=choice)

    def explain_pruning(self) -> PruningReport:
        """Report how the tree can shrink, and how it was pruned and why.

        Returns
        -------
        PruningReport
            For each subtree of the cost-complexity path the price of a leaf, the leaves, the risk and, if the
            tree was chosen by cross-validation, mean error ± standard error. Print it, show it in a notebook,
            or take ``to_frame()`` or ``to_svg()``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import CARTClassifier
        >>> tree = CARTClassifier(prune="cost_complexity", cv=5, random_state=0)
        >>> print(tree.fit(*load_iris(return_X_y=True)).explain_pruning())
        CARTClassifier   150 rows, 4 features → 9 leaves before pruning
        leaves    alpha  alpha_total    R(T)   train  CV error    ± SE
             9  0.00000        0.000  0.0000  0.0000    0.0667  0.0204
             7  0.00652        0.978  0.0130  0.0067    0.0667  0.0204
             5  0.00889        1.333  0.0308  0.0200    0.0667  0.0204 ← lowest (fewest leaves of a tie)
             4  0.01306        1.958  0.0439  0.0267    0.0733  0.0213
             3  0.02966        4.449  0.0735  0.0400    0.0733  0.0213 ← chosen: within 1 SE (≤ 0.0870)
             2  0.25980       38.969  0.3333  0.3333    0.3333  0.0385
             1  0.33333       50.000  0.6667  0.6667    0.6667  0.0385
        5 leaves have the lowest cross-validated error, 0.0667 ± 0.0204; 3 leaves, 0.0733, are within one
        standard error (≤ 0.0870) and easier to read.
        """
        model = _fitted(self).model_
        stored = _stored(model)
        if "schema_version" in stored:
            return PruningReport.from_dict(stored)
        tree, sequence = model.trees[0], self._sequence()
        method = str(stored.get("method", "none"))
        report = pruning_report(
            tree,
            sequence,
            algorithm=model.algorithm,
            method="cost_complexity" if method == "ccp_alpha" else method,
            leaves_after=tree.n_leaves,
            selected=0 if sequence.leaves[0] == tree.n_leaves else None,
            rule="alpha" if method == "ccp_alpha" else "",
        )
        return replace(report, leaves_before=int(stored.get("leaves_before", tree.n_leaves)))

    def simplify(self) -> Self:
        """Merge leaves side by side that predict the same, as a new fitted estimator.

        Predictions of whole rows stay the same; class probabilities become those of the merged leaf.

        Returns
        -------
        estimator : object
            A new estimator; this one stays as it is.
        """
        estimator = _fitted(self)
        tree = merge_equal_leaves(
            estimator.tree_,
            classes=is_classifier(estimator),
            class_order=getattr(estimator, "_tie_order_", None),
        )
        return self._with_tree(tree)

    @property
    def alpha_collapse_(self) -> NDArray[np.float64]:
        """For each node the price of a leaf (`alpha`) from which on it is no longer split; 0 for leaves."""
        estimator = _fitted(self)
        return alpha_collapse(estimator.tree_, estimator._risk)

    def _sequence(self) -> PruningSequence:
        model = _fitted(self).model_
        risk = model.params.get("pruning_risk", "impurity")
        return pruning_sequence(model.trees[0], risk, model.params.get("path_method", "exact"))

    def _at(self, sequence: PruningSequence, index: int, rule: str, **validation: Any) -> Self:
        """Return the subtree of the tree's own sequence, with the report."""
        model = _fitted(self).model_
        tree = sequence.subtree(model.trees[0], index)
        report = pruning_report(
            model.trees[0],
            sequence,
            algorithm=model.algorithm,
            method="cost_complexity",
            leaves_after=tree.n_leaves,
            selected=index,
            rule=rule,
            **validation,
        )
        choice = validation.get("choice")
        best = None if choice is None else sequence.subtree(model.trees[0], choice.index_min)
        return self._with_tree(tree, report, keep=best)

    def _by_stored_rule(self, rule: str) -> Self:
        estimator = _fitted(self)
        model = estimator.model_
        stored = _stored(model)
        report = PruningReport.from_dict(stored) if "schema_version" in stored else None
        index = None if report is None else (report.index_min if rule == "min" else report.index_1se)
        if report is None or index is None:
            if model.trees[0].node_count == 1:
                return self._with_tree(model.trees[0])  # nothing to choose from
            raise ValueError(
                f"rule={rule!r} needs a cross-validation, which this tree lacks: pass X and y (and cv), "
                'or fit with prune="cost_complexity".'
            )
        best = self._best_tree()
        sequence = pruning_sequence(best, report.risk_name, report.path_method)
        tree = sequence.subtree(best, sequence.index_of_leaves(report.rows[index].leaves))
        report = replace(report, selected=index, rule=rule, leaves_after=tree.n_leaves)
        return self._with_tree(tree, report, keep=best)

    def _best_tree(self) -> Tree:
        """Return the larger tree that is kept beside the chosen one, or the tree itself."""
        model = _fitted(self).model_
        arrays = model.facts.get(BEST_TREE)
        if arrays is None:
            return model.trees[0]
        # It may come from a file.
        _core.check_tree(arrays, model.schema.n_codes)
        return Tree(arrays, model.schema.n_codes)

    def _with_tree(self, tree: Tree, report: PruningReport | None = None, keep: Tree | None = None) -> Self:
        model = _fitted(self).model_
        facts = {name: value for name, value in model.facts.items() if name not in (PRUNING, BEST_TREE)}
        if report is not None:
            facts[PRUNING] = report.to_dict()
        if keep is not None and keep.node_count > tree.node_count:
            facts[BEST_TREE] = dict(keep.to_arrays())
        return cast(Self, type(_fitted(self)).from_model(replace(model, trees=(tree,), facts=facts)))


def _stored(model: Model) -> dict[str, Any]:
    """Return what the fit wrote down about pruning; the model may come from a file."""
    stored = model.facts.get(PRUNING, {})
    if not isinstance(stored, dict):
        raise ValueError("this model has no pruning report that can be read")
    return stored


def _checked(cv: Any) -> Any:
    check_value("cv", cv, "pruned")
    return cv


def _fitted(estimator: Any) -> SingleTree:
    check_is_fitted(estimator, "model_")
    return cast("SingleTree", estimator)
