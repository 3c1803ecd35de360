"""The made trace: its profile, its noise, arrivals by thinning, and Zipf shares."""

import numpy as np
import pytest

from perfmodel.labs.queueing.autoscaling.trace import (
    MINUTES,
    DayPattern,
    drawn_arrivals,
    drawn_rates,
    zipf_shares,
)


def test_the_profile_has_its_mean_and_its_swing():
    profile = DayPattern(base=2.0, swing=0.4).profile()
    assert profile.mean() == pytest.approx(2.0)
    assert (profile.min(), profile.max()) == pytest.approx((1.2, 2.8), rel=1e-4)
    assert profile.argmin() // 60 in (3, 4)
    assert profile.argmax() // 60 in (15, 16)


def test_the_noise_has_its_spread_and_its_memory():
    pattern = DayPattern(noise=0.2, memory=0.9, bursts=0.0)
    rates = drawn_rates(pattern, 40, np.random.default_rng(1))
    off = np.log(rates / np.tile(pattern.profile(), 40))
    assert off.std() == pytest.approx(0.2, rel=0.03)
    assert np.corrcoef(off[:-1], off[1:])[0, 1] == pytest.approx(0.9, abs=0.01)


def test_bursts_come_as_often_as_stated_and_fade():
    pattern = DayPattern(noise=0.0, bursts=3.0, burst=0.5, fading=20.0)
    off = np.log(
        drawn_rates(pattern, 100, np.random.default_rng(2)) / np.tile(pattern.profile(), 100)
    )
    # Each burst adds 0.5 / (1 - exp(-1/20)) to the sum of all minutes.
    expected = 3.0 * 100 * 0.5 / (1 - np.exp(-1 / 20))
    assert off.sum() == pytest.approx(expected, rel=4 / np.sqrt(300))
    assert off.max() > 0.45


def test_thinned_arrivals_are_a_unit_poisson_stream_in_the_time_of_their_own_rate():
    rates = np.array([0.5, 4.0, 0.0, 1.5] * 200)
    arrivals = drawn_arrivals(rates, 10.0, np.random.default_rng(3))
    assert (np.diff(arrivals) > 0).all()
    edges = np.arange(rates.size + 1) * 10.0
    clock = np.interp(arrivals, edges, np.concatenate([[0.0], (rates * 10.0).cumsum()]))
    gaps = np.diff(clock)
    assert gaps.size == pytest.approx(rates.sum() * 10, abs=4 * np.sqrt(rates.sum() * 10))
    assert gaps.mean() == pytest.approx(1, abs=4 / np.sqrt(gaps.size))
    assert gaps.std() == pytest.approx(1, abs=6 / np.sqrt(gaps.size))
    counts = np.histogram(arrivals, edges)[0]
    assert counts[2::4].sum() == 0


def test_zipf_shares_by_hand():
    assert zipf_shares(3, 1.0) == pytest.approx([6 / 11, 3 / 11, 2 / 11])
    assert zipf_shares(5, 0.0) == pytest.approx([0.2] * 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DayPattern(base=0), "base must be above 0, got 0"),
        (lambda: DayPattern(swing=1.0), "swing must be 0 to below 1, got 1.0"),
        (lambda: DayPattern(memory=-0.1), "memory must be 0 or more, got -0.1"),
        (lambda: DayPattern(fading=0), "fading must be above 0, got 0"),
        (
            lambda: drawn_rates(DayPattern(), 0, np.random.default_rng(0)),
            "days must be a whole number, 1 or more, got 0",
        ),
        (
            lambda: drawn_arrivals([0.0, 0.0], 1.0, np.random.default_rng(0)),
            "the largest of rates must be above 0",
        ),
        (lambda: drawn_arrivals([-1.0], 1.0, np.random.default_rng(0)), "rates must be 0 or more"),
        (lambda: zipf_shares(3, 6), "exponent must be between 0 and 5, got 6"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_day_has_a_rate_for_each_minute():
    assert drawn_rates(DayPattern(), 2, np.random.default_rng(4)).size == 2 * MINUTES
