"""Little's law by counters: by hand, the identity on random paths, and a gauge among threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.service import Exponential
from perfmodel.queueing.operational_analysis.counters import CounterReading, Gauge, between_readings
from perfmodel.queueing.operational_analysis.population import (
    mean_response_time,
    population_area,
    population_at,
    read_path,
    time_spent,
)
from perfmodel.queueing.operational_analysis.sample_path import (
    PATH_POLICIES,
    arrival_times,
    departures,
)

STAYS = st.lists(st.tuples(st.floats(0, 50), st.floats(0, 20)), min_size=1, max_size=15)


def path(stays):
    arrivals, stay = np.array(stays).T
    return arrivals, arrivals + stay


def test_three_jobs_by_hand():
    arrivals, left = [0, 1, 2], [4, 2, 7]
    assert population_area(arrivals, left, 0, 10) == 10
    assert time_spent(arrivals, left, 0, 10) == 10
    assert population_area(arrivals, left, 1.5, 3) == time_spent(arrivals, left, 1.5, 3) == 3
    assert population_at(arrivals, left, [0.5, 1.5, 3, 5, 8]).tolist() == [1, 2, 2, 1, 0]
    window = between_readings(read_path(arrivals, left, 0), read_path(arrivals, left, 10))
    assert (window.population, window.throughput) == (1.0, 0.3)
    assert window.response_time == pytest.approx(10 / 3)
    assert mean_response_time(arrivals, left, 0, 10) == pytest.approx(10 / 3)


@given(STAYS, st.floats(0, 70), st.floats(0, 30))
def test_columns_are_rows_in_any_window(stays, start, length):
    arrivals, left = path(stays)
    rows = time_spent(arrivals, left, start, start + length)
    assert population_area(arrivals, left, start, start + length) == pytest.approx(rows, abs=1e-9)


@pytest.mark.parametrize("policy", PATH_POLICIES)
def test_columns_are_rows_under_every_order_of_service(policy):
    rng = np.random.default_rng(7)
    arrivals = arrival_times(Exponential(1.25), 2000, rng)
    left = departures(arrivals, Exponential(1.0).sample(rng, arrivals.size), policy)
    rows = time_spent(arrivals, left, 100.0, 2000.0)
    assert population_area(arrivals, left, 100.0, 2000.0) == pytest.approx(rows, rel=1e-12)


@given(STAYS)
def test_little_is_exact_where_the_system_starts_and_ends_empty(stays):
    arrivals, left = path(stays)
    window = between_readings(read_path(arrivals, left, -1), read_path(arrivals, left, 100))
    assert window.response_time == pytest.approx(float((left - arrivals).mean()), abs=1e-9)
    product = window.throughput * window.response_time
    assert window.population == pytest.approx(product, abs=1e-12)


@given(STAYS, st.floats(0, 70))
def test_area_is_the_integral_of_the_number_inside(stays, end):
    arrivals, left = path(stays)
    edges = np.unique(np.clip(np.concatenate([arrivals, left, [0, end]]), 0, end))
    inside = population_at(arrivals, left, (edges[1:] + edges[:-1]) / 2)
    assert population_area(arrivals, left, 0, end) == pytest.approx(
        inside @ np.diff(edges), abs=1e-9
    )


def test_an_observer_on_an_event_sees_what_was_there_before_it():
    assert population_at([1, 2], [3, 3], [1, 2, 3]).tolist() == [0, 1, 2]


def test_gauge_counts_a_job_that_fails():
    ticks = iter([0.0, 2.0, 2.0])
    gauge = Gauge(clock=lambda: next(ticks))
    with pytest.raises(KeyError), gauge.job():
        raise KeyError
    assert gauge.read() == CounterReading(2.0, 1, 2.0)


def test_gauge_agrees_with_stopwatches_among_threads():
    gauge = Gauge()
    first = gauge.read()

    def task(n):
        with gauge.job():
            return sum(range(n))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(task, [20_000] * 50))
    window = between_readings(first, gauge.read())
    assert window.completions == 50
    assert window.response_time * 50 == pytest.approx(gauge.stopwatches, rel=1e-9)


@pytest.mark.parametrize(
    ("last", "message"),
    [
        (CounterReading(1.0, 5, 9.0), "last.time must be above first.time = 1.0, got 1.0"),
        (CounterReading(2.0, 3, 9.0), "last.finished must be above 3, got 3"),
        (CounterReading(2.0, 5, 1.0), "last.area must be 2.0 or more, got 1.0"),
    ],
)
def test_readings_that_cannot_be_compared_are_refused(last, message):
    with pytest.raises(ValueError, match=message):
        between_readings(CounterReading(1.0, 3, 2.0), last)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: population_area([0, 5], [1, 4], 0, 9), "departures must not be before arrivals"),
        (lambda: population_area([0, 5], [1], 0, 9), r"departures must have the shape \(2,\)"),
        (lambda: time_spent([0], [1], 9, 0), "end must be start = 9 or more, got 0"),
        (
            lambda: mean_response_time([0], [1], 5, 9),
            "must have a departure between them, got 5, 9",
        ),
    ],
)
def test_bad_paths_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
