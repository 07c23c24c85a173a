from __future__ import annotations

import numpy as np
import pytest

from treewright import C45Classifier, CARTRegressor
from treewright.export import export_rules, export_text
from treewright.export.leaf_order import leaf_places
from treewright.export.node_facts import Hidden, NodeFacts
from treewright.model.node import TreeView


@pytest.mark.parametrize("seed", [0, 1])
def test_places_of_leaves_are_those_of_a_walk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.choice(list("abcdef"), 200), rng.choice(list("uvw"), 200)]).astype(object)
    y = rng.choice(["yes", "no"], 200)
    for model in (
        C45Classifier(prune=None).fit(X, y).model_,
        CARTRegressor().fit(rng.random((300, 3)), rng.random(300)).model_,
    ):
        view = model.view()
        walked = [node.id for node in view.walk() if node.is_leaf]
        assert leaf_places(view)[walked].tolist() == list(range(len(walked)))


@pytest.mark.parametrize("limit", [0, 2, 5])
def test_what_is_hidden_is_summed_up_as_node_by_node(limit: int) -> None:
    rng = np.random.default_rng(3)
    model = CARTRegressor().fit(rng.random((200, 3)), rng.random(200)).model_
    view = model.view()
    hidden = Hidden(view, NodeFacts(model, view), view.tree.node_depths <= limit)
    for top in (node for node in view if node.depth == limit and not node.is_leaf):
        below = [node for node in view if top.id in [above.id for above in node.path[:-1]]]
        loss = sum(node.loss for node in below if node.is_leaf)
        words = hidden.describe(top)
        assert words.startswith(f"… {len(below)} more nodes, depth {max(node.depth for node in below)}, loss")
        assert float(words.split()[-1]) == pytest.approx(loss, rel=1e-3, abs=1e-9)


def test_nodes_that_are_not_shown_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    model = CARTRegressor().fit(rng.random((20_000, 3)), rng.random(20_000))
    made, look = [0], TreeView.split_of

    def counted(self: TreeView, node: int) -> object:
        made[0] += 1
        return look(self, node)

    monkeypatch.setattr(TreeView, "split_of", counted)
    export_text(model)
    export_rules(model, max_rules=20)
    assert made[0] < 2000 < model.tree_.node_count
