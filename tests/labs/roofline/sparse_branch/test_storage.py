"""What a mispredicted branch costs and a sparse model saves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.labs.roofline.sparse_branch import storage as sb

POSITIVE = st.floats(0.1, 50)


@given(base=POSITIVE, mpki=POSITIVE, penalty=POSITIVE, saved=st.floats(0, 1))
def test_speedup_is_the_share_that_waits_run_through_amdahl(base, mpki, penalty, saved):
    waiting = mpki * penalty / 1000
    share = waiting / (base + waiting)
    expected = 1 / (1 - share * saved)
    assert float(sb.speedup(base, mpki, penalty, saved)) == pytest.approx(expected)


def test_storage_by_hand():
    """Three weights of 5 bits with 7-bit indices; 128 weights and a bias of 8 bits."""
    assert float(sb.sparse_bits(3, 5, 128)) == 36
    assert float(sb.dense_bits(128)) == 1032


def test_comparison_names_every_predictor_once():
    found = sb.compared(2_000)
    assert len(found) == 9
    assert all(0 < share < 0.5 for share in found.values())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sb.cycles_per_instruction(0, 5, 20), "base must be above 0"),
        (lambda: sb.cycles_per_instruction(1, -5, 20), "misses_per_kilo must be 0 or more"),
        (lambda: sb.speedup(1, 5, 20, 1.2), "saved must be between 0 and 1, got 1.2"),
        (lambda: sb.sparse_bits(0, 6), "weights must be 1 or more"),
        (lambda: sb.sparse_bits(5, 6, 1), "history must be 2 or more"),
        (lambda: sb.dense_bits(0), "history must be 1 or more"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
