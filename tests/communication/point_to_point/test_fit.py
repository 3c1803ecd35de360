"""Planted protocols are found, breaks of chance are not, and intervals hold what was planted."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import nnls

from perfmodel.communication import bootstrap_messages, fit_messages

SIZES = 1024.0 * 2 ** np.arange(19)


def eager(n):
    """A protocol without a handshake up to 256 KiB, and one of more bandwidth beyond."""
    return np.where(n <= 2**18, 1e-5 + n / 5e10, 2e-5 + n / 2e11)


def straight(n):
    return 1e-5 + n / 1e10


def noisy(law, rng, spread, sizes=SIZES):
    return law(sizes) * np.exp(rng.normal(0, spread, sizes.size))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(4, 15),
    st.floats(1e-7, 1e-4),
    st.floats(2, 20),
    st.floats(1e8, 1e11),
    st.floats(2, 10),
)
def test_planted_protocols_are_found(place, latency, jump, bandwidth, faster):
    times = np.where(
        np.arange(19) < place,
        latency + SIZES / bandwidth,
        latency * jump + SIZES / bandwidth / faster,
    )
    fit = fit_messages(SIZES, times, breaks=1)
    np.testing.assert_allclose(fit.time(SIZES), times, rtol=1e-5)
    assert fit.breaks == SIZES[place - 1]
    assert fit.latencies == pytest.approx([latency, latency * jump], rel=1e-2)
    assert fit.bandwidths[1] == pytest.approx(bandwidth * faster, rel=1e-2)


@pytest.mark.parametrize("breaks", [0, 1, 2])
def test_no_division_by_hand_is_better(breaks):
    """Every division, each piece by non-negative least squares of SciPy."""
    rng = np.random.default_rng(breaks)
    sizes = SIZES[:12]
    times = noisy(eager, rng, 0.2, sizes)
    fit = fit_messages(sizes, times, breaks=breaks)
    least = np.inf
    for inner in combinations(range(3, 10), breaks):
        ends = [0, *inner, 12]
        pieces = [slice(a, b) for a, b in pairwise(ends)]
        if any(piece.stop - piece.start < 3 for piece in pieces):
            continue
        error = 0.0
        for piece in pieces:
            columns = np.column_stack([1 / times[piece], sizes[piece] / times[piece]])
            error += nnls(columns, np.ones(len(columns)))[1] ** 2
        least = min(least, error)
    assert ((fit.time(sizes) / times - 1) ** 2).sum() == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("first", [0.0, 1e3, 1e6, 1e9])
def test_sizes_that_differ_little_compared_with_their_distance_from_zero(first):
    """Products of sizes lose twice the digits that sizes lose: at 1e9 all of them."""
    sizes = first + 8.0 * np.arange(12)
    fit = fit_messages(sizes, first / 1e9 + sizes / 1e9 + 1e-6, breaks=0)
    assert fit.bandwidths == pytest.approx([1e9], rel=1e-9 * max(first / 1e2, 1))
    assert fit.time(sizes) == pytest.approx(first / 1e9 + sizes / 1e9 + 1e-6, rel=1e-9)


def test_a_break_by_chance_is_rare_and_a_real_one_is_found():
    rng = np.random.default_rng(1)
    none, one = (
        [len(fit_messages(SIZES, noisy(law, rng, 0.05)).breaks) for _ in range(50)]
        for law in (straight, eager)
    )
    assert sum(count > 0 for count in none) <= 6
    assert sum(count == 1 for count in one) >= 42


def rounded(times, step=1e-6):
    return np.maximum(np.round(times / step), 1) * step


@pytest.mark.parametrize("spread", [0.005, 0.02, 0.05])
def test_steps_of_rounding_are_no_break(spread):
    """Whole microseconds of 6.3: without `resolution` up to all of these lines get a break."""
    rng = np.random.default_rng(0)

    def line(n):
        return 6.3e-6 + n / 2e11

    times = [rounded(noisy(line, rng, spread)) for _ in range(30)]
    found = [len(fit_messages(SIZES, t, max_breaks=1, resolution=1e-6).breaks) for t in times]
    assert sum(found) <= 4
    if spread < 0.01:
        unaware = [len(fit_messages(SIZES, t, max_breaks=1).breaks) for t in times[:10]]
        assert sum(unaware) >= 8


def test_a_real_break_is_found_in_rounded_times():
    rng = np.random.default_rng(1)
    fits = [
        fit_messages(SIZES, rounded(noisy(eager, rng, 0.03)), max_breaks=1, resolution=1e-6)
        for _ in range(20)
    ]
    assert sum(len(fit.breaks) == 1 for fit in fits) >= 18


def test_the_noise_beyond_rounding_is_found():
    rng = np.random.default_rng(2)
    fits = [
        fit_messages(SIZES, rounded(noisy(straight, rng, 0.02)), breaks=0, resolution=1e-6)
        for _ in range(40)
    ]
    assert np.mean([fit.noise**2 for fit in fits]) == pytest.approx(0.02**2, rel=0.35)
    assert all(fit.noise <= fit.deviations.min() < fit.deviations.max() for fit in fits)
    assert fit_messages(SIZES, straight(SIZES)).resolution == 0


def test_chances_say_why():
    rng = np.random.default_rng(2)
    found = fit_messages(SIZES, noisy(eager, rng, 0.03))
    assert len(found.breaks) == 1
    assert found.p_values[0] < 0.05 < found.p_values[1]
    assert fit_messages(SIZES, noisy(eager, rng, 0.03), breaks=1).p_values == ()
    assert fit_messages(SIZES, eager(SIZES), max_breaks=0).breaks.size == 0


def test_intervals_hold_what_was_planted():
    rng = np.random.default_rng(3)
    held = np.zeros(4)
    for seed in range(60):
        fit = fit_messages(SIZES, noisy(eager, rng, 0.04), breaks=1)
        boot = bootstrap_messages(fit, 200, seed)
        low, high = boot.time([4096.0, 2.0**25])
        intervals = [boot.latency(0), boot.bandwidth(1), (low[0], high[0]), (low[1], high[1])]
        planted = [1e-5, 2e11, float(eager(4096.0)), float(eager(2.0**25))]
        held += [a <= x <= b for (a, b), x in zip(intervals, planted, strict=True)]
    assert (held / 60 >= 0.8).all()
    assert (held / 60).mean() >= 0.87


def test_intervals_of_one_protocol():
    rng = np.random.default_rng(5)
    held, spreads = [], []
    for seed in range(60):
        fit = fit_messages(SIZES, noisy(straight, rng, 0.04), breaks=0)
        spreads.append(fit.relative_deviation)
        boot = bootstrap_messages(fit, 200, seed)
        assert boot.latencies.shape == (200, 1)
        intervals = [boot.latency(), boot.bandwidth()]
        held.append([a <= x <= b for (a, b), x in zip(intervals, (1e-5, 1e10), strict=True)])
    assert (np.mean(held, axis=0) >= 0.85).all()
    assert np.mean(np.square(spreads)) == pytest.approx(0.04**2, rel=0.1)


def test_resamples_of_few_times_spread_as_widely_as_students_t():
    """Errors of 8 times, 2 numbers fitted, are 8/6 too narrow in variance; t of 6 is wider yet."""
    rng, sizes = np.random.default_rng(6), np.linspace(1e5, 8e5, 8)
    variances, fitted = [], []
    for seed in range(200):
        fit = fit_messages(sizes, noisy(lambda n: 2e-5 + n / 1e10, rng, 0.02, sizes), breaks=0)
        boot = bootstrap_messages(fit, 60, seed)
        variances.append(np.var(boot.byte_times[:, 0], ddof=1))
        fitted.append(fit.byte_times[0])
    columns = np.column_stack([np.ones(8), sizes]) / (2e-5 + sizes / 1e10)[:, None]
    exact = 0.02**2 * np.linalg.inv(columns.T @ columns)[1, 1]
    wider = (2.447 / 1.960) ** 2  # 97.5 % of Student's t of 6 degrees, and of the normal
    assert np.mean(variances) / exact / wider == pytest.approx(1, abs=0.12)
    assert np.var(fitted, ddof=1) / exact == pytest.approx(1, abs=0.25)


def test_repeated_and_shuffled_pairs():
    rng = np.random.default_rng(4)
    sizes = np.repeat(SIZES, 3)
    times = eager(sizes) * np.exp(rng.normal(0, 0.05, sizes.size))
    order = rng.permutation(sizes.size)
    fit, shuffled = fit_messages(sizes, times), fit_messages(sizes[order], times[order])
    assert fit.breaks == shuffled.breaks == 2**18
    assert fit.latencies == pytest.approx(shuffled.latencies)
    assert fit.relative_deviation == pytest.approx(0.05, rel=0.25)


def test_neither_latency_nor_byte_time_is_below_zero():
    falling = fit_messages(SIZES, 1e-3 - SIZES / 1e12, breaks=0)
    assert falling.byte_times == 0
    assert np.isinf(falling.bandwidths).all()
    steep = fit_messages(SIZES, (SIZES / 1e6) ** 1.5, breaks=0)
    assert steep.latencies == 0


def test_time_keeps_the_shape_and_the_break_belongs_to_the_lower_piece():
    fit = fit_messages(SIZES, eager(SIZES), breaks=1)
    assert fit.time([[2**18], [2**18 + 1]]) == pytest.approx(
        np.array([[1e-5 + 2**18 / 5e10], [2e-5 + 2**18 / 2e11]]), rel=1e-3
    )
    low, high = bootstrap_messages(fit, 10).time(np.full((2, 3), 2.0**18))
    assert low.shape == high.shape == (2, 3)
    assert high == pytest.approx(np.full((2, 3), 1e-5 + 2**18 / 5e10), rel=1e-2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_messages(SIZES, SIZES[:4]), "sizes and times must be as long as each other"),
        (lambda: fit_messages([1, 1, 2], [1, 2, 3]), "sizes must have 3 different values or more"),
        (lambda: fit_messages(SIZES[:5], SIZES[:5], breaks=1), "must have 6 different values"),
        (lambda: fit_messages(SIZES, SIZES, breaks=-1), "breaks must be a whole number"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
