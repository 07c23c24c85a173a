"""Reads printed equations as a person would: puts the printed numbers in and looks at the printed result."""

from __future__ import annotations

import html
import math
import re
from typing import NamedTuple

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
RESULT = re.compile(r"\s*([−-]?)(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\d/·^(])")
# A word or a test in brackets says what a number is about: 5/14·0.971 (sunny).
REMARK = re.compile(r"\((?![^()]*(?:log2|ln|e\^))[^()]*(?:[^\W\d_e]|[≤>{])[^()]*\)")
TOKEN = re.compile(r"log2|ln|e\^|½|²|[−+·/×()^-]|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\s+")
FUNCTIONS = {"log2": math.log2, "ln": math.log, "exp": math.exp}


class Equation(NamedTuple):
    """A formula, its sign and its printed result."""

    formula: str
    sign: str
    result: str

    @property
    def unit(self) -> float:
        """The last digit of the result."""
        digits, _, exponent = self.result.partition("e")
        return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))

    @property
    def error(self) -> float:
        """How far the formula with its printed numbers is from its result, in units of the last digit."""
        return abs(evaluate(self.formula) - float(self.result.replace("−", "-"))) / self.unit

    @property
    def holds(self) -> bool:
        """Whether the formula rounds to the result; where it is marked, it need only be near."""
        if self.sign == "=":
            return self.error <= 0.5 + 1e-6
        return self.error <= max(20.0, 1e-3 * abs(evaluate(self.formula)) / self.unit)


def evaluate(formula: str) -> float:
    """Return what a formula of a report comes to."""
    text = (
        formula.replace("−", "-").replace("·", "*").replace("×", "*").replace("½", "0.5").replace("²", "**2")
    )
    text = re.sub(r"e\^(-?\d+(?:\.\d+)?)", r"exp(\1)", text)
    return float(eval(text, {"__builtins__": {}}, FUNCTIONS))


def equations(text: str) -> list[Equation]:
    """Return every equation of a text whose left side is made of numbers and has an operation."""
    text = " ".join(
        html.unescape(re.sub(r"<[^>]*>", " ", text)).replace("**", " ").replace("|", " ; ").split()
    )
    text = REMARK.sub(" ", text)
    found = []
    for at in re.finditer(r"[=≈]", text):
        result = RESULT.match(text, at.end())
        if result is None:
            continue
        formula = _formula_before(text[: at.start()])
        if formula is not None:
            found.append(Equation(formula, at.group(), result[1] + result[2]))
    return found


def _formula_before(text: str) -> str | None:
    """Return the longest formula that ends here."""
    tokens: list[str] = []
    position = 0
    for token in TOKEN.finditer(text):
        if token.start() != position or (position and text[position - 1].isalpha() and token[0][0].isalnum()):
            tokens = []
        tokens.append(token[0])
        position = token.end()
    if position != len(text):
        return None
    for start in range(len(tokens)):
        formula = "".join(tokens[start:]).strip()
        if _is_one(formula):
            return formula
    return None


def _is_one(formula: str) -> bool:
    if not re.search(r"\d\s*[−+·/×²-]|½·|ln|log2|e\^", formula) or re.search(r"\d\s+\d", formula):
        return False
    try:
        evaluate(formula)
    except (SyntaxError, TypeError, ValueError, ZeroDivisionError, OverflowError):
        return False
    return True
