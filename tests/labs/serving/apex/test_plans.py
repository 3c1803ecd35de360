import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.serving.apex.inputs import GIB, LLAMA_70B
from perfmodel.labs.serving.apex.plans import Plan, cache_tokens, fits, plans, weight_bytes
from perfmodel.roofline import LLAMA_2_7B


def test_parameters_of_a_layer_as_configured():
    assert LLAMA_70B.attention_parameters == 150_994_944
    assert LLAMA_70B.feed_forward_parameters == 704_643_072


def test_cache_by_hand():
    """(80 - 63.75 - 1) GiB over 163,840 bytes."""
    assert cache_tokens(Plan(1, 1, 2)) == pytest.approx(15.25 * GIB / 163_840)
    assert cache_tokens(Plan(1, 1, 2)) == pytest.approx(99_942, abs=1)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([2, 4, 8, 16]), st.booleans())
def test_all_weights_are_somewhere(gpus, tables):
    for plan in plans(gpus):
        held = weight_bytes(plan, tables=tables) * plan.tensor * plan.pipeline
        words = 2 * 2 * LLAMA_70B.vocabulary * LLAMA_70B.hidden * tables
        assert held == pytest.approx(2 * LLAMA_70B.layer_parameters + words * plan.pipeline)
        assert plan.data * plan.pipeline * plan.tensor == gpus
        assert fits(plan) == (cache_tokens(plan) >= 1)


def test_enumeration_against_brute_force():
    found = {
        (d, s, p)
        for d in range(1, 9)
        for s in range(1, 9)
        for p in range(1, 9)
        if d * s * p == 8 and 80 % s == 0 and 8 % p == 0
    }
    assert set(plans(8)) == found
    assert len(plans(8)) == len(found)
    assert Plan(1, 3, 2) not in plans(6, LLAMA_2_7B)


def test_stages_and_parts_take_the_same_memory_and_copies_take_all_room():
    assert weight_bytes(Plan(1, 2, 1)) == weight_bytes(Plan(1, 1, 2))
    assert cache_tokens(Plan(2, 1, 4)) < cache_tokens(Plan(1, 1, 8))
    assert not fits(Plan(8, 1, 1))


def test_names():
    assert [plan.name for plan in plans(4)] == [
        "TP4", "TP2 x PP2", "TP1 x PP4", "2 x TP2", "2 x TP1 x PP2", "4 x TP1",
    ]  # fmt: skip


def test_refuses():
    with pytest.raises(ValueError, match="gpus must be a whole number, 1 or more, got 0"):
        plans(0)
