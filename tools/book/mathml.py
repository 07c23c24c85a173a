"""Formulas as MathML, which every browser draws by itself: no script, no font and no network are needed."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

BARE = re.compile(r"\\[td]?frac\s*[^{\s]")
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
OPERANDS = {
    f"{{{NAMESPACE}}}{tag}"
    for tag in ("mi", "mn", "mfrac", "msub", "msup", "msubsup", "msqrt", "munder", "munderover")
}


def written(node: nodes.Element, *, as_block: bool) -> str:
    """Return a formula as MathML; what cannot be read ends the build with the formula."""
    text = node.astext()
    if BARE.search(text):  # the converter reads \\frac12 as 12 above what follows
        raise SphinxError(f"the formula {text!r} has a fraction without braces")
    try:
        return with_spaces(str(tex2mathml(text, as_block=as_block)))
    except Exception as fault:
        raise SphinxError(f"the formula {text!r} cannot be read: {fault}") from fault


def is_function(item: ElementTree.Element) -> bool:
    """Whether something is the name of a function, ln or log2, and no number or letter."""
    name = item if len(item) == 0 else item[0]
    text = name.text or ""
    return item.tag in OPERANDS and name.tag.endswith("}mi") and text.isalpha() and len(text) > 1


def with_spaces(formula: str) -> str:
    """Set names of functions off from what stands beside them, which the converter leaves to the browser."""
    ElementTree.register_namespace("", NAMESPACE)
    tree = ElementTree.fromstring(formula.replace("&ApplyFunction;", "\u2061"))
    for row in tree.iter():
        items = list(row)
        if row.tag in OPERANDS:  # its items are an index or a numerator, and stand alone
            continue
        for place in reversed(range(len(items))):
            if not is_function(items[place]):
                continue
            after = (
                place + 2 if [item.text for item in items[place + 1 : place + 2]] == ["\u2061"] else place + 1
            )
            if after < len(items) and items[after].tag in OPERANDS:
                row.insert(after, thin_space())
            if place > 0 and items[place - 1].tag in OPERANDS:
                row.insert(place, thin_space())
    return ElementTree.tostring(tree, encoding="unicode")


def thin_space() -> ElementTree.Element:
    return ElementTree.Element(f"{{{NAMESPACE}}}mspace", width="0.17em")


def visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(written(node, as_block=False))
    raise nodes.SkipNode


def visit_display(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{written(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer, as Sphinx asks of an extension."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
