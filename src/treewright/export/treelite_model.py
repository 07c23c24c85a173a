"""Builds a treelite model of a program; needs the package treelite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from treelite import Model, gtil
from treelite.model_builder import Metadata, ModelBuilder, PostProcessorFunc, TreeAnnotation

from treewright.exceptions import UnsupportedExportError
from treewright.export.checking import Rows, Said
from treewright.program import Column, Program, Steps
from treewright.program.floats import single_at_most
from treewright.program.steps import NO_WAY

__all__ = ["build", "run"]

Floats = NDArray[np.float64]

# What treelite calls the way from sums to answers.
POSTPROCESSORS: Final = {
    "identity": "identity", "log": "exponential", "sigmoid": "sigmoid", "logit": "sigmoid",
    "square": "signed_square", "softplus": "logarithm_one_plus_exp", "step": "hinge",
    "softmax": "softmax", "votes": "softmax", "one_vs_rest": "multiclass_ova",
}  # fmt: skip


def build(program: Program) -> Any:
    """Return the treelite model of a program."""
    _refuse(program)
    plan = _planned(program)
    n_trees, width = len(plan.values), plan.n_outputs
    is_vector = n_trees > 0 and plan.values[0].shape[1] > 1
    kind = "float32" if program.single_sums else "float64"
    name, factor = ("identity", 1.0) if plan.is_static else program.answer.named_link
    is_scaled = name in ("logit", "one_vs_rest")
    task = "kRegressor" if program.answer.classes is None else "kBinaryClf" if width == 1 else "kMultiClf"
    builder = ModelBuilder(
        threshold_type=kind,
        leaf_output_type=kind,
        metadata=Metadata(
            num_feature=len(program.columns),
            task_type=task,
            average_tree_output=plan.is_mean,
            num_target=1,
            num_class=[width],
            leaf_vector_shape=(1, width) if is_vector else (1, 1),
        ),
        tree_annotation=TreeAnnotation(
            num_tree=n_trees, target_id=[0] * n_trees, class_id=[-1 if is_vector else k for k in plan.places]
        ),
        postprocessor=PostProcessorFunc(POSTPROCESSORS[name], sigmoid_alpha=factor if is_scaled else 1.0),
        base_scores=plan.start,
        attributes={"columns": [column.name for column in program.columns]},
    )
    for tree, values in zip(plan.trees, plan.values, strict=True):
        _Builder(builder, program, tree, values).write()
    return builder.commit()


def _refuse(program: Program) -> None:
    cannot = None
    if program.median_weights is not None:
        cannot = "its answer is the median of its trees"
    elif any(tree.mixes for tree in program.trees):
        cannot = "rows with missing values go down several branches"
    elif any(tree.substitutes for tree in program.trees):
        cannot = "it has surrogate tests for missing values"
    elif program.answer.calibration is not None and program.answer.calibration.curves:
        cannot = "its probabilities are calibrated"
    elif program.single_sums and program.divisor != 1.0:
        cannot = "it takes a mean in single precision"
    for column in program.columns:
        if column.zero_is_missing:
            cannot = f"zeros of column {column.name!r} count as missing"
    if cannot is not None:
        raise UnsupportedExportError(
            f"treelite cannot say this model: {cannot}. Other exporters can: treewright.export_c, for "
            "example."
        )


@dataclass(frozen=True)
class _Plan:
    """What trees add to which output."""

    trees: Sequence[Steps | None]
    values: Sequence[Floats]
    places: Sequence[int]
    start: list[float]
    n_outputs: int
    is_mean: bool = False
    is_static: bool = False


def _planned(program: Program) -> _Plan:
    answer, trees = program.answer, program.trees
    if answer.classes is not None and len(trees) == 1 and not program.start.any() and not program.single_sums:
        # One leaf decides, so that its answer can be worked out now.
        with np.errstate(invalid="ignore", divide="ignore"):
            numbers = answer.numbers(trees[0].values / program.divisor)
        width = numbers.shape[1]
        return _Plan(trees, [numbers], [0], [0.0] * width, width, is_static=True)
    values = [tree.values for tree in trees]
    start = program.start.tolist()
    if answer.link == "votes":
        scale = program.divisor * max(1, len(start) - 1)
        return _Plan(trees, [one / scale for one in values], program.first_sum, start, len(start))
    if program.single_sums:
        # The start is the first of the numbers that are added up, as in the model.
        first = [np.array([[x]]) for x in start]
        places = [*range(len(start)), *program.first_sum]
        return _Plan(
            [*[None] * len(start), *trees], [*first, *values], places, [0.0] * len(start), len(start)
        )
    is_mean = program.divisor != 1.0 and program.divisor == len(trees) and not program.start.any()
    if program.divisor != 1.0 and not is_mean:
        values = [one / program.divisor for one in values]
        start = (program.start / program.divisor).tolist()
    return _Plan(trees, values, program.first_sum, start, len(start), is_mean)


def category_numbers(column: Column) -> list[int]:
    """Return the number that stands for each category: an integer for itself, others for their place."""
    values = column.categories
    if all(isinstance(value, int) and 0 <= value < 2**31 for value in values):
        return [int(value) for value in values]
    return list(range(len(values)))


class _Builder:
    """Writes one tree; tests of several branches become chains of tests of two."""

    def __init__(self, builder: Any, program: Program, tree: Steps | None, values: Floats) -> None:
        self._builder = builder
        self._program = program
        self._tree = tree
        self._values = values
        self._next = 0
        self._ends: dict[int, int] = {}  # the leaf of rows that end at an inner node
        self._waiting = [0]
        self._seen = {0}  # nodes that some row can reach; treelite refuses others

    def write(self) -> None:
        builder, tree = self._builder, self._tree
        builder.start_tree()
        if tree is None:
            self._leaf(0, 0)
            builder.end_tree()
            return
        self._next = len(tree)
        while self._waiting:
            node = self._waiting.pop()
            if tree.feature[node] < 0:
                self._leaf(node, node)
            elif self._program.columns[int(tree.feature[node])].is_numeric:
                self._number(tree, node)
            else:
                self._category(tree, node)
        for node, key in self._ends.items():
            self._leaf(key, node)
        builder.end_tree()

    def _leaf(self, key: int, node: int) -> None:
        value = self._values[node].tolist()
        self._builder.start_node(key)
        self._builder.leaf(value if len(value) > 1 else value[0])
        self._builder.end_node()

    def _fresh(self) -> int:
        self._next += 1
        return self._next - 1

    def _end(self, node: int) -> int:
        if node not in self._ends:
            self._ends[node] = self._fresh()
        return self._ends[node]

    def _target(self, tree: Steps, node: int, way: int) -> int:
        if way == NO_WAY:
            return self._end(node)
        child = int(tree.first_child[node]) + way
        if child not in self._seen:
            self._seen.add(child)
            self._waiting.append(child)
        return child

    def _ask(
        self, key: int, column: int, threshold: float, default_left: bool, below: int, above: int
    ) -> None:
        if self._program.single_sums:
            threshold = float(single_at_most(np.array(threshold)))
        self._builder.start_node(key)
        self._builder.numerical_test(
            column,
            threshold,
            default_left=default_left,
            opname="<=",
            left_child_key=below,
            right_child_key=above,
        )
        self._builder.end_node()

    def _number(self, tree: Steps, node: int) -> None:
        column, missing = int(tree.feature[node]), int(tree.missing[node])
        key = node
        if missing == NO_WAY:
            key = self._known(node, column, self._end(node))
        below, above = self._target(tree, node, 0), self._target(tree, node, 1)
        self._ask(key, column, float(tree.threshold[node]), missing == 0, below, above)

    def _known(self, key: int, column: int, missing: int) -> int:
        """Send missing values somewhere, and return the key of the node for all others."""
        other = self._fresh()
        self._ask(key, column, np.inf, False, other, missing)
        return other

    def _category(self, tree: Steps, node: int) -> None:
        column = int(tree.feature[node])
        told = self._program.columns[column]
        numbers = category_numbers(told)
        ways = tree.ways.get(node)
        if ways is None:
            ways = (np.arange(1, len(numbers) + 2) > tree.threshold[node]).astype(np.int64)
        missing = self._target(tree, node, int(tree.missing[node]))
        # Of ordered categories one that was never seen counts as missing.
        unseen = missing if told.kind == "ordinal" else self._target(tree, node, int(ways[-1]))
        groups: dict[int, list[int]] = {unseen: []}
        for number, way in zip(numbers, ways[:-1].tolist(), strict=True):
            groups.setdefault(self._target(tree, node, way), []).append(number)
        # Listed categories leave the chain one group after the other; what is left has those never seen.
        others = [target for target in groups if target != unseen]
        if not others:
            elsewhere = missing if missing != unseen else self._end(node)
            self._ask(node, column, np.inf, missing == unseen, unseen, elsewhere)
            return
        key = node if missing in groups else self._known(node, column, missing)
        for place, target in enumerate(others):
            following = unseen if place == len(others) - 1 else self._fresh()
            self._builder.start_node(key)
            self._builder.categorical_test(
                column, default_left=missing == target, category_list=groups[target],
                category_list_right_child=False, left_child_key=target, right_child_key=following,
            )  # fmt: skip
            self._builder.end_node()
            key = following


# --- running
# ----------------------------------------------------------------------------------------------------------


def run(content: bytes, rows: Rows) -> Said:
    """Read a model and run it by treelite's own predictor."""
    program = rows.program
    matrix = np.array(rows.matrix, dtype=np.float64)
    for i, column in enumerate(program.columns):
        if not column.is_numeric:
            numbers = category_numbers(column)
            table = np.array([np.nan, *numbers, max(numbers, default=0) + 1])
            matrix[:, i] = table[np.nan_to_num(matrix[:, i]).astype(np.int64)]
    if program.single_sums:
        with np.errstate(over="ignore"):
            matrix = matrix.astype(np.float32)
    model = Model.deserialize_bytes(bytes(content))
    found = np.asarray(gtil.predict(model, matrix, nthread=1), dtype=np.float64)[:, 0, :]
    classes = program.answer.classes
    if classes is None:
        return Said("treelite", found, None)
    sums = np.asarray(gtil.predict(model, matrix, nthread=1, pred_margin=True), dtype=np.float64)[:, 0, :]
    numbers_found = np.column_stack([1.0 - found, found]) if found.shape[1] < len(classes) else found
    chosen = program.answer.chosen(sums, numbers_found)
    return Said("treelite", numbers_found, [classes[k] for k in chosen])
