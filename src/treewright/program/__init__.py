"""A model as plain steps, for whoever writes it in another language."""

from treewright.program.answer import Answer, Calibration
from treewright.program.describe import describe
from treewright.program.evaluate import Evaluated, answers_of, evaluate, tree_values
from treewright.program.program import Column, Program
from treewright.program.steps import Steps, Substitute
from treewright.program.voice import Voice

__all__ = [
    "Answer",
    "Calibration",
    "Column",
    "Evaluated",
    "Program",
    "Steps",
    "Substitute",
    "Voice",
    "answers_of",
    "describe",
    "evaluate",
    "tree_values",
]
