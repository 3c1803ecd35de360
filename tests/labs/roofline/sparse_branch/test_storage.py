"""What a mispredicted branch costs and a sparse model saves."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.roofline.sparse_branch import storage as sb
from perfmodel.labs.roofline.sparse_branch.inputs import EXTRA_STORAGE

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


@pytest.mark.parametrize(
    ("saved", "cycles", "faster"), [(0.42, 0.558, 1.0753), (0.023, 0.5977, 1.0038)]
)
def test_savings_of_the_abstract(saved, cycles, faster):
    """CPI 0.5 without misses, 5 misses in 1,000 instructions, 20 cycles each: 0.600 before."""
    assert float(sb.cycles_per_instruction(0.5, 5, 20)) == pytest.approx(0.600, abs=5e-4)
    after = sb.cycles_per_instruction(0.5, 5 * (1 - saved), 20)
    assert float(after) == pytest.approx(cycles, abs=5e-4)
    assert float(sb.speedup(0.5, 5, 20, saved)) == pytest.approx(faster, abs=5e-5)


def test_a_sparse_model_against_a_dense_one():
    """50 weights of 6 bits against 513 of 8."""
    assert float(sb.sparse_bits(50, 6)) == 750
    assert float(sb.dense_bits()) == 4104
    assert float(sb.dense_bits() / sb.sparse_bits(50, 6)) == pytest.approx(5.5, abs=0.05)


@pytest.mark.parametrize(("weights", "models"), [(50, 21), (10, 109)])
def test_models_that_fit_in_the_extra_storage(weights, models):
    assert EXTRA_STORAGE // sb.sparse_bits(weights, 6) == models


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
