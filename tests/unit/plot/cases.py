"""Displays of all kinds, for tests that hold for each of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_iris

from treewright import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    Grower,
    LeafwiseBoostingClassifier,
    NewtonBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.datasets import load_tennis
from treewright.plot import (
    BeeswarmDisplay,
    DependenceDisplay,
    DepthsDisplay,
    GainCurveDisplay,
    ImportanceDisplay,
    LearningDisplay,
    PruningDisplay,
    RegionsDisplay,
    ShapScatterDisplay,
    VotesDisplay,
    WaterfallDisplay,
)


@cache
def iris() -> tuple[pd.DataFrame, pd.Series]:
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.map(dict(enumerate(["setosa", "versicolor", "virginica"])))


@cache
def numbers() -> tuple[pd.DataFrame, pd.Series]:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X.iloc[:200], y.iloc[:200]


@cache
def odd() -> tuple[pd.DataFrame, pd.Series]:
    """Names and classes that are long, Chinese, or look like mathematics; categories and missing values."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "花瓣長度與寬度" * 6: rng.normal(size=240),
            "price in $ or $$ per unit_of^measure and some more words to be longer than eighty": rng.normal(
                size=240
            ),
            "colour": rng.choice(["red", "a <b>blue</b> & more", "黃色", "x" * 70], 240),
        }
    )
    X.loc[rng.random(240) < 0.15, X.columns[0]] = np.nan
    X.loc[rng.random(240) < 0.1, "colour"] = None
    code = np.digitize(X.iloc[:, 0].fillna(1) + (X["colour"] == "red"), np.linspace(-2, 2, 19))
    return X, pd.Series([f"class number {k} of $twenty$" for k in code])


@cache
def forest() -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators=25, oob_score=True, random_state=0).fit(*iris())


@cache
def booster() -> LeafwiseBoostingClassifier:
    X, y = iris()
    return LeafwiseBoostingClassifier(n_estimators=12, min_samples_leaf=5).fit(
        X[::2], y[::2], X_val=X[1::2], y_val=y[1::2]
    )


@cache
def number_booster() -> NewtonBoostingRegressor:
    return NewtonBoostingRegressor(n_estimators=10, max_depth=2).fit(*numbers())


@cache
def odd_forest() -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators=8, max_depth=4, random_state=0).fit(*odd())


@cache
def odd_tree() -> CARTClassifier:
    return CARTClassifier(max_depth=4, random_state=0).fit(*odd())


@cache
def weights() -> AdaBoostClassifier:
    return AdaBoostClassifier(n_estimators=8, random_state=0).fit(*iris())


@cache
def number_weights() -> AdaBoostRegressor:
    return AdaBoostRegressor(n_estimators=6, random_state=0).fit(*numbers())


@cache
def number_forest() -> RandomForestRegressor:
    return RandomForestRegressor(n_estimators=20, max_depth=5, random_state=0).fit(*numbers())


@cache
def tennis() -> tuple[C45Classifier, Any, Any, Any]:
    X, y, names, _ = load_tennis()
    return C45Classifier().fit(X, y), X, y, names


@cache
def leaf() -> CARTClassifier:
    X, _ = iris()
    return CARTClassifier().fit(X, ["only"] * len(X))


def grown_by_hand() -> GainCurveDisplay:
    return GainCurveDisplay.compute(Grower(CARTRegressor(), *numbers()), 0, "bmi")


def of_categories(features: Any) -> RegionsDisplay:
    tree, X, y, names = tennis()
    return RegionsDisplay.compute(tree, X, y, features=features, feature_names=names)


def pruned() -> PruningDisplay:
    return PruningDisplay.compute(CARTClassifier(prune="cost_complexity", cv=3, random_state=0).fit(*iris()))


CASES: dict[str, Callable[[], Any]] = {
    "WaterfallDisplay, forest": lambda: WaterfallDisplay.compute(forest(), iris()[0], row=100),
    "WaterfallDisplay, booster": lambda: WaterfallDisplay.compute(number_booster(), numbers()[0], top=4),
    "WaterfallDisplay, odd names": lambda: WaterfallDisplay.compute(odd_tree(), odd()[0], row=5),
    "WaterfallDisplay, leaf": lambda: WaterfallDisplay.compute(leaf(), iris()[0]),
    "BeeswarmDisplay, forest": lambda: BeeswarmDisplay.compute(forest(), iris()[0], label="setosa"),
    "BeeswarmDisplay, booster": lambda: BeeswarmDisplay.compute(number_booster(), numbers()[0], top=6),
    "BeeswarmDisplay, odd names": lambda: BeeswarmDisplay.compute(odd_tree(), odd()[0]),
    "ShapScatterDisplay, booster": lambda: ShapScatterDisplay.compute(number_booster(), "bmi", numbers()[0]),
    "ShapScatterDisplay, category": lambda: ShapScatterDisplay.compute(odd_tree(), "colour", odd()[0]),
    "ShapScatterDisplay, by a category": lambda: ShapScatterDisplay.compute(
        odd_tree(), 0, odd()[0], colour="colour"
    ),
    "DependenceDisplay, rows": lambda: DependenceDisplay.compute(
        number_booster(), "bmi", numbers()[0], kind="both", grid_resolution=20
    ),
    "DependenceDisplay, classes": lambda: DependenceDisplay.compute(forest(), None, iris()[0]),
    "DependenceDisplay, category": lambda: DependenceDisplay.compute(
        odd_tree(), "colour", odd()[0].iloc[:60], kind="both", label=odd_tree().classes_[0]
    ),
    "DependenceDisplay, missing": lambda: DependenceDisplay.compute(
        odd_tree(), 0, odd()[0], values=[-1.0, 0.0, 1.0, None]
    ),
    "DependenceDisplay, two": lambda: DependenceDisplay.compute(
        number_booster(), ("bmi", "s5"), numbers()[0], grid_resolution=15
    ),
    "DependenceDisplay, number and category": lambda: DependenceDisplay.compute(
        odd_tree(), (0, "colour"), odd()[0], grid_resolution=8
    ),
    "DependenceDisplay, effects": lambda: DependenceDisplay.compute(
        number_booster().accumulated_effects("bmi", numbers()[0], n_bins=10)
    ),
    "PruningDisplay, cross-validated": pruned,
    "PruningDisplay, path": lambda: PruningDisplay.compute(CARTRegressor(max_depth=4).fit(*numbers())),
    "PruningDisplay, nodes": lambda: PruningDisplay.compute(
        CARTClassifier(prune="loss", alpha_total=1.0).fit(*iris())
    ),
    "PruningDisplay, leaf": lambda: PruningDisplay.compute(leaf()),
    "GainCurveDisplay, number": lambda: GainCurveDisplay.compute(
        CARTClassifier(min_samples_leaf=8).fit(*iris()), 0, "petal width (cm)", *iris()
    ),
    "GainCurveDisplay, category": lambda: GainCurveDisplay.compute(
        tennis()[0], 0, None, *tennis()[1:3], feature_names=tennis()[3]
    ),
    "GainCurveDisplay, by hand": grown_by_hand,
    "GainCurveDisplay, booster": lambda: GainCurveDisplay.compute(
        number_booster(), 0, None, *numbers(), tree=2
    ),
    "GainCurveDisplay, tree of a forest": lambda: GainCurveDisplay.compute(
        forest(), 0, None, *iris(), tree=3
    ),
    "GainCurveDisplay, odd names": lambda: GainCurveDisplay.compute(odd_tree(), 0, 1, *odd()),
    "ImportanceDisplay, forest": lambda: ImportanceDisplay.compute(forest()),
    "ImportanceDisplay, count": lambda: ImportanceDisplay.compute(weights(), "count"),
    "ImportanceDisplay, cover": lambda: ImportanceDisplay.compute(booster(), "cover"),
    "ImportanceDisplay, tree": lambda: ImportanceDisplay.compute(odd_tree(), top=2),
    "ImportanceDisplay, permutation": lambda: ImportanceDisplay.compute(
        booster(), "permutation", X=iris()[0], y=iris()[1], n_repeats=2, random_state=0
    ),
    "ImportanceDisplay, out of bag": lambda: ImportanceDisplay.compute(
        forest(), "oob_permutation", X=iris()[0], y=iris()[1], n_repeats=1, random_state=0
    ),
    "ImportanceDisplay, shap": lambda: ImportanceDisplay.compute(number_forest(), "shap", X=numbers()[0]),
    "ImportanceDisplay, leaf": lambda: ImportanceDisplay.compute(leaf()),
    "LearningDisplay, forest": lambda: LearningDisplay.compute(forest(), *iris()),
    "LearningDisplay, forest of numbers": lambda: LearningDisplay.compute(number_forest(), *numbers()),
    "LearningDisplay, stored": lambda: LearningDisplay.compute(booster()),
    "LearningDisplay, staged": lambda: LearningDisplay.compute(weights(), *iris()),
    "RegionsDisplay, two": lambda: RegionsDisplay.compute(forest(), *iris(), resolution=20),
    "RegionsDisplay, two of numbers": lambda: RegionsDisplay.compute(
        CARTRegressor(max_depth=4).fit(*numbers()), *numbers()
    ),
    "RegionsDisplay, one": lambda: RegionsDisplay.compute(odd_tree(), *odd(), features=0),
    "RegionsDisplay, one of numbers": lambda: RegionsDisplay.compute(
        number_booster(), *numbers(), features="bmi"
    ),
    "RegionsDisplay, categories": lambda: of_categories("outlook"),
    "RegionsDisplay, two of categories": lambda: of_categories(["outlook", "humidity"]),
    "RegionsDisplay, mixed": lambda: RegionsDisplay.compute(odd_tree(), *odd(), features=["colour", 0]),
    "VotesDisplay, classes": lambda: VotesDisplay.compute(forest(), iris()[0].iloc[[100]]),
    "VotesDisplay, twenty classes": lambda: VotesDisplay.compute(odd_forest(), odd()[0].iloc[[5]]),
    "VotesDisplay, numbers": lambda: VotesDisplay.compute(number_forest(), numbers()[0].iloc[[5]]),
    "VotesDisplay, rounds": lambda: VotesDisplay.compute(booster(), iris()[0].iloc[[100]]),
    "VotesDisplay, features": lambda: VotesDisplay.compute(
        number_booster(), numbers()[0].iloc[[5]], by="features", top=3
    ),
    "VotesDisplay, weights": lambda: VotesDisplay.compute(weights(), iris()[0].iloc[[100]]),
    "VotesDisplay, weights of numbers": lambda: VotesDisplay.compute(
        number_weights(), numbers()[0].iloc[[5]]
    ),
    "DepthsDisplay, forest": lambda: DepthsDisplay.compute(forest()),
    "DepthsDisplay, booster": lambda: DepthsDisplay.compute(booster(), max_depth=2),
    "DepthsDisplay, odd names": lambda: DepthsDisplay.compute(odd_forest()),
    "DepthsDisplay, bagging": lambda: DepthsDisplay.compute(
        BaggingClassifier(C45Classifier(), n_estimators=3, random_state=0).fit(*iris())
    ),
    "DepthsDisplay, leaf": lambda: DepthsDisplay.compute(leaf()),
    "DepthsDisplay, extra trees": lambda: DepthsDisplay.compute(
        ExtraTreesClassifier(n_estimators=3, max_depth=3, random_state=0).fit(*iris()), top=2
    ),
}


@cache
def case(name: str) -> Any:
    """Return a display; computed once."""
    return CASES[name]()
