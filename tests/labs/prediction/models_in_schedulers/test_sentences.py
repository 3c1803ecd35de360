"""Sentences follow the outcome, whichever it is; what the page says of the record holds."""

import pytest

from perfmodel.labs.prediction.models_in_schedulers import admission_contest as edge, sentences
from perfmodel.labs.prediction.models_in_schedulers.node_drawing import node_with_rule
from perfmodel.prediction.arena.paired_losses import Loss

LOSES, GAINS, NEITHER = Loss(0.2, 0.1, 0.3), Loss(-0.2, -0.3, -0.1), Loss(0.0, -0.1, 0.1)


def test_the_better_rule_is_named():
    assert sentences.named_rule(LOSES) == sentences.THE_FORMULA
    assert sentences.named_rule(GAINS) == sentences.THE_THRESHOLD
    assert sentences.named_rule(NEITHER) == sentences.NO_DIFFERENCE


def test_changes_in_words():
    assert sentences.change(LOSES, "% of it", 100) == "loses 20 % of it (10 to 30)"
    assert sentences.change(GAINS, "% of it", 100) == "gains 20 % of it (10 to 30)"
    assert sentences.change(NEITHER, "% of it", 100) == "shows no difference (-10 to 10 % of it)"


def test_reasons_differ_by_outcome():
    told = {sentences.why_of_rules(each) for each in (LOSES, GAINS, NEITHER)}
    assert len(told) == 3


def test_the_sentences_name_what_was_tried():
    said = sentences.of_admission()
    assert all(str(scenario) in said for scenario in edge.SCENARIOS)
    assert "rule of thumb" in sentences.of_policies()
    assert "ms" in sentences.cost_of_a_decision(1)


def test_what_the_lessons_say_of_the_record():
    """A broken assumption makes the formula lose; elsewhere it wins or makes no difference."""
    verdicts = {str(one): edge.loss(one, edge.TUNED).verdict for one in edge.SCENARIOS}
    assert verdicts[str(edge.SCENARIOS[-1])] == "gains"
    assert {"loses", "no difference shown"} <= set(verdicts.values())


def test_the_drawing_tells_both_rules():
    scenes = [node_with_rule(count) for count in (0, 2, 8)]
    assert len({scene.height for scene in scenes}) == 1
    assert all("formula" in scene.says and "threshold" in scene.says for scene in scenes)
    with pytest.raises(ValueError, match="inside"):
        node_with_rule(9)
