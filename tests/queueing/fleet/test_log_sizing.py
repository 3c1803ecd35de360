import heapq

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing import departures, replay_waits, servers_for_percentile, size_from_log

TIMES = st.lists(st.tuples(st.floats(0, 5), st.floats(0, 9)), min_size=1, max_size=40)


def poisson(count, rate, mean, seed=0):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.exponential(1 / rate, count)), rng.exponential(mean, count)


def bursty(count=6000, seed=0):
    rng = np.random.default_rng(seed)
    gaps = np.where(rng.random(count) < 0.01, rng.exponential(10, count), 0.001)
    return np.cumsum(gaps), rng.exponential(0.1, count)


@given(TIMES, st.integers(1, 6))
def test_a_replay_serves_each_request_at_the_server_that_is_free_first(log, servers):
    when, work = np.cumsum([gap for gap, _ in log]), np.array([size for _, size in log])
    free, waits = [0.0] * servers, []
    for start, size in zip(when, work, strict=True):
        begins = max(start, heapq.heappop(free))
        waits.append(begins - start)
        heapq.heappush(free, begins + size)
    assert replay_waits(when, work, servers) == pytest.approx(waits, abs=1e-9)


def test_one_server_is_the_sample_path():
    when, work = poisson(500, 0.8, 1.0)
    left = departures(when, work)
    assert replay_waits(when, work) == pytest.approx(left - when - work, abs=1e-8)


def test_a_memoryless_log_agrees_with_the_formula():
    when, work = poisson(20_000, 10.0, 0.5)
    found = size_from_log(when, work, limit=0.5, level=0.9, resamples=20)
    exact = servers_for_percentile(arrival_rate=10, service_rate=2, time=0.5, probability=0.9)
    assert abs(found.servers - exact) <= 1
    assert abs(found.markovian - exact) <= 1
    assert found.interval[0] <= exact + 1 <= found.interval[1] + 2


def test_a_bursty_log_needs_many_more_than_the_formula():
    found = size_from_log(*bursty(), limit=1.0, resamples=20)
    assert found.gap_scv > 100
    assert found.servers > 4 * found.two_moments > 4 * found.markovian - 1
    assert found.interval[0] <= found.servers <= found.interval[1]


def test_the_count_is_the_fewest_that_keeps_the_limit():
    when, work = bursty()
    found = size_from_log(when, work, limit=1.0, resamples=20)
    kept, broken = (
        np.quantile(replay_waits(when, work, c), 0.99) for c in (found.servers, found.servers - 1)
    )
    assert kept <= 1.0 + 1e-9
    assert broken > 1.0 + 1e-9


def test_no_number_of_servers_makes_service_faster():
    when, work = poisson(200, 1.0, 2.0)
    found = size_from_log(when, work, limit=0.1, target="response", resamples=20)
    assert (found.servers, found.interval, found.two_moments) == (None, None, None)


def test_the_count_keeps_up_with_the_load():
    when, work = poisson(400, 10.0, 0.5)
    found = size_from_log(when, work, limit=1e6, level=None, resamples=20)
    assert found.servers > found.offered_load


def test_a_percentile_that_the_log_does_not_hold_is_told():
    when, work = poisson(200, 1.0, 0.1)
    assert size_from_log(when, work, limit=1, level=0.999, resamples=20).expected_exceedances < 1


def test_logs_without_time_are_refused():
    with pytest.raises(ValueError, match="20 requests or more"):
        size_from_log([0, 1], [1, 1], limit=1)
    with pytest.raises(ValueError, match="must take time"):
        size_from_log(np.zeros(30), np.ones(30), limit=1)
    with pytest.raises(ValueError, match="must not fall"):
        replay_waits([1, 0], [1, 1])
