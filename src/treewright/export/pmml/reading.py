"""Reads PMML as far as `export_pmml` writes it, and does what it says, row by row."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np

__all__ = ["Document"]

Element = ElementTree.Element
NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
MODELS = ("TreeModel", "RegressionModel", "MiningModel")
_WORDS = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)', re.DOTALL)

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "equal": lambda a, b: bool(a == b),
    "notEqual": lambda a, b: bool(a != b),
    "lessThan": lambda a, b: bool(a < b),
    "lessOrEqual": lambda a, b: bool(a <= b),
    "greaterThan": lambda a, b: bool(a > b),
    "greaterOrEqual": lambda a, b: bool(a >= b),
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **_COMPARE,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "sum": lambda *parts: sum(parts[1:], start=parts[0]),
    "max": lambda *parts: max(parts),
    "abs": abs,
    "exp": lambda x: math.exp(x) if x < 709.78 else math.inf,
    "ln": math.log,
    "ln1p": math.log1p,
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
    "not": lambda x: not x,
    "isIn": lambda x, *others: x in others,
}


class Document:
    """A document of PMML.

    Parameters
    ----------
    text : str
        The document.
    """

    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text.encode("utf-8"))
        for element in root.iter():
            element.tag = element.tag.removeprefix(NAMESPACE)
        dictionary = root.find("DataDictionary")
        assert dictionary is not None, "every document has one"
        self.types = {field.attrib["name"]: field.attrib["dataType"] for field in dictionary}
        self.values = {
            field.attrib["name"]: {_typed(v.attrib["value"], field.attrib["dataType"]) for v in field}
            for field in dictionary
        }
        self.shared = root.find("TransformationDictionary")
        self.model = next(element for element in root if element.tag in MODELS)

    def evaluate(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the target and the outputs of a row; None is missing."""
        schema = self.model.find("MiningSchema")
        assert schema is not None, "every model has one"
        target = next(f.attrib["name"] for f in schema if f.attrib.get("usageType") == "target")
        known: dict[str, Any] = {}
        for field in schema:
            name = field.attrib["name"]
            if name == target or field.attrib.get("usageType") == "supplementary":
                continue
            value = row[name]
            if value is not None and self.values[name] and value not in self.values[name]:
                value = None if field.attrib["invalidValueTreatment"] == "asMissing" else value
            known[name] = value
        scope = _Scope(self, known, None)
        if self.shared is not None:
            scope.derive(self.shared)
        answer = scope.run(self.model)
        data_type = self.types[target]
        scope.known[target] = _typed(answer.score, data_type)
        return scope.known


class _Answer:
    """What a model says: a score, and shares of classes if it has any."""

    def __init__(self, score: str, shares: dict[str, float] | None = None) -> None:
        self.score = score
        self.shares = shares


class _Scope:
    """The fields of a row, as a model sees them."""

    def __init__(self, document: Document, known: dict[str, Any], parent: _Scope | None) -> None:
        self._document = document
        self._parent = parent
        self._formulas: dict[str, Element] = {}
        self.known = known

    def derive(self, transformations: Element) -> None:
        """Add fields that are worked out when they are asked for."""
        for field in transformations:
            self._formulas[field.attrib["name"]] = field

    def __getitem__(self, name: str) -> Any:
        if name in self.known:
            return self.known[name]
        if name in self._formulas:
            field = self._formulas[name]
            self.known[name] = _cast(self.express(field[0]), field.attrib["dataType"])
            return self.known[name]
        if self._parent is None:
            raise KeyError(name)
        return self._parent[name]

    def type_of(self, name: str) -> str:
        """Return the type of a field."""
        if name in self._formulas:
            return self._formulas[name].attrib["dataType"]
        if name in self._document.types:
            return self._document.types[name]
        return "double" if self._parent is None else self._parent.type_of(name)

    # --- models

    def run(self, model: Element) -> _Answer:
        """Run a model and keep its outputs."""
        local = model.find("LocalTransformations")
        if local is not None:
            self.derive(local)
        answer: _Answer = getattr(self, f"_{model.tag}")(model)
        outputs = model.find("Output")
        for field in [] if outputs is None else outputs:
            self.known[field.attrib["name"]] = self._output(field, answer)
        return answer

    def _output(self, field: Element, answer: _Answer) -> Any:
        feature, data_type = field.attrib["feature"], field.attrib["dataType"]
        if feature == "predictedValue":
            return _typed(answer.score, data_type)
        if feature == "probability":
            assert answer.shares is not None, "a model of classes"
            return answer.shares[field.attrib["value"]]
        return _cast(self.express(field[0]), data_type)

    def _inner(self, model: Element) -> tuple[_Scope, _Answer]:
        scope = _Scope(self._document, {}, self)
        return scope, scope.run(model)

    def _MiningModel(self, model: Element) -> _Answer:  # noqa: N802 - named after the element
        segmentation = model.find("Segmentation")
        assert segmentation is not None, "a model of segments"
        method = segmentation.attrib["multipleModelMethod"]
        said: list[_Answer] = []
        for segment in segmentation:
            inner = next(element for element in segment if element.tag in MODELS)
            scope, answer = self._inner(inner)
            said.append(answer)
            if method == "modelChain":
                outputs = inner.find("Output")
                names = [] if outputs is None else [field.attrib["name"] for field in outputs]
                self.known |= {name: scope.known[name] for name in names}
        if method == "modelChain":
            return said[-1]
        if model.attrib["functionName"] == "classification":
            total: dict[str, float] = {}
            for answer in said:
                for name, share in (answer.shares or {}).items():
                    total[name] = total.get(name, 0.0) + share
            means = {name: share / len(said) for name, share in total.items()}
            return _Answer(max(means, key=lambda name: means[name]), means)
        numbers = [float(answer.score) for answer in said]
        if method == "weightedMedian":
            weights = np.array([float(segment.attrib["weight"]) for segment in segmentation])
            order = np.argsort(numbers, kind="stable")
            so_far = np.cumsum(weights[order])
            return _Answer(repr(numbers[order[np.argmax(so_far >= 0.5 * so_far[-1])]]))
        result = 0.0
        for number in numbers:
            result += number
        return _Answer(repr(result / len(numbers) if method == "average" else result))

    def _RegressionModel(self, model: Element) -> _Answer:  # noqa: N802
        table = model.find("RegressionTable")
        assert table is not None, "a model of numbers"
        result = float(table.attrib["intercept"])
        for predictor in table:
            result += float(predictor.attrib["coefficient"]) * self[predictor.attrib["name"]]
        return _Answer(repr(result))

    def _TreeModel(self, model: Element) -> _Answer:  # noqa: N802
        by_default = model.attrib.get("missingValueStrategy") == "defaultChild"
        node = model.find("Node")
        assert node is not None, "a tree has a root"
        while children := node.findall("Node"):
            following = None
            for child in children:
                says = self.holds(child)
                if says is None and by_default:
                    wanted = node.attrib["defaultChild"]
                    following = next(one for one in children if one.attrib["id"] == wanted)
                    break
                if says:
                    following = child
                    break
            assert following is not None, "some branch is true"
            node = following
        shares = {}
        has_shares = node.find("ScoreDistribution") is not None
        for share in node.findall("ScoreDistribution"):
            count = share.attrib.get("probability", share.attrib["recordCount"])
            shares[share.attrib["value"]] = float(count)
        total = sum(shares.values())
        return _Answer(
            node.attrib["score"], {name: n / total for name, n in shares.items()} if has_shares else None
        )

    # --- predicates and expressions

    def holds(self, node: Element) -> bool | None:
        """Return whether the predicate of a node holds; None where that is unknown."""
        return self._holds(next(e for e in node if e.tag not in ("Node", "ScoreDistribution")))

    def _holds(self, predicate: Element) -> bool | None:
        if predicate.tag in ("True", "False"):
            return predicate.tag == "True"
        if predicate.tag == "CompoundPredicate":
            return self._compound(predicate)
        name = predicate.attrib["field"]
        value, data_type = self[name], self.type_of(name)
        if predicate.tag == "SimpleSetPredicate":
            if value is None:
                return None
            text = predicate[0].text or ""
            words = [a.replace('\\"', '"') if a else b for a, b in _WORDS.findall(text)]
            inside = value in [_typed(word, data_type) for word in words]
            return inside == (predicate.attrib["booleanOperator"] == "isIn")
        operator = predicate.attrib["operator"]
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:
            return None
        return _COMPARE[operator](value, _typed(predicate.attrib["value"], data_type))

    def _compound(self, predicate: Element) -> bool | None:
        operator = predicate.attrib["booleanOperator"]
        found = [self._holds(part) for part in predicate]
        if operator == "surrogate":
            return next((one for one in found if one is not None), None)
        decisive = operator == "or"
        if decisive in found:
            return decisive
        return None if None in found else not decisive

    def express(self, expression: Element) -> Any:
        """Return what an expression is; None where something in it is missing."""
        if expression.tag == "FieldRef":
            return self[expression.attrib["field"]]
        if expression.tag == "Constant":
            return _typed(expression.text or "", expression.attrib["dataType"])
        if expression.tag == "NormContinuous":
            points = [(float(p.attrib["orig"]), float(p.attrib["norm"])) for p in expression]
            first, second = zip(*points, strict=True)
            return float(np.interp(self[expression.attrib["field"]], first, second))
        function = expression.attrib["function"]
        if function == "if":
            says = self.express(expression[0])
            place = 1 if says else 2
            return None if says is None or place >= len(expression) else self.express(expression[place])
        parts = [self.express(part) for part in expression]
        if function in ("isMissing", "isNotMissing"):
            return (parts[0] is None) == (function == "isMissing")
        return None if None in parts else _FUNCTIONS[function](*parts)


def _typed(text: Any, data_type: str) -> Any:
    if data_type == "boolean":
        return str(text).lower() == "true"
    if data_type == "integer":
        return int(text)
    return _cast(float(text), data_type) if data_type in ("double", "float") else str(text)


def _cast(value: Any, data_type: str) -> Any:
    return float(np.float32(value)) if data_type == "float" and value is not None else value
