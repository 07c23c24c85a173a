"""A tree as text, one line per node, abridged when it is large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from treewright.argument import check_count
from treewright.export.condition import Possible, condition, narrowed
from treewright.export.node_facts import Hidden, NodeFacts, depth_that_fits, usual_facts
from treewright.export.source import model_of
from treewright.model.model import Model
from treewright.model.node import Node, TreeView, with_missing
from treewright.model.text import printable

__all__ = ["export_text"]

Shown = Literal["n", "value", "impurity", "gain", "id", "sums"]
MAX_INDENTED = 20  # levels that leave room for words on a line of 100 columns
MAX_REFUSED = 1000  # levels beyond which indentation alone would fill megabytes

MAX_ROOMY = 100  # columns of a terminal, beyond which columns stand closer together
MAX_LEFT = 60  # a longer left part pushes its own line to the right, not all of them
ASCII = {"├─": "|-", "└─": "`-", "│": "|", "─": "-", "≤": "<=", " · ": ", ", "…": "...", "∞": "inf", "−": "-"}


def export_text(
    model: Any,
    *,
    max_depth: int | None = None,
    max_nodes: int = 200,
    show: Sequence[Shown] | None = None,
    feature_names: Sequence[str] | None = None,
    target_name: str | None = None,
    tree: int | None = None,
    ascii: bool = False,
    max_width: int | None = 200,
) -> str:
    """Return a fitted tree as text.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    max_depth : int, optional
        The deepest level to print, 0 for the root alone. By default as many levels as `max_nodes` allows, and
        twenty at most.
    max_nodes : int, default=200
        Print whole levels until there are more nodes than this; what is left out is summed up in its place.
    show : sequence of {"n", "value", "impurity", "gain", "id", "sums"}, optional
        What to tell about each node: training rows; class weights; impurity and gain of inner nodes; ``#``
        and its number, as `explain_split` and others take it; of boosters the sums of gradients and
        hessians. By default n, value, impurity and id; of boosters n, sums and id (n, value and id where the
        sums are not known), and the answer of a leaf is what it adds to the raw score. Where the weight of
        rows is not their number, it stands beside n: rows may have weights, forests count a row as often as
        it was drawn, and C4.5 counts a row that it shares among branches in each of them, with a share of its
        weight; a line at the end says so.
    feature_names : sequence of str, optional
        Names to print instead of those of the training data.
    target_name : str, optional
        What is predicted; stands at the root. By default the name of the
        Series, or of the single column, that `fit` was given.
    tree : int, optional
        Which tree of an ensemble; must be said where there are several.
    ascii : bool, default=False
        Use ASCII characters for lines and signs; these signs are also replaced where they stand in a name.
    max_width : int or None, default=200
        Longer lines end with "…"; None: however long they are.

    Returns
    -------
    str
        One line per node, without a line break at the end; below them a line on what weights are, where the
        fit and not the user made them.

    Examples
    --------
    >>> from treewright import CARTClassifier
    >>> from treewright.datasets import load_tennis
    >>> from treewright.export import export_text
    >>> X, y, names, target = load_tennis()
    >>> tree = CARTClassifier(max_depth=2).fit(X, y)
    >>> print(export_text(tree, feature_names=names, target_name=target))
    play?                                  n=14   yes 9 · no 5   gini 0.459   #0
    ├─ outlook in {sunny, rain}            n=10   no 5 · yes 5   gini 0.500   #1
    │  ├─ humidity = high ───────── no     n=5    no 4 · yes 1                #3
    │  └─ humidity = normal ─────── yes    n=5    yes 4 · no 1                #4
    └─ outlook = overcast ───────── yes    n=4    yes 4                       #2
    """
    found = model_of(model, "export_text")
    view = found.view(tree)
    names = found.names(feature_names)
    facts = NodeFacts(found, view, _usual_cells(found) if show is None else show, tree)
    limit = _limit_of(view, max_depth, max_nodes)
    hidden = Hidden(view, facts, view.tree.node_depths <= limit) if view.tree.max_depth > limit else None
    lines: list[Line] = []
    if target_name is None and found.aggregation != "sum":  # trees of a booster answer with steps
        target_name = found.target_name
    title = f"{printable(str(target_name))}?" if target_name else "all rows"
    # A stack, no recursion: node, its words, what stands before its children, categories that reach it.
    waiting: list[tuple[Node, str, str, Possible]] = [(view.root, title, "", {})]
    while waiting:
        node, words, inside, possible = waiting.pop()
        lines.append(Line(words, facts.answer(node) if node.is_leaf else "", facts.cells(node)))
        split = node.split
        if split is None:
            continue
        if hidden is not None and node.depth >= limit:
            lines.append(Line(f"{inside}└─ {hidden.describe(node)}", "", ()))
            continue
        feature = int(view.tree.feature[node.id])
        for branch, child in reversed(list(enumerate(node.children))):
            sign, indent = ("└─ ", "   ") if branch == split.n_branches - 1 else ("├─ ", "│  ")
            words = inside + sign
            test = condition(split, branch, names[feature], possible.get(feature), empty=child.rows == 0)
            words += with_missing(test, child.takes_missing)
            waiting.append((child, words, inside + indent, narrowed(possible, feature, split, branch)))
    note = facts.weight_note()
    text = "\n".join([render(lines, ascii=ascii), *([note] if note else ())])
    text = cut_lines(text, max_width, "..." if ascii else "…")
    return text if found.edited is None else f"edited by hand: {found.edited}\n{text}"


def cut_lines(text: str, max_width: int | None, sign: str = "…") -> str:
    """Return the text with lines of at most so many characters; longer ones end with the sign.

    Examples
    --------
    >>> from treewright.export.text import cut_lines
    >>> cut_lines("a line that is too long", 20)
    'a line that is too…'
    """
    check_count("max_width", max_width, 20, optional=True)
    if max_width is None:
        return text
    return "\n".join(
        line if len(line) <= max_width else line[: max_width - len(sign)].rstrip() + sign
        for line in text.splitlines()
    )


def _usual_cells(model: Model) -> tuple[str, ...]:
    facts = usual_facts(model)
    if "sums" in facts:  # they say more than the mean of inner nodes, and lines have room for one of the two
        facts = tuple(name for name in facts if name != "value")
    return (*facts, "id")


def _limit_of(view: TreeView, max_depth: int | None, max_nodes: int) -> int:
    check_count("max_depth", max_depth, 0, optional=True)
    check_count("max_nodes", max_nodes, 1)
    wanted = MAX_INDENTED if max_depth is None else max_depth
    limit = min(wanted, depth_that_fits(view.tree.node_depths, max_nodes))
    if min(limit, view.tree.max_depth) > MAX_REFUSED:
        raise ValueError(
            f"The tree is {view.tree.max_depth} levels deep: text is indented, "
            f"so at most {MAX_REFUSED} levels can be printed."
        )
    return limit


class Line(NamedTuple):
    """One node: words, the answer of a leaf, and the cells of the columns."""

    left: str
    answer: str
    cells: tuple[str, ...]


def render(lines: Sequence[Line], *, ascii: bool) -> str:
    """Put lines into columns.

    Examples
    --------
    >>> from treewright.export.text import Line, render
    >>> print(render([Line("all rows", "", ("n=3",)), Line("└─ x ≤ 1", "yes", ("n=2",))], ascii=False))
    all rows            n=3
    └─ x ≤ 1 ─── yes    n=2
    """
    fill = "─"
    if ascii:  # before anything is measured: some signs become two letters
        lines = [
            Line(_plain(line.left), _plain(line.answer), tuple(map(_plain, line.cells))) for line in lines
        ]
        fill = ASCII[fill]
    texts = _columns(lines, fill, lead=3, gap=3)
    if max(map(len, texts)) > MAX_ROOMY:
        texts = _columns(lines, fill, lead=1, gap=2)
    return "\n".join(texts)


def _columns(lines: Sequence[Line], fill: str, *, lead: int, gap: int) -> list[str]:
    """Return the lines with leaders of so many signs or more, and so many spaces between cells."""
    left = min(max(len(line.left) for line in lines if line.cells or line.answer), MAX_LEFT) + lead + 1
    answers = max(len(line.answer) for line in lines)
    n_cells = max(len(line.cells) for line in lines)
    widths = [max((len(line.cells[i]) for line in lines if line.cells), default=0) for i in range(n_cells)]
    texts = []
    for line in lines:
        start = f"{line.left} ".ljust(left, fill) + f" {line.answer}" if line.answer else line.left
        padded = [cell.ljust(width) for cell, width in zip(line.cells, widths, strict=False)]
        texts.append((" " * gap).join([f"{start.ljust(left + 1 + answers)} ", *padded]).rstrip())
    return texts


def _plain(text: str) -> str:
    for sign, letters in ASCII.items():
        text = text.replace(sign, letters)
    return text
