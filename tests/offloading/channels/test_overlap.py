import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.offloading import fit_power, overlap_fraction, overlapped_time, step_time

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


@pytest.mark.parametrize("power", [1, 1.25, 2, 4, np.inf])
def test_fit_finds_the_power_of_exact_times(power):
    fit = fit_power(STEPS, step_time(STEPS, power))
    assert fit.power == pytest.approx(power)
    assert fit.low == pytest.approx(power)
    assert fit.high == pytest.approx(power)
    assert fit.error == pytest.approx(0, abs=1e-12)


def test_interval_holds_the_power_of_noisy_times():
    """About 95 of 100 intervals of noisy steps hold the power they were drawn from."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(100):
        noisy = step_time(STEPS, 2.0) * np.exp(rng.normal(0, 0.05, len(STEPS)))
        fit = fit_power(STEPS, noisy, resamples=200)
        held += fit.low <= 2.0 <= fit.high
        assert fit.error == pytest.approx(0.05, rel=0.5)
    assert 88 <= held <= 99


def test_steps_beyond_the_ends_pull_the_power_to_them():
    assert fit_power(STEPS, STEPS.sum(axis=1) * 1.2).power == 1
    assert fit_power(STEPS, STEPS.max(axis=1) * 0.8).power == np.inf


def test_the_fit_is_the_best_power():
    measured = step_time(STEPS, np.linspace(1.5, 3, len(STEPS)))
    fit = fit_power(STEPS, measured)

    def error(power):
        return np.sqrt((np.log(measured / step_time(STEPS, power)) ** 2).mean())

    assert fit.error == pytest.approx(error(fit.power))
    assert all(error(power) >= fit.error - 1e-6 for power in np.linspace(1, 6, 80))
    assert fit.low < fit.power < fit.high


def test_fit_refuses():
    with pytest.raises(ValueError, match="with 3 steps or more, got"):
        fit_power(STEPS[:2], [1.0, 2.0])
    with pytest.raises(ValueError, match="else nothing overlaps"):
        fit_power([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="resamples must be"):
        fit_power(STEPS, STEPS.sum(axis=1), resamples=0)


def test_no_fraction_of_nothing():
    """The second channel's time is lost in the sum: there is nothing left to hide."""
    with pytest.raises(ValueError, match="else nothing overlaps"):
        overlap_fraction([4.0, 1e-17], 4.0)
    with pytest.raises(ValueError, match="else nothing overlaps"):
        fit_power([[4.0, 1e-17], [1, 1], [1, 2]], [4.0, 1.5, 2.5])
