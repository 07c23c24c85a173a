"""What all forests share: validate → encode once → draw bags → grow → out-of-bag answers → Model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError

from treewright.criteria import REAL_NAMES, check_target
from treewright.fitting.estimator import all_or_nothing
from treewright.fitting.members import Members
from treewright.fitting.progress import Progress, with_tasks
from treewright.fitting.rows import TrainingRows, feature_count, growth_settings, read_rows
from treewright.forests import _record
from treewright.forests._bags import Bags, number_of_draws
from treewright.forests._growing import EngineGrower, Grower, GrownTrees
from treewright.forests._out_of_bag import OutOfBag, out_of_bag_facts
from treewright.forests._placed_rows import rows_to_place, with_interval_levels
from treewright.forests._statistics import ForestStatistics
from treewright.forests._warm_start import earlier_model
from treewright.forests.fitted_forest import FittedForest
from treewright.model import Model
from treewright.model.facts import ForestFacts
from treewright.model.level_means import LevelMeans
from treewright.trees.cart import CART

__all__ = ["BaseForest"]


class BaseForest(FittedForest):
    """Base of the forests: from rows to the model, as far as it depends on neither task nor algorithm."""

    _family: ClassVar[str] = "forest"

    n_estimators: int
    bootstrap: bool
    max_samples: Any
    oob_score: Any
    warm_start: bool
    verbose: int
    random_state: Any
    categorical_features: Any
    max_bins: int | None

    # Only some forests have these.
    class_weight: Any = None
    voting: str = "soft"
    calibrate: str | None = None
    quantiles: bool = False
    target_statistics: Any = False

    # --- what a kind of forest says
    # ------------------------------------------------------------------------------------

    def _column_draw(self, n_features: int) -> tuple[int, bool]:
        """Return how many columns each tree gets (0: all), and whether a column can be drawn again."""
        return 0, False

    def _row_draw(self, rows: TrainingRows) -> tuple[int, bool]:
        """Return how many rows each tree gets (0: every row once), and whether a row can be drawn again."""
        if self.bootstrap:
            return number_of_draws(self.max_samples, rows.n_rows, rows.weights), True
        if self.max_samples is not None:
            raise ValueError(
                "`max_samples` cannot be set if `bootstrap=False`: every tree gets all rows then. Either "
                "switch to `bootstrap=True` or set `max_samples=None`."
            )
        return 0, False

    def _grower(self, rows: TrainingRows, y: Any, bags: Bags, n_threads: int) -> Grower:
        """Return what grows the trees."""
        settings = self._settings(rows, bags)
        return EngineGrower(
            type(self).__name__,
            CART,
            settings,
            rows,
            self.max_bins or 0,
            n_threads,
            ask_again=bool(self.oob_score or self.calibrate),
        )

    # --- fitting
    # ----------------------------------------------------------------------------------------------------

    @with_tasks
    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows. Missing values, text and categories are welcome.
        y : array-like of shape (n_rows,)
            The class of each row, or the number to predict.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row: its chance to be drawn, in proportion, and what it counts in trees that get
            every row once. Rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._validate_params()
        if not self.bootstrap and (self.oob_score or self.calibrate):
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        earlier = earlier_model(self) if self.warm_start else None
        rows = self._read(X, y, sample_weight, earlier)
        self._adopt(self._learned(rows, y, earlier))
        return self

    def _learned(self, rows: TrainingRows, y: Any, earlier: Model | None) -> Model:
        """Return the model of rows that are read."""
        bags = self._new_bags(rows, earlier)
        n_threads = effective_n_jobs(self.n_jobs)
        # Growing takes the table away.
        asked = rows_to_place(rows) if self.quantiles and bags.draws else None
        statistics = ForestStatistics.of_rows(self, rows, y, earlier)
        if statistics is not None:
            rows = statistics.learned.extend(rows)
        grower = self._grower(rows, y, bags, n_threads)
        grown, means = self._grown(grower, bags, earlier, rows, statistics)
        model = self._model(rows, grown, grower, bags, earlier, n_threads, statistics, means)
        if asked is None:
            return model
        if statistics is not None:
            return statistics.with_interval_levels(model, asked, n_threads)
        return with_interval_levels(model, asked, n_threads)

    def _validate_params(self) -> None:
        if self._task == "regression" and getattr(self, "criterion", None) == "friedman_mse":
            raise InvalidParameterError(
                f"The 'criterion' parameter of {type(self).__name__} does not know 'friedman_mse': it always "
                "chose the same splits as 'squared_error'. Use criterion='squared_error'."
            )
        super()._validate_params()

    def _read(self, X: Any, y: Any, sample_weight: Any, earlier: Model | None) -> TrainingRows:
        rows = read_rows(
            X,
            y,
            sample_weight,
            owner=type(self).__name__,
            task=self._task,
            class_weight=self._drawn_class_weight,
            categorical_features=self._read_categories,
            model=earlier,
        )
        criterion = self._tree_params().get("criterion")
        check_target(criterion, rows.target, rows.weights)
        return rows

    @property
    def _measure(self) -> str:
        """What the tests of the trees compete on."""
        return str(self._tree_params()["criterion"])

    @property
    def _read_categories(self) -> Any:
        """Which columns hold categories."""
        return self.categorical_features

    @property
    def _drawn_class_weight(self) -> Any:
        """The class weights that are known before the bags are drawn."""
        if self.class_weight != "balanced_subsample":
            return self.class_weight
        return None if self.bootstrap else "balanced"

    def _new_bags(self, rows: TrainingRows, earlier: Model | None) -> Bags:
        n_features = len(rows.schema.features)
        draws, again = self._row_draw(rows)
        columns, columns_again = self._column_draw(n_features)
        weights = rows.weights if draws else None
        if weights is not None and weights.min() == weights.max():
            weights = None
        if earlier is None:
            first, seed = 0, int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        else:
            # The trees that follow are those that one fit would have grown.
            last = _record.model_bags(earlier)[-1]
            first, seed = last.last, last.seed
            if self.quantiles and not last.are_of(rows.n_rows_read, rows.checksum):
                raise ValueError(
                    "With quantiles=True all trees must be grown on the same rows, but these are not those "
                    "of the first fit: fit anew with warm_start=False."
                )
        return Bags(
            first=first,
            last=int(self.n_estimators),
            seed=seed,
            draws=draws,
            replace=again,
            balanced=bool(draws) and self.class_weight == "balanced_subsample",
            features=columns,
            replace_features=columns_again,
            n_rows=rows.n_rows_read,
            checksum=rows.checksum,
            probabilities=weights,
            kept=rows.kept,
        )

    def _settings(self, rows: TrainingRows, bags: Bags) -> dict[str, Any]:
        """Return what the parameters of a tree mean for these rows, under the names of the native plan."""
        params = SimpleNamespace(**self._tree_params())
        settings = growth_settings(params, rows, float(bags.draws or rows.total_weight))
        settings["criterion"] = REAL_NAMES.get(params.criterion, params.criterion)
        settings["random_cuts"] = self._random_cuts
        settings["draw_ties"] = self._draws_ties(bags)
        settings["ccp_alpha"] = float(params.ccp_alpha)
        settings["keep_leaf_rows"] = bool(self.quantiles)
        return settings

    def _grown(
        self,
        grower: Grower,
        bags: Bags,
        earlier: Model | None,
        rows: TrainingRows,
        statistics: ForestStatistics | None,
    ) -> tuple[GrownTrees, LevelMeans | None]:
        before = None if earlier is None else _record.grown_of(earlier)
        means = None if earlier is None else LevelMeans.of(earlier)
        if before is not None and bags.first == bags.last:
            return before, means
        with Progress(type(self).__name__, bags.last - bags.first, bool(self.verbose)) as progress:
            grown = grower.grow(bags, progress if progress.is_shown else None)
        if statistics is not None:
            grown, means = statistics.compiled(grown, rows, earlier)
        return (grown if before is None else grown.after(before)), means

    def _model(
        self,
        rows: TrainingRows,
        grown: GrownTrees,
        grower: Grower,
        bags: Bags,
        earlier: Model | None,
        n_threads: int,
        statistics: ForestStatistics | None,
        means: LevelMeans | None,
    ) -> Model:
        all_bags: tuple[Bags, ...] = (bags,)
        if earlier is not None:
            *others, last = _record.model_bags(earlier)
            all_bags = (*others, *last.joined(bags)) if bags.first < bags.last else (*others, last)
        arrays = {_record.IMPORTANCES: grown.importances, **_record.bag_arrays(all_bags)}
        if grown.leaf_begin is not None and grown.leaf_rows is not None:
            arrays |= {
                _record.LEAF_BEGIN: grown.leaf_begin,
                _record.LEAF_ROWS: grown.leaf_rows,
                _record.TARGET: rows.target,
            }
            if bags.draws == 0 and rows.weights is not None:
                arrays[_record.WEIGHTS] = rows.weights
        if means is not None:
            arrays |= means.to_arrays()
        n_features, tree_params = len(rows.schema.features), self._tree_params()
        model = Model(
            algorithm=type(self).__name__,
            params=self._kept_params(),
            schema=rows.own_schema,
            trees=grown.trees,
            facts=vars(
                ForestFacts(
                    aggregation="votes" if self.voting == "hard" else "mean",
                    bags=_record.bag_facts(all_bags),
                    criterion=self._measure,
                    max_features=feature_count(tree_params.get("max_features"), n_features),
                    missing_features=rows.missing_features
                    if earlier is None
                    else earlier.missing_with(rows.missing_features),
                )
            ),
            arrays=arrays,
            **rows.outputs,
        )
        rows.check_learned(model)
        if not self.oob_score and not self.calibrate:
            return model
        asked = model
        if statistics is not None:
            asked, table = statistics.seen(model)
            data: Any = table.to_dataset(0, n_threads)
        elif isinstance(grower, EngineGrower):
            data = grower.dataset()
        else:
            data = rows.whole_table.to_matrix()
        out = self._out_of_bag(asked, all_bags, rows, data, n_threads)
        facts, more = out_of_bag_facts(self, out.values(), rows)
        return replace(model, facts=ForestFacts.changed(model, **facts), arrays={**model.arrays, **more})

    def _out_of_bag(
        self, model: Model, bags: Sequence[Bags], rows: TrainingRows, data: Any, n_threads: int
    ) -> OutOfBag:
        known = [some for some in bags if some.are_of(rows.n_rows_read, rows.checksum)]
        votes = model.aggregation == "votes"
        members = Members(model, lambda tree: self._member(model, bags, tree))
        return OutOfBag(model, members, known, data, votes, n_threads)
