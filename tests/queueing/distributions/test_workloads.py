"""The job sizes of the talk: shape and variability as stated, and what orders of service do."""

import numpy as np
import pytest

from perfmodel.queueing.distributions import workloads
from perfmodel.queueing.distributions.service import mean_residual, scv
from perfmodel.queueing.fleet.dispatching import size_interval
from perfmodel.queueing.operational_analysis.sampling import size_biased_mean
from perfmodel.queueing.station.gittins import gittins_rank, serpt_rank
from perfmodel.queueing.station.scheduling import mean_response, slowdown_by_size


def test_the_laws_have_the_scv_that_the_talk_states():
    assert scv(workloads.UNIX_JOBS) == pytest.approx(50, abs=0.5)
    assert scv(workloads.UNIX_JOBS) == pytest.approx(50, rel=1e-3)
    assert scv(workloads.BORG_JOBS) == pytest.approx(23_000, rel=5e-3)
    assert scv(workloads.HEAVY_JOBS) == pytest.approx(4524, abs=0.5)


def test_a_bus_is_awaited_in_a_long_gap():
    # E[S^2] / (2 E[S]) and E[S^2] / E[S] of nine gaps of 1 min and one of 91.
    assert mean_residual(workloads.BUS_GAPS) == pytest.approx(41.45, abs=0.005)
    assert size_biased_mean(workloads.BUS_GAPS) == pytest.approx(82.9, rel=1e-9)


def test_ranks_of_a_job_of_one_or_thirteen_seconds():
    assert serpt_rank(0, workloads.ONE_OR_THIRTEEN) == pytest.approx(7.0, abs=0.005)
    assert gittins_rank(0, workloads.ONE_OR_THIRTEEN) == pytest.approx(2.0, abs=0.005)
    assert gittins_rank(9, workloads.ONE_OR_THIRTEEN) == pytest.approx(4.0, abs=0.005)


# Worked out apart from this package by quadrature with 40,000 points.
@pytest.mark.parametrize(
    ("policy", "seconds", "within"),
    [
        ("FCFS", 43492, 0.5),
        ("SJF", 15699, 0.5),
        ("PS", 27.46, 0.005),
        ("FB", 16.68, 0.005),
        ("PSJF", 14.79, 0.005),
        ("SRPT", 14.26, 0.005),
    ],
)
def test_mean_response_of_heavy_jobs_at_utilization_seven_tenths(policy, seconds, within):
    law = workloads.HEAVY_JOBS
    response = mean_response(policy, 0.7 / law.moment(1), law).response_time
    assert response == pytest.approx(seconds, abs=within)


def test_the_largest_of_the_unfair_jobs_loses_at_high_load():
    law = workloads.UNFAIR_JOBS
    largest = slowdown_by_size("SRPT", law.high, 0.9 / law.moment(1), law)
    assert largest == pytest.approx(10.89, abs=0.005)
    heavy = slowdown_by_size("SRPT", np.geomspace(1, 1e4, 40), 0.9 / law.moment(1), law)
    assert heavy.max() > 10


def test_all_can_win_up_to_half_load():
    law = workloads.UNFAIR_JOBS
    sizes = np.geomspace(1, 1e4, 40)
    assert (slowdown_by_size("SRPT", sizes, 0.5 / law.moment(1), law) <= 2).all()


def test_two_servers_by_size():
    law = workloads.UNFAIR_JOBS
    response = size_interval(1.4 / law.moment(1), law).response_time
    assert response == pytest.approx(58.9, abs=0.05)
