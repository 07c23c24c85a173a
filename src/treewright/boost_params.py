"""The hyper-parameters of boosters: those that only they have, and names that mean something else to them."""

from __future__ import annotations

from numbers import Integral
from typing import Final

from treewright.param import (
    ArrayLike,
    Called,
    Choice,
    Flag,
    Instance,
    Learner,
    Mapping,
    Nothing,
    Number,
    Param,
    RandomState,
)

__all__ = ["BOOST_ADVICE", "BOOST_MEANINGS", "BOOST_NAMES", "BOOST_PARAMS", "FIT_ADVICE"]

NOT_NEGATIVE: Final = Number("float", 0.0)
FEATURES: Final = (
    Number("int", 1),
    Number("share", 0.0, 1.0, "right"),
    Choice(("sqrt", "log2")),
    Nothing,
)
FEATURES_TYPE: Final = 'int, float, {"sqrt", "log2"} or None'

SCORING_TYPE: Final = '{"loss"}, name of a scorer, scorer, callable, or list or dict of those'
SCORING: Final = (
    Instance((str,), "'loss', the name of a scorer of scikit-learn"),
    Called(),
    ArrayLike(),
    Mapping,
)
SCORERS: Final = (
    'A scorer of scikit-learn, by its name ("roc_auc", "neg_log_loss") or made by ``make_scorer``: greater '
    "is better. A callable ``metric(y, prediction, weight)`` returns a number that is smaller for better "
    "models, or greater when it has an attribute ``greater_is_better = True``; it gets probabilities (of the "
    "second class, or of all) or numbers, classes as positions in `classes_`, and None for no weights. A "
    "list or a dict by name has several of these; early stopping goes by the first. A saved model does not "
    "keep functions."
)


def _instead_of_init(value: object) -> str:
    """Answer an estimator, which scikit-learn accepts."""
    return (
        ", an estimator, which a model file could not keep. Fit it first and pass the raw scores that it "
        "gives the rows: fit(X, y, offset=…). Predictions are without them"
        if hasattr(value, "fit")
        else ""
    )


def _instead_of_rates(value: object) -> str:
    """Answer rates of rounds, which boosters of gradients accept."""
    return (
        ": AdaBoost weighs every tree by its own error, and the rate is one factor of all of these weights. "
        "Gradient, Newton and leaf-wise boosting take a rate by round"
        if callable(value) or isinstance(value, list | tuple)
        else ""
    )


def _instead_of_rounds(value: object) -> str:
    """Answer a number of rounds, which is what others mean by early stopping."""
    return (
        f": to stop after {value} rounds without an improvement pass early_stopping=True, "
        f"n_iter_no_change={value}"
        if isinstance(value, Integral)
        else ""
    )


BOOST_PARAMS: dict[str, Param] = {
    "loss": Param(
        "{choices} or callable",
        (Called(),),
        "What the rounds make smaller. A callable ``loss(y, raw, weight)`` returns first and second "
        "derivatives by the raw scores, weights included, both of the shape of `raw`; classes are given "
        "to it as positions in `classes_`. A saved model does not keep the callable.",
    ),
    "learning_rate": Param(
        "float",
        (NOT_NEGATIVE,),
        "What the answer of every tree is multiplied with: smaller steps need more of them.",
        _instead_of_rates,
    ),
    "alpha": Param(
        "float",
        (Number("float", 0.0, 1.0, "neither"),),
        'The level of ``loss="quantile"``; for ``loss="huber"`` the share of errors that count as squares.',
    ),
    "tweedie_power": Param(
        "float",
        (Number("float", 1.0, 2.0, "neither"),),
        'The power of the mean that the variance is proportional to, with ``loss="tweedie"``.',
    ),
    "subsample": Param(
        "float",
        (Number("float", 0.0, 1.0, "right"),),
        "Share of the rows that every round draws and learns from (stochastic gradient boosting).",
    ),
    "init": Param(
        '{"zero"} or None',
        (Choice(("zero",)), Nothing),
        'Raw scores before the first tree. None: the constant of least loss; "zero": 0. Scores of another '
        "model are passed to `fit` as `offset`.",
        advice=_instead_of_init,
    ),
    "n_iter_no_change": Param(
        "int or None",
        (Number("int", 1), Nothing),
        "Rounds without an improvement of the validation score after which early stopping ends the fit.",
    ),
    "scoring": Param(
        SCORING_TYPE,
        SCORING,
        f'What validation rows are scored by. "loss": the loss of the booster. {SCORERS}',
    ),
    "callbacks": Param(
        "sequence of callable or None",
        (ArrayLike(), Nothing),
        "Each is called after every round with an object that has `round` (from 1), `n_rounds`, "
        "`train_score` and `validation_score`; a true result ends the fit.",
    ),
    "keep_partial": Param(
        "bool",
        (Flag,),
        "Whether Ctrl-C ends the fit with the rounds that are done, instead of with KeyboardInterrupt.",
    ),
    "reg_lambda": Param(
        'float or "auto"',
        (NOT_NEGATIVE, Choice(("auto",))),
        'λ: what is added to the sum of hessians of a leaf, which keeps its value small. "auto": 6 divided '
        "by the number of classes, 3 for two, because each class has the smaller hessians the more there "
        "are; 1 for numbers.",
    ),
    "reg_alpha": Param(
        "float",
        (NOT_NEGATIVE,),
        "α: what the sum of gradients of a leaf is brought nearer to 0 by.",
    ),
    "gamma": Param(
        'float or "auto"',
        (NOT_NEGATIVE, Choice(("auto",))),
        "What a split must gain, as the xgboost package counts: G²/(H+λ) of both sides minus that of the "
        'node, which is twice the γ of the paper. "auto": in every round 0.35 (1 + ln k) times Σg²/Σh, which '
        "is what dividing rows by chance gains on average; k is the number of features that a node looks at. "
        "Trees then stop growing before they learn by heart what chance has made.",
    ),
    "min_child_weight": Param(
        "float",
        (NOT_NEGATIVE,),
        "Least sum of hessians that each side of a split must keep.",
    ),
    "max_delta_step": Param(
        "float",
        (NOT_NEGATIVE,),
        "Largest value of a leaf, before the learning rate; 0: no limit.",
    ),
    "max_features_tree": Param(
        FEATURES_TYPE,
        FEATURES,
        "How many features are drawn for each tree. A float is a share of the features. None: all of them.",
    ),
    "max_features_level": Param(
        FEATURES_TYPE,
        FEATURES,
        "How many features are drawn for each level of a tree, out of those of the tree.",
    ),
    "tree_method": Param(
        '{"hist", "exact"}',
        (Choice(("hist", "exact")),),
        '"hist": numbers in `max_bins` bins; "exact": every distinct value, with the arithmetic of the '
        "xgboost package.",
    ),
    "interaction_cst": Param(
        "sequence of sequences, or None",
        (ArrayLike(), Nothing),
        "Groups of features, by position or name; features meet on the way to a leaf only within one group. "
        "Features that are in no group form one. None: all may meet.",
    ),
    "goss": Param(
        "bool",
        (Flag,),
        "Whether every round learns from the rows with the largest gradients and from some of the others, "
        "which then count more (gradient-based one-side sampling).",
    ),
    "goss_top": Param(
        "float",
        (Number("float", 0.0, 1.0, "both"),),
        "Share of the rows that `goss` keeps for their gradients.",
    ),
    "goss_other": Param(
        "float",
        (Number("float", 0.0, 1.0, "right"),),
        "Share of all rows that `goss` draws from the others.",
    ),
    "cat_smooth": Param(
        "float",
        (NOT_NEGATIVE,),
        "What is added to the hessian of a category when categories are put in order.",
    ),
    "resample": Param(
        "bool",
        (Flag,),
        "Whether each tree learns from rows drawn by their weights, as in Drucker's paper, instead of from "
        "weighted rows.",
    ),
    "algorithm": Param(
        '{"SAMME", "SAMME.R"}',
        (Choice(("SAMME", "SAMME.R")),),
        '"SAMME": each tree says one class; "SAMME.R": its probabilities count (the real-valued variant).',
    ),
}

SHARE: Final = Number("share", 0.0, 1.0, "neither")

# What every booster means by names that single trees and forests have, too.
OF_ROUNDS: Final = {
    "validation_fraction": Param(
        "float or None",
        (SHARE, Nothing),
        "Share of the rows that early stopping sets aside, of each class alike, when `fit` gets no "
        "`X_val`. None: it looks at the training rows.",
    ),
    "early_stopping": Param(
        "bool",
        (Flag,),
        "Whether to stop when the validation score has not improved for `n_iter_no_change` rounds. The "
        "model then has the rounds up to the best one.",
        advice=_instead_of_rounds,
    ),
    "tol": Param(
        "float", (NOT_NEGATIVE,), "What the validation score must improve by to count for early stopping."
    ),
    "warm_start": Param(
        "bool",
        (Flag,),
        "Whether `fit` keeps the rounds that there are and adds the missing ones, up to `n_estimators`.",
    ),
}

# What boosters of gradients mean.
OF_GRADIENTS: Final = {
    **OF_ROUNDS,
    "quantiles": Param(
        "bool",
        (Flag,),
        "Whether five more boosters, each grown without a fifth of the rows, show how large errors are, so "
        "that `predict_quantiles` and `predict_interval` work. The model itself stays the same.",
    ),
    "n_estimators": Param("int", (Number("int", 1),), "Most rounds; each grows one tree per raw score."),
    "learning_rate": Param(
        "float, callable or array-like",
        (NOT_NEGATIVE, Called(), ArrayLike()),
        "What the answer of every tree is multiplied with: smaller steps need more of them. A callable gets "
        "the number of the round, from 1, and returns its rate; a list has a rate for each round, and its "
        "last one goes on. A model keeps the rates that were used, as a list.",
    ),
    "max_features": Param(
        FEATURES_TYPE,
        FEATURES,
        "How many features are drawn at each node and searched for a split. A float is a share of the "
        "features. None: all of them. Where any are drawn, so is which of equally good ones wins; otherwise "
        "the first column does.",
    ),
    "random_state": Param(
        "int, RandomState or None",
        (Number("int", 0, 2**32 - 1, "both"), RandomState, Nothing),
        "Seed of what is random: rows and features that are drawn, which of equally good features wins where "
        "some are drawn, rows that are set aside.",
    ),
}

# What boosters of histograms mean.
OF_HISTOGRAMS: Final = {
    "max_bins": Param(
        "int or None",
        (Number("int", 2, 65535, "both"), Nothing),
        "Most bins of a numeric column: with 255 large tables take less time and memory. None: every "
        "distinct value counts, up to 65 535 of them.",
    ),
}

# By family, then by name, as in `treewright.params.OTHER_MEANINGS`.
BOOST_MEANINGS: dict[str, dict[str, Param]] = {
    "boosting": {
        # Friedman's boosters stop early when n_iter_no_change is a number, as scikit-learn's.
        **{name: param for name, param in OF_GRADIENTS.items() if name != "early_stopping"},
        "ccp_alpha": Param(
            "float",
            (NOT_NEGATIVE,),
            "Price of a leaf in minimal cost-complexity pruning, as in scikit-learn: of every tree the "
            "subtree that minimises the mean squared error of the negative gradients + ccp_alpha * leaves is "
            "kept, before leaves take their steps. 0: nothing is pruned.",
        ),
    },
    "newton": {**OF_GRADIENTS, **OF_HISTOGRAMS},
    "leafwise": {
        **OF_GRADIENTS,
        **OF_HISTOGRAMS,
        "max_leaf_nodes": Param(
            'int, "auto" or None',
            (Number("int", 2), Choice(("auto",)), Nothing),
            "Most leaves of a tree: the leaf whose split gains most is split next until there are so many. "
            '"auto": 1.8 times the cube root of the number of rows (of their total weight), at least 8 and '
            "at most 127. None: no limit.",
        ),
        "max_features": Param(
            'int, float, {"auto", "sqrt", "log2"} or None',
            (*FEATURES[:2], Choice(("auto", "sqrt", "log2")), Nothing),
            f'{OF_GRADIENTS["max_features"].text} "auto": 0.6 of them where rates are at most 0.05 and '
            '`max_leaf_nodes` is "auto" (for three and more classes 0.2, but five as long as 0.6 are as '
            "many), otherwise all: drawing is meant for many small steps.",
        ),
    },
    "adaboost": {
        **OF_ROUNDS,
        "n_estimators": Param(
            "int",
            (Number("int", 1),),
            "Most rounds; there are fewer when a tree makes no error, or too many.",
        ),
        "loss": Param(
            "{choices}",
            (),
            "How the error of a row, divided by the largest one, counts: as it is, as its square, or as 1 - "
            "e to the minus it.",
        ),
        "estimator": Param(
            "object or None",
            (Learner(), Nothing),
            "The tree that is grown in each round: any single tree of Treewright of the same task. None: a "
            "CART of depth 1 for classes, of depth 3 for numbers.",
        ),
        "random_state": Param(
            "int, RandomState or None",
            (Number("int", 0, 2**32 - 1, "both"), RandomState, Nothing),
            "Seed of what is random: what the trees draw, the rows drawn with `resample`, rows that are set "
            "aside.",
        ),
        "scoring": Param(
            SCORING_TYPE,
            SCORING,
            'What validation rows are scored by. "loss": the share of wrong classes, or the mean squared '
            f"error. {SCORERS}",
        ),
    },
}

# Names in other libraries → whose they are and what it is called here.
BOOST_NAMES: dict[str, tuple[str, str]] = {
    "bagging_fraction": ("LightGBM", "subsample"),
    "border_count": ("CatBoost", "max_bins"),
    "cat_features": ("CatBoost", "categorical_features"),
    "categorical_feature": ("LightGBM", "categorical_features"),
    "colsample_bylevel": ("XGBoost", "max_features_level"),
    "colsample_bytree": ("XGBoost", "max_features_tree"),
    "depth": ("CatBoost", "max_depth"),
    "early_stopping_round": ("LightGBM", "n_iter_no_change"),
    "early_stopping_rounds": ("XGBoost", "n_iter_no_change"),
    "enable_categorical": ("XGBoost", "categorical_features"),
    "eval_metric": ("XGBoost", "scoring"),
    "feature_fraction": ("LightGBM", "max_features_tree"),
    "feature_fraction_bynode": ("LightGBM", "max_features"),
    "interaction_constraints": ("XGBoost", "interaction_cst"),
    "is_unbalance": ("LightGBM", "class_weight"),
    "iterations": ("CatBoost", "n_estimators"),
    "l2_leaf_reg": ("CatBoost", "reg_lambda"),
    "l2_regularization": ("HistGradientBoosting", "reg_lambda"),
    "lambda": ("XGBoost", "reg_lambda"),
    "lambda_l1": ("LightGBM", "reg_alpha"),
    "lambda_l2": ("LightGBM", "reg_lambda"),
    "loss_function": ("CatBoost", "loss"),
    "max_iter": ("HistGradientBoosting", "n_estimators"),
    "metric": ("LightGBM", "scoring"),
    "min_data": ("LightGBM", "min_samples_leaf"),
    "min_gain_to_split": ("LightGBM", "gamma"),
    "min_split_gain": ("LightGBM", "gamma"),
    "min_split_loss": ("XGBoost", "gamma"),
    "min_sum_hessian_in_leaf": ("LightGBM", "min_child_weight"),
    "n_iter": ("LightGBM", "n_estimators"),
    "num_round": ("XGBoost", "n_estimators"),
    "num_trees": ("LightGBM", "n_estimators"),
    "objective": ("XGBoost", "loss"),
    "od_wait": ("CatBoost", "n_iter_no_change"),
    "other_rate": ("LightGBM", "goss_other"),
    "random_seed": ("CatBoost", "random_state"),
    "rsm": ("CatBoost", "max_features"),
    "scale_pos_weight": ("XGBoost", "class_weight"),
    "silent": ("XGBoost", "verbose"),
    "thread_count": ("CatBoost", "n_jobs"),
    "top_rate": ("LightGBM", "goss_top"),
    "tweedie_variance_power": ("XGBoost", "tweedie_power"),
    "verbosity": ("XGBoost", "verbose"),
}

# What else people pass to boosters of other libraries, and what to do instead.
BOOST_ADVICE: dict[str, str] = {
    "criterion": "Trees are grown on gradients, by the squared error or by the gain of Newton steps.",
    "early_stopping": "A number for n_iter_no_change, e.g. n_iter_no_change=10, is enough to stop early.",
    "bagging_freq": "Every round draws its own rows: subsample says how many.",
    "base_score": "Pass init or, for scores of your own, the offset of fit.",
    "boosting": "Pass goss=True for GOSS; for averages of trees there are RandomForest… and Bagging….",
    "boosting_type": "Pass goss=True for GOSS; for averages of trees there are RandomForest… and Bagging….",
    "data_sample_strategy": "Pass goss=True for GOSS.",
    "device": "The engine runs on processors; n_jobs says on how many.",
    "eval_set": "Pass X_val and y_val to fit.",
    "grow_policy": "NewtonBoosting… grows trees level by level, LeafwiseBoosting… the best leaf first.",
    "importance_type": 'Ask importances("gain"), importances("count") or importances("cover") after fit.',
    "num_class": "Classes are counted from y.",
    "subsample_freq": "Every round draws its own rows: subsample says how many.",
}

# Arguments of `fit` in other libraries → what to do instead.
FIT_ADVICE: dict[str, str] = {
    "base_margin": "Pass offset=.",
    "callbacks": "Callbacks are a parameter of the constructor.",
    "cat_features": "The constructor has categorical_features.",
    "categorical_feature": "The constructor has categorical_features.",
    "early_stopping_rounds": "The constructor has early_stopping and n_iter_no_change, the number of rounds.",
    "eval_class_weight": "Pass sample_weight_val=.",
    "eval_init_score": "Pass offset_val=.",
    "eval_metric": 'The constructor has scoring, e.g. scoring="roc_auc".',
    "eval_names": "Pass X_val= and y_val= as dicts by name.",
    "eval_sample_weight": "Pass sample_weight_val=.",
    "eval_set": "Pass X_val=, y_val=, tables or dicts of them by name.",
    "feature_name": "Names are those of the columns of X, e.g. of a DataFrame.",
    "init_model": "Set warm_start=True to add rounds to a fitted booster.",
    "init_score": "Pass offset=.",
    "monitor": "The constructor has callbacks.",
    "sample_weight_eval_set": "Pass sample_weight_val=.",
    "verbose": "The constructor has verbose.",
    "xgb_model": "Set warm_start=True to add rounds to a fitted booster.",
}
