"""Recipe: an algorithm as data, that is, what never changes about how it grows trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from treewright import _core

__all__ = ["Recipe"]

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
        ("order", _core.Order),
    )
}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How an algorithm grows a tree: one row of the table in docs/architecture.md.

    Attributes
    ----------
    ranking : {"gain", "gain_ratio"}
        What candidates of different features compete on.
    selection : {"best", "above_average_gain"}
        Which candidates may win.
    categories : {"subset", "multiway"}
        How the categories of a nominal feature become children.
    cut : {"midpoint", "value_below"}
        Where between two neighbouring values a threshold stands.
    missing : {"learned", "majority", "surrogate", "fractional", "own_branch"}
        What happens to missing values, unless a parameter of that name decides.
    max_bins : int
        Most bins of a numeric column; 0: every distinct value is a code of its own.
    """

    ranking: Literal["gain", "gain_ratio"] = "gain"
    selection: Literal["best", "above_average_gain"] = "best"
    categories: Literal["subset", "multiway"] = "subset"
    cut: Literal["midpoint", "value_below"] = "midpoint"
    missing: Literal["learned", "majority", "surrogate", "fractional", "own_branch"] = "learned"
    max_bins: int = 0

    def plan(self, **settings: Any) -> _core.GrowPlan:
        """Return the native plan: this recipe and the settings of one fit, under the plan's own names."""
        plan = _core.GrowPlan()
        for name in ("ranking", "selection", "categories", "cut", "missing"):
            setattr(plan, name, CHOICES[name][getattr(self, name)])
        for name, value in settings.items():
            setattr(plan, name, CHOICES[name][value] if name in CHOICES else value)
        return plan
