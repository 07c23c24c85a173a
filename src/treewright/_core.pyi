"""
The engine of Treewright. Private: the public interface is the package treewright.
"""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


class Stopped(RuntimeError):
    """A call ended early because it was asked to."""

class RowError(ValueError):
    """
    One row cannot be used: `row` is its number, `reason` the rest of the message.
    """

    row: int = 0

    reason: str = ''

class StopRequest:
    """
    As a context: calls of this thread end with Stopped once it is requested.
    """

    def __init__(self) -> None: ...

    def request(self) -> None:
        """Ask all threads that obey to end their calls."""

    @property
    def requested(self) -> bool:
        """Whether it was requested."""

    def __enter__(self) -> None: ...

    def __exit__(self, *exception: object) -> None: ...

COLUMN_NUMERIC: int = 0

COLUMN_NOMINAL: int = 1

COLUMN_ORDINAL: int = 2

class Dataset:
    """
    The encoded columns of one table: an integer code per row, 0 = missing.
    """

    @staticmethod
    def from_matrix(matrix: Annotated[NDArray, dict(device='cpu', writable=False)], max_bins: int = 0, n_threads: int = 1) -> Dataset:
        """
        Encode a 2-D float32 or float64 array, any strides, NaN = missing.

        max_bins = 0 gives every distinct value its own code, otherwise at most max_bins quantile bins.
        """

    @staticmethod
    def from_sparse(values: Annotated[NDArray, dict(device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, coded: Sequence[int], columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], kinds: Sequence[int], n_codes: Sequence[int], keep_sparse: bool = False, max_bins: int = 0, n_threads: int = 1) -> Dataset:
        """
        Encode a matrix by columns: what is not stored is 0. coded: positions of the columns that the next three describe
        as in from_columns. keep_sparse: columns stay lists of entries where that takes less memory; such a data set is for
        histogram boosting and forests alone.
        """

    @staticmethod
    def from_columns(columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], kinds: Sequence[int], n_codes: Sequence[int], max_bins: int = 0, n_threads: int = 1) -> Dataset:
        """
        Encode 1-D arrays of equal length.

        kinds: 0 numeric (floats with NaN = missing, integers, bool), 1 nominal, 2 ordinal
        (unsigned codes of 8, 16 or 32 bits, 0 = missing, 1 ... n_codes). n_codes is not used for numeric columns.
        """

    @staticmethod
    def from_codes(codes: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], described: Sequence[tuple[int, int, bool, object, object]]) -> Dataset:
        """Make a table of codes that a BatchEncoder made elsewhere."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def missing_features(self) -> list[int]:
        """Features without a value in some row."""

    @property
    def is_sparse(self) -> bool:
        """Whether some columns are lists of entries."""

    @property
    def code_bytes(self) -> int:
        """Bytes of memory that the codes take."""

    def n_codes(self, feature: int) -> int:
        """Number of codes of a feature, without the missing one."""

    def codes(self, feature: int) -> Annotated[NDArray, dict(writable=False)]:
        """The codes of a feature, read-only and without a copy."""

    def values(self, feature: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        The smallest and the largest value behind each code, from code 1 on; empty for categories.
        """

class BatchEncoder:
    """
    A Dataset from batches of rows that come twice; it equals that of all rows.
    """

    def __init__(self, kinds: Sequence[int], n_codes: Sequence[int], n_rows: int, max_bins: int, first_row: int = 0) -> None: ...

    @staticmethod
    def of_part(described: Sequence[tuple[int, int, bool, object, object]], n_rows: int, first_row: int) -> BatchEncoder:
        """
        Encode a part of a table that `described` of another encoder describes.
        """

    def surveys(self) -> list[object]:
        """What was seen so far, by column, as plain numbers."""

    def add_surveys(self, surveys: Sequence[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]], n_rows: int) -> None:
        """Join what another encoder has seen of other rows."""

    def described(self) -> list[tuple[int, int, bool, object, object]]:
        """
        The columns without codes: kind, number of codes, whether some are missing, lowest and highest values.
        """

    def checksums(self) -> list[int]:
        """Of the rows that were encoded, by column."""

    def surveyed_checksums(self) -> list[int]:
        """Of the rows that were looked at."""

    @staticmethod
    def applies(n_rows: int, max_bins: int) -> bool:
        """
        Whether bins come from drawn rows, so that they need not all be in memory.
        """

    def survey(self, columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], n_threads: int = 1) -> None:
        """
        Look at the next rows for the first time; columns as in Dataset.from_columns.
        """

    def encode(self, columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], n_threads: int = 1) -> None:
        """Encode the next rows, when all were looked at."""

    def dataset(self) -> Dataset:
        """The encoded table, once."""

KIND_LEAF: int = 0

KIND_THRESHOLD: int = 1

KIND_SUBSET: int = 2

KIND_MULTIWAY: int = 3

EVERY_BRANCH: int = 4294967295

STOP_HERE: int = 4294967294

FOREST_LEAF: int = -1

FOREST_MISSING: int = 1

FOREST_SUBSET: int = 2

def check_tree(arrays: dict, n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """
    Raise ValueError with a sentence when the arrays are not a tree that can be walked safely.

    n_codes holds the number of categories of each feature, 0 for a numeric one.
    """

def branches_of_codes(tables: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: int, codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint32]:
    """Return the branch that each code takes by the table at `offset`."""

def check_stored_trees(trees: Sequence[dict], n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """
    Raise ValueError unless the arrays of every tree are those that a fit makes; the message names the rule
    that is broken.
    """

def check_stored_forest(arrays: dict, n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """The same for the arrays of a forest."""

class Predictor:
    """
    Trees made ready for prediction. May be used from several threads at once.
    """

    def __init__(self, trees: Sequence[dict], n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Check and compile trees (dicts of arrays); n_codes holds the categories per feature, 0 for numeric.
        """

    @property
    def n_trees(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_outputs(self) -> int: ...

    def apply(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """
        Leaf ids, int32 (n_rows, n_trees). A row shared among leaves gets the one with the largest share.
        """

    def values(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Leaf values, summed over the trees, float64 (n_rows, n_outputs)."""

    def votes(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        The share of trees whose most likely class (the first among equals) is k, float64 (n_rows, n_outputs).
        """

    def decision_path(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        The nodes that each row reaches in a single tree, as (indptr, indices) of a CSR matrix.
        """

class Criterion(enum.Enum):
    """What a split makes smaller."""

    gini = 0

    entropy = 1

    squared_error = 2

    poisson = 3

    absolute_error = 4

def criteria(*, classes: bool) -> list[Criterion]:
    """All criteria for classes, or all for numbers."""

class Ranking(enum.Enum):
    """What candidates of different features compete on."""

    gain = 0

    gain_ratio = 1

class Selection(enum.Enum):
    """Which candidates may win."""

    best = 0

    above_average_gain = 1

class CategoryGrouping(enum.Enum):
    """How categories become children."""

    subset = 0

    multiway = 1

    merged = 2

    one_against_rest = 3

class Arithmetic(enum.Enum):
    """How class counts are added up and compared."""

    exact = 0

    single = 1

    tolerant = 2

class EmptyLeaf(enum.Enum):
    """What a branch without rows answers."""

    distribution = 0

    majority = 1

class CutRule(enum.Enum):
    """Where between two values a threshold stands."""

    midpoint = 0

    value_below = 1

class MissingRule(enum.Enum):
    """Where rows with a missing value go."""

    learned = 0

    majority = 1

    surrogate = 2

    fractional = 3

    own_branch = 4

class Order(enum.Enum):
    """Which open node is split next."""

    depth_first = 0

    level_wise = 1

    best_first = 2

class GrowPlan:
    """Everything that decides how a tree grows, as names and numbers."""

    def __init__(self) -> None: ...

    @property
    def criterion(self) -> Criterion: ...

    @criterion.setter
    def criterion(self, arg: Criterion, /) -> None: ...

    @property
    def ranking(self) -> Ranking: ...

    @ranking.setter
    def ranking(self, arg: Ranking, /) -> None: ...

    @property
    def selection(self) -> Selection: ...

    @selection.setter
    def selection(self, arg: Selection, /) -> None: ...

    @property
    def categories(self) -> CategoryGrouping: ...

    @categories.setter
    def categories(self, arg: CategoryGrouping, /) -> None: ...

    @property
    def cut(self) -> CutRule: ...

    @cut.setter
    def cut(self, arg: CutRule, /) -> None: ...

    @property
    def missing(self) -> MissingRule: ...

    @missing.setter
    def missing(self, arg: MissingRule, /) -> None: ...

    @property
    def arithmetic(self) -> Arithmetic: ...

    @arithmetic.setter
    def arithmetic(self, arg: Arithmetic, /) -> None: ...

    @property
    def empty_leaf(self) -> EmptyLeaf: ...

    @empty_leaf.setter
    def empty_leaf(self, arg: EmptyLeaf, /) -> None: ...

    @property
    def order(self) -> Order: ...

    @order.setter
    def order(self, arg: Order, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def min_rows_split(self) -> int: ...

    @min_rows_split.setter
    def min_rows_split(self, arg: int, /) -> None: ...

    @property
    def min_rows_leaf(self) -> int: ...

    @min_rows_leaf.setter
    def min_rows_leaf(self, arg: int, /) -> None: ...

    @property
    def min_weight_leaf(self) -> float: ...

    @min_weight_leaf.setter
    def min_weight_leaf(self, arg: float, /) -> None: ...

    @property
    def min_weight_split(self) -> float: ...

    @min_weight_split.setter
    def min_weight_split(self, arg: float, /) -> None: ...

    @property
    def min_impurity_decrease(self) -> float: ...

    @min_impurity_decrease.setter
    def min_impurity_decrease(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def gain_per_weight(self) -> bool: ...

    @gain_per_weight.setter
    def gain_per_weight(self, arg: bool, /) -> None: ...

    @property
    def relative_tie(self) -> float: ...

    @relative_tie.setter
    def relative_tie(self, arg: float, /) -> None: ...

    @property
    def absolute_tie(self) -> float: ...

    @absolute_tie.setter
    def absolute_tie(self, arg: float, /) -> None: ...

    @property
    def draw_ties(self) -> bool: ...

    @draw_ties.setter
    def draw_ties(self, arg: bool, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def surrogates(self) -> int: ...

    @surrogates.setter
    def surrogates(self, arg: int, /) -> None: ...

    @property
    def n_candidates(self) -> int: ...

    @n_candidates.setter
    def n_candidates(self, arg: int, /) -> None: ...

    @property
    def monotone(self) -> list[int]: ...

    @monotone.setter
    def monotone(self, arg: Sequence[int], /) -> None: ...

    @property
    def min_branch_weight(self) -> float: ...

    @min_branch_weight.setter
    def min_branch_weight(self, arg: float, /) -> None: ...

    @property
    def declared_classes(self) -> int: ...

    @declared_classes.setter
    def declared_classes(self, arg: int, /) -> None: ...

    @property
    def cut_penalty(self) -> bool: ...

    @cut_penalty.setter
    def cut_penalty(self, arg: bool, /) -> None: ...

    @property
    def min_value_gap(self) -> float: ...

    @min_value_gap.setter
    def min_value_gap(self, arg: float, /) -> None: ...

    @property
    def category_price(self) -> float: ...

    @category_price.setter
    def category_price(self, arg: float, /) -> None: ...

    @property
    def min_category_rows(self) -> int: ...

    @min_category_rows.setter
    def min_category_rows(self, arg: int, /) -> None: ...

    @property
    def many_values_share(self) -> float: ...

    @many_values_share.setter
    def many_values_share(self, arg: float, /) -> None: ...

    @property
    def random_cuts(self) -> bool: ...

    @random_cuts.setter
    def random_cuts(self, arg: bool, /) -> None: ...

    @property
    def keep_trees(self) -> bool: ...

    @keep_trees.setter
    def keep_trees(self, arg: bool, /) -> None: ...

    @property
    def ccp_alpha(self) -> float: ...

    @ccp_alpha.setter
    def ccp_alpha(self, arg: float, /) -> None: ...

    @property
    def keep_leaf_rows(self) -> bool: ...

    @keep_leaf_rows.setter
    def keep_leaf_rows(self, arg: bool, /) -> None: ...

FREE_CATEGORIES: int = 5

TOLERANCE: float = 1e-06

SLACK: float = 0.001

def grow_classes(dataset: Dataset, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, plan: GrowPlan, n_threads: int = 1) -> dict:
    """
    Grow a classification tree; labels are int32 from 0 to n_classes - 1. Returns the arrays of the tree.
    """

def grow_means(dataset: Dataset, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, plan: GrowPlan, n_threads: int = 1) -> dict:
    """Grow a regression tree. Returns the arrays of the tree."""

class BagRule:
    """Which rows and columns each tree of a forest gets."""

    def __init__(self) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def draws(self) -> int:
        """Rows drawn for each tree; 0: every row once."""

    @draws.setter
    def draws(self, arg: int, /) -> None: ...

    @property
    def replace(self) -> bool: ...

    @replace.setter
    def replace(self, arg: bool, /) -> None: ...

    @property
    def probabilities(self) -> list[float]:
        """Rows are drawn in proportion to these; empty: all alike."""

    @probabilities.setter
    def probabilities(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    @property
    def balanced(self) -> bool:
        """Give every class of a bag the same weight."""

    @balanced.setter
    def balanced(self, arg: bool, /) -> None: ...

    @property
    def features(self) -> int:
        """Columns drawn for each tree; 0: all."""

    @features.setter
    def features(self, arg: int, /) -> None: ...

    @property
    def replace_features(self) -> bool: ...

    @replace_features.setter
    def replace_features(self, arg: bool, /) -> None: ...

def draw_bag(rule: BagRule, n_rows: int, tree: int) -> NDArray[numpy.uint32]:
    """How often each row is in the bag of a tree."""

def draw_features(rule: BagRule, n_features: int, tree: int) -> NDArray[numpy.int32]:
    """The columns of a tree, ascending."""

def node_seed(rule: BagRule, tree: int) -> int:
    """
    The seed of the plan by which a tree compares the columns of its nodes.
    """

def grow_class_forest(dataset: Dataset, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, plan: GrowPlan, rule: BagRule, first_tree: int, n_trees: int, n_threads: int = 1, progress: object | None = None, path: Sequence[int] | None = None) -> dict:
    """
    Grow classification trees, several at a time. Returns the arrays of the forest; with the branches to a node of one tree with random cuts also the tests that the node chose from, `drawn`.
    """

def grow_mean_forest(dataset: Dataset, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, plan: GrowPlan, rule: BagRule, first_tree: int, n_trees: int, n_threads: int = 1, progress: object | None = None, path: Sequence[int] | None = None) -> dict:
    """Grow regression trees, several at a time, as grow_class_forest does."""

class ForestPredictor:
    """
    A forest made ready for prediction. May be used from several threads at once.

    It reads the arrays that it was made from, so they must not be changed.
    """

    def __init__(self, arrays: dict, n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Check a forest (dict of arrays); n_codes holds the categories per feature, 0 for numeric.
        """

    @property
    def n_trees(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_outputs(self) -> int: ...

    def values(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """The mean of the trees' answers, float64 (n_rows, n_outputs)."""

    def votes(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        The share of trees whose most likely class (the first among equals) is k, float64 (n_rows, n_outputs).
        """

    def sums(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first_tree: int, last_tree: int, n_threads: int = 1, single: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Start, float64 (1 or n_rows, n_outputs), and the leaf numbers of the trees first_tree ... last_tree - 1 added to it in their order; tree t adds to output t % n_outputs. With single, every sum is rounded to single precision.
        """

    def apply(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """Leaf ids, int32 (n_rows, n_trees)."""

    def leaf_values(self, matrix: numpy.typing.NDArray, n_threads: int = 1) -> numpy.typing.NDArray:
        """
        Each tree's own answer (n_rows, n_trees): its most likely class, int32, or its number, float64.
        """

def unpack_tree(arrays: dict, tree: int, criterion: Criterion) -> dict:
    """
    One tree of a forest as the arrays of a full tree.

    Values of inner nodes and gains are computed from the leaves; the loss is NaN where trees predict numbers, and so is the gain under the absolute error.
    """

def oob_values(predictor: ForestPredictor, dataset: Dataset, rule: BagRule, first_tree: int, last_tree: int, votes: bool = False, n_threads: int = 1) -> tuple[numpy.typing.NDArray, numpy.typing.NDArray]:
    """
    For each training row, the sum of what the trees first_tree ... last_tree - 1 that did not see it say, float64 (n_rows, n_outputs), and how many these are, uint32.
    """

def oob_permutation(predictor: ForestPredictor, dataset: Dataset, rule: BagRule, target: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], n_repeats: int = 1, seed: int = 0, n_threads: int = 1) -> NDArray[numpy.float64]:
    """
    How much worse each tree does on the rows that it did not see when a feature is shuffled among them,
    float64 (n_trees, n_features, n_repeats): decrease of accuracy (int32 labels) or increase of the mean
    squared error (float64 numbers). NaN where a tree has seen every row.
    """

class ForestQuantiles:
    """
    Quantiles of the training targets that share leaves with a row (Meinshausen 2006).

    weights are those of the training rows where trees grew from all of them; with a drawn bag
    the rule counts the rows.
    """

    def __init__(self, predictor: ForestPredictor, leaf_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rule: BagRule, n_threads: int = 1) -> None: ...

    def predict(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        The quantiles q (between 0 and 1) for every row, float64 (n_rows, n_q).
        """

    def places_out_of_bag(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Where the targets of training rows (uint32 numbers, and their features) lie in what the trees predict that
        have not seen them, float64 (n_rows, 4): the shares of weight below and up to the target, how many equal
        weights would say as much, and the number of trees. NaN for a row that all trees have seen.
        """

def forest_quantiles(predictor: ForestPredictor, leaf_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rule: BagRule, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """ForestQuantiles for a single call, float64 (n_rows, n_q)."""

def class_candidates(dataset: Dataset, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, plan: GrowPlan, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, total_weight: float, path: Sequence[int] = [], lower: float = float('-inf'), upper: float = float('inf'), features: Sequence[int] | None = None, cuts: bool = False, n_threads: int = 1) -> dict:
    """
    The best test of each feature at a node with the given rows (weights: one per listed row), found as in
    growing, with what it does to the rows. path: the branches that lead to the node.
    """

def mean_candidates(dataset: Dataset, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: GrowPlan, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, total_weight: float, path: Sequence[int] = [], lower: float = float('-inf'), upper: float = float('inf'), features: Sequence[int] | None = None, cuts: bool = False, n_threads: int = 1) -> dict:
    """The same for a target of numbers."""

def child_bounds(lower: float, upper: float, direction: int, left_value: float, right_value: float, branch: int) -> tuple[float, float]:
    """
    The values that leaves below a branch may take, from those allowed above it: a feature with a monotone direction
    (-1, 1) separates the values of its children at the middle between them.
    """

class TreeRows:
    """
    Which rows of a matrix reach the nodes of a tree, as growing sent them.
    """

    def __init__(self, arrays: dict, n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Check a tree (a dict of arrays); n_codes holds the categories per feature, 0 for numeric.
        """

    def branches(self, node: int, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        Where the test of a node sends rows: a branch, or the entries for every branch and for none.
        """

    def down(self, node: int, branch: int, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, single: bool = False) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None]:
        """
        The rows of a node that take one branch, and their weights with shares; None: each counts 1.
        """

    def at(self, node: int, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, single: bool = False) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None]:
        """
        The rows of any node, and their weights with shares; rows and weights are those of the root.
        """

def forest_branches(arrays: dict, nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    The branch that a value of the tested column takes at each of the inner nodes of a forest; NaN is missing, a
    category is its code.
    """

def boost_candidates(dataset: Dataset, gradients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hessians: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: BoostPlan, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, round: int = 0, output: int = 0, exact: bool = False, equal_hessians: bool = False, drawn: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, lower: float = float('-inf'), upper: float = float('inf'), n_threads: int = 1) -> list[dict]:
    """
    The best test of each column at a node of a boosted tree, found as in growing from the float32 gradients of all
    rows of the round; rows: those of the node; drawn: 1 for the rows that the round saw; lower and upper: the
    values that monotone constraints above the node allow. Each is a dict of kind,
    is_constant, threshold, branches (of every code, missing first) and rows, gradient and hessian of both sides.
    """

class Background:
    """Rows that stand for what is not known, prepared for some trees."""

    @property
    def n_rows(self) -> int:
        """Their number."""

class Attributions:
    """
    Shapley values of a sum of trees. n_codes holds the categories per feature, 0 for numeric.
    """

    def __init__(self, n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int) -> None: ...

    def add_tree(self, arrays: dict, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, first_output: int = 0, by_rows: bool = False) -> None:
        """
        Add a tree (a dict of arrays) whose nodes count values, float64 (n_nodes, n_own_outputs). by_rows: branches
        are as likely as their share of the training rows, not of their weight.
        """

    def add_forest(self, arrays: dict, *, factor: float = 1.0, votes: bool = False, by_rows: bool = False) -> None:
        """
        Add the trees of a forest, their answers times factor: tree t of numbers to output t % n_outputs, classes to all
        of them, with votes 1 for the most likely class.
        """

    def base(self) -> object:
        """
        What the trees say on average over the training rows, float64 (n_outputs,).
        """

    def background(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1) -> Background:
        """Rows that stand for what is not known, in place of the training rows."""

    def values(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1, background: Background | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """float64 (n_rows, n_features * n_outputs)."""

    def scaled_values(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], background: Background, factors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        The values against each row of the background, times its factor, float64 (n_rows, n_background), added up.
        """

    def interactions(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1, background: Background | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """float64 (n_rows, n_features * n_features * n_outputs)."""

    def curves(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], features: Sequence[int], values: Sequence[Sequence[float]], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        What the trees add up to when one or two features of each row take the values of a grid, float64 (n_rows,
        n_cells * n_outputs). Values ascend, NaN at the end; the last feature varies first.
        """

    def curve_sums(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], features: Sequence[int], values: Sequence[Sequence[float]], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> object:
        """The sum of the curves over the rows, float64 (n_cells * n_outputs,)."""

    def expected_curve(self, features: Sequence[int], values: Sequence[Sequence[float]], n_threads: int = 1) -> object:
        """
        Their mean over the training rows on their ways down the trees, float64 (n_cells * n_outputs,).
        """

    def shared(self, matrix: Annotated[NDArray, dict(device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
        """
        Whether a tree shares a row among its branches, uint8 (n_rows, n_trees).
        """

class PruneProgram(enum.Enum):
    """Whose details pruning follows."""

    release_8 = 0

    j48 = 1

def extra_errors(weight: float, errors: float, confidence: float, program: PruneProgram) -> float:
    """
    Errors that a node is expected to make beyond those seen among its rows.
    """

def collapse(arrays: dict, n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict:
    """
    Take back splits that save no training error. Returns the arrays of the smaller tree and empties `arrays`.
    """

def prune_pessimistic(arrays: dict, dataset: Dataset, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, criterion: Criterion, program: PruneProgram, confidence: float, raising: bool, n_threads: int = 1) -> dict:
    """
    Replace nodes by leaves or by their largest branch where pessimistic errors do not rise by that.

    The dataset, labels and weights are those that the tree was grown on. Returns the arrays of the smaller tree and empties `arrays`.
    """

def narrow_groups(arrays: dict, dataset: Dataset) -> dict:
    """
    Take values that the tests above rule out from the last group of each multiway node.
    """

def weakest_links(first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], risk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict:
    """
    Minimal cost-complexity pruning: alpha, the price of a leaf from which on each node is not split (0 for a
    leaf), and the steps: step_node, step_alpha (ascending), step_risk, step_leaves.
    """

def sum_subtrees(first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """Add to the row of each node the rows of all nodes below it."""

def sum_powers(first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """
    The same for sums of (y - value of the node)^p, one column per p = 0, 1, ...
    """

class BoostOrder(enum.Enum):
    """Which open node of a boosted tree is split next."""

    depth_wise = 0

    leaf_wise = 1

class BoostPlan:
    """
    Everything that decides how the trees of a booster grow, as names and numbers.
    """

    def __init__(self) -> None: ...

    @property
    def order(self) -> BoostOrder: ...

    @order.setter
    def order(self, arg: BoostOrder, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def learning_rates(self) -> list[float]: ...

    @learning_rates.setter
    def learning_rates(self, arg: Sequence[float], /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def l1(self) -> float: ...

    @l1.setter
    def l1(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def chance_gain(self) -> float: ...

    @chance_gain.setter
    def chance_gain(self, arg: float, /) -> None: ...

    @property
    def max_step(self) -> float: ...

    @max_step.setter
    def max_step(self, arg: float, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def min_rows_leaf(self) -> int: ...

    @min_rows_leaf.setter
    def min_rows_leaf(self, arg: int, /) -> None: ...

    @property
    def min_hessian_leaf(self) -> float: ...

    @min_hessian_leaf.setter
    def min_hessian_leaf(self, arg: float, /) -> None: ...

    @property
    def max_features_tree(self) -> int: ...

    @max_features_tree.setter
    def max_features_tree(self, arg: int, /) -> None: ...

    @property
    def max_features_level(self) -> int: ...

    @max_features_level.setter
    def max_features_level(self, arg: int, /) -> None: ...

    @property
    def max_features_node(self) -> int: ...

    @max_features_node.setter
    def max_features_node(self, arg: int, /) -> None: ...

    @property
    def subsample(self) -> float: ...

    @subsample.setter
    def subsample(self, arg: float, /) -> None: ...

    @property
    def top_share(self) -> float: ...

    @top_share.setter
    def top_share(self, arg: float, /) -> None: ...

    @property
    def other_share(self) -> float: ...

    @other_share.setter
    def other_share(self, arg: float, /) -> None: ...

    @property
    def drop_hopeless(self) -> bool:
        """
        A column without a test worth making at a node is not asked again below it.
        """

    @drop_hopeless.setter
    def drop_hopeless(self, arg: bool, /) -> None: ...

    @property
    def share_codes(self) -> bool:
        """Columns with few values share a code: faster, the same trees."""

    @share_codes.setter
    def share_codes(self, arg: bool, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def one_against_rest(self) -> int: ...

    @one_against_rest.setter
    def one_against_rest(self, arg: int, /) -> None: ...

    @property
    def few_categories(self) -> int: ...

    @few_categories.setter
    def few_categories(self, arg: int, /) -> None: ...

    @property
    def category_smoothing(self) -> float: ...

    @category_smoothing.setter
    def category_smoothing(self, arg: float, /) -> None: ...

    @property
    def category_l2(self) -> float: ...

    @category_l2.setter
    def category_l2(self, arg: float, /) -> None: ...

    @property
    def max_categories_side(self) -> int: ...

    @max_categories_side.setter
    def max_categories_side(self, arg: int, /) -> None: ...

    @property
    def min_rows_category(self) -> int: ...

    @min_rows_category.setter
    def min_rows_category(self, arg: int, /) -> None: ...

    @property
    def monotone(self) -> list[int]: ...

    @monotone.setter
    def monotone(self, arg: Sequence[int], /) -> None: ...

    @property
    def interactions(self) -> list[list[int]]: ...

    @interactions.setter
    def interactions(self, arg: Sequence[Sequence[int]], /) -> None: ...

def boost_exact_tree(dataset: Dataset, gradients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hessians: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: BoostPlan, round: int = 0, output: int = 0, n_threads: int = 1) -> dict:
    """
    Grow one tree by the exact greedy method from float32 gradients and hessians. Returns the arrays of the tree, the sum of gradients of every node and the leaf of every row; values are those before the learning rate.
    """

def rows_per_block(n_rows: int) -> int:
    """
    Rows of the blocks of a table of so many rows: shares of several processes end where blocks do.
    """

def more_l2_of(plan: BoostPlan, n_codes: int) -> float:
    """Return what is added to λ while subsets of so many categories compete."""

def boost_sample(plan: BoostPlan, n_rows: int, round: int) -> object:
    """
    Return which of the rows a round of a booster sees: 1, or 0 where it does not.
    """

def boost_histogram_tree(dataset: Dataset, gradients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hessians: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: BoostPlan, packed: bool = False, equal_hessians: bool = False, n_threads: int = 1) -> dict:
    """
    Grow one tree by histograms from float32 gradients and hessians; packed: by the coarser ticks that many rows
    are grown with. Returns the arrays of the tree and the sum of gradients of every node; values are those
    before the learning rate.
    """

def boost(dataset: Dataset, y: numpy.typing.NDArray, weights: numpy.typing.NDArray | None, raw: numpy.typing.NDArray, objective: Objective, plan: BoostPlan, n_rounds: int, *, first_round: int = 0, held_out: tuple | None = None, code_values: list | None = None, score_rows: int = 0, patience: int = 0, tolerance: float = 0.0, after_round: object = None, gradients: object = None, metric: object = None, keep_partial: bool = False, exact: bool = False, tree: GrowPlan | None = None, exchange: object = None, n_threads: int = 1) -> dict:
    """
    Grow trees round by round from the raw scores `raw`, float64 (n_rows, outputs).

    held_out: (matrix, y, weights or None, raw scores) of validation rows. code_values: the matrix has codes, and these are the values behind those of each column. score_rows: training rows that the
    train score looks at, 0 for none. patience: rounds without an improvement of more than `tolerance` before
    the end, 0 for all rounds. after_round(round, train score, validation score) returns whether to stop.
    gradients(raw) returns (gradient, hessian), (n_rows, outputs) each, in place of the objective's.
    metric(raw) scores the validation rows in place of the loss; lower is better. tree: how least-squares trees grow, for gradient boosting (Friedman) in place of Newton boosting;
    of the plan only learning_rate, subsample and seed are read then.

    Returns the arrays of the forest and `gradient`, the sum of each node; train_score and validation_score
    (before the first round and after each), oob_score (the same of the rows that the round did not draw, empty
    for Newton boosting), gain, count and cover by feature, n_rounds, best_round, was_stopped.
    """

class LossEntry:
    """What the engine knows of a loss by its name."""

    @property
    def name(self) -> str: ...

    @property
    def of_classes(self) -> bool: ...

    @property
    def link(self) -> str:
        """From raw scores to answers; for classes that of two."""

    @property
    def several_classes(self) -> bool:
        """Whether there may be more than two classes."""

    @property
    def score_factor(self) -> float:
        """Times the mean loss: the score that people know."""

    @property
    def parameter(self) -> str:
        """Of Objective that it reads: quantile, power, or nothing."""

def losses() -> list[LossEntry]:
    """The losses that a booster may be asked for."""

class Objective:
    """What a booster makes small, as a function of raw scores."""

    def __init__(self, name: str, n_classes: int = 2, quantile: float = 0.5, power: float = 1.5) -> None: ...

    @property
    def outputs(self) -> int:
        """Raw scores of a row, and trees per round."""

    @property
    def hessian_is_weight(self) -> bool: ...

    @property
    def renews_leaves(self) -> bool: ...

    def check(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """Raise ValueError for a target out of range."""

    def start(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offset: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None = None) -> NDArray[numpy.float64]:
        """The constant raw scores of least loss."""

    def begin_round(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> None:
        """Set what a loss decides anew in every round (Huber's scale)."""

    def gradients(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> object:
        """First and second derivatives by the scores, times the weight."""

    def total(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> float:
        """The sum of weight times loss."""

    def leaf_value(self, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], output: int, leaf: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The best step for the rows of a leaf."""
