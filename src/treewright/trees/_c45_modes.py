"""The three C4.5s: Quinlan's Release 8, WEKA's J48 and the textbook, as recipes and fixed options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.utils._param_validation import InvalidParameterError

from treewright.data import Schema
from treewright.fitting.rows import TrainingRows
from treewright.recipe import Recipe

__all__ = ["MODES", "check_groupable", "check_mode", "least_branch", "mode_recipe"]

# A row of much less than average weight is not what a branch is measured by: boosting makes very light ones.
LIGHTEST_SHARE = 0.01
ROUNDING = 1e-9  # of sums of fractions
NO_TENTH_OF_A_CLASS = 2**62  # so many declared classes ask a side for nothing but the smallest weight

# Grouping compares all pairs of categories at each of its steps: the work grows with their third power.
MOST_GROUPED = 1000

RELEASE_8 = Recipe(
    criterion="entropy",
    ranking="gain_ratio",
    selection="above_average_gain",
    categories="multiway",
    cut="value_below",
    missing="fractional",
    arithmetic="single",
    empty_leaf="majority",
)
J48 = replace(RELEASE_8, arithmetic="tolerant", empty_leaf="distribution")
TEXTBOOK = Recipe(criterion="entropy", ranking="gain_ratio", categories="multiway", missing="fractional")
RECIPES = {"r8": RELEASE_8, "j48": J48, "textbook": TEXTBOOK}
MODES = tuple(RECIPES)

# The options that a mode does not leave to the user, with the value that its program has.
FIXED: dict[str, dict[str, Any]] = {
    "r8": {
        "subtree_raising": True,
        "collapse": True,
        "mdl_correction": True,
        "binary_splits": False,
        "laplace": False,
        "min_gain": None,
    },
    "j48": {"criterion": "gain_ratio", "group_values": False, "min_gain": None},
}
# The textbook's plain algorithm knows none of these refinements; the default stands for "not used".
UNKNOWN_TO_TEXTBOOK = (
    "min_samples_branch",
    "confidence_factor",
    "subtree_raising",
    "collapse",
    "mdl_correction",
    "group_values",
    "binary_splits",
    "laplace",
)


def mode_recipe(params: dict[str, Any]) -> Recipe:
    """Return the recipe of a mode with the options that change how the tree grows."""
    recipe = RECIPES[params["faithful"]]
    if params["criterion"] == "gain":
        # Quinlan's option -g drops the average filter together with the ratio.
        recipe = replace(recipe, ranking="gain", selection="best")
    if params["group_values"]:
        return replace(recipe, categories="merged")
    if params["binary_splits"]:
        return replace(recipe, categories="one_against_rest")
    return recipe


def check_mode(params: dict[str, Any], defaults: dict[str, Any], owner: str) -> None:
    """Refuse an option that the mode fixes, and say which mode has it.

    Parameters
    ----------
    params : dict
        Valid values of all parameters.
    defaults : dict
        Their defaults.
    owner : str
        Name of the estimator class, for the message.
    """
    mode = params["faithful"]
    fixed = FIXED.get(mode, {name: defaults[name] for name in UNKNOWN_TO_TEXTBOOK})
    for name, value in fixed.items():
        if params[name] == value:
            continue
        how = "does not use it" if mode == "textbook" else f"fixes it at {value!r}"
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} cannot be {params[name]!r} with faithful={mode!r}, which "
            f"{how}. It can be chosen with {_modes_with(name)}."
        )


def check_groupable(schema: Schema) -> None:
    """Refuse to group the values of a column that has too many of them."""
    for feature in schema.features:
        if feature.kind == "nominal" and feature.n_codes > MOST_GROUPED:
            raise ValueError(
                f"Column {feature.name!r} has {feature.n_codes} categories, and group_values=True compares "
                f"all pairs of them again and again; {MOST_GROUPED} is the most. Merge rare categories, "
                "or leave group_values at False."
            )


def least_branch(rows: TrainingRows) -> dict[str, Any]:
    """Return the textbook's limit where rows are shared out: two branches weigh as much as one row each.

    The books have no such limit, because their tables have no room to need one. Without it the crumbs of a
    row are split again in every branch: 2 000 rows of 8 columns, 30 % missing, make 3.75 million nodes.
    Whole rows cannot tell: a branch that holds one weighs as much.

    Parameters
    ----------
    rows : TrainingRows
        The rows.

    Returns
    -------
    settings : dict
        Under the names of the native plan; nothing where no value is missing.
    """
    if not rows.whole_table.has_missing:
        return {}
    lightest = 1.0
    if rows.weights is not None:
        lightest = max(float(rows.weights.min()), LIGHTEST_SHARE * float(rows.weights.mean()))
    return {"min_branch_weight": lightest * (1 - ROUNDING), "declared_classes": NO_TENTH_OF_A_CLASS}


def _modes_with(name: str) -> str:
    modes = [mode for mode in FIXED if name not in FIXED[mode]]
    if name not in UNKNOWN_TO_TEXTBOOK:
        modes.append("textbook")
    return " or ".join(f"faithful={mode!r}" for mode in modes)
