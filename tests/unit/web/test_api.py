from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.unit.web.calling import call, load, started

import treewright
from treewright.web import api
from treewright.web.calls import all_cores
from treewright.web.command import start_session
from treewright.web.downloads import FORMS, download
from treewright.web.session import ConflictError, Session, Sessions
from treewright.web.showing import session_of
from treewright.web.tree_nodes import grown_tree, model_tree

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a\nb",
    "__proto__",
    "é ∑",
    "x'); --",
]


# --- data
# --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bundled", [entry["name"] for entry in api.hello()["bundled"]])
def test_every_bundled_table_can_be_loaded_grown_and_pruned(bundled: str) -> None:
    session = started(bundled)
    state = call(session, "act", action="grow")
    assert state["tree"]["leaves"] > 1
    assert call(session, "pruning")["steps"][-1]["leaves"] == 1


def test_a_column_that_names_its_rows_is_left_out_and_says_so() -> None:
    session = Session()
    rows = "\n".join(f"{i},{i % 7},{'xy'[i % 2]}" for i in range(40))
    state = load(session, "t.csv", f"id,a,b\n{rows}\n")
    column = state["data"]["columns"][0]
    assert column["role"] == "ignored" and "left out" in column["problems"][0]
    assert call(session, "columns", roles={"id": "input"})["data"]["columns"][0]["role"] == "input"


def test_there_is_one_target_whatever_is_chosen() -> None:
    session = Session()
    call(session, "bundled", name="tennis")
    state = call(session, "columns", roles={"wind": "target"})
    assert [c["name"] for c in state["data"]["columns"] if c["role"] == "target"] == ["wind"]


def test_the_kind_of_the_target_decides_the_task() -> None:
    session = Session()
    state = load(session, "t.csv", "a,b\n1,0\n2,1\n3,0\n4,1\n")
    assert state["data"]["task"] == "regression"
    assert call(session, "columns", kinds={"b": "nominal"})["data"]["task"] == "classification"


def test_rows_without_a_target_are_left_out_and_the_page_says_so() -> None:
    session = Session()
    state = load(session, "t.csv", "a,b\n1,x\n2,\n3,y\n4,y\n")
    state = call(session, "columns", roles={"b": "target"})
    assert "1 row has no value of the target 'b': left out." in state["data"]["columns"][1]["problems"]
    state = call(session, "start", algorithm="cart", params={})
    assert state["tree"]["nodes"][0]["n"] == 3
    assert "data = data.take(data.rows_with('b'))" in state["python"]
    assert [row[0] for row in call(session, "rows", node=0)["rows"]] == [0, 2, 3]


def test_a_target_without_any_value_is_refused() -> None:
    session = Session()
    load(session, "t.csv", "a,b\n1,\n2,\n3,\n")
    call(session, "columns", roles={"b": "target"})
    with pytest.raises(ValueError, match="The target 'b' has no value in any row"):
        call(session, "start", algorithm="cart", params={})


def test_the_target_is_guessed_among_columns_without_gaps() -> None:
    session = Session()
    state = load(session, "t.csv", "kind,size,deck\nx,1,A\ny,2,\nx,3,B\n")
    assert state["data"]["target"] == "kind"


def test_text_that_nearly_names_its_rows_is_left_out() -> None:
    session = Session()
    lines = "".join(f"person {max(i, 1)},{i % 3},{'ab'[i % 2]}\n" for i in range(60))
    columns = load(session, "t.csv", f"name,size,class\n{lines}")["data"]["columns"]
    assert columns[0]["role"] == "ignored"
    assert columns[0]["problems"] == ["'name' has 59 different values in 60 rows – left out."]


def test_numbers_of_a_sample_can_be_taken_for_categories_and_back() -> None:
    session = Session()
    call(session, "bundled", name="iris")
    name = "petal width (cm)"
    state = call(session, "columns", kinds={name: "nominal"})
    assert state["data"]["columns"][3]["kind"] == "nominal"
    start = call(session, "start", algorithm="c45", params={})
    assert f'data[{name!r}] = data[{name!r}].astype("category")' in start["python"]
    state = call(session, "columns", kinds={name: "numeric"})
    assert state["data"]["columns"][3]["kind"] == "numeric"
    with pytest.raises(ValueError, match="'species' holds text"):
        call(session, "columns", kinds={"species": "numeric"})


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_column_names_stay_names(name: str) -> None:
    session = Session()
    cell = '"' + name.replace('"', '""') + '"'
    load(session, "t.csv", f"{cell},y\n1,a\n2,b\n3,a\n4,b\n")
    call(session, "start", algorithm="cart", params={})
    state = call(session, "act", action="next")
    assert state["tree"]["nodes"][0]["feature"] == name
    assert b"<script>alert" not in download(session, "svg").body
    assert (
        b"<script>alert" not in download(session, "html").body
        and b"<img src=x" not in download(session, "html").body
    )


# --- growing
# --------------------------------------------------------------------------------------------------------


def test_a_tree_grown_on_the_page_is_the_tree_of_fit() -> None:
    session = started("cancer")
    call(session, "act", action="grow")
    assert session.grower is not None and session.source is not None
    X, y, _ = session.source.fit_arguments()
    fitted = treewright.CARTClassifier().fit(X, y)
    assert treewright.export_text(session.grower.to_estimator()) == treewright.export_text(fitted)


@pytest.mark.parametrize("order", ["best", "level", "depth"])
def test_next_splits_until_the_algorithm_is_done(order: str) -> None:
    session = started("tennis", "c45")
    with pytest.raises(ValueError, match="complete"):
        for _ in range(20):
            call(session, "act", action="next", order=order)
    assert call(session, "state")["tree"]["leaves"] == 5


def test_candidates_carry_margins_ties_and_the_arithmetic() -> None:
    session = started("tennis", "c45")
    found = call(session, "candidates", node=0)
    assert found["candidates"][0]["feature"] == "outlook" and found["candidates"][0]["best"]
    assert found["candidates"][1]["margin"] == pytest.approx(-0.0046, abs=1e-4)
    assert any("0.2467" in line for line in found["worked"])


@pytest.mark.parametrize(("other", "feature"), [("id3", "outlook"), ("c45", "outlook"), ("cart", "outlook")])
def test_other_algorithms_say_what_they_would_choose(other: str, feature: str) -> None:
    session = started("tennis", "c45")
    found = call(session, "candidates", node=0, **{"as": other})
    assert found["candidates"][0]["feature"] == feature


def test_a_hand_chooses_feature_threshold_and_groups() -> None:
    session = started("cancer")
    call(session, "act", action="split", node=0, feature="mean area", threshold=700.0)
    state = call(session, "act", action="split", node=1, feature="worst texture")
    assert (
        state["tree"]["edited"]
        and state["tree"]["log"][0] == "g.split(0, feature='mean area', threshold=700.0)"
    )
    session = started("tennis", "cart")
    state = call(session, "act", action="split", node=0, feature="outlook", categories=["rain", "sunny"])
    assert state["tree"]["leaves"] == 2


def test_the_curve_has_its_peak_at_the_best_test_however_many_cuts_are_left_out() -> None:
    session = started("cancer")
    best = next(c for c in call(session, "candidates", node=0)["candidates"] if c["best"])
    curve = call(session, "cuts", node=0, feature=best["index"])
    assert len(curve["threshold"]) <= 400 < curve["cuts"]
    place = int(np.argmax(curve["gain"]))
    assert curve["threshold"][place] == best["threshold"]
    assert curve["gain"][place] == pytest.approx(best["gain"])
    assert curve["left"][place] == best["branches"][0]["n"]


def test_undo_and_redo_go_back_and_forth() -> None:
    session = started("tennis", "id3")
    call(session, "act", action="next")
    assert call(session, "act", action="undo")["tree"]["leaves"] == 1
    assert call(session, "act", action="redo")["tree"]["leaves"] == 3


def test_a_log_rebuilds_the_tree() -> None:
    session = started("cancer")
    call(session, "act", action="next")
    call(session, "act", action="split", node=2, feature="worst texture", threshold=20.0)
    state = call(session, "act", action="grow", levels=1)
    again = started("cancer")
    assert (
        call(again, "act", action="replay", log=state["tree"]["log"])["tree"]["nodes"]
        == state["tree"]["nodes"]
    )


@pytest.mark.parametrize(
    "line",
    [
        "__import__('os').system('x')",
        "g.to_estimator()",
        "g.split(0, watch=1)",
        "print(1)",
        "g.split(f())",
        "(",
        "g.x",
    ],
)
def test_a_log_is_read_and_never_executed(line: str) -> None:
    with pytest.raises(ValueError, match="no line of a log"):
        call(started("tennis", "id3"), "act", action="replay", log=[line])


def test_an_old_revision_is_a_conflict() -> None:
    session = started("tennis", "id3")
    with pytest.raises(ConflictError):
        call(session, "act", action="next", revision=0)


@pytest.mark.parametrize(
    "body", [{"node": "0"}, {"node": None}, {"node": 99}, {"node": True}, {"node": -1}, {}]
)
@pytest.mark.parametrize("name", ["candidates", "cuts", "rows", "categories"])
def test_nodes_that_are_none_are_refused(name: str, body: dict[str, Any]) -> None:
    with pytest.raises(api.REFUSALS):
        call(started("tennis", "id3"), name, feature=0, **body)


def test_the_rows_of_a_node_are_those_of_the_table() -> None:
    session = started("tennis", "id3")
    call(session, "act", action="next")
    found = call(session, "rows", node=2)
    place = found["names"].index("outlook") + 1
    assert found["n"] == len(found["rows"]) and len({row[place] for row in found["rows"]}) == 1


# --- pruning, predicting, comparing
# --------------------------------------------------------------------------------------------------------


def test_visible_leaves_of_the_slider_are_those_of_pruned() -> None:
    session = started("cancer")
    call(session, "act", action="grow")
    found = call(session, "pruning")
    estimator = session.grower.to_estimator()  # type: ignore[union-attr]
    nodes = {node["id"]: node for node in found["tree"]["nodes"]}
    for step in found["steps"]:
        limit = step["alpha"] * (1 + 1e-10)
        gone = {i for i, n in nodes.items() if n["parent"] >= 0 and nodes[n["parent"]]["alpha"] <= limit}
        leaves = [i for i, n in nodes.items() if i not in gone and (not n["kids"] or n["alpha"] <= limit)]
        assert len(leaves) == step["leaves"] == estimator.pruned(alpha=step["alpha"]).get_n_leaves()


def test_the_rule_of_one_standard_error_is_that_of_pruned() -> None:
    session = started("cancer")
    call(session, "act", action="grow")
    found = call(session, "validate", folds=5)
    X, y, _ = session.source.fit_arguments()  # type: ignore[union-attr]
    wanted = session.grower.to_estimator().pruned(rule="1se", X=X, y=y, cv=5)  # type: ignore[union-attr]
    chosen = call(session, "choose", rule="1se")
    assert chosen["leaves"] == wanted.get_n_leaves() == found["steps"][found["index_1se"]]["leaves"]
    assert chosen["state"]["pruned_leaves"] == wanted.get_n_leaves()


def test_the_confidence_factor_prunes_as_fit_does() -> None:
    session = started("cancer", "c45")
    call(session, "act", action="grow")
    X, y, _ = session.source.fit_arguments()  # type: ignore[union-attr]
    for factor in (0.01, 0.1, 0.5):
        found = call(session, "confidence", confidence_factor=factor)
        assert found["leaves"] == treewright.C45Classifier(confidence_factor=factor).fit(X, y).get_n_leaves()


def test_a_row_is_answered_as_the_estimator_answers_it() -> None:
    session = started("cancer")
    call(session, "act", action="grow", levels=3)
    X, _, _ = session.source.fit_arguments()  # type: ignore[union-attr]
    wanted = session.grower.to_estimator().predict(X)  # type: ignore[union-attr]
    for row in (0, 19, 100, 568):
        fields = call(session, "fields", row=row)["fields"]
        found = call(session, "predict", values={field["name"]: field["value"] for field in fields})
        assert found["answer"] == wanted[row]
        assert found["way"][-1] in {node["id"] for node in found["tree"]["nodes"]}


def test_an_empty_field_is_a_missing_value() -> None:
    session = started("tennis", "c45")
    call(session, "act", action="grow")
    found = call(session, "predict", values={"outlook": None, "wind": "weak"})
    assert found["answer"] in ("yes", "no") and len([s for s in found["steps"] if s["end"]]) > 1


def test_algorithms_are_compared_on_the_same_folds_as_on_the_command_line() -> None:
    session = started("iris")
    found = call(session, "compare", algorithms=["cart", "random_forest"], folds=3)
    assert {entry["name"] for entry in found["results"]} == {"cart", "random_forest"}
    assert found["results"][0]["scores"]["accuracy"]["mean"] > 0.9


@pytest.mark.parametrize("algorithm", ["random_forest", "bagging", "adaboost", "gbm", "xgboost", "lightgbm"])
def test_the_trees_of_ensembles_can_be_looked_at(algorithm: str) -> None:
    session = started("iris")
    found = call(session, "ensemble", algorithm=algorithm)
    assert found["trees"] > 1 and "not the model" in found["warning"]
    assert call(session, "member", tree=found["trees"] - 1)["nodes"]


# --- models, code, downloads
# --------------------------------------------------------------------------------------------------------


def test_a_model_without_rows_can_be_pruned_and_asked(tmp_path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    treewright.CARTClassifier().fit(X, y).save(tmp_path / "m.tree")
    session = Sessions(start_session(str(tmp_path / "m.tree"))).new()
    assert call(session, "state")["tree"]["leaves"] > 10
    assert call(session, "pruning")["has_data"] is False
    assert call(session, "choose", alpha=0.02)["leaves"] < 10
    values = {field["name"]: 1.0 for field in call(session, "fields")["fields"]}
    assert call(session, "predict", values=values)["answer"] in ("0", "1")
    assert call(session, "candidates", node=0)["candidates"]
    for name in ("start", "compare", "validate"):
        with pytest.raises(ValueError, match="needs the rows"):
            call(session, name, algorithms=["cart"])


def test_a_tree_that_another_one_took_the_place_of_can_be_brought_back() -> None:
    session = started("tennis")
    call(session, "act", action="grow")
    before = call(session, "state")
    assert before["before"] is None
    state = call(session, "columns", roles={"outlook": "ignored"})
    assert state["tree"] is None and state["before"] == "tennis · CART · 7 leaves"
    call(session, "bundled", name="iris")
    call(session, "start", algorithm="c45", params={})
    assert call(session, "state")["before"] == state["before"], "a tree without a split is no loss"
    after = call(session, "bring_back")
    assert after["tree"] == before["tree"] and after["data"] == before["data"]
    assert after["python"] == before["python"] and after["before"] is None
    with pytest.raises(ValueError, match="no tree of before"):
        call(session, "bring_back")


def test_marks_of_the_path_stand_where_they_belong_when_the_slider_has_fewer_places() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(4000, 3))
    y = X[:, 0] + generator.normal(size=4000)
    session = session_of(treewright.CARTRegressor(), X, y)
    call(session, "start", algorithm="cart", params={})
    call(session, "act", action="grow")
    found = call(session, "validate", folds=3)
    assert found["n_steps"] > len(found["steps"]), "there must be more sizes than places"
    errors = [step["cv"] for step in found["steps"]]
    assert found["steps"][found["index_min"]]["cv"] == min(errors)
    chosen = call(session, "choose", rule="1se")
    assert found["steps"][found["index_1se"]]["leaves"] == chosen["leaves"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_download_has_something_in_it(form: str) -> None:
    session = started("tennis", "c45")
    call(session, "act", action="grow")
    found = download(session, form)
    assert found.name.startswith("tennis.") and len(found.body) > 100


def test_a_downloaded_model_is_the_model(tmp_path: Path) -> None:
    session = started("tennis", "c45")
    call(session, "act", action="grow")
    (tmp_path / "m.tree").write_bytes(download(session, "model").body)
    loaded = treewright.load(tmp_path / "m.tree")
    assert treewright.export_text(loaded) == treewright.export_text(session.grower.to_estimator())  # type: ignore[union-attr]


def test_an_estimator_of_python_is_shown_with_its_rows() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    session = session_of(treewright.CARTClassifier(max_depth=2).fit(X, y), X, y)
    state = call(session, "state")
    assert state["tree"]["leaves"] == 4 and state["data"]["fixed"]
    state = call(session, "start", algorithm=state["algorithm"], params=state["params"])
    assert call(session, "act", action="grow")["tree"]["leaves"] == 4


def test_no_more_nodes_are_sent_than_can_be_drawn() -> None:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(3000, 3)), generator.integers(0, 2, 3000)
    tree = treewright.CARTClassifier().fit(X, y)
    found = model_tree(tree.model_)
    assert len(found["nodes"]) <= 400 < found["total"]
    ids = {node["id"] for node in found["nodes"]}
    assert all(node["parent"] in ids or node["id"] == 0 for node in found["nodes"])
    deeper = model_tree(tree.model_, root=found["nodes"][5]["id"])
    assert deeper["path"][-1]["id"] == deeper["root"] == found["nodes"][5]["id"]
    grower = treewright.Grower(treewright.CARTClassifier(max_depth=6), X, y).grow()
    assert grown_tree(grower, most=50)["total"] == len(grower.nodes)


def test_work_that_is_cancelled_leaves_the_tree_as_it_was() -> None:
    session = started("cancer")

    def stop(done: int, total: int | None, words: str) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError):
        api.answer(session, "act", {"action": "grow"}, stop)
    assert call(session, "state")["tree"]["leaves"] == 1
    assert call(session, "act", action="next")["tree"]["leaves"] == 2


def test_the_warnings_of_a_session_of_python_are_as_before_whoever_ends_first() -> None:
    before = list(warnings.filters)
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with all_cores():
            inside.set()
            leave.wait(10)

    with all_cores():
        other = threading.Thread(target=stay)
        other.start()
        inside.wait(10)
    leave.set()
    other.join()
    assert list(warnings.filters) == before
