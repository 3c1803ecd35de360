"""A moving load: closed form, limits, the chain against stationary formulas and simulation."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import poisson

from perfmodel.labs.queueing.autoscaling.fleet import serve_day
from perfmodel.labs.queueing.autoscaling.moving_load import (
    moving_offered_load,
    moving_queue,
    shares_of_day,
    sinusoidal_offered_load,
)
from perfmodel.labs.queueing.autoscaling.trace import drawn_arrivals
from perfmodel.queueing import (
    birth_death_chain,
    erlang_a,
    erlang_c,
    mmc,
    square_root_staffing,
    transient_state,
)

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
    wait, gone = shares_of_day(rates, servers, 120.0, 60.0, 120.0)
    assert wait == pytest.approx(rates @ queue.wait_probability / rates.sum(), abs=0.005)
    assert gone == pytest.approx(queue.giving_up.sum() / rates.sum(), abs=0.001)
    assert shares_of_day(rates, servers, 120.0, 60.0, 120.0, every=5) == pytest.approx(
        (wait, gone), rel=0.03
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: moving_offered_load([1.0], 0, 1.0), "step must be above 0, got 0"),
        (lambda: moving_queue([1.0], [1, 2], 1.0, 1.0), "servers must be as many as rates, 1"),
        (lambda: moving_queue([1.0], [1.5], 1.0, 1.0), "servers must be a whole number, 1 or more"),
        (lambda: moving_queue([0.0], [1], 1.0, 1.0), "rates must be above 0"),
        (lambda: moving_queue([1.0], [1], 1.0, 1.0, 0.0), "patience must be above 0"),
        (
            lambda: sinusoidal_offered_load(0, 1.0, -0.5, 1.0, 1.0),
            "swing must be 0 or more, got -0.5",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
