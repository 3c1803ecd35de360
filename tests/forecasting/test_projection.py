"""The line through two pilots: worked values, limits, and its noise against simulation."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.forecasting import (
    noise_amplification,
    projected,
    projection_weights,
    replicates_needed,
)

SIZES = st.floats(10, 1e6)
RATIOS = st.floats(1.05, 50)
RHO = st.floats(-1, 1)


def test_worked_by_hand():
    """log(10)/log(1.5) and log(10/1.5)/log(1.5), of pilots at 1,000 and 1,500."""
    weights = projection_weights(1_000, 1_500, 10_000)
    assert weights.large == pytest.approx(5.67887, abs=5e-6)
    assert weights.small == pytest.approx(-4.67887, abs=5e-6)
    assert projected(0.40, 0.45, 1_000, 1_500, 10_000) == pytest.approx(0.68394, abs=5e-6)
    assert noise_amplification(1_000, 1_500, 10_000) == pytest.approx(7.358, abs=5e-4)
    assert replicates_needed(0.01, 0.02, 1_000, 1_500, 10_000) == 14


@given(SIZES, RATIOS, st.floats(0.1, 1000), st.floats(-5, 5), st.floats(-5, 5))
def test_a_line_in_the_logarithm_is_met(small, ratio, further, slope, level):
    large, target = small * ratio, small * further

    def line(size):
        return level + slope * np.log(size)

    found = projected(line(small), line(large), small, large, target)
    assert found == pytest.approx(line(target), rel=1e-6, abs=1e-6)


@given(SIZES, RATIOS)
def test_at_a_pilot_only_that_pilot_counts(small, ratio):
    large = small * ratio
    assert projected(0.3, 0.7, small, large, small) == pytest.approx(0.3)
    assert projected(0.3, 0.7, small, large, large) == pytest.approx(0.7)
    assert noise_amplification(small, large, large) == pytest.approx(1)


@given(SIZES, RATIOS, RATIOS, RHO)
def test_noise_by_units_and_what_is_shared(small, ratio, further, rho):
    large, target = small * ratio, small * ratio * further
    found = noise_amplification(small, large, target, rho)
    assert found == pytest.approx(
        noise_amplification(1000 * small, 1000 * large, 1000 * target, rho)
    )
    assert noise_amplification(small, large, target, 1) == pytest.approx(1, rel=1e-6)
    assert found <= noise_amplification(small, large, target, -1) + 1e-9
    assert noise_amplification(small, large, target) > 1


@given(SIZES, RATIOS, RATIOS)
def test_pilots_further_apart_are_better(small, ratio, further):
    target = small * ratio * further
    wide = noise_amplification(small / 2, small * ratio, target)
    assert wide <= noise_amplification(small, small * ratio, target) + 1e-9


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.4])
def test_noise_as_simulated(rho):
    rng = np.random.default_rng(1)
    errors = rng.multivariate_normal([0, 0], 0.01**2 * np.array([[1, rho], [rho, 1]]), 40_000)
    ends = projected(0.4 + errors[:, 0], 0.45 + errors[:, 1], 60, 90, 300)
    expected = 0.01 * noise_amplification(60, 90, 300, rho)
    assert ends.std() == pytest.approx(expected, rel=4 / np.sqrt(2 * 40_000))


@given(st.floats(1e-3, 1), st.floats(1e-3, 1))
def test_replicates_are_enough_and_none_is_too_many(error, wanted):
    count = replicates_needed(error, wanted, 100, 300, 1_000)
    one = error * float(noise_amplification(100, 300, 1_000))
    assert one / count**0.5 <= wanted * (1 + 1e-9)
    assert count == 1 or one / (count - 1) ** 0.5 > wanted * (1 - 1e-9)


def test_many_targets_at_once():
    weights = projection_weights(10, 20, [20, 40])
    assert weights.large == pytest.approx([1, 2])
    assert weights.small == pytest.approx([0, -1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: replicates_needed(1e200, 1, 5, 10, 20), r"over 1e\+12 replicates, got 1 for 1e"),
        (lambda: replicates_needed(1, 1, 5, 5 + 1e-15, 1e9), r"over 1e\+12 replicates"),
    ],
)
def test_sizes_that_need_endless_replicates_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
