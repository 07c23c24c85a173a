"""Draw the pictures of docs/pictures.md: writes those files that are not as they should be."""

from __future__ import annotations

from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from treewright import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    LeafwiseBoostingClassifier,
    NewtonBoostingClassifier,
    RandomForestClassifier,
    export_svg,
    typical_tree,
)
from treewright.datasets import load_tennis
from treewright.plot import (
    BeeswarmDisplay,
    DependenceDisplay,
    DepthsDisplay,
    GainCurveDisplay,
    ImportanceDisplay,
    LearningDisplay,
    RegionsDisplay,
    ShapScatterDisplay,
    VotesDisplay,
    WaterfallDisplay,
)

__all__ = ["IMAGES", "pictures"]

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def pictures() -> dict[str, str]:
    """Return the SVG of each picture by the name of its file."""
    tennis = load_tennis()
    play = C45Classifier().fit(tennis.X, tennis.y)
    cancer = load_breast_cancer(as_frame=True)
    tumours, diagnosis = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
    iris = load_iris(as_frame=True)
    flowers, species = iris.data, iris.target.map(dict(enumerate(iris.target_names)))
    diabetes = load_diabetes(as_frame=True, scaled=False)
    forest = RandomForestClassifier(random_state=0).fit(tumours, diagnosis)
    booster = NewtonBoostingClassifier(n_estimators=40, learning_rate=0.2, max_depth=2)
    booster = booster.fit(tumours[::2], diagnosis[::2], X_val=tumours[1::2], y_val=diagnosis[1::2])
    tree = CARTClassifier(max_depth=3).fit(tumours, diagnosis)
    three = LeafwiseBoostingClassifier(n_estimators=30, min_samples_leaf=5).fit(flowers, species)
    row = tumours.iloc[[81]]
    return {
        "tree_tennis.svg": export_svg(
            play, X=tennis.X, y=tennis.y, feature_names=tennis.feature_names, target_name=tennis.target_name
        ),
        "tree_of_forest.svg": export_svg(forest, tree=typical_tree(forest, tumours), max_nodes=15),
        "gain_curve.svg": GainCurveDisplay.compute(tree, 0, "worst radius", tumours, diagnosis).to_svg(),
        "importance.svg": ImportanceDisplay.compute(forest, top=8).to_svg(),
        "waterfall.svg": WaterfallDisplay.compute(booster, row, top=8).to_svg(),
        "beeswarm.svg": BeeswarmDisplay.compute(booster, tumours[::8], top=6).to_svg(),
        "shap_scatter.svg": ShapScatterDisplay.compute(booster, "worst texture", tumours[::3]).to_svg(),
        "dependence.svg": DependenceDisplay.compute(
            booster, "worst texture", tumours[::20], kind="both", grid_resolution=25
        ).to_svg(),
        "dependence_two.svg": DependenceDisplay.compute(
            booster, ("worst texture", "worst area"), tumours, grid_resolution=25
        ).to_svg(),
        "learning_forest.svg": LearningDisplay.compute(forest, tumours, diagnosis).to_svg(),
        "learning_booster.svg": LearningDisplay.compute(booster).to_svg(),
        "regions_classes.svg": RegionsDisplay.compute(
            CARTClassifier(max_depth=3).fit(flowers, species), flowers, species
        ).to_svg(),
        "regions_number.svg": RegionsDisplay.compute(
            CARTRegressor(max_depth=3).fit(diabetes.data[["bmi"]], diabetes.target),
            diabetes.data[["bmi"]],
            diabetes.target,
        ).to_svg(),
        "votes_forest.svg": VotesDisplay.compute(forest, row).to_svg(),
        "votes_rounds.svg": VotesDisplay.compute(three, flowers.iloc[[119]]).to_svg(),
        "votes_features.svg": VotesDisplay.compute(booster, row, by="features", top=6).to_svg(),
        "depths.svg": DepthsDisplay.compute(forest, top=8).to_svg(),
    }


if __name__ == "__main__":
    for name, svg in pictures().items():
        path = IMAGES / name
        if not path.exists() or path.read_text(encoding="utf-8") != f"{svg}\n":
            path.write_text(f"{svg}\n", encoding="utf-8")
            print(f"written: {path.name}")
