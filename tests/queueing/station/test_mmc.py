"""M/M/1, M/M/c and M/M/inf: a linear solve of the chain, percentiles as roots, limits."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.queueing.station import mmc

LOAD = st.floats(0.01, 0.98)
SERVERS = st.integers(1, 40)


def chain(rate, mu, servers, states):
    """Solve the balance equations of M/M/c cut at `states`, as a linear system."""
    up = np.full(states - 1, rate)
    down = mu * np.minimum(np.arange(1, states), servers)
    generator = np.diag(up, 1) + np.diag(down, -1)
    generator -= np.diag(generator.sum(1))
    equations = np.vstack([generator.T[:-1], np.ones(states)])
    return np.linalg.solve(equations, np.eye(states)[-1])


def test_ten_servers_worked_out_apart():
    assert mmc.mmc(8.0, 1.0, 10).response_time == pytest.approx(1.2046, abs=5e-5)


@pytest.mark.parametrize(("rate", "mu", "servers"), [(0.7, 1.0, 1), (5.0, 2.0, 4), (9.0, 1.0, 12)])
def test_means_against_the_balance_equations(rate, mu, servers):
    law = chain(rate, mu, servers, 250)
    number = np.arange(250)
    result = mmc.mmc(rate, mu, servers)
    assert result.queue_length == pytest.approx(law @ number, rel=1e-9)
    assert result.waiting_length == pytest.approx(law @ np.maximum(number - servers, 0), rel=1e-9)
    assert result.utilization == pytest.approx(law @ np.minimum(number, servers) / servers)
    waits = mmc.mmc_waiting_tail(0.0, rate, mu, servers)
    assert waits == pytest.approx(law[servers:].sum(), rel=1e-9)
    assert result.exact
    assert result.warning == ""


@given(LOAD, st.floats(0.01, 100))
def test_one_server_is_mm1(load, mu):
    one, many = mmc.mm1(load * mu, mu), mmc.mmc(load * mu, mu, 1)
    assert one.response_time == pytest.approx(1 / (mu - load * mu))
    assert many.response_time == pytest.approx(one.response_time)
    assert one.queue_length == pytest.approx(load / (1 - load))


@given(LOAD, SERVERS)
def test_little_and_pooling(load, servers):
    pooled = mmc.mmc(servers * load, 1.0, servers)
    assert pooled.queue_length == pytest.approx(pooled.throughput * pooled.response_time)
    assert pooled.waiting_length == pytest.approx(pooled.throughput * pooled.waiting_time)
    assert pooled.response_time <= mmc.mm1(load, 1.0).response_time * (1 + 1e-12)
    fast = mmc.mm1(servers * load, servers)
    assert fast.response_time <= pooled.response_time * (1 + 1e-12)


def test_sweeps_broadcast_and_rise_with_load():
    result = mmc.mmc(np.linspace(0.1, 1.9, 30), 1.0, 2)
    assert result.response_time.shape == (30,)
    assert (np.diff(result.response_time) > 0).all()
    assert result.response_time[0] == pytest.approx(1 / (1 - 0.05**2))


@given(st.floats(0, 0.999), LOAD, SERVERS)
@settings(max_examples=40)
def test_quantiles_invert_the_tails(p, load, servers):
    rate = load * servers
    waiting = mmc.mmc_waiting_quantile(p, rate, 1.0, servers)
    delayed = mmc.mmc_waiting_tail(0.0, rate, 1.0, servers)
    late = mmc.mmc_waiting_tail(waiting, rate, 1.0, servers)
    assert late == pytest.approx(min(1 - p, delayed), rel=1e-9)
    response = mmc.mmc_response_quantile(p, rate, 1.0, servers)
    late = mmc.mmc_response_tail(response, rate, 1.0, servers)
    assert late == pytest.approx(1 - p, rel=1e-9)


@pytest.mark.parametrize("servers", [1, 2, 3, 10])
@pytest.mark.parametrize("load", [0.3, 0.5, 0.75, 0.95])
def test_tails_integrate_to_the_means(load, servers):
    # servers = 2 at load 0.5 has spare rate mu exactly: the removable singularity.
    times = np.concatenate([[0.0], np.geomspace(1e-6, 2000, 40_000)])
    result = mmc.mmc(load * servers, 1.0, servers)
    for tail, mean in (
        (mmc.mmc_response_tail, result.response_time),
        (mmc.mmc_waiting_tail, result.waiting_time),
    ):
        area = np.trapezoid(tail(times, load * servers, 1.0, servers), times)
        assert area == pytest.approx(mean, rel=1e-5)


def test_percentiles_hold_where_the_naive_formula_overflows():
    slow = mmc.mmc_response_quantile(0.99, 0.999999, 1.0)
    assert slow == pytest.approx(np.log(100) / 1e-6, rel=1e-6)
    many = mmc.mmc_response_quantile(0.5, 900.0, 1.0, 1000)
    assert many == pytest.approx(np.log(2), rel=1e-3)


def test_infinite_servers():
    result = mmc.mm_infinity([2.0, 6.0], 2.0)
    assert result.queue_length.tolist() == [1, 3]
    assert result.waiting_time.tolist() == [0, 0]


def test_nobody_arrives():
    result = mmc.mmc(0.0, 2.0, 3)
    assert result.response_time == pytest.approx(0.5)
    assert result.queue_length == 0
