"""The report as text, frame, dict, HTML and SVG."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from treewright import CARTClassifier
from treewright.pruning import (
    CrossValidation,
    HeldOut,
    PruningReport,
    choose,
    find_row_leaves,
    from_losses,
    probe_alphas,
    weakest_links,
)
from treewright.pruning.report import pruning_report


@pytest.fixture(scope="module")
def report() -> PruningReport:
    X, y = load_breast_cancer(return_X_y=True)
    tree = CARTClassifier().fit(X, y).tree_
    sequence = weakest_links(tree)
    sums = []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        fold = CARTClassifier().fit(X[train], y[train]).tree_
        held_out = HeldOut(fold, find_row_leaves(fold, X[test]), y[test])
        sums.append(held_out.losses(weakest_links(fold).alpha_collapse, probe_alphas(sequence)))
    validation = from_losses(sums, "error rate")
    choice = choose(validation, "1se")
    return pruning_report(
        tree,
        sequence,
        algorithm="CART",
        method="cost_complexity",
        leaves_after=int(sequence.leaves[choice.index]),
        selected=choice.index,
        rule="1se",
        validation=validation,
        choice=choice,
    )


def bare(report: PruningReport, **changes) -> PruningReport:
    """The same path without cross-validation."""
    values = report.to_dict()
    for row in values["rows"]:
        row["cv_mean"] = row["cv_se"] = None
    nothing = {"selected": None, "index_min": None, "index_1se": None, "limit": None, "measure": None}
    return PruningReport.from_dict(
        {**values, **nothing, "rule": "", "n_folds": 0, "method": "none", **changes}
    )


def test_the_text_shows_both_alphas_and_why_the_tree_was_chosen(report):
    text = str(report)
    assert text.startswith(f"CART   569 rows, 30 features → {report.leaves_before} leaves before pruning")
    assert "alpha_total" in text and "R(T)" in text and "CV error" in text and "± SE" in text
    assert text.count("chosen: within 1 SE (≤ ") == 1
    assert "← lowest" in text
    assert max(len(line) for line in text.splitlines()) <= 100
    assert text.replace("\n", " ").endswith(report.why)
    assert "within one standard error" in report.why


def test_a_long_sequence_is_shown_in_part_and_whole_on_request(report):
    assert len(report.rows) > 12
    assert re.search(rf"\(\d+ of {len(report.rows)} subtrees shown", str(report))
    whole = report.to_text(every_row=True).splitlines()
    assert len([line for line in whole if re.match(r" *\d+  \d", line)]) == len(report.rows)


def test_alpha_total_is_alpha_times_the_weight(report):
    for row in report.rows:
        assert row.alpha_total == pytest.approx(569 * row.alpha)
    assert report.rows[0].train == pytest.approx(0.0, abs=1e-12)
    assert report.rows[-1].train == pytest.approx(212 / 569)


def test_the_dict_is_json_with_a_version_and_comes_back(report):
    values = json.loads(json.dumps(report.to_dict()))
    assert values["schema_version"] == 1
    assert PruningReport.from_dict(values) == report
    with pytest.raises(ValueError, match="version"):
        PruningReport.from_dict({**values, "schema_version": 99})
    for broken in ({**values, "rows": [{"alpha": 1}]}, {**values, "extra": 1}, {"schema_version": 1}):
        with pytest.raises(ValueError, match="not a pruning report"):
            PruningReport.from_dict(broken)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_has_a_line_per_subtree(report, backend):
    pytest.importorskip(backend)
    frame = report.to_frame(backend)
    assert type(frame).__module__.startswith(backend)
    assert frame.shape == (len(report.rows), 9)


def test_html_has_a_caption_scoped_headers_and_no_script(report):
    html = report._repr_html_()
    root = ElementTree.fromstring(html)
    assert root.find(".//caption") is not None
    assert {cell.get("scope") for cell in root.iter("th")} == {"row", "col"}
    assert "<script" not in html
    assert len(html) < 150_000


def test_the_picture_has_band_limit_marks_and_words(report):
    svg = report.to_svg()
    root = ElementTree.fromstring(svg)
    names = [element.tag.split("}")[1] for element in root.iter()]
    assert svg.count('fill-opacity="0.18"') == 1 and svg.count('stroke-width="2" stroke-linejoin') == 1
    assert names.count("title") == names.count("desc") == 1
    words = " ".join(element.text or "" for element in root.iter() if element.tag.endswith("text"))
    assert "1-SE limit" in words and "chosen" in words and "lowest" in words
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    places = [float(x) for x in re.findall(r'cx="([\d.-]+)"', svg)]
    assert all(0 <= place <= 640 for place in places)


def test_ids_of_two_pictures_do_not_collide(report):
    ids = [set(re.findall(r'id="([^"]+)"', one.to_svg())) for one in (report, bare(report))]
    assert ids[0].isdisjoint(ids[1])


def test_without_cross_validation_the_path_alone_is_shown(report):
    path = bare(report)
    assert "CV" not in str(path)
    assert "fill-opacity" not in path.to_svg()
    assert path.why.startswith("Not pruned")
    assert bare(report, method="reduced_error").why.startswith("Pruned by the error on held-out rows")
    assert "given alpha" in str(bare(report, method="cost_complexity", rule="alpha", selected=3))


def test_a_sequence_of_thousands_of_subtrees_stays_small():
    X = np.random.default_rng(0).normal(size=(4000, 4))
    y = X[:, 0] + np.random.default_rng(1).normal(size=4000) > 0
    tree = CARTClassifier(criterion="entropy").fit(X, y).tree_
    sequence = weakest_links(tree)
    assert len(sequence) > 200
    noise = np.random.default_rng(2).random(len(sequence))
    validation = CrossValidation(noise, noise / 10, "error rate", False, 10)
    choice = choose(validation, "min")
    report = pruning_report(
        tree,
        sequence,
        algorithm="CART",
        method="cost_complexity",
        leaves_after=1,
        selected=choice.index,
        rule="min",
        validation=validation,
        choice=choice,
    )
    assert len(report._repr_html_()) < 60_000
    assert len(str(report).splitlines()) < 20
    assert "lowest" in report.why


def test_a_single_leaf_has_a_report_and_a_picture():
    tree = CARTClassifier().fit([[0.0], [1.0]], [1, 1]).tree_
    report = pruning_report(tree, weakest_links(tree), algorithm="CART", method="none", leaves_after=1)
    assert "nothing to prune" in str(report)
    ElementTree.fromstring(report.to_svg())
