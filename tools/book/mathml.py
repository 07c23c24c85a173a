"""Formulas as MathML, which every browser draws by itself: no script, no font and no network are needed."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

BARE = re.compile(r"\\[td]?frac\s*[^{\s]")


def written(node: nodes.Element, *, as_block: bool) -> str:
    """Return a formula as MathML; what cannot be read ends the build with the formula."""
    text = node.astext()
    if BARE.search(text):  # the converter reads \\frac12 as 12 above what follows
        raise SphinxError(f"the formula {text!r} has a fraction without braces")
    try:
        return str(tex2mathml(text, as_block=as_block))
    except Exception as fault:
        raise SphinxError(f"the formula {text!r} cannot be read: {fault}") from fault


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
