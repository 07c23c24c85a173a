"""DOT and Mermaid texts: whatever stands in names, the languages read it as a name."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.unit.export.hand_made import chain

from treewright import CARTClassifier, export_dot, export_mermaid

NASTY = 'a "b" <i>&amp;</i> | `c` #1;\n{x} [y] (z) \\'


def nasty_tree():
    X = pd.DataFrame({NASTY: np.arange(8.0), "kind": ["x", NASTY, "y", "z"] * 2})
    return CARTClassifier().fit(X, [NASTY, "no", "no", NASTY, NASTY, "no", NASTY, "no"])


def test_every_string_of_dot_ends_where_it_should_and_gives_the_name_back():
    text = export_dot(nasty_tree())
    assert text.count("\n") == len(text.splitlines()) - 1
    strings = []
    for line in text.splitlines():
        quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
        assert '"' not in re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        strings += quoted
    read = [re.sub(r"\\(.)", r"\1", s.replace("&amp;", "&").replace("\\n", "\n")) for s in strings]
    assert any('a "b" <i>&amp;</i> | `c` #1;' in words for words in read)


def test_mermaid_has_no_sign_of_its_own_inside_of_words():
    for line in export_mermaid(nasty_tree()).splitlines()[2:]:
        found = re.fullmatch(r'  n\d+(?:\["(.*)"\]|\(\["(.*)"\]\)| (?:-->|-\.->)\|"(.*)"\| n\d+)', line)
        assert found, line
        words = next(part for part in found.groups() if part is not None).replace("<br/>", "")
        assert not set('"<>&`|') & set(words)
        assert re.sub(r"#\d+;", "", words).count("#") == 0


@pytest.mark.parametrize("export", [export_dot, export_mermaid])
def test_large_trees_are_cut_and_say_so(export):
    text = export(chain(3000))
    assert len(re.findall(r"^  n\d+[ \[(]+(?:label|\")", text, flags=re.MULTILINE)) <= 127
    assert "more nodes" in text and "… + " in text.splitlines()[0] + text.splitlines()[1]
    assert export(chain(3), max_nodes=10).count("more nodes") == 0
    assert export(chain(3), max_depth=1).count("more nodes") == 1


def test_mermaid_grows_where_it_is_told_to():
    assert "flowchart LR" in export_mermaid(chain(2), orientation="right")
    with pytest.raises(ValueError, match="orientation must be"):
        export_mermaid(chain(2), orientation="up")
