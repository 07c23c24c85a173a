"""Every warning and error of Treewright that is not one of scikit-learn's.

Each is also one of Python's own kinds, so code that knows nothing of Treewright can catch it.
"""

from __future__ import annotations

__all__ = [
    "ConstantTargetWarning",
    "DataFileError",
    "ExportCheckError",
    "LeakWarning",
    "ManySymbolsWarning",
    "ModelFileError",
    "ModelVersionError",
    "NoEquivalentWarning",
    "SingleLeafWarning",
    "TextNumbersWarning",
    "TreewrightWarning",
    "UnsupportedExportError",
    "UnsupportedModelError",
    "VersionMismatchWarning",
]


class DataFileError(ValueError):
    """A file of data is ragged, empty, not text, or not what it should be."""


class ExportCheckError(ValueError):
    """An exported model does not say what the model says; nothing was written."""


class ModelFileError(ValueError):
    """A model file is damaged, incomplete, inconsistent or not a model file at all."""


class ModelVersionError(ModelFileError):
    """A model file has a format, or needs a rule, that this version of the library does not know."""


class UnsupportedExportError(ValueError):
    """A model has something that a format cannot say, which the message names."""


class UnsupportedModelError(ValueError):
    """A model of another library has something that cannot be imported, which the message names."""


class TreewrightWarning(UserWarning):
    """Base of Treewright's warnings, so that one filter catches them all."""


class ConstantTargetWarning(TreewrightWarning):
    """All rows have the same target, so that there is nothing to boost: the model predicts the constant."""


class SingleLeafWarning(TreewrightWarning):
    """The limits left no split, so the tree is a single leaf although the target varies."""


class ManySymbolsWarning(TreewrightWarning):
    """A column of many different numbers is taken for a column of symbols."""


class TextNumbersWarning(TreewrightWarning):
    """A column of text holds many different numbers, which become categories."""


class LeakWarning(TreewrightWarning):
    """A column alone predicts the target perfectly, on rows held out, too: it may hold the answer."""


class NoEquivalentWarning(TreewrightWarning):
    """A setting of another library has no equivalent here."""


class VersionMismatchWarning(TreewrightWarning):
    """A pickle was written by another version of Treewright."""
