import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.offloading.cxl_alloc.implied import (
    asked,
    both,
    predicted_share,
    ratio_for_gain,
    ratio_for_share,
    throughput,
)
from perfmodel.labs.offloading.cxl_alloc.inputs import GIB, NEMO, QWEN
from perfmodel.labs.offloading.cxl_alloc.training_step import Setting


@given(ratio=st.floats(0, 100), update=st.floats(1.01, 10))
def test_ratio_for_share_inverts_throughput(ratio, update):
    share = throughput(ratio, update)
    assert ratio_for_share(share, update) == pytest.approx(ratio, rel=1e-6, abs=1e-6)


@given(ratio=st.floats(0, 100), update=st.floats(0.5, 3), worse=st.floats(1.05, 4))
def test_ratio_for_gain_inverts_throughput(ratio, update, worse):
    gain = throughput(ratio, update) / throughput(ratio, worse * update)
    assert ratio_for_gain(gain, update, worse * update) == pytest.approx(ratio, rel=1e-5, abs=1e-5)


@given(ratio=st.floats(0.1, 100), update=st.floats(1, 3), worse=st.floats(1.1, 4))
def test_both_finds_slowdown_and_ratio(ratio, update, worse):
    baseline = worse * update
    share = throughput(ratio, update)
    found = both(share, share / throughput(ratio, baseline), baseline)
    assert found == pytest.approx((update, ratio), rel=1e-5)


def test_both_by_hand():
    update, ratio = both(0.98, 1.21, 2.0)
    assert throughput(ratio, update) == pytest.approx(0.98)
    assert (ratio + 2) / (ratio + update) == pytest.approx(1.21)


def test_limits_of_throughput():
    assert throughput(0, 4) == pytest.approx(0.25)
    assert throughput(1e9, 4) == pytest.approx(1)


def test_no_ratio_gives_a_gain_larger_than_the_updates():
    need = asked(Setting(NEMO), 0.5)
    assert need.naive / need.aware < 1.21
    assert need.gain < 0
    with pytest.raises(ValueError, match="gain must be below"):
        predicted_share(Setting(NEMO), 0.5)


def test_predicted_share_is_what_the_ratio_gives():
    need = asked(Setting(QWEN), 0.5)
    assert predicted_share(Setting(QWEN), 0.5) == pytest.approx(
        float(throughput(need.gain, need.aware))
    )


@pytest.mark.parametrize(
    ("budget", "overlap", "one", "two"),
    [(97, 0.75, 98.4, 100.0), (100, 0.6, 97.7, 97.4), (120, 0, 98.4, 98.0), (120, 1, 100.7, 100.9)],
)
def test_budget_and_overlap_decide_what_is_kept(budget, overlap, one, two):
    setting = Setting(QWEN, dram=budget * GIB)
    kept = [100 * predicted_share(setting, overlap, cards=cards) for cards in (1, 2)]
    assert kept == pytest.approx([one, two], abs=0.05)


def test_with_100_gib_each_percentage_has_an_overlap_and_both_have_none():
    """As the notebook says: neither at an end, each in between, not both with the same."""
    overlaps = np.linspace(0, 1, 101)
    one, two = (
        np.array([predicted_share(Setting(QWEN), overlap, cards=cards) for overlap in overlaps])
        for cards in (1, 2)
    )
    first, second = (one >= 0.97) & (one <= 0.99), np.abs(two - 1) <= 0.01
    assert not (first | second)[[0, -1]].any()
    assert first.any()
    assert second.any()
    assert not (first & second).any()
    assert (two[first] < one[first]).any()


def test_bad_input():
    with pytest.raises(ValueError, match="gain must be above 1"):
        ratio_for_gain(0.9, 1, 2)
    with pytest.raises(ValueError, match="share must differ from 1"):
        ratio_for_share(1, 2)
    with pytest.raises(ValueError, match="gain must be above share"):
        both(0.9, 0.8, 2)
    with pytest.raises(ValueError, match="update must be above 0"):
        throughput(1, 0)
