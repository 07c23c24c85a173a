"""Models: which elements of PMML a program becomes. Sums are added up in the model's own order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.export.pmml.fields import Fields
from treewright.export.pmml.formulas import Formulas
from treewright.export.pmml.page import Expression, Page, apply, number_text, numeral, ref
from treewright.export.pmml.predicates import Ask, compound, one_of, simple
from treewright.export.pmml.trees import columns_of, number_leaf, share_leaf, write_model, write_nodes
from treewright.program import Steps
from treewright.program.steps import EVERY_WAY

__all__ = ["Models"]

Floats = NDArray[np.float64]


class Models:
    """Writes the model of a program.

    Parameters
    ----------
    page : Page
        Where to write.
    fields : Fields
        The fields of the document.
    weights : sequence of ndarray
        The weight of the rows of each node, of each tree; for trees of classes.
    """

    def __init__(self, page: Page, fields: Fields, weights: Sequence[Floats]) -> None:
        self._page = page
        self._fields = fields
        self._program = fields.program
        self._weights = weights
        self._is_class = self._program.answer.classes is not None
        self._function = "classification" if self._is_class else "regression"

    def write(self) -> None:
        """Write the one element that holds the model."""
        program = self._program
        link, calibration = program.answer.link, program.answer.calibration
        plain = link == "identity" and not program.single_sums and not program.answer.begin
        if program.median_weights is not None:
            self._numbers("weightedMedian", program.median_weights.tolist())
        elif any(tree.mixes for tree in program.trees):
            self._mixture()
        elif self._is_class and self._is_single:
            self._static_tree(0, self._top(self._probabilities))
        elif not self._is_class and plain and program.divisor in (1.0, float(len(program.trees))):
            self._numbers("sum" if program.divisor == 1.0 else "average")
        elif self._is_average:
            if calibration is None or not calibration.curves:
                self._average(self._top(self._probabilities))
            else:
                self._chain(self._averaged)
        else:
            self._chain(self._single_sums if program.single_sums else self._sums)

    @property
    def _is_single(self) -> bool:
        """Whether the answer depends on one leaf alone."""
        program = self._program
        return len(program.trees) == 1 and not program.start.any() and not program.single_sums

    @property
    def _is_average(self) -> bool:
        """Whether the answer is the mean of class shares."""
        program = self._program
        return (
            self._is_class
            and program.answer.link == "identity"
            and program.answer.choice == "probabilities"
            and program.divisor == len(program.trees)
            and not program.start.any()
            and all(self._holds_shares(tree) for tree in program.trees)
        )

    def _holds_shares(self, tree: Steps) -> bool:
        values = tree.values[tree.ends]
        return bool((values >= 0).all() and np.allclose(values.sum(axis=1), 1.0, rtol=0, atol=1e-9))

    # --- what stands at the beginning of the whole model

    def _top(self, outputs: Callable[[], None]) -> Callable[[Page], None]:
        def write(page: Page) -> None:
            self._fields.schema(page, self._fields.used, top=True)
            with page.inside("Output"):
                self._predicted()
                outputs()

        return write

    def _predicted(self) -> None:
        told = self._told(self._fields.fresh("predicted"))
        if self._is_class:
            told |= {"optype": "categorical", "dataType": self._fields.classes.data_type}
        self._page.add("OutputField", told)

    def _probabilities(self) -> None:
        """Write the probabilities that a model of classes has by itself."""
        for text in self._fields.classes.words:
            told = self._told(self._fields.probability(text), "probability")
            self._page.add("OutputField", {**told, "value": text})

    def _worked_out(self, numbers: Sequence[Expression]) -> None:
        """Write probabilities that are fields."""
        for text, number in zip(self._fields.classes.words, numbers, strict=True):
            told = self._told(self._fields.probability(text), "transformedValue")
            with self._page.inside("OutputField", told):
                self._page.express(number)

    # --- trees, and models of many trees

    def _static_tree(self, number: int, head: Callable[[Page], None]) -> None:
        """Write a tree of classes whose leaves say everything."""
        program, tree = self._program, self._program.trees[number]
        sums = tree.values / program.divisor
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = program.answer.numbers(sums) if self._is_single else sums
            chosen = program.answer.chosen(sums, shares) if self._is_single else sums.argmax(axis=1)
        weight = self._weights[number]
        leaf = share_leaf(self._fields, shares, chosen, weight)
        write_model(self._page, self._fields, tree, leaf, weight, is_class=True, head=head)

    def _inner(self, columns: Iterable[int], others: Sequence[str] = ()) -> Callable[[Page], None]:
        return lambda page: self._fields.schema(page, columns, others)

    def _segment(self, number: int, write: Callable[[], None], weight: float | None = None) -> None:
        told = {"id": number, "weight": None if weight is None else number_text(weight)}
        with self._page.inside("Segment", told):
            self._page.add("True")
            write()

    def _numbers(self, method: str, weights: Sequence[float] | None = None) -> None:
        """Write trees of numbers that are added up, or whose median is taken."""
        if len(self._program.trees) == 1 and not self._program.start.any() and weights is None:
            self._number_tree(0, 0, self._top(lambda: None))
            return
        with self._page.inside("MiningModel", {"functionName": "regression"}):
            self._top(lambda: None)(self._page)
            self._summed(0, method, weights)

    def _number_tree(self, number: int, place: int, head: Callable[[Page], None] | None = None) -> None:
        tree = self._program.trees[number]
        write_model(
            self._page, self._fields, tree, number_leaf(tree.values, place), None, is_class=False,
            head=head or self._inner(columns_of(tree)),
        )  # fmt: skip

    def _summed(self, place: int, method: str = "sum", weights: Sequence[float] | None = None) -> None:
        """Write the trees that add to a sum; what it begins with is the first of them."""
        program = self._program
        start = float(program.start[place])
        with self._page.inside("Segmentation", {"multipleModelMethod": method}):
            if method == "sum" and (start or not program.trees):
                self._segment(0, lambda: self._constant(start))
            for number, (tree, first) in enumerate(zip(program.trees, program.first_sum, strict=True)):
                if not first <= place < first + tree.n_values:
                    continue
                weight = None if weights is None else weights[number]
                self._segment(
                    number + 1,
                    lambda n=number, at=place - first: self._number_tree(n, at),  # type: ignore[misc]
                    weight,
                )

    def _constant(self, value: float) -> None:
        page = self._page
        with page.inside("TreeModel", {"functionName": "regression"}):
            self._fields.schema(page, [])
            with page.inside("Node", {"score": number_text(value)}):
                page.add("True")

    def _average(self, head: Callable[[Page], None]) -> None:
        """Write trees of classes whose shares are averaged; votes are shares of 1 and 0."""
        with self._page.inside("MiningModel", {"functionName": "classification"}):
            head(self._page)
            with self._page.inside("Segmentation", {"multipleModelMethod": "average"}):
                for number, tree in enumerate(self._program.trees):
                    head_of_tree = self._inner(columns_of(tree))
                    self._segment(
                        number + 1,
                        lambda n=number, h=head_of_tree: self._static_tree(n, h),  # type: ignore[misc]
                    )

    # --- chains: first the sums, then what they mean

    def _chain(self, first: Callable[[], list[str]]) -> None:
        page, fields = self._page, self._fields
        with page.inside("MiningModel", {"functionName": self._function}):
            fields.schema(page, fields.used, top=True)
            with page.inside("Segmentation", {"multipleModelMethod": "modelChain"}):
                names = first()
                formulas = Formulas(fields)
                sums = [ref(name) for name in names]
                if self._program.divisor != 1.0 and first == self._sums:
                    divisor = numeral(self._program.divisor)
                    sums = [formulas.let(f"mean({k})", apply("/", s, divisor)) for k, s in enumerate(sums)]
                with page.inside("Segment", {"id": "answer"}):
                    page.add("True")
                    self._final(sums, formulas, lambda: fields.schema(page, [], names, target=True))

    def _told(self, name: str, feature: str = "predictedValue", data_type: str = "double") -> dict[str, str]:
        return {"name": name, "optype": "continuous", "dataType": data_type, "feature": feature}

    def _sums(self) -> list[str]:
        names = [self._fields.fresh(f"sum({k})") for k in range(self._program.n_sums)]
        for place, name in enumerate(names):
            with self._page.inside("Segment", {"id": name}):
                self._page.add("True")
                with self._page.inside("MiningModel", {"functionName": "regression"}):
                    self._fields.schema(self._page, self._fields.used)
                    with self._page.inside("Output"):
                        self._page.add("OutputField", {**self._told(name), "isFinalResult": "false"})
                    self._summed(place)
        return names

    def _averaged(self) -> list[str]:
        """Write the mean of class shares, whose sums are probabilities already."""
        names = [self._fields.fresh(f"mean({text})") for text in self._fields.classes.words]

        def head(page: Page) -> None:
            self._fields.schema(page, self._fields.used)
            with page.inside("Output"):
                for name, text in zip(names, self._fields.classes.words, strict=True):
                    told = {**self._told(name, "probability"), "value": text, "isFinalResult": "false"}
                    page.add("OutputField", told)

        with self._page.inside("Segment", {"id": "mean"}):
            self._page.add("True")
            self._average(head)
        return names

    def _single_sums(self) -> list[str]:
        """Write the trees one after the other, each with the sum so far, rounded to single precision."""
        page, program, fields = self._page, self._program, self._fields
        now: list[Expression] = [
            Expression("Constant", {"dataType": "float"}, text=number_text(x)) for x in program.start
        ]
        for number, (tree, place) in enumerate(zip(program.trees, program.first_sum, strict=True)):
            before, value, after = (
                now[place],
                fields.fresh(f"value({number})"),
                fields.fresh(f"sum({number})"),
            )

            def head(
                page: Page, tree: Steps = tree, before: Expression = before, value: str = value,
                after: str = after,
            ) -> None:  # fmt: skip
                others = [before.attributes["field"]] if before.tag == "FieldRef" else []
                fields.schema(page, columns_of(tree), others)
                with page.inside("Output"):
                    told = {"isFinalResult": "false"}
                    page.add("OutputField", {**self._told(value, data_type="float"), **told})
                    with page.inside(
                        "OutputField", {**self._told(after, "transformedValue", "float"), **told}
                    ):
                        page.express(apply("+", before, ref(value)))

            with page.inside("Segment", {"id": value}):
                page.add("True")
                self._number_tree(number, 0, head)
            now[place] = ref(after)
        names = []
        for place, expression in enumerate(now):
            if expression.tag == "FieldRef":
                names.append(str(expression.attributes["field"]))
                continue
            name = fields.fresh(f"start({place})")
            with page.inside("Segment", {"id": name}):
                page.add("True")
                with page.inside("TreeModel", {"functionName": "regression"}):
                    fields.schema(page, [])
                    with page.inside("Output"):
                        page.add("OutputField", {**self._told(name), "isFinalResult": "false"})
                    with page.inside("Node", {"score": number_text(program.start[place])}):
                        page.add("True")
            names.append(name)
        return names

    # --- the answer

    def _final(
        self, sums: Sequence[Expression], formulas: Formulas, schema: Callable[[], None],
        tree: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        """Write the model that chooses a class, or says the number, from sums; a tree may do so before."""
        page, answer = self._page, self._program.answer
        numbers = [
            formulas.let(f"answer({k})", number) for k, number in enumerate(formulas.numbers(answer, sums))
        ]
        if not self._is_class:
            with page.inside("RegressionModel", {"functionName": "regression"}):
                schema()
                self._outputs(None, formulas)
                with page.inside("RegressionTable", {"intercept": 0}):
                    told = {"name": numbers[0].attributes["field"], "coefficient": 1}
                    page.add("NumericPredictor", told)
            return
        words = self._fields.classes.words
        chosen: list[tuple[int, Ask]]
        if answer.choice == "sign":
            field = str(sums[0].attributes["field"])
            chosen = [(1, simple(field, "greaterThan", "0")), (0, lambda page: page.add("True"))]
        else:
            compared = numbers if answer.choice == "probabilities" else sums[: answer.n_outputs]
            best = formulas.best("", list(compared), answer.single)
            chosen = [
                (k, simple(str(best[k].attributes["field"]), "equal", "true"))
                for k in answer.order or range(len(words))
            ]
        with page.inside("TreeModel", {"functionName": "classification"}):
            schema()
            self._outputs(numbers, formulas)
            with page.inside("Node", {"id": "choice"}):
                page.add("True")
                if tree is not None:
                    tree()
                for k, ask in chosen:
                    with page.inside("Node", {"id": f"class {k}", "score": words[k]}):
                        ask(page)

    def _outputs(self, numbers: Sequence[Expression] | None, formulas: Formulas) -> None:
        with self._page.inside("Output"):
            self._predicted()
            if numbers is not None:
                self._worked_out(numbers)
        with self._page.inside("LocalTransformations"):
            for name, expression, data_type in formulas.derived:
                self._fields.derived(self._page, name, expression, data_type)

    # --- rows that go several ways

    def _mixture(self) -> None:
        """Write rows that go several ways as formulas; a single tree also as it is, for complete rows."""
        program, formulas = self._program, Formulas(self._fields)
        said = []
        for number, (tree, voice) in enumerate(zip(program.trees, program.voices, strict=True)):
            values = formulas.tree(number, tree)
            said.append(values if voice is None else formulas.voice(number, voice, values))
        sums = []
        for k, start in enumerate(program.start.tolist()):
            parts = [numeral(start)] if start else []
            parts += [
                values[k - first]
                for values, first in zip(said, program.first_sum, strict=True)
                if first <= k < first + len(values)
            ]
            total = apply("sum", *parts) if len(parts) > 1 else parts[0]
            if program.divisor != 1.0:
                total = apply("/", total, numeral(program.divisor))
            sums.append(formulas.let(f"sum({k})", total))

        def schema() -> None:
            self._fields.schema(self._page, self._fields.used, top=True)

        self._final(sums, formulas, schema, self._whole_tree if self._is_single and self._is_class else None)

    def _whole_tree(self) -> None:
        program, tree = self._program, self._program.trees[0]
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = program.answer.numbers(tree.values / program.divisor)
        chosen = program.answer.chosen(tree.values / program.divisor, shares)
        leaf = share_leaf(self._fields, shares, chosen, self._weights[0])
        known: list[Ask] = []
        for column in self._fields.used:
            name = self._fields.name(column)
            known.append(simple(name, "isNotMissing"))
            ways = [w for node, w in tree.ways.items() if tree.feature[node] == column]
            everywhere = (
                set(np.concatenate([np.flatnonzero(w == EVERY_WAY) for w in ways]).tolist())
                if ways
                else set()
            )
            n_codes = len(self._program.columns[column].categories)
            if self._program.columns[column].kind == "nominal" and n_codes in everywhere:
                codes = [code for code in range(1, n_codes + 1) if code - 1 not in everywhere]
                if not codes:
                    return
                known.append(one_of(self._fields, name, column, codes))
            elif everywhere:
                known.append(
                    one_of(self._fields, name, column, [code + 1 for code in sorted(everywhere)], True)
                )
        write_nodes(
            self._page, self._fields, tree, leaf, self._weights[0], compound("and", known), complete=True
        )
