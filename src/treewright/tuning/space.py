"""SearchSpace: the parameters of an estimator that are worth a search, and their ranges."""

from __future__ import annotations

from typing import Any, Final

from sklearn.utils import check_random_state

from treewright.tuning.dimension import Choice, Dimension, Range

__all__ = ["SearchSpace", "search_space"]

DRAWN_ROWS: Final = Range(0.5, 1.0)
SHARES: Final = Range(0.2, 1.0)
LEAF_ROWS: Final = Range(1, 100, log=True, whole=True)

#: By the kind of an estimator, as its parameters are described (`_family`).
SPACES: Final[dict[str, dict[str, Dimension]]] = {
    "leafwise": {
        "learning_rate": Range(0.01, 0.15, log=True),
        "max_leaf_nodes": Range(4, 255, log=True, whole=True),
        "min_samples_leaf": LEAF_ROWS,
        "reg_lambda": Range(0.1, 100.0, log=True),
        "gamma": Choice(("auto", 0.0)),
        "max_features": SHARES,
        "subsample": DRAWN_ROWS,
    },
    "newton": {
        "learning_rate": Range(0.02, 0.3, log=True),
        "max_depth": Range(3, 10, whole=True),
        "min_child_weight": Range(0.1, 30.0, log=True),
        "reg_lambda": Range(0.1, 100.0, log=True),
        "gamma": Choice(("auto", 0.0)),
        "max_features_tree": SHARES,
        "subsample": DRAWN_ROWS,
    },
    "boosting": {
        "learning_rate": Range(0.02, 0.3, log=True),
        "max_depth": Range(2, 8, whole=True),
        "min_samples_leaf": LEAF_ROWS,
        "max_features": SHARES,
        "subsample": DRAWN_ROWS,
    },
    "adaboost": {"learning_rate": Range(0.05, 2.0, log=True)},
    "forest": {
        "max_features": Range(0.1, 1.0),
        "min_samples_leaf": Range(1, 30, log=True, whole=True),
        "max_samples": Range(0.3, 1.0),
        "max_leaf_nodes": Range(32, 20_000, log=True, whole=True),
    },
    "bagging": {"max_features": Range(0.3, 1.0), "max_samples": Range(0.3, 1.0)},
    "tree": {
        "max_depth": Range(2, 24, whole=True),
        "min_samples_leaf": Range(1, 200, log=True, whole=True),
        "min_samples_split": Range(2, 200, log=True, whole=True),
        "ccp_alpha": Range(1e-6, 3e-2, log=True),
    },
}
#: What makes sense only beside another parameter: name → (that parameter, the value it must have).
NEEDS: Final = {"max_samples": ("bootstrap", True)}
#: Quinlan's trees are pruned by how sure one wants to be.
OF_QUINLAN: Final[dict[str, Dimension]] = {
    "confidence_factor": Range(0.01, 0.5, log=True),
    "min_samples_branch": Range(1, 50, log=True, whole=True),
}


class SearchSpace(dict[str, Dimension]):
    """Parameters and what they may be: a dict that scikit-learn's random searches take as it is.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import RandomizedSearchCV
    >>> from treewright import CARTClassifier, search_space
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = CARTClassifier()
    >>> search = RandomizedSearchCV(tree, search_space(tree), n_iter=3, random_state=0).fit(X, y)
    >>> sorted(search.best_params_)
    ['ccp_alpha', 'max_depth', 'min_samples_leaf', 'min_samples_split']
    """

    def draw(self, random_state: Any = None) -> dict[str, Any]:
        """Draw a value for every parameter.

        Parameters
        ----------
        random_state : int, RandomState or None
            What draws.
        """
        random = check_random_state(random_state)
        return {name: dimension.rvs(random) for name, dimension in self.items()}

    def suggest(self, trial: Any) -> dict[str, Any]:
        """Let a trial of Optuna suggest a value for every parameter, for `set_params`.

        Parameters
        ----------
        trial : optuna.Trial
            The trial.
        """
        return {name: dimension.suggest(trial, name) for name, dimension in self.items()}


def search_space(estimator: Any) -> SearchSpace:
    """Return the parameters of an estimator that are worth a search, with their ranges.

    Parameters
    ----------
    estimator : estimator
        Any estimator of Treewright, fitted or not.

    Returns
    -------
    space : SearchSpace
        Names and ranges: a dict for `RandomizedSearchCV`, with `suggest` for Optuna.

    Examples
    --------
    >>> from treewright import RandomForestClassifier, search_space
    >>> sorted(search_space(RandomForestClassifier()))
    ['max_features', 'max_leaf_nodes', 'max_samples', 'min_samples_leaf']
    """
    family = getattr(estimator, "_family", None)
    if family not in SPACES or not hasattr(estimator, "get_params"):
        raise TypeError(
            f"search_space and tune know the estimators of Treewright that can be fitted, got "
            f"{type(estimator).__name__!r:.80}."
        )
    params = estimator.get_params(deep=False)
    space = SPACES[family]
    if family == "tree" and params.get("prune") == "pessimistic_error":
        space = OF_QUINLAN
    found = {name: dimension for name, dimension in space.items() if name in params}
    for name, (other, value) in NEEDS.items():
        if name in found and params.get(other) != value:
            del found[name]
    return SearchSpace(found)
