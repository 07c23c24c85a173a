"""Recipe: an algorithm as data, that is, what never changes about how it grows trees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from treewright import _core

__all__ = ["Recipe", "least_gain"]

# What Quinlan's followers take for no gain at all; a split has to gain more than the number below it.
NO_GAIN = 1e-6

# The words of each choice and what the native plan calls them.
CHOICES: dict[str, dict[str, Any]] = {
    name: dict(enum.__members__)
    for name, enum in (
        ("criterion", _core.Criterion),
        ("ranking", _core.Ranking),
        ("selection", _core.Selection),
        ("categories", _core.CategoryGrouping),
        ("cut", _core.CutRule),
        ("missing", _core.MissingRule),
        ("arithmetic", _core.Arithmetic),
        ("empty_leaf", _core.EmptyLeaf),
        ("order", _core.Order),
    )
}
NAMES = ("ranking", "selection", "categories", "cut", "missing", "arithmetic", "empty_leaf")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How an algorithm grows a tree: one row of the table in docs/architecture.md.

    Attributes
    ----------
    criterion : str or None
        The loss that a split decreases, one of `treewright.criteria`; None: the parameter of that name
        decides.
    ranking : {"gain", "gain_ratio"}
        What candidates of different features compete on.
    selection : {"best", "above_average_gain"}
        Which candidates may win.
    categories : {"subset", "multiway", "merged", "one_against_rest"}
        How the categories of a nominal feature become children: two sets, one child each, children for
        groups of similar ones, or one category and all others.
    cut : {"midpoint", "value_below"}
        Where between two neighbouring values a threshold stands.
    missing : {"learned", "majority", "surrogate", "fractional", "own_branch"}
        What happens to missing values, unless a parameter of that name decides.
    arithmetic : {"exact", "single", "tolerant"}
        How candidates are compared: in double precision, in single precision (C4.5 Release 8), or in double
        precision with a tolerance of 1e-6 (J48).
    empty_leaf : {"distribution", "majority"}
        What a branch without rows answers: the classes of its parent, or the most frequent one alone.
    max_bins : int
        Most bins of a numeric column; 0: every distinct value is a code of its own.
    """

    criterion: str | None = None
    ranking: Literal["gain", "gain_ratio"] = "gain"
    selection: Literal["best", "above_average_gain"] = "best"
    categories: Literal["subset", "multiway", "merged", "one_against_rest"] = "subset"
    cut: Literal["midpoint", "value_below"] = "midpoint"
    missing: Literal["learned", "majority", "surrogate", "fractional", "own_branch"] = "learned"
    arithmetic: Literal["exact", "single", "tolerant"] = "exact"
    empty_leaf: Literal["distribution", "majority"] = "distribution"
    max_bins: int = 0

    def measure(self, criterion: str | None) -> str:
        """Return what tests compete on, as models keep it: gain_ratio, gain (of information), or the loss.

        Parameters
        ----------
        criterion : str or None
            The parameter of that name, which counts where the recipe leaves the loss open.
        """
        if self.ranking == "gain_ratio":
            return "gain_ratio"
        if self.criterion == "entropy":
            return "gain"
        loss = self.criterion or criterion
        assert loss is not None, "a recipe names its loss or leaves it to a parameter"
        return loss

    def plan(self, **settings: Any) -> _core.GrowPlan:
        """Return the native plan: this recipe and the settings of one fit, under the plan's own names."""
        plan = _core.GrowPlan()
        for name in NAMES:
            setattr(plan, name, CHOICES[name][getattr(self, name)])
        for name, value in settings.items():
            setattr(plan, name, CHOICES[name][value] if name in CHOICES else value)
        return plan


def least_gain(min_gain: float) -> float:
    """Return what the gain must exceed where a gain below 1e-6 counts as none."""
    return max(float(min_gain), math.nextafter(NO_GAIN, 0.0))
