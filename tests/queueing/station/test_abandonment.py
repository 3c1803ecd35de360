"""Erlang-A: the truncated chain in other sums, published numbers, limits, the law of the wait."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad

from perfmodel.queueing.distributions.light_tail import Exponential
from perfmodel.queueing.station.abandonment import erlang_a
from perfmodel.queueing.station.birth_death import birth_death_probabilities
from perfmodel.queueing.station.erlang import erlang_b
from perfmodel.queueing.station.mmc import mmc, mmc_waiting_tail

GRID = [
    (0.8, 1 / 60, 50, 120.0),
    (3.2, 1.0, 4, 0.1),
    (3.2, 1.0, 4, 40.0),
    (40.0, 1.0, 20, 30.0),
    (9.0, 0.5, 30, 1e-3),
    (1.0, 1.0, 1, 1.0),
]


def chain(rate, mu, servers, patience, most=6000):
    """Solve the chain of jobs present, cut at `most`; each length's wait is a sum of stages."""
    inside = np.arange(1, most + 1)
    leave = np.minimum(inside, servers) * mu + np.maximum(inside - servers, 0) / patience
    law = birth_death_probabilities(np.full(most, rate), leave)
    line = law[servers:]
    lengths = np.arange(line.size)
    given_up = line @ lengths / patience / rate
    stages = servers * mu + (lengths + 1) / patience
    served = servers * mu / stages
    waited = line @ (served * np.cumsum(1 / stages)) / (1 - given_up)
    return line.sum(), given_up, line @ lengths / rate, waited


@pytest.mark.parametrize("case", GRID)
def test_against_the_truncated_chain(case):
    delayed, given_up, line_time, waited = chain(*case)
    queue = erlang_a(*case)
    assert queue.wait_probability == pytest.approx(delayed, rel=1e-10)
    assert queue.loss_probability == pytest.approx(given_up, rel=1e-10)
    assert queue.mean_queue_time == pytest.approx(line_time, rel=1e-10)
    assert queue.waiting_time == pytest.approx(waited, rel=1e-10)


def test_the_call_centre_of_garnett_mandelbaum_and_reiman():
    """Their introduction: 3.1 % leave, the others wait 3.6 s, 90 % of all within 12.5 s."""
    calls = erlang_a(48 / 60, 1 / 60, 50, 120.0)
    assert calls.loss_probability == pytest.approx(0.031, abs=5e-4)
    assert calls.waiting_time == pytest.approx(3.6, abs=0.05)
    assert calls.utilization == pytest.approx(0.93, abs=5e-3)
    assert calls.waiting_length == pytest.approx(3, abs=0.5)
    assert calls.waiting_tail(12.5) == pytest.approx(0.1, abs=5e-3)


def test_endless_patience_is_erlang_c():
    queue, plain = erlang_a(3.2, 1.0, 4, 1e9), mmc(3.2, 1.0, 4)
    assert queue.response_time == pytest.approx(plain.response_time, rel=1e-6)
    times = np.array([0.0, 0.5, 3.0, 9.0])
    assert queue.waiting_tail(times) == pytest.approx(mmc_waiting_tail(times, 3.2, 1.0, 4))


def test_no_patience_is_erlang_b():
    queue = erlang_a(3.2, 1.0, 4, 1e-9)
    assert queue.loss_probability == pytest.approx(erlang_b(4, 3.2), rel=1e-7)


def test_patience_of_a_service_time_is_a_server_for_everyone():
    """Where jobs leave the line as fast as service, the number present is Poisson."""
    queue = erlang_a([3.0, 300.0], 1.0, [2, 310], 1.0)
    assert queue.queue_length == pytest.approx([3.0, 300.0], rel=1e-12)


def test_a_million_servers_and_a_long_patience():
    overloaded = erlang_a(2e6, 1.0, 1_000_000, 1000.0)
    assert overloaded.loss_probability == pytest.approx(0.5, rel=1e-9)
    assert overloaded.mean_queue_time == pytest.approx(500.0, rel=1e-9)
    assert overloaded.waiting_time == pytest.approx(1000 * np.log(2), rel=1e-6)
    idle = erlang_a(1.0, 1.0, 1_000_000, 1000.0)
    assert idle.wait_probability == 0
    assert idle.waiting_time == 0


@pytest.mark.parametrize("case", GRID)
def test_the_law_of_the_wait_has_the_means(case):
    queue = erlang_a(*case)
    assert queue.waiting_tail(0.0) == pytest.approx(queue.wait_probability, rel=1e-12)
    ends = 40 * max(queue.waiting_time, queue.mean_queue_time) / queue.wait_probability
    for tail, mean in (
        (queue.waiting_tail, queue.mean_queue_time),
        (queue.served_waiting_tail, queue.waiting_time),
    ):
        area = sum(quad(tail, ends * k / 40, ends * (k + 1) / 40, epsabs=0)[0] for k in range(40))
        assert area == pytest.approx(mean, rel=1e-9)


def test_the_law_of_the_wait_far_below_saturation():
    """Where an incomplete gamma function would underflow, the wait is that of M/M/c."""
    tail = erlang_a(50.0, 1.0, 100, 1000.0).waiting_tail([0.0, 0.1])
    assert tail[1] / tail[0] == pytest.approx(np.exp(-50 * 0.1), rel=1e-3)


@given(st.floats(0.01, 100), st.floats(0.01, 10), st.integers(1, 200), st.floats(1e-4, 1e4))
def test_laws_that_hold_everywhere(rate, mu, servers, patience):
    queue = erlang_a(rate, mu, servers, patience)
    assert 0 <= queue.loss_probability <= queue.wait_probability <= 1
    assert queue.queue_length == pytest.approx(
        queue.waiting_length + queue.utilization * servers, rel=1e-9
    )
    assert queue.loss_probability * patience == pytest.approx(queue.mean_queue_time)
    more = erlang_a(rate, mu, servers + 1, patience)
    assert more.loss_probability <= queue.loss_probability
    assert (np.diff(queue.waiting_tail([0, patience / 9, patience, 9 * patience])) <= 0).all()


def test_against_events_played_through():
    """A plain simulation of 200,000 calls, by its own rule: leave if the wait offered is longer."""
    rng = np.random.default_rng(7)
    rate, servers, patience, calls = 4.0, 4, 2.0, 200_000
    arrivals = np.cumsum(rng.exponential(1 / rate, calls))
    sizes = Exponential(1.0).sample(rng, calls)
    patient = rng.exponential(patience, calls)
    free, gave_up, waits = np.zeros(servers), 0, []
    for arrival, size, ready in zip(arrivals, sizes, patient, strict=True):
        first = free.argmin()
        offered = max(0.0, free[first] - arrival)
        if offered > ready:
            gave_up += 1
            continue
        waits.append(offered)
        free[first] = arrival + offered + size
    queue = erlang_a(rate, 1.0, servers, patience)
    assert gave_up / calls == pytest.approx(queue.loss_probability, rel=0.02)
    assert np.mean(waits) == pytest.approx(queue.waiting_time, rel=0.02)
    assert np.mean(np.array(waits) > 1) == pytest.approx(queue.served_waiting_tail(1.0), rel=0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: erlang_a(1e6, 1, 1, 1e6), "patience must be so short that at most 1e.10 jobs"),
        (lambda: erlang_a([1, 2], 1, [1, 2, 3], 1), "must have shapes that broadcast"),
        (lambda: erlang_a(1, 1, 1, 1).waiting_tail(-1), "time must be 0 or more, got -1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
