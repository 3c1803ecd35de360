"""M/D/c: Erlang's sum in decimals, the chain eliminated, sums over gamma laws, simulation."""

from decimal import Decimal, localcontext
from heapq import heapreplace
from math import factorial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import gammainc
from scipy.stats import poisson

from perfmodel.queueing.station.mdc import mdc
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mmc
from perfmodel.queueing.station.percentiles import md1_waiting_tail


def erlang_sum(rho, time):
    """Return P(waiting time > time) in M/D/1 by Erlang's alternating sum, with 150 digits."""
    with localcontext() as context:
        context.prec = 150
        r, t = Decimal(rho), Decimal(time)
        terms = [
            (-r * (k - t)).exp() * (r * (k - t)) ** k / factorial(k) if k else (r * t).exp()
            for k in range(int(t) + 1)
        ]
        return float(1 - (1 - r) * sum(terms))


def eliminated_line(load, servers, levels=160):
    """Return P(more than n in line) of the chain seen once in each service time.

    States are eliminated from the top without a subtraction (Grassmann, Taksar and Heyman).
    """
    arrivals = poisson.pmf(np.arange(levels + 1), load)
    step = np.zeros((levels, levels))
    for present in range(levels):
        left = max(0, present - servers)
        step[present, left:] = arrivals[: levels - left]
        step[present, -1] += poisson.sf(levels - left - 1, load)
    for top in range(levels - 1, 0, -1):
        step[:top, top] /= step[top, :top].sum()
        step[:top, :top] += np.outer(step[:top, top], step[top, :top])
    law = np.ones(levels)
    for top in range(1, levels):
        law[top] = law[:top] @ step[:top, top]
    return law[::-1].cumsum()[::-1][servers + 1 :] / law.sum()


def gamma_sum(load, servers):
    """Return the mean wait in service times as E_c/D/1's: each server takes every c-th arrival."""
    k = np.arange(1, 20_000)
    late = k * gammainc(k * servers, load * k)
    late -= k * servers / load * gammainc(k * servers + 1, load * k)
    return (late / k).sum()


@pytest.mark.parametrize("rho", [0.01, 0.3, 0.8, 0.99])
@pytest.mark.parametrize("time", [0.3, 1.0, 4.5, 20.0, 77.25])
def test_one_server_against_erlangs_sum(rho, time):
    exact = erlang_sum(rho, time)
    if exact < 1e-50:
        return
    assert mdc(rho, 1.0).waiting_tail(time) == pytest.approx(exact, rel=1e-9, abs=0)


@given(st.floats(0.05, 0.999), st.floats(0.0, 40.0))
def test_one_server_against_the_departures(rho, time):
    """The tail of M/D/1 from the chain at departures, in other sums."""
    assert mdc(rho, 1.0).waiting_tail(time) == pytest.approx(
        md1_waiting_tail(time, rho, 1.0), rel=1e-9, abs=1e-50
    )


@pytest.mark.parametrize(("load", "servers"), [(3.2, 4), (1.0, 2), (9.0, 10), (16.0, 20)])
def test_line_against_the_chain(load, servers):
    exact = eliminated_line(load, servers)[:40]
    line = mdc(load, 1.0, servers).queue_length_tail[:40]
    assert line == pytest.approx(exact, rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("load", "servers"), [(3.2, 4), (0.5, 3), (9.5, 10), (40.0, 50), (480.0, 500), (0.9, 18)]
)
def test_mean_against_gamma_laws(load, servers):
    queue = mdc(load / 0.1, 0.1, servers)
    assert queue.waiting_time == pytest.approx(0.1 * gamma_sum(load, servers), rel=1e-9)


@given(st.floats(1e-4, 0.999))
def test_one_server_is_pollaczek_khinchine(rho):
    queue = mdc(rho, 1.0)
    assert queue.waiting_time == pytest.approx(
        mg1(arrival_rate=rho, mean_service=1.0, scv=0.0).waiting_time, rel=1e-10
    )
    assert queue.wait_probability == pytest.approx(rho, rel=1e-10)


@given(st.floats(0.05, 0.98), st.integers(1, 40))
def test_waits_less_than_half_to_all_of_the_exponential_one(rho, servers):
    queue, exponential = mdc(rho * servers, 1.0, servers), mmc(rho * servers, 1.0, servers)
    assert 0.5 < queue.waiting_time / exponential.waiting_time * (1 + 1e-9) < 1


@pytest.mark.parametrize("servers", [1, 4])
def test_the_law_of_the_wait_has_the_mean(servers):
    queue = mdc(0.8 * servers, 1.0, servers)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    times = np.arange(200)[:, None] + (nodes + 1) / 2
    area = (queue.waiting_tail(times) @ weights / 2).sum()
    assert area == pytest.approx(queue.waiting_time, rel=1e-10)
    assert queue.response_tail([0.5, 1.0, 2.0])[:2] == pytest.approx([1, queue.wait_probability])
    assert queue.response_quantile(0.9) == pytest.approx(1 + queue.waiting_quantile(0.9))
    assert queue.waiting_tail(queue.waiting_quantile(0.99)) == pytest.approx(0.01)


def test_far_out_each_period_takes_the_same_share():
    """Beyond the lengths that are stored, the tail goes on without a step."""
    queue = mdc(1.8, 1.0, 2)
    end = queue.queue_length_tail.size // 2
    tail = queue.waiting_tail(np.arange(end - 3.5, end + 3))
    assert tail[1:] / tail[:-1] == pytest.approx(np.full(6, queue.decay**2), rel=1e-6)


def test_against_jobs_played_through():
    rng, waits = np.random.default_rng(11), []
    free = [0.0] * 4
    for arrival in np.cumsum(rng.exponential(1 / 3.2, 300_000)):
        start = max(arrival, free[0])
        heapreplace(free, start + 1.0)
        waits.append(start - arrival)
    queue = mdc(3.2, 1.0, 4)
    assert np.mean(waits) == pytest.approx(queue.waiting_time, rel=0.03)
    for time in (0.0, 0.4, 1.3):
        share = np.mean(np.array(waits) > time)
        assert share == pytest.approx(queue.waiting_tail(time), rel=0.06)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mdc(0.999999, 1.0), "utilization must be below 0.99995 for constant service"),
        (lambda: mdc(0.5, 1.0).waiting_tail(-1.0), "time must be 0 or more, got -1.0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
