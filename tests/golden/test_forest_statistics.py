"""Out-of-bag errors and importances of random forests against those of ranger and randomForest (R).

Forests are random, so means over seeds are compared. ranger ran with unordered factors "ignored", which means
that categories were codes in declared order: it is compared with ours on codes as plain numbers. randomForest
searches subsets of categories: it is compared with ours on native categories.

Two of the eighteen sets are outside, for one reason. When all `mtry` features drawn at a node are constant
there, both R packages make it a leaf; Treewright, like scikit-learn, goes on drawing until a feature varies.
That matters with few columns of few values: on balance-scale (4 columns, mtry 2) leaves stay impure in R,
which averages more (0.159 and 0.157 against our 0.179); on car it costs accuracy (0.026 and 0.027 against our
0.013 on codes and 0.018 on categories). `PlainForest` below shows on codes that this rule alone makes the
difference. It also moves monk1, monk2 and tic-tac-toe on codes, by less than two deviations (0.109 against
ranger's 0.143, 0.272 against 0.294, 0.036 against 0.042). On continuous columns a tighter bound holds.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("pandas")

from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestClassifier as SklearnForest

from tests.golden.frames import frame_of, target_of
from tests.golden.oracle_data import golden, load, names_of, needs_oracle
from treewright import RandomForestClassifier

pytestmark = needs_oracle

N_TREES = 300
STORED_SEEDS = 10
NAMES = names_of("forest-stats")
#: Sets on which the rule for nodes whose drawn features are constant matters; see above.
OTHER_RULE = ("balance-scale", "car")
SAME_RULE = [name for name in NAMES if name not in OTHER_RULE]
NOMINAL = [name for name in SAME_RULE if any(load(name).nominal)]
CONTINUOUS = [name for name in SAME_RULE if name not in NOMINAL]


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of an error over seeds."""

    mean: float
    sd: float

    @classmethod
    def of(cls, errors: list[float]) -> Spread:
        return cls(float(np.mean(errors)), float(np.std(errors, ddof=1)))

    @classmethod
    def stored(cls, name: str, package: str) -> Spread:
        facts = golden("forest-stats", name)[package]
        return cls(facts["mean"], facts["sd"])

    def agrees(self, other: Spread) -> bool:
        """Tell whether two means differ by at most two standard deviations of both together."""
        return abs(self.mean - other.mean) <= 2 * float(np.hypot(self.sd, other.sd))


def seeds(name: str) -> range:
    """Return as many seeds as are stored, fewer for the larger sets."""
    return range(STORED_SEEDS if len(load(name).y) < 960 else 3)


def mtry(name: str) -> int:
    stored: int = golden("forest-stats", name)["ranger"]["mtry"]
    return stored


@functools.cache
def errors_of_ours(name: str, native: bool) -> Spread:
    data = load(name)
    x = frame_of(data) if native else data.x
    return Spread.of([1 - forest(RandomForestClassifier, name, seed, x).oob_score_ for seed in seeds(name)])


def forest(kind: Any, name: str, seed: int, x: Any) -> Any:
    made = kind(N_TREES, max_features=mtry(name), oob_score=True, random_state=seed, n_jobs=2)
    return made.fit(x, target_of(load(name)))


@pytest.mark.parametrize("name", SAME_RULE)
def test_the_out_of_bag_error_on_codes_is_that_of_ranger(name: str) -> None:
    ours, theirs = errors_of_ours(name, native=False), Spread.stored(name, "ranger")
    assert ours.agrees(theirs), (ours, theirs)


@pytest.mark.parametrize("name", SAME_RULE)
def test_the_out_of_bag_error_on_categories_is_that_of_randomforest(name: str) -> None:
    ours, theirs = errors_of_ours(name, native=name in NOMINAL), Spread.stored(name, "randomForest")
    assert ours.agrees(theirs), (ours, theirs)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_on_continuous_columns_the_mean_error_is_that_of_both_packages(name: str) -> None:
    ours = errors_of_ours(name, native=False)
    for package in ("ranger", "randomForest"):
        theirs = Spread.stored(name, package)
        error = theirs.sd * np.sqrt(1 / len(seeds(name)) + 1 / STORED_SEEDS)
        assert abs(ours.mean - theirs.mean) < 4 * error, (ours, theirs)


def test_the_comparison_can_tell_categories_from_codes() -> None:
    # Subsets of the three values of a square help in tic-tac-toe; both programs and both of ours show it.
    codes, categories = (errors_of_ours("tic-tac-toe", native) for native in (False, True))
    assert not categories.agrees(Spread.stored("tic-tac-toe", "ranger"))
    assert not codes.agrees(Spread.stored("tic-tac-toe", "randomForest"))


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_RULE)
def test_where_the_r_packages_stop_earlier_the_error_is_that_of_scikit_learn(name: str) -> None:
    ours = errors_of_ours(name, native=False)
    x = load(name).x
    theirs = Spread.of([1 - forest(SklearnForest, name, seed, x).oob_score_ for seed in seeds(name)])
    assert ours.agrees(theirs), (ours, theirs)
    assert not ours.agrees(Spread.stored(name, "ranger"))  # else the set belongs among the others


@functools.cache
def importances(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return our impurity and permutation importance, codes as plain numbers as in ranger."""
    data = load(name)
    fitted = forest(RandomForestClassifier, name, 0, data.x)
    found = fitted.oob_permutation_importance(data.x, target_of(data), random_state=0)
    return fitted.feature_importances_, found.importances_mean


def stored_importances(name: str, kind: str) -> NDArray[np.float64]:
    facts = golden("forest-stats", name)[f"ranger_importance_{kind}_1000"]
    return np.array([facts[column] for column in load(name).names])


@pytest.mark.parametrize("name", NAMES)
def test_importances_are_those_of_ranger(name: str) -> None:
    impurity, permutation = importances(name)
    theirs = stored_importances(name, "impurity")
    assert np.abs(impurity - theirs / theirs.sum()).max() < 0.06  # shares of the whole
    theirs = stored_importances(name, "permutation")
    # Both are the mean decrease of a tree's accuracy on its out-of-bag rows, so the numbers are comparable.
    assert np.abs(permutation - theirs).max() < 0.02 + 0.15 * theirs.max()


@pytest.mark.parametrize("name", [name for name in NAMES if len(load(name).names) >= 10])
def test_importances_rank_many_columns_as_ranger_does(name: str) -> None:
    for ours, kind in zip(importances(name), ("impurity", "permutation"), strict=True):
        assert spearmanr(ours, stored_importances(name, kind)).statistic > 0.85


class PlainForest:
    """A forest on whole-number columns in plain NumPy, with either rule for constant features."""

    def __init__(self, x: NDArray[np.int64], y: NDArray[np.int64], mtry: int, *, draws_on: bool) -> None:
        self.x, self.y, self.mtry, self.draws_on = x, y, mtry, draws_on
        self.n_codes, self.n_classes = int(x.max()) + 1, int(y.max()) + 1

    def out_of_bag_error(self, n_trees: int, seed: int) -> float:
        random = np.random.default_rng(seed)
        votes = np.zeros((len(self.y), self.n_classes))
        for _ in range(n_trees):
            self._vote(votes, random)
        return float(np.mean(votes.argmax(axis=1) != self.y))

    def _vote(self, votes: NDArray[np.float64], random: np.random.Generator) -> None:
        n_rows = len(self.y)
        counts = np.bincount(random.integers(n_rows, size=n_rows), minlength=n_rows).astype(np.float64)
        waiting = [np.arange(n_rows)]
        while waiting:
            rows = waiting.pop()
            bag = rows[counts[rows] > 0]
            classes = np.bincount(self.y[bag], counts[bag], minlength=self.n_classes)
            cut = self._best_cut(bag, counts[bag], random) if (classes > 0).sum() > 1 else None
            if cut is None:
                winners = np.flatnonzero(classes == classes.max())
                votes[rows[counts[rows] == 0], random.choice(winners)] += 1
            else:
                goes_left = self.x[rows, cut[0]] <= cut[1]
                waiting += [rows[goes_left], rows[~goes_left]]

    def _best_cut(
        self, bag: NDArray[np.int64], weights: NDArray[np.float64], random: np.random.Generator
    ) -> tuple[int, float] | None:
        best, found = -1.0, None
        for drawn, column in enumerate(random.permutation(self.x.shape[1])):
            if drawn >= self.mtry and (found is not None or not self.draws_on):
                break
            cells = self.x[bag, column] * self.n_classes + self.y[bag]
            table = np.bincount(cells, weights, self.n_codes * self.n_classes)
            table = table.reshape(self.n_codes, self.n_classes)
            present = np.flatnonzero(table.sum(axis=1))
            if len(present) < 2:
                continue
            left = np.cumsum(table[present], axis=0)[:-1]
            right = table.sum(axis=0) - left
            purity = (left**2).sum(axis=1) / left.sum(axis=1) + (right**2).sum(axis=1) / right.sum(axis=1)
            position = int(purity.argmax())
            if purity[position] > best:
                best = float(purity[position])
                found = (int(column), (present[position] + present[position + 1]) / 2)
        return found


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_RULE)
def test_the_rule_for_constant_features_alone_makes_the_difference_to_the_r_packages(name: str) -> None:
    data = load(name)
    x = np.stack([np.unique(column, return_inverse=True)[1] for column in data.x.T], axis=1)
    stops, draws_on = (
        PlainForest(x, target_of(data), mtry(name), draws_on=rule).out_of_bag_error(N_TREES, seed=0)
        for rule in (False, True)
    )
    ranger, ours = Spread.stored(name, "ranger"), errors_of_ours(name, native=False)
    # One forest against a mean: its own deviation is about the stored one.
    assert Spread(stops, ranger.sd).agrees(ranger), (stops, ranger)
    assert Spread(draws_on, ours.sd).agrees(ours), (draws_on, ours)
    assert abs(stops - draws_on) > 2 * ranger.sd
