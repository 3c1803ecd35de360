"""Fleets by hand and by Erlang, forecasts, moving loads against chains and simulation, traces."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import poisson

from perfmodel.labs.queueing.autoscaling.fleet import serve_day
from perfmodel.labs.queueing.autoscaling.forecast import (
    ahead,
    deviations,
    fit_autoregression,
    forecast_counts,
    mean_profile,
)
from perfmodel.labs.queueing.autoscaling.moving_load import (
    day_fractions,
    moving_offered_load,
    moving_queue,
    sinusoidal_offered_load,
)
from perfmodel.labs.queueing.autoscaling.policies import late_servers, seen_before, staffed
from perfmodel.labs.queueing.autoscaling.trace import (
    MINUTES,
    DayPattern,
    drawn_arrivals,
    drawn_rates,
)
from perfmodel.queueing import (
    batch_means,
    birth_death_chain,
    departures,
    erlang_a,
    erlang_c,
    mmc,
    square_root_staffing,
    transient_state,
)


def test_a_server_that_goes_finishes_first_and_one_that_comes_takes_the_line():
    day = serve_day([0, 1, 2, 3], [4, 20, 3, 3], [2, 1, 1, 2, 2], 5.0)
    # Both servers begin at 0 and 1; from 4 on the first is free, and is taken away at 5 while it
    # serves the third until 7; then the one left is busy with the second until a new one at 15.
    assert day.waits.tolist() == [0, 0, 2, 12]
    assert day.server_hours == 8 * 5 / 3600


def test_who_gives_up_is_passed_over_and_holds_no_server():
    day = serve_day([0, 1, 2], [10, 10, 10], [1], 100.0, [99, 5, 99])
    assert day.waits.tolist() == [0, 5, 8]
    assert day.served.tolist() == [True, False, True]
    assert day.late(7.5) == pytest.approx(2 / 3)
    assert day.late(8.0) == pytest.approx(1 / 3)


@settings(max_examples=30)
@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=40), st.integers(0, 1000))
def test_one_server_is_the_line_of_the_chapter(gaps, seed):
    came = np.cumsum(gaps)
    work = np.random.default_rng(seed).exponential(2.0, came.size)
    day = serve_day(came, work, np.ones(10), 7.0)
    assert came + day.waits + work == pytest.approx(departures(came, work))


@pytest.mark.parametrize("patience", [None, 40.0])
def test_a_fleet_that_stays_agrees_with_erlang(patience):
    rng = np.random.default_rng(4)
    came = rng.exponential(1.0, 150_000).cumsum()
    work = rng.exponential(10.0, came.size)
    patient = np.inf if patience is None else rng.exponential(patience, came.size)
    day = serve_day(came, work, np.full(1, 12), 1e6, patient)
    still = mmc(1.0, 0.1, 12) if patience is None else erlang_a(1.0, 0.1, 12, patience)
    waits = erlang_c(12, 10.0) if patience is None else still.wait_probability
    line = still.waiting_time if patience is None else still.mean_queue_time
    lost = 0.0 if patience is None else still.loss_probability
    for result, exact in ((day.waits > 0, waits), (day.waits, line), (~day.served, lost)):
        interval = batch_means(result.astype(float), confidence=0.999)
        assert interval.half_width <= 0.25 * interval.value
        assert interval.covers(exact)


def test_policies_by_hand():
    assert staffed([60.0], 100.0, 0.2).tolist() == [111]
    counts = np.arange(1.0, 9.0)
    assert seen_before(counts, 0, 1).tolist() == [1, 1, 2, 3, 4, 5, 6, 7]
    assert seen_before(counts, 3, 2).tolist() == [1, 1, 1, 1, 1, 1.5, 2.5, 3.5]


@pytest.mark.parametrize(("start_up", "short"), [(0, 3), (5, 16), (15, 40), (20, 40)])
def test_the_drawing_can_be_read_and_counts_who_is_missing(start_up, short):
    scene = late_servers(start_up)
    assert scene.faults() == []
    assert scene.values["most servers short"] == short
    # The load has risen by 40 in 15 minutes and falls as fast: each minute late lacks 40 minutes.
    hours = 40 * min(start_up + 1, 20) / 60
    assert scene.values["short (server hours)"] == pytest.approx(hours, abs=0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: serve_day([1, 0], [1, 1], [1], 1.0), "arrivals must be in order"),
        (lambda: serve_day([0], [1, 1], [1], 1.0), "as many as services, 2, got 1"),
        (lambda: serve_day([0], [1], [1], 1.0, 0.0), "patience must be above 0, got 0.0"),
    ],
)
def test_days_out_of_order_or_without_patience_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_two_steps_ahead_by_hand():
    series = [1.0, 2.0, 3.0, 0.0, 0.0]
    one = [0.5 * 2 + 0.25 * 1, 0.5 * 3 + 0.25 * 2]
    two = [0.5 * one[0] + 0.25 * 2, 0.5 * one[1] + 0.25 * 3]
    assert ahead(series, [0.5, 0.25], 1)[:4] == pytest.approx([0, 0, *one])
    assert ahead(series, [0.5, 0.25], 2) == pytest.approx([0, 0, 0, *two])


@given(st.floats(-0.99, 0.99), st.integers(1, 30))
def test_a_first_order_forecast_fades_as_a_power(memory, horizon):
    series = np.linspace(-1, 1, 40)
    expected = memory**horizon * series[: 40 - horizon]
    assert ahead(series, [memory], horizon)[horizon:] == pytest.approx(expected)


def test_a_fit_finds_the_coefficients_of_a_drawn_series():
    rng, x = np.random.default_rng(1), np.zeros(20_000)
    noise = rng.normal(size=x.size)
    for i in range(2, x.size):
        x[i] = 0.6 * x[i - 1] + 0.3 * x[i - 2] + noise[i]
    assert fit_autoregression(x, 2) == pytest.approx([0.6, 0.3], abs=0.03)


def test_a_profile_is_the_mean_of_the_days_around_the_clock():
    pattern = DayPattern(noise=0.0, bursts=0.0)
    counts = np.tile(60 * pattern.profile(), 3)
    assert mean_profile(counts, 1) == pytest.approx(60 * pattern.profile())
    assert mean_profile(counts, 31) == pytest.approx(60 * pattern.profile(), rel=1e-3)


def test_known_factors_and_weights_give_known_counts():
    profile = np.full(MINUTES, 50.0)
    counts = np.full(MINUTES, 99.5)
    assert deviations(counts, profile) == pytest.approx(np.log(2))
    assert forecast_counts(counts, profile, [0.0], 3) == pytest.approx(50)
    assert forecast_counts(counts, profile, [1.0], 3)[3:] == pytest.approx(100)
    assert forecast_counts(counts, profile, [0.5], 2)[2:] == pytest.approx(50 * 2**0.25)


@pytest.mark.parametrize("horizon", [2, 6, 11])
def test_ten_minutes_of_memory_beat_one_the_profile_and_the_last_minute(horizon):
    rng = np.random.default_rng(11)
    rates = drawn_rates(DayPattern(), 15, rng)
    counts = rng.poisson(60 * rates).astype(float)
    past, today = counts[: 14 * MINUTES], counts[14 * MINUTES :]
    profile = mean_profile(past)
    off = deviations(past, profile)
    weights = {"last": [1.0], "profile": [0.0], 1: None, 10: None}
    weights |= {p: fit_autoregression(off, p) for p in (1, 10)}
    errors = {
        name: np.std(forecast_counts(today, profile, w, horizon) - 60 * rates[14 * MINUTES :])
        for name, w in weights.items()
    }
    assert errors[10] == min(errors.values())


def test_a_part_of_a_day_has_no_profile():
    with pytest.raises(ValueError, match="counts must be of whole days of 1440 minutes, got 10"):
        mean_profile(np.ones(10))


DAY = 86400.0


def sine(times, mean_rate, swing):
    return mean_rate * (1 + swing * np.sin(2 * np.pi * times / DAY))


@pytest.mark.parametrize("mean", [60.0, 1800.0, 7200.0])
def test_a_sine_through_the_filter_is_the_closed_form(mean):
    step, times = 20.0, np.arange(1, 3 * 4320 + 1) * 20.0
    load = moving_offered_load(sine(times - step / 2, 0.02, 0.5), step, mean)
    exact = sinusoidal_offered_load(times, 0.02, 0.5, DAY, mean)
    assert load[-4320:] == pytest.approx(exact[-4320:], rel=2e-4)


def test_the_load_is_late_by_a_service_and_lower_where_services_are_long():
    times = np.linspace(0, DAY, 86401)
    load = sinusoidal_offered_load(times, 1.0, 0.5, DAY, 600.0)
    assert times[load.argmax()] - DAY / 4 == pytest.approx(600, rel=0.01)
    long = sinusoidal_offered_load(times, 1.0, 0.5, DAY, DAY)
    assert (long.max() / DAY - 1) == pytest.approx(0.5 / np.sqrt(1 + 4 * np.pi**2), rel=1e-6)


def test_the_load_is_what_a_fleet_without_limit_holds():
    rates = np.array([0.2] * 20 + [1.0] * 20)
    rng, busy = np.random.default_rng(1), []
    for _ in range(300):
        came = drawn_arrivals(rates, 30.0, rng)
        day = serve_day(came, rng.exponential(100.0, came.size), np.full(40, 1000), 30.0)
        assert (day.waits == 0).all()
        ends = came + rng.exponential(100.0, came.size)
        busy.append(((came <= 900) & (ends > 900)).sum())
    expected = moving_offered_load(rates, 30.0, 100.0)[29]
    # It began empty, not at its level: what would be left of that is taken off.
    expected -= 20 * np.exp(-900 / 100)
    assert np.mean(busy) == pytest.approx(expected, abs=4 * np.sqrt(expected / 300))


@pytest.mark.parametrize("patience", [np.inf, 120.0])
def test_a_chain_that_stands_still_becomes_erlang_s(patience):
    queue = moving_queue(np.full(3000, 0.8), np.full(3000, 52), 10.0, 60.0, patience)
    still = mmc(0.8, 1 / 60, 52) if np.isinf(patience) else erlang_a(0.8, 1 / 60, 52, patience)
    waits = erlang_c(52, 48.0) if np.isinf(patience) else still.wait_probability
    assert queue.wait_probability[-1] == pytest.approx(float(waits), rel=1e-4)
    assert queue.queue_length[-1] == pytest.approx(float(still.queue_length), rel=1e-4)
    if np.isfinite(patience):
        lost = 0.8 * float(still.loss_probability)
        assert queue.giving_up[-1] == pytest.approx(lost, rel=1e-4)


def test_a_chain_on_its_way_is_that_of_uniformisation():
    rates, servers, mean = np.full(400, 0.3), np.full(400, 4), 10.0
    queue = moving_queue(rates, servers, 0.1, mean)
    chain = birth_death_chain([0.3] * 60, [min(n, 4) / mean for n in range(1, 61)])
    jobs = np.array(chain.states, dtype=float)
    start = poisson.pmf(jobs, 3.0)
    at = transient_state(chain, start / start.sum(), [10.0, 40.0])
    assert queue.queue_length[[99, 399]] == pytest.approx(at @ jobs, rel=1e-4)
    assert queue.wait_probability[[99, 399]] == pytest.approx(at[:, 4:].sum(axis=1), rel=1e-3)


def test_the_chain_is_what_a_simulated_day_meets():
    step, rates = 60.0, sine(np.arange(720) * 120.0, 0.4, 0.5)[:480]
    servers = np.ceil(60 * rates * 1.1).astype(int)
    fine = (np.repeat(part, 6) for part in (rates, servers))
    queue = moving_queue(*fine, step / 6, 60.0, 90.0)
    rng, shares = np.random.default_rng(2), []
    for _ in range(24):
        arrivals = drawn_arrivals(rates, step, rng)
        patience = rng.exponential(90.0, arrivals.size)
        day = serve_day(arrivals, rng.exponential(60.0, arrivals.size), servers, step, patience)
        shares.append((day.waits > 0).sum() / (rates.sum() * step))
    expected = np.repeat(rates, 6) @ queue.wait_probability / (6 * rates.sum())
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert error < 0.02 * expected
    assert np.mean(shares) == pytest.approx(expected, abs=4 * error)


@given(st.floats(0.1, 2.0), st.integers(1, 30))
def test_probabilities_stay_probabilities(rate, servers):
    queue = moving_queue(np.full(30, rate), np.full(30, servers), 2.0, 10.0, 15.0)
    assert (queue.wait_probability > -1e-9).all()
    assert (queue.wait_probability < 1 + 1e-9).all()
    assert (queue.queue_length > 0).all()


@pytest.mark.parametrize("hours", [1.0, 2.0])
def test_staffing_for_the_moving_load_holds_its_target_and_for_the_rate_it_does_not(hours):
    steps, mean = 480, hours * 3600
    times = np.arange(1, 2 * steps + 1) * DAY / steps
    rates = sine(times - DAY / steps / 2, 100 / mean, 0.5)
    met = {}
    for name, load in {
        "rate": rates * mean,
        "moving": sinusoidal_offered_load(times, 100 / mean, 0.5, DAY, mean),
    }.items():
        staffed = square_root_staffing(load, 0.2)
        met[name] = moving_queue(rates, staffed, DAY / steps, mean).wait_probability[steps:]
    assert met["moving"].max() < 0.23
    assert met["moving"].min() > 0.17
    assert met["rate"].max() > 0.8
    assert met["rate"].min() < 0.02


def test_the_modified_offered_load_comes_near_the_chain():
    rates = sine(np.arange(720) * 120.0, 1.2, 0.5)
    servers = square_root_staffing(60 * np.roll(rates, 5), 0.2)
    queue = moving_queue(rates, servers, 120.0, 60.0, 120.0)
    wait, gone = day_fractions(rates, servers, 120.0, 60.0, 120.0)
    assert wait == pytest.approx(rates @ queue.wait_probability / rates.sum(), abs=0.005)
    assert gone == pytest.approx(queue.giving_up.sum() / rates.sum(), abs=0.001)
    assert day_fractions(rates, servers, 120.0, 60.0, 120.0, every=5) == pytest.approx(
        (wait, gone), rel=0.03
    )


def test_rates_without_servers_are_refused():
    with pytest.raises(ValueError, match="servers must be as many as rates, 1"):
        moving_queue([1.0], [1, 2], 1.0, 1.0)


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


def test_a_day_has_a_rate_for_each_minute():
    assert drawn_rates(DayPattern(), 2, np.random.default_rng(4)).size == 2 * MINUTES
