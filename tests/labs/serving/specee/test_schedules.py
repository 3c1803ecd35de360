import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.specee.inputs import FIXED
from perfmodel.labs.serving.specee.logs import exits
from perfmodel.labs.serving.specee.schedules import (
    EVERY,
    SCHEDULES,
    frequent,
    held_out_hits,
    hits,
    near,
    outside,
    released,
    shuffled_hits,
)


def test_tokens_left_only_where_the_released_code_asks():
    """All 10,561 early exits: the logs can't say where else tokens could have left."""
    early = sum((layers < 32).sum() for layers in exits())
    assert early == 10_561
    assert outside() == 0
    assert hits(released).early == 1.0
    others = sum(layer < 32 and layer not in FIXED for layers in exits() for layer in layers)
    assert others > 1000


def test_hits_as_found_by_hand():
    found = hits(near)
    assert found.every == pytest.approx(0.849, abs=0.001)
    assert found.asked == pytest.approx(11.0, abs=0.01)
    assert shuffled_hits("prompt").every == pytest.approx(0.80, abs=0.01)
    assert shuffled_hits("all").every == pytest.approx(0.77, abs=0.01)


def test_order_matters_and_less_than_skewness():
    chance = hits(near).asked / 32
    ordered, within, mixed = hits(near), shuffled_hits("prompt"), shuffled_hits("all")
    assert chance < mixed.early < within.early < ordered.early
    assert ordered.early - within.early < within.early - chance


def test_frequent_layers_of_the_same_number_hit_more():
    assert held_out_hits(11).early > hits(near).early
    assert held_out_hits(11).early <= hits(lambda recent: set(frequent(11))).early + 0.01


@given(st.lists(st.integers(1, 32), min_size=6, max_size=30))
def test_sets_of_layers(sequence):
    past = np.array(sequence)
    asked = near(past)
    assert set(past[-5:].tolist()) <= asked
    assert len(asked) <= 25
    assert released(past) >= set(FIXED)
    assert all(any(abs(layer - e) <= 2 for e in past[-5:]) for layer in asked)


def test_hits_of_a_sequence_by_hand():
    """Five tokens of past, then a hit, a miss, and a token that ran all layers: 5, 7, 12 asked."""
    sequence = np.array([20, 20, 20, 20, 20, 22, 30, 32])
    found = hits(near, [sequence])
    assert found.early == 0.5
    assert found.every == pytest.approx(2 / 3)
    assert found.asked == pytest.approx((5 + 7 + 12) / 3)


def test_asking_every_layer_hits_all():
    assert hits(SCHEDULES[EVERY]).early == 1.0
    assert hits(SCHEDULES[EVERY]).asked == 31


def test_refuses():
    with pytest.raises(ValueError, match="among must be 'prompt' or 'all', got 'text'"):
        shuffled_hits("text")
    with pytest.raises(ValueError, match="count must be a whole number, 1 or more"):
        frequent(0)
