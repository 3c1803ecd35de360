import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.offloading import overlap_fraction, overlapped_time, step_time

TIMES = st.lists(st.floats(0.01, 100), min_size=2, max_size=6)


@given(TIMES, st.floats(-1, 2))
def test_fraction_is_where_the_step_lies_from_sum_to_maximum(times, fraction):
    step = sum(times) - fraction * (sum(times) - max(times))
    if step > 1e-3:
        assert overlap_fraction(times, step) == pytest.approx(fraction, abs=1e-8)


@given(TIMES, st.floats(0, 1))
def test_time_and_fraction_are_inverse(times, overlap):
    hidden = overlap_fraction(times, overlapped_time(times, overlap))
    assert hidden == pytest.approx(overlap, abs=1e-8)


def test_ends_are_the_sum_and_the_maximum():
    assert overlapped_time([3.0, 4.0, 1.0], [0, 1]).tolist() == [8, 4]


def test_a_norm_hides_more_of_unequal_channels():
    """The same power is a fraction that depends on the balance: neither form is the other."""
    equal, unequal = (overlap_fraction(t, step_time(t, 2)) for t in ([4.0, 4.0], [4.0, 0.4]))
    assert equal == pytest.approx(2 - np.sqrt(2))
    assert unequal == pytest.approx((4.4 - np.sqrt(16.16)) / 0.4)
    assert unequal > equal + 0.3


def test_fraction_refuses():
    with pytest.raises(ValueError, match="two channels or more, else nothing overlaps"):
        overlap_fraction([3.0, 0.0], 3)


STEPS = np.random.default_rng(5).uniform(0.2, 5, (40, 3))


def test_no_fraction_of_nothing():
    """The second channel's time is lost in the sum: there is nothing left to hide."""
    with pytest.raises(ValueError, match="else nothing overlaps"):
        overlap_fraction([4.0, 1e-17], 4.0)
