"""Extreme numbers end as finite answers that a file keeps, or as a clear error of `fit`; units are free."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright
from tests.contract.entries import BOOSTERS, ENTRIES, FORESTS, make_entry
from treewright import ALGORITHMS
from treewright.boosting.booster import Booster

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

N = 30
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(N, 3)).round(2)
Y = X[:, 0] + 0.3 * RANDOM.normal(size=N)
POSITIVE = ("poisson", "gamma", "tweedie")
CHOICES = ("faithful", "criterion", "loss", "algorithm")
WORDS = "Divide|Multiply|divide|needs|strictly positive|All targets"

TARGETS = {
    f"{size:g}": Y * size
    for size in (1e-320, 1e-300, 1e-99, 1e-40, 1e15, 1e19, 1e25, 1e39, 1e99, 1e155, 1e307)
} | {
    "largest": np.sign(Y) * np.finfo(np.float64).max,
    "subnormal": np.sign(Y) * 5e-324 * (1 + np.arange(N) % 7),
    "mixed": np.where(np.arange(N) % 7 == 0, 1e300, Y * 1e-300),
    "one outlier": np.where(np.arange(N) == 3, 1e308, Y),
    "two zeros": np.where(Y > 0, -0.0, 0.0),
}
WEIGHTS = {
    f"{size:g}": np.full(N, size)
    for size in (5e-324, 1e-300, 2.0**-200, 1e-45, 1e-29, 1 / N, 1e17, 1e27, 1e37, 1e38, 1e39, 1e300, 1e307)
} | {
    "mixed": 10.0 ** RANDOM.uniform(-300, 300, N),
    "mixed within bounds": 10.0 ** RANDOM.uniform(-29, 27, N),
    "one heavy": np.where(np.arange(N) == 3, 1e27, 1.0),
    "one light": np.where(np.arange(N) == 3, 1e-29, 1.0),
}
UNEQUAL = ("mixed within bounds", "one heavy")
TABLES = {
    "infinite": np.where(X > 1, np.inf, np.where(X < -1, -np.inf, X)),
    "huge": X * 0.5e308,
    "subnormal": np.round(X * 100) * 5e-324,
    "beyond float32": X * 1e39,
    "two zeros": np.where(X > 0, 0.0, -0.0),
}
OFFSETS = (1e300, -1e300, 1e39, 1e-300, 700.0, -800.0)


def variants() -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """Return every estimator with each of its criteria, losses and versions."""
    found: list[tuple[tuple[str, str], dict[str, Any]]] = []
    for entry in ENTRIES:
        choices = getattr(ALGORITHMS[entry[0]][entry[1]], "_choices", {})
        ways: list[dict[str, Any]] = [{}]
        for name in CHOICES:
            if name in choices:
                ways = [way | {name: value} for way in ways for value in choices[name]]
        if entry[0] == "xgboost":
            ways = [way | {"tree_method": method} for way in ways for method in ("exact", "hist")]
        # J48 knows the ratio only.
        found += [(entry, way) for way in ways if tuple(way.values()) != ("j48", "gain")]
    return found


VARIANTS = variants()
NAMES = [" ".join([*entry, *map(str, way.values())]) for entry, way in VARIANTS]


def small(entry: tuple[str, str], way: dict[str, Any]) -> Any:
    """Return an estimator that is quick."""
    few = {"n_estimators": 3} if entry[0] in FORESTS + BOOSTERS else {}
    if entry[0] == "lightgbm":
        few["min_samples_leaf"] = 3
    return make_entry(entry, **few, **way)


def target_of(entry: tuple[str, str], way: dict[str, Any]) -> np.ndarray:
    """Return an ordinary target that suits the estimator."""
    if entry[1] == "classification":
        return (Y > 0).astype(int) if way.get("loss") == "exponential" else np.digitize(Y, [-0.5, 0.5])
    return in_range(Y, way)


def in_range(y: np.ndarray, way: dict[str, Any]) -> np.ndarray:
    """Return a target of numbers with the signs that the loss wants."""
    if not {way.get("loss"), way.get("criterion")} & set(POSITIVE):
        return y
    return np.maximum(np.abs(y), 5e-324) if way.get("loss") == "gamma" else np.abs(y)


def answers(estimator: Any, x: np.ndarray) -> np.ndarray:
    """Return what it says about the rows."""
    found = estimator.predict_proba(x) if hasattr(estimator, "classes_") else estimator.predict(x)
    return np.asarray(found)


def assert_sound(
    estimator: Any, path: Path, x: np.ndarray, y: np.ndarray, *, gains: bool = True, **given: Any
) -> bool:
    """Fit, predict, save, load, predict; tell whether the numbers were learned from.

    `gains` says that gains do not vanish beside the loss of a row that outweighs all others.
    """
    try:
        estimator.fit(x, y, **given)
    except ValueError as error:
        assert any(word in str(error) for word in WORDS.split("|")), str(error)
        return False
    said = answers(estimator, x)
    assert np.isfinite(said).all()
    importances = getattr(estimator, "feature_importances_", None)
    if importances is not None:
        splits = any(tree.node_count > 1 for tree in estimator.model_.trees)
        assert (importances >= 0).all()
        if splits and (gains or importances.any()):
            assert importances.sum() == pytest.approx(1.0)
        else:
            assert not importances.any()
    estimator.save(path)
    np.testing.assert_array_equal(answers(treewright.load(path), x), said)
    return True


@pytest.mark.parametrize(("entry", "way"), VARIANTS, ids=NAMES)
def test_extreme_weights_are_learned_from_or_refused(
    entry: tuple[str, str], way: dict[str, Any], tmp_path: Path
) -> None:
    y = target_of(entry, way)
    learned = {
        name
        for name, weights in WEIGHTS.items()
        if assert_sound(
            small(entry, way), tmp_path / "model", X, y, gains=name not in UNEQUAL, sample_weight=weights
        )
    }
    assert f"{1 / N:g}" in learned  # what people who normalise weights pass


@pytest.mark.parametrize(("entry", "way"), VARIANTS, ids=NAMES)
def test_extreme_features_are_learned_from(
    entry: tuple[str, str], way: dict[str, Any], tmp_path: Path
) -> None:
    y = target_of(entry, way)
    for x in TABLES.values():
        assert assert_sound(small(entry, way), tmp_path / "model", x, y)


NUMBERS = [(case, name) for case, name in zip(VARIANTS, NAMES, strict=True) if case[0][1] == "regression"]


@pytest.mark.parametrize(("entry", "way"), [case for case, _ in NUMBERS], ids=[name for _, name in NUMBERS])
def test_extreme_targets_are_learned_from_or_refused(
    entry: tuple[str, str], way: dict[str, Any], tmp_path: Path
) -> None:
    learned = {
        name
        for name, y in TARGETS.items()
        if assert_sound(small(entry, way), tmp_path / "model", X, in_range(y, way))
    }
    assert "1e+15" in learned
    assert not learned & {"largest", "subnormal", "one outlier", "1e+307"}


BOOSTED = [
    (case, name)
    for case, name in zip(VARIANTS, NAMES, strict=True)
    if issubclass(ALGORITHMS[case[0][0]][case[0][1]], Booster)
]


@pytest.mark.parametrize(("entry", "way"), [case for case, _ in BOOSTED], ids=[name for _, name in BOOSTED])
def test_extreme_offsets_are_learned_from_or_refused(
    entry: tuple[str, str], way: dict[str, Any], tmp_path: Path
) -> None:
    y = target_of(entry, way)
    n_outputs = len(np.unique(y)) if entry[1] == "classification" else 1
    for size in OFFSETS:
        offset = np.full(N, size) if n_outputs < 3 else np.tile([size, 0.0, -size], (N, 1))
        assert_sound(small(entry, way), tmp_path / "model", X, y, offset=offset)


# --- units
# ------------------------------------------------------------------------------------------------------------


def in_units_of_weight(entry: tuple[str, str]) -> bool:
    """Tell whether an estimator has λ; it is in units of weight, as are the least hessian and γ."""
    return "reg_lambda" in ALGORITHMS[entry[0]][entry[1]]._defaults


# So are the minima of C4.5.
FREE = [
    (case, name)
    for case, name in zip(VARIANTS, NAMES, strict=True)
    if "reg_lambda" not in ALGORITHMS[case[0][0]][case[0][1]]._defaults
    and case[1].get("faithful") not in ("r8", "j48")
]


@pytest.mark.parametrize(("entry", "way"), [case for case, _ in FREE], ids=[name for _, name in FREE])
def test_the_unit_of_weights_does_not_matter(entry: tuple[str, str], way: dict[str, Any]) -> None:
    y, weights = target_of(entry, way), np.random.default_rng(2).integers(1, 5, N).astype(float)
    once = small(entry, way).fit(X, y, sample_weight=weights)
    for power in (-90, -20, 20, 90):
        scaled = small(entry, way).fit(X, y, sample_weight=weights * 2.0**power)
        np.testing.assert_allclose(answers(scaled, X), answers(once, X), rtol=1e-9, atol=1e-12)
        if hasattr(once, "feature_importances_"):
            np.testing.assert_allclose(
                scaled.feature_importances_, once.feature_importances_, rtol=1e-6, atol=1e-9
            )


SCALED_LOSSES = {"squared_error", "absolute_error", "huber", "quantile", "linear", "square", "exponential"}
SCALED = [
    (case, name)
    for case, name in NUMBERS
    if not in_units_of_weight(case[0]) and set(case[1].values()) <= SCALED_LOSSES
]


@pytest.mark.parametrize(("entry", "way"), [case for case, _ in SCALED], ids=[name for _, name in SCALED])
def test_answers_have_the_unit_of_the_target(entry: tuple[str, str], way: dict[str, Any]) -> None:
    once = small(entry, way).fit(X, Y).predict(X)
    for power in (-300, -40, 40, 300):
        scaled = small(entry, way).fit(X, Y * 2.0**power).predict(X)
        np.testing.assert_allclose(scaled * 2.0**-power, once, rtol=1e-9)
