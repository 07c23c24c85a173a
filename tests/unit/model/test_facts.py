from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.model.forest_cases import forest_model

from treewright.model.facts import BoosterFacts, Facts, ForestFacts, TreeFacts, WeightedFacts

BAGS = [{"first": 0, "last": 3}]
FACTS: list[Facts] = [
    TreeFacts(max_features=4),
    TreeFacts(max_features=4, edited="2 of 5 splits", pruning={"method": "ccp_alpha"}),
    ForestFacts(aggregation="mean", bags=BAGS, criterion="gini", max_features=2, oob_score=0.5),
    BoosterFacts(
        loss="log_loss", link="logit", n_rounds=3, learning_rate=0.1, l2=1.0, l1=0.0, chance_gain=0.0, seed=7
    ),
    WeightedFacts(algorithm="SAMME", criterion="gini", seed=7),
    WeightedFacts(algorithm="R2", criterion="squared_error"),
    TreeFacts(max_features=4, criterion="gain_ratio"),
]


@pytest.mark.parametrize("facts", FACTS, ids=lambda facts: type(facts).__name__)
def test_facts_come_back_from_plain_values(facts: Facts) -> None:
    stored = replace(forest_model(), facts=vars(facts)).facts
    assert None not in stored.values()
    assert type(facts).from_dict({**stored, "of another family": 1}) == facts


@pytest.mark.parametrize(
    ("facts", "name", "value", "words"),
    [
        (FACTS[0], "max_features", "many", "how many features"),
        (FACTS[0], "max_features", None, "how many features"),
        (FACTS[0], "criterion", 3, "its criterion is .3., which is none"),
        (FACTS[2], "bags", [], "bags are missing"),
        (FACTS[2], "oob_score", "good", "out-of-bag score is not a number"),
        (FACTS[3], "n_rounds", 3.0, "how many rounds"),
        (FACTS[3], "seed", -1, "seed is not one"),
        (FACTS[3], "loss", None, "does not name its loss"),
        (FACTS[3], "l2", float("inf"), "l2 is not a number of at least 0"),
        (FACTS[3], "chance_gain", True, "chance_gain is not a number"),
        (FACTS[3], "max_leaves", "all", "max_leaves is not a count"),
        (FACTS[4], "algorithm", "magic", "how its trees vote"),
        (FACTS[4], "seed", 2**32, "seed is not one"),
    ],
)
def test_values_that_cannot_be_are_refused(facts: Facts, name: str, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        type(facts).from_dict({**vars(facts), name: value})


def test_facts_of_a_model_are_replaced_and_taken_away_by_name() -> None:
    model = replace(forest_model(), facts={"max_features": 2, "pruning": {}, "alpha": 1})
    assert TreeFacts.changed(model, pruning=None) == {"max_features": 2, "alpha": 1}
    assert TreeFacts.changed(model, max_features=3) == {"max_features": 3, "pruning": {}, "alpha": 1}
    with pytest.raises(TypeError, match="TreeFacts has no field seed"):
        TreeFacts.changed(model, seed=1)
