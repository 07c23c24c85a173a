"""Every hyper-parameter once: what it accepts, and its text, for validation, docstrings and command line."""

from __future__ import annotations

import math

from treewright.boost_params import BOOST_MEANINGS, BOOST_NAMES, BOOST_PARAMS
from treewright.param import (
    ArrayLike,
    Called,
    Choice,
    Flag,
    Learner,
    Mapping,
    Nothing,
    Number,
    Param,
    RandomState,
    Splitter,
)

__all__ = [
    "FOREIGN_NAMES",
    "OTHER_MEANINGS",
    "PARAMS",
    "Param",
    "param_of",
]

ROWS_OR_SHARE = (Number("int", 1), Number("share", 0.0, 1.0, "neither"))
NOT_NEGATIVE = Number("float", 0.0)

PARAMS: dict[str, Param] = {
    "faithful": Param(
        "{choices}",
        (),
        'Whose C4.5: "r8" is Release 8 of Quinlan\'s program, "j48" is WEKA\'s J48, "textbook" is the plain '
        "algorithm without the programs' refinements.",
    ),
    "criterion": Param(
        "{choices}",
        (),
        "What makes a split the best: it decreases this loss most, or (C4.5) its gain ratio or its "
        "information gain is the largest.",
    ),
    "min_samples_branch": Param(
        "float",
        (Number("float", 1.0),),
        "Fewest rows, by weight, that two branches of a test must have; a node with fewer than twice as many "
        "is a leaf. C4.5's -m, WEKA's -M.",
    ),
    "confidence_factor": Param(
        "float",
        (Number("float", 0.0, 1.0, "neither"),),
        "How sure the estimate of a leaf's errors is: smaller values prune more. C4.5's -c (there in per "
        "cent), WEKA's -C.",
    ),
    "subtree_raising": Param(
        "bool",
        (Flag,),
        "Whether pruning may replace a node by its largest branch. False is WEKA's -S.",
    ),
    "collapse": Param(
        "bool",
        (Flag,),
        "Whether, even without pruning, a subtree that makes no fewer training errors than a leaf becomes "
        "one. False is WEKA's -O.",
    ),
    "mdl_correction": Param(
        "bool",
        (Flag,),
        "Whether the gain of a numeric test is reduced by log2(cuts tried) / rows. False is WEKA's -J. "
        "With `binary_splits` it always is.",
    ),
    "group_values": Param(
        "bool",
        (Flag,),
        "Whether similar categories share a branch: groups are merged while the gain ratio grows. C4.5's -s.",
    ),
    "binary_splits": Param(
        "bool",
        (Flag,),
        "Whether a categorical test is one category against all others. WEKA's -B.",
    ),
    "laplace": Param(
        "bool",
        (Flag,),
        "Whether `predict_proba` counts one more row of each of `classes_` in every leaf; `predict` and the "
        "tree stay the same. WEKA's -A.",
    ),
    "prune": Param(
        "{choices} or None",
        (Nothing,),
        'How the grown tree is pruned. "cost_complexity": the subtree of the weakest-link path that '
        'cross-validation chooses (`pruning_rule`, `cv`). "loss": the subtree of least total loss + '
        '`alpha_total` * leaves. "reduced_error": the subtree with the fewest errors on rows set aside '
        '(`validation_fraction`, or X_val and y_val of fit). "pessimistic_error": by C4.5\'s upper limits of '
        "the leaves' errors (`confidence_factor`; no effect with C4.5 of the textbooks). None: not at all, "
        "except by `ccp_alpha` and C4.5's `collapse`.",
    ),
    "alpha_total": Param(
        "float or None",
        (NOT_NEGATIVE, Nothing),
        'Price of a leaf for ``prune="loss"``, in units of the total loss, as in the textbooks: the number '
        "of rows times `ccp_alpha`.",
    ),
    "pruning_risk": Param(
        '{"impurity", "misclassification"}',
        (Choice(("impurity", "misclassification")),),
        "What cost-complexity pruning and pruning by loss weigh against the leaves: the loss that the tree "
        "was grown with, or the training errors, as rpart does.",
    ),
    "pruning_rule": Param(
        '{"min", "1se"}',
        (Choice(("min", "1se")),),
        'Which subtree ``prune="cost_complexity"`` keeps: the one with the smallest cross-validated error, '
        "or the smallest one within one standard error of it.",
    ),
    "path_method": Param(
        '{"exact", "rpart"}',
        (Choice(("exact", "rpart")),),
        "How the sequence of subtrees is found: the exact weakest links, or rpart's recursion, which misses "
        "some of the best subtrees or lists others.",
    ),
    "cv": Param(
        "int, splitter or list of (train, test)",
        (Number("int", 2), Splitter(), ArrayLike()),
        'Folds of ``prune="cost_complexity"`` and ``early_stopping="cv"``. A number: so many shuffled folds '
        "from `random_state`, stratified by class; rows of one group (`groups` of fit) stay together. Or a "
        "splitter of scikit-learn, or row numbers. A saved model keeps a number only.",
    ),
    "validation_fraction": Param(
        "float",
        (Number("share", 0.0, 1.0, "neither"),),
        'Part of the rows that ``prune="reduced_error"`` sets aside, of each class alike; the tree is grown '
        "on the others.",
    ),
    "early_stopping": Param(
        '{"cv"} or None',
        (Choice(("cv",)), Nothing),
        '"cv": the tree grows level by level until one more level lowers the cross-validated error by no '
        "more than `tol`. It may stop too early, which pruning cannot.",
    ),
    "tol": Param(
        "float",
        (NOT_NEGATIVE,),
        'Drop of the cross-validated error that is worth a level with ``early_stopping="cv"``.',
    ),
    "max_depth": Param(
        "int or None",
        (Number("int", 1), Nothing),
        "Most tests between the root and a leaf. None: no limit.",
    ),
    "min_samples_split": Param(
        "int or float",
        (Number("int", 2), Number("share", 0.0, 1.0, "right")),
        "Fewest rows a node needs to be split. A float is a share of the rows, rounded up, two at least.",
    ),
    "min_samples_leaf": Param(
        "int or float",
        ROWS_OR_SHARE,
        "Fewest rows each side of a split must keep. A float is a share of the rows, rounded up.",
    ),
    "min_weight_fraction_leaf": Param(
        "float",
        (Number("float", 0.0, 0.5, "both"),),
        "Least share of the weight of all rows that each side of a split must keep.",
    ),
    "splitter": Param(
        '{"best", "random"}',
        (Choice(("best", "random")),),
        "Which cut of each feature a node considers: the best one, or one drawn at random between the "
        "smallest and the largest value in the node, as in an extremely randomised tree.",
    ),
    "max_features": Param(
        'int, float, {"sqrt", "log2"} or None',
        (Number("int", 1), Number("share", 0.0, 1.0, "right"), Choice(("sqrt", "log2")), Nothing),
        "How many features are drawn at each node and searched for a split; of equally good ones the first "
        "drawn wins. A float is a share of the features. None: all of them, and then nothing is random.",
    ),
    "max_leaf_nodes": Param(
        "int or None",
        (Number("int", 2), Nothing),
        "Most leaves. With a limit the tree grows best-first: the leaf whose split gains most is split next.",
    ),
    "min_gain": Param(
        "float or None",
        (NOT_NEGATIVE, Nothing),
        "The threshold ε of the textbooks: a node stays a leaf unless its own gain exceeds this. The "
        "gain is that of the criterion per unit of weight (bits for entropy); for squared and "
        "absolute error it is the total over the node's rows, and for C4.5 of the textbooks the gain "
        "ratio. ID3 and C4.5 take less than 1e-6 for no gain. None: no threshold, so a split that "
        'gains nothing by itself may be made (0 with ``faithful="textbook"``).',
    ),
    "min_impurity_decrease": Param(
        "float",
        (NOT_NEGATIVE,),
        "A node is split if its gain, divided by the weight of all rows, reaches this.",
    ),
    "class_weight": Param(
        'dict, "balanced" or None',
        (Mapping, Choice(("balanced",)), Nothing),
        'Weight of each class, multiplied with the weights of the rows. "balanced" makes all classes '
        "weigh the same.",
    ),
    "priors": Param(
        "array-like of shape (n_classes,), dict or None",
        (Mapping, ArrayLike(), Nothing),
        "Probability of each class where the model will be used, in the order of `classes_` or by "
        "label. Rows are weighted so that the classes of the training data get these shares (Breiman "
        "et al. 1984). None: the shares found in the data.",
    ),
    "categorical_features": Param(
        'array-like or "from_dtype"',
        (Choice(("from_dtype",)), ArrayLike(), Nothing),
        'Which columns hold categories: their names, their positions or a mask. With "from_dtype" '
        "those of dtype category, enum, text or boolean do. None: no column does.",
    ),
    "target_statistics": Param(
        'bool, array-like or "auto"',
        (Flag, Choice(("auto",)), ArrayLike()),
        "Which columns of categories also have statistics that tests may cut like numbers: the mean target "
        "of each category (for classes their shares), cross-fitted and drawn towards the mean of all rows, "
        "and how many rows it has. True: columns of more than 50 categories. A list: these columns, by name, "
        'position or mask. "auto": columns of more than 50 categories, if they predict rows better that a '
        "short trial has not seen. The finished trees test sets of categories.",
    ),
    "missing": Param(
        "{choices}",
        (),
        'What happens to missing values. "learned": at each node they go to the side where they fit '
        'best; "majority": they follow the larger side; "surrogate": the test that best imitates the '
        "node's own one decides.",
    ),
    "surrogates": Param(
        "int",
        (Number("int", 0),),
        'Most surrogate tests kept per node with ``missing="surrogate"``; the larger side decides '
        "when all of them are missing too.",
    ),
    "monotonic_cst": Param(
        "array-like of int of shape (n_features,), dict or None",
        (Mapping, ArrayLike(), Nothing),
        "1 where the prediction may only rise with the feature, -1 where it may only fall, 0 for no "
        "constraint; by position, or by name in a dict. In classification it is the probability of "
        "the second class.",
    ),
    "ccp_alpha": Param(
        "float",
        (NOT_NEGATIVE,),
        "Price of a leaf in minimal cost-complexity pruning, as in scikit-learn: the subtree that "
        "minimises impurity + ccp_alpha * leaves is kept. 0: nothing is pruned this way. Not together with "
        "`prune`.",
    ),
    "n_candidates": Param(
        "int",
        (Number("int", 0),),
        "How many features, after the one that won, keep their best test for `explain_split` without data. "
        "Kept at nodes of 5 rows and more that hold at least half a percent of all rows; there they cost "
        "next to nothing. 0: none.",
    ),
    "n_jobs": Param(
        "int or None",
        (Number("int", -(2**31), -1, "both"), Number("int", 1, 2**31), Nothing),
        "Number of threads; -1 means all. None: one, unless joblib's context says otherwise. The "
        "result does not depend on it.",
    ),
    "random_state": Param(
        "int, RandomState instance or None",
        (Number("int", 0, 2**32 - 1, "both"), RandomState, Nothing),
        "Seed of what is random: the features drawn with `max_features`, and the folds and rows set aside by "
        "pruning.",
    ),
    "estimator": Param(
        "object or None",
        (Learner(), Nothing),
        "The tree that is grown on each bag: any single tree of Treewright, e.g. ``C45Classifier()``. None: "
        "CART, fully grown.",
    ),
    "n_estimators": Param(
        "int",
        (Number("int", 1),),
        "Number of trees.",
    ),
    "bootstrap": Param(
        "bool",
        (Flag,),
        "Whether the rows of each tree are drawn with replacement. False: every tree gets all rows, or with "
        "Bagging's `max_samples` so many different ones.",
    ),
    "bootstrap_features": Param(
        "bool",
        (Flag,),
        "Whether the columns of each tree are drawn with replacement; a column drawn twice counts once.",
    ),
    "max_samples": Param(
        "int, float or None",
        (Number("int", 1), Number("share", 0.0, math.inf, "neither"), Nothing),
        "How many rows are drawn for each tree with `bootstrap`. A float is a share of the rows, or of their "
        "weight when there are weights. None: as many as there are.",
    ),
    "oob_score": Param(
        "bool or callable",
        (Flag, Called()),
        "Whether each row is also predicted by the trees that did not see it: `oob_score_` is then the "
        "accuracy, or R². A callable ``metric(y_true, y_pred)`` is the score instead; classes are given to "
        "it as positions in `classes_`. A saved model keeps the result and not the callable.",
    ),
    "warm_start": Param(
        "bool",
        (Flag,),
        "Whether `fit` keeps the trees that there are and grows the missing ones, up to `n_estimators`.",
    ),
    "verbose": Param(
        "int or bool",
        (Number("int", 0), Flag),
        "1 or more: the progress of `fit` is shown on standard error.",
    ),
    "voting": Param(
        '{"soft", "hard"}',
        (Choice(("soft", "hard")),),
        'How trees become one answer. "soft": the mean of their class distributions; "hard": each tree has '
        "one vote, and probabilities are shares of votes.",
    ),
    "max_bins": Param(
        "int or None",
        (Number("int", 2, 65535, "both"), Nothing),
        "Most bins of a numeric column: with 255 large tables take less time and memory. None: every "
        "distinct value counts.",
    ),
    "calibrate": Param(
        '{"auto", "oob"} or None',
        (Choice(("auto", "oob")), Nothing),
        '"oob": probabilities are corrected by what out-of-bag predictions say about themselves, one class '
        'against the others, and sum to 1 again. "auto": by whichever method has the least log loss on '
        "out-of-bag rows that it was not learned from, or not at all when none pays.",
    ),
    "calibration_method": Param(
        '{"isotonic", "sigmoid"}',
        (Choice(("isotonic", "sigmoid")),),
        "The correction of `calibrate`: any rising curve, or the logistic curve of Platt for few rows.",
    ),
    "quantiles": Param(
        "bool",
        (Flag,),
        "Whether the forest remembers which rows each leaf has, so that `predict_quantiles` and "
        "`predict_interval` work: four bytes per tree and row of its bag.",
    ),
    **BOOST_PARAMS,
}

# Names that mean something else to some estimators: by family (`Estimator._family`), then by name.
OTHER_MEANINGS: dict[str, dict[str, Param]] = {
    "forest": {
        "class_weight": Param(
            'dict, "balanced", "balanced_subsample" or None',
            (Mapping, Choice(("balanced", "balanced_subsample")), Nothing),
            'Weight of each class, multiplied with the weights of the rows. "balanced" makes all classes '
            'weigh the same, "balanced_subsample" does so in the bag of each tree.',
        ),
        "max_features": Param(
            PARAMS["max_features"].type_text,
            PARAMS["max_features"].accepts,
            "How many features are drawn at each node and searched for a split. A float is a share of the "
            "features. None: all of them. Which of equally good ones wins is drawn in any case.",
        ),
        "random_state": Param(
            PARAMS["random_state"].type_text,
            PARAMS["random_state"].accepts,
            "Seed of what is random: the rows of each tree, the features and cuts tried at each node, and "
            "which of equally good features wins.",
        ),
    },
    "bagging": {
        "max_features": Param(
            "int or float",
            (Number("int", 1), Number("share", 0.0, 1.0, "right")),
            "How many columns are drawn for each tree. A float is a share of the columns. Where some are "
            "drawn, so is which of equally good ones wins; otherwise the first does.",
        ),
        "max_samples": Param(
            "int, float or None",
            (Number("int", 1), Number("share", 0.0, 1.0, "right"), Nothing),
            "How many rows are drawn for each tree. A float is a share of the rows, or of their weight when "
            "there are weights. None: as many as there are.",
        ),
        "random_state": Param(
            PARAMS["random_state"].type_text,
            PARAMS["random_state"].accepts,
            "Seed of what is random: the rows and columns of each tree, and what its own algorithm draws.",
        ),
    },
    **BOOST_MEANINGS,
}

# What people type who come from other libraries: (whose name it is, our name).
FOREIGN_NAMES: dict[str, tuple[str, str]] = {
    **BOOST_NAMES,
    "CF": ("C4.5", "confidence_factor"),
    "MINOBJS": ("C4.5", "min_samples_branch"),
    "SUBSET": ("C4.5", "group_values"),
    "binarySplits": ("WEKA", "binary_splits"),
    "collapseTree": ("WEKA", "collapse"),
    "confidenceFactor": ("WEKA", "confidence_factor"),
    "cp": ("rpart", "ccp_alpha"),
    "colsample_bynode": ("XGBoost", "max_features"),
    "eta": ("XGBoost", "learning_rate"),
    "max_leaves": ("XGBoost", "max_leaf_nodes"),
    "max_bin": ("LightGBM", "max_bins"),
    "maxcompete": ("rpart", "n_candidates"),
    "maxdepth": ("rpart", "max_depth"),
    "maxsurrogate": ("rpart", "surrogates"),
    "minNumObj": ("WEKA", "min_samples_branch"),
    "min_child_samples": ("LightGBM", "min_samples_leaf"),
    "min_data_in_leaf": ("LightGBM", "min_samples_leaf"),
    "minbucket": ("rpart", "min_samples_leaf"),
    "minsplit": ("rpart", "min_samples_split"),
    "monotone_constraints": ("XGBoost", "monotonic_cst"),
    "mtry": ("randomForest", "max_features"),
    "nodesize": ("randomForest", "min_samples_leaf"),
    "nthread": ("XGBoost", "n_jobs"),
    "ntree": ("randomForest", "n_estimators"),
    "num_boost_round": ("XGBoost", "n_estimators"),
    "num_iterations": ("LightGBM", "n_estimators"),
    "num_leaves": ("LightGBM", "max_leaf_nodes"),
    "num_threads": ("LightGBM", "n_jobs"),
    "prior": ("rpart", "priors"),
    "reducedErrorPruning": ("WEKA", "prune"),
    "seed": ("XGBoost", "random_state"),
    "sampsize": ("randomForest", "max_samples"),
    "shrinkage_rate": ("LightGBM", "learning_rate"),
    "subtreeRaising": ("WEKA", "subtree_raising"),
    "unpruned": ("WEKA", "prune"),
    "useLaplace": ("WEKA", "laplace"),
    "useMDLcorrection": ("WEKA", "mdl_correction"),
    "xval": ("rpart", "cv"),
}


def param_of(name: str, family: str = "tree", choices: tuple[str, ...] | None = None) -> Param:
    """Return what is known about a parameter.

    Parameters
    ----------
    name : str
        The parameter.
    family : str, default="tree"
        Whose meaning of the name counts.
    choices : tuple of str, optional
        The words that an algorithm allows, for a parameter that is a choice.
    """
    found = OTHER_MEANINGS.get(family, {}).get(name, PARAMS[name])
    return found if choices is None else found.with_choices(choices)
