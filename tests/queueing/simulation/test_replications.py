"""Independent repetitions: on threads and on a cluster the same, and paired differences."""

import numpy as np
import pytest

from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.replications import difference, replicate
from perfmodel.queueing.simulation.simulate import Bar, simulate

USERS = [JobClass("users", 0.7)]
FCFS, SRPT = (Network([Station("s", discipline=d)], USERS, [1.0]) for d in ("FCFS", "SRPT"))


def test_mean_of_repetitions_with_students_interval():
    seen = replicate(FCFS, 2000, replications=4, seed=3)
    runs = [simulate(FCFS, 2000, 3, replication=r, progress=False) for r in range(4)]
    means = np.array([r.response_time.value[0] for r in runs])
    assert seen.response_time.value[0] == pytest.approx(means.mean())
    half = 3.182446305 * means.std(ddof=1) / 2
    assert seen.response_time.half_width[0] == pytest.approx(half)
    assert len(set(means)) == 4
    assert seen.customers == 8000


def test_many_workers_give_the_numbers_of_one():
    one, three = (replicate(FCFS, 1000, 5, seed=1, workers=w) for w in (1, 3))
    assert one.response_time.value == three.response_time.value
    assert one.utilization.high == three.utilization.high


def test_a_cluster_gives_the_numbers_of_this_machine():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        there = replicate(FCFS, 1000, 4, seed=1, cluster=client)
        by_address = replicate(FCFS, 1000, 4, seed=1, cluster=cluster.scheduler_address)
    here = replicate(FCFS, 1000, 4, seed=1)
    assert there.response_time.value == here.response_time.value == by_address.response_time.value


def test_samples_are_kept_one_behind_the_other():
    seen = replicate(FCFS, 500, 3, keep_samples=True)
    assert seen.samples[0].size == 1500


def test_common_random_numbers_narrow_a_difference():
    paired = difference(FCFS, SRPT, customers=3000, replications=8, seed=2)
    apart = [replicate(n, 3000, 8, seed=s) for n, s in ((FCFS, 2), (SRPT, 50))]
    unpaired = np.hypot(*(r.response_time.half_width[0] for r in apart))
    assert paired.covers(10 / 3 - 1.84).all()
    assert paired.half_width[0] < 0.9 * unpaired


def test_progress_counts_repetitions():
    told = []
    replicate(FCFS, 500, 4, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]


def test_bar_waits_before_it_shows(capsys):
    now = [0.0]
    bar = Bar(patience=2.0, clock=lambda: now[0])
    bar(0.1)
    now[0] = 2.5
    bar(0.5)
    bar(0.6)
    now[0] = 3.0
    bar(1.0)
    shown = capsys.readouterr().err
    assert shown.startswith("\rsimulating [####################                    ]  50%")
    assert "60%" not in shown
    assert shown.endswith("100%\n")


def test_difference_of_what():
    with pytest.raises(ValueError, match="measure must be one of throughput, .*, got 'speed'"):
        difference(FCFS, SRPT, "speed")
