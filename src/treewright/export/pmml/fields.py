"""Fields: the columns, the target and the categories as PMML declares them, under names that differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treewright.exceptions import UnsupportedExportError
from treewright.export.pmml.page import Expression, Page, apply, numeral, ref, word
from treewright.program import Column, Program
from treewright.program.spelling import text_codes

__all__ = ["Domain", "Fields", "domain_of"]

LARGEST_INTEGER = 2**31 - 1
LARGEST_EXACT = 2**53


@dataclass(frozen=True)
class Domain:
    """How values of a kind are written.

    Attributes
    ----------
    data_type : {"string", "boolean", "integer", "double"}
        Their type.
    words : tuple of str
        Each value as text.
    """

    data_type: str
    words: tuple[str, ...]


def domain_of(values: Sequence[Any], what: str, integers: bool = False) -> Domain:
    """Return how values are written; ValueError when two of them would look the same."""
    if all(isinstance(value, bool) for value in values):
        return Domain("boolean", tuple("true" if value else "false" for value in values))
    if any(isinstance(value, str | bool) for value in values):
        text_codes(Column(what, "nominal", tuple(values)))
        return Domain("string", tuple(_as_text(value) for value in values))
    if integers and all(isinstance(value, int) and abs(value) <= LARGEST_INTEGER for value in values):
        return Domain("integer", tuple(map(str, values)))
    for value in values:
        if isinstance(value, int) and abs(value) > LARGEST_EXACT and int(float(value)) != value:
            raise UnsupportedExportError(
                f"{what} has the value {value}, which no number type of PMML holds. Use text instead."
            )
        if not abs(value) < float("inf"):
            raise UnsupportedExportError(f"{what} has the value {value}, which PMML cannot compare.")
    return Domain("double", tuple(str(value) for value in values))


def _as_text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


class Fields:
    """The fields of a document.

    Parameters
    ----------
    program : Program
        The model.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._taken: set[str] = set()
        for column in program.columns:
            if column.name in self._taken:
                raise ValueError(f"Two columns are called {column.name!r}. Pass feature_names that differ.")
            self._taken.add(column.name)
        self.target = self.fresh(program.target or "prediction")
        self.used = program.used
        self.probabilities: list[str] = []

    def fresh(self, name: str) -> str:
        """Return a name that no other field has."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def probability(self, text: str) -> str:
        """Return the name of the output that has the probability of a class, and keep it in mind."""
        self.probabilities.append(self.fresh(f"probability({text})"))
        return self.probabilities[-1]

    @cached_property
    def domains(self) -> list[Domain | None]:
        """The categories of each column; None for numbers."""
        return [
            None if column.is_numeric else domain_of(column.categories, f"column {column.name!r}")
            for column in self.program.columns
        ]

    @cached_property
    def classes(self) -> Domain:
        """The classes."""
        return domain_of(self.program.answer.classes or (), "the target", integers=True)

    @cached_property
    def known(self) -> dict[int, str]:
        """Names of fields that are missing where a column is zero, which counts as missing there."""
        return {
            i: self.fresh(f"known({self.program.columns[i].name})")
            for i in self.used
            if self.program.columns[i].zero_is_missing
        }

    @cached_property
    def seen(self) -> dict[int, str]:
        """Names of fields that are missing where a category was never seen, for substitutes."""
        wanted = {
            test.feature
            for tree in self.program.trees
            for tests in tree.substitutes.values()
            for test in tests
            if test.ways is not None and self.program.columns[test.feature].kind == "nominal"
        }
        return {i: self.fresh(f"seen({self.program.columns[i].name})") for i in sorted(wanted)}

    def name(self, column: int) -> str:
        """Return the field that tests of a column look at."""
        return self.known.get(column, self.program.columns[column].name)

    def words(self, column: int, codes: Iterable[int]) -> list[str]:
        """Return categories, given by their codes, as text."""
        domain = self.domains[column]
        assert domain is not None, "numbers have no categories"
        return [domain.words[code - 1] for code in codes]

    def constants(self, column: int, codes: Iterable[int]) -> list[Expression]:
        """Return categories as constants."""
        domain = self.domains[column]
        assert domain is not None, "numbers have no categories"
        return [word(text, domain.data_type) for text in self.words(column, codes)]

    # --- what is written once

    def dictionary(self, page: Page) -> None:
        """Write the columns and the target."""
        columns = self.program.columns
        with page.inside("DataDictionary", {"numberOfFields": len(columns) + 1}):
            for i, column in enumerate(columns):
                self._declare(page, column.name, self.domains[i], column.kind == "ordinal")
            is_class = self.program.answer.classes is not None
            self._declare(page, self.target, self.classes if is_class else None, False)

    def _declare(self, page: Page, name: str, domain: Domain | None, ordered: bool) -> None:
        if domain is None:
            page.add("DataField", {"name": name, "optype": "continuous", "dataType": "double"})
            return
        optype = "ordinal" if ordered else "categorical"
        told = {"name": name, "optype": optype, "dataType": domain.data_type}
        if not domain.words:
            page.add("DataField", told)
            return
        with page.inside("DataField", told):
            for text in domain.words:
                page.add("Value", {"value": text})

    def derive(self, page: Page) -> None:
        """Write the fields that stand for columns, if there are any."""
        if not self.known and not self.seen:
            return
        with page.inside("TransformationDictionary"):
            for i, name in self.known.items():
                value = ref(self.program.columns[i].name)
                expression = apply("if", apply("greaterThan", apply("abs", value), numeral(1e-35)), value)
                self.derived(page, name, apply("if", apply("isNotMissing", value), expression))
            for i, name in self.seen.items():
                value, domain = ref(self.program.columns[i].name), self.domains[i]
                assert domain is not None, "a category"
                listed = self.constants(i, range(1, len(domain.words) + 1))
                expression = apply("if", apply("isIn", value, *listed), value)
                expression = apply("if", apply("isNotMissing", value), expression)
                self.derived(page, name, expression, domain.data_type)

    @staticmethod
    def derived(page: Page, name: str, expression: Expression, data_type: str = "double") -> None:
        """Write a field that is worked out."""
        optype = "continuous" if data_type in ("double", "float") else "categorical"
        with page.inside("DerivedField", {"name": name, "optype": optype, "dataType": data_type}):
            page.express(expression)

    def schema(
        self,
        page: Page,
        columns: Iterable[int],
        others: Sequence[str] = (),
        *,
        target: bool = False,
        top: bool = False,
    ) -> None:
        """Write which columns and other fields a model looks at; at the top those that none does, too."""
        with page.inside("MiningSchema"):
            if target or top:
                page.add("MiningField", {"name": self.target, "usageType": "target"})
            listed = list(columns)
            for i in listed:
                column = self.program.columns[i]
                treatment = {"numeric": "asIs", "nominal": "asIs", "ordinal": "asMissing"}[column.kind]
                page.add("MiningField", {"name": column.name, "invalidValueTreatment": treatment})
            beside = [i for i in range(len(self.program.columns)) if i not in set(listed)]
            if not top:  # something must be listed
                beside = [] if listed or target or others else beside[:1]
            for i in beside:
                name = self.program.columns[i].name
                page.add("MiningField", {"name": name, "usageType": "supplementary"})
            for name in others:
                page.add("MiningField", {"name": name})
