"""Sample paths of one server: by hand, by Lindley's recursion, against the formulas, and bounds."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.service import Exponential, Uniform
from perfmodel.queueing.operational_analysis.sample_path import (
    PATH_POLICIES,
    arrival_times,
    departures,
)
from perfmodel.queueing.station.scheduling import mean_response

BY_HAND = {
    "FCFS": [5, 8, 9],
    "LCFS": [5, 9, 6],
    "SJF": [5, 9, 6],
    "PLCFS": [9, 5, 3],
    "PSJF": [9, 5, 3],
    "SRPT": [9, 5, 3],
    "PS": [9, 8, 5],
}
JOBS = st.lists(
    st.tuples(st.floats(0, 5, allow_nan=False), st.floats(0.01, 9)), min_size=1, max_size=12
)


def path(jobs):
    gaps, sizes = np.array(jobs).T
    return np.cumsum(gaps), sizes


@pytest.mark.parametrize("policy", PATH_POLICIES)
def test_three_jobs_by_hand(policy):
    np.testing.assert_allclose(departures([0, 1, 2], [5, 3, 1], policy), BY_HAND[policy])


def test_policies_differ_where_size_and_work_left_do():
    arrivals, sizes = [0, 4], [5, 2]
    np.testing.assert_allclose(departures(arrivals, sizes, "PSJF"), [7, 6])
    np.testing.assert_allclose(departures(arrivals, sizes, "SRPT"), [5, 7])


def test_a_scheduler_goes_by_its_estimates_and_the_server_by_the_sizes():
    arrivals, sizes = [0, 1, 1], [1, 5, 3]
    np.testing.assert_allclose(departures(arrivals, sizes, "SJF"), [1, 9, 4])
    np.testing.assert_allclose(departures(arrivals, sizes, "SJF", [1, 2, 3]), [1, 6, 9])
    overdue = departures([0, 2], [5, 2], "SRPT", estimates=[1, 2])
    np.testing.assert_allclose(overdue, [5, 7])


def test_first_come_first_served_is_lindleys_recursion():
    rng = np.random.default_rng(1)
    arrivals, sizes = arrival_times(Exponential(1.0), 500, rng), rng.random(500)
    waiting = [0.0]
    for gap, size in zip(np.diff(arrivals), sizes, strict=False):
        waiting.append(max(0.0, waiting[-1] + size - gap))
    np.testing.assert_allclose(departures(arrivals, sizes), arrivals + waiting + sizes)


@given(JOBS)
def test_every_order_ends_when_the_work_does_and_none_beats_srpt(jobs):
    arrivals, sizes = path(jobs)
    ends = {policy: departures(arrivals, sizes, policy) for policy in PATH_POLICIES}
    for left in ends.values():
        assert left.max() == pytest.approx(ends["FCFS"].max())
        assert (left - arrivals >= sizes - 1e-9).all()
        assert ends["SRPT"].sum() <= left.sum() + 1e-9


@pytest.mark.parametrize("policy", ["FCFS", "PS", "PLCFS", "SJF", "PSJF", "SRPT"])
def test_long_paths_meet_the_formula(policy):
    means = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        arrivals = arrival_times(Exponential(1 / 0.7), 8000, rng)
        sizes = Uniform(0.5, 1.5).sample(rng, arrivals.size)
        means.append((departures(arrivals, sizes, policy) - arrivals).mean())
    exact = mean_response(policy, 0.7, Uniform(0.5, 1.5)).response_time
    assert abs(np.mean(means) - exact) < 4 * np.std(means, ddof=1) / np.sqrt(8)
    assert np.mean(means) == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1, 1], "FIFO"), "policy must be one of FCFS.*'FIFO'"),
        (([1, 0], [1, 1]), "arrivals must not fall, got 0 after 1"),
        (([0, 1], [1]), r"sizes must have the shape \(2,\)"),
        (([0, 1], [1, 1], "SJF", [1]), r"estimates must have the shape \(2,\)"),
        (([], []), "arrivals must be a one-dimensional sample"),
    ],
)
def test_bad_paths_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        departures(*arguments)
