"""Join the shortest queue, or the shortest of d: a Markov chain, many servers, ties, full ones."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.service import Deterministic
from perfmodel.queueing.fleet.power_of_choices import power_of_choices
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import JoinShortestQueue, Trace, simulate
from perfmodel.queueing.simulation.driver import run
from perfmodel.queueing.simulation.options import Options


def farm(count, rate, service=1.0, **station):
    names = [f"s{i}" for i in range(count)]
    stations = [Station(name, **station) for name in names]
    job = JobClass("jobs", arrival_rate=rate)
    return Network(stations, [job], [service] * count, visits=[1 / count] * count), names


def simulated(network, customers, seed=1, **options):
    return simulate(network, customers, seed, progress=False, **options)


def two_shortest_queues(rate, most=40):
    """Return the mean response time of two servers of rate 1 with the shorter queue joined."""
    size = most + 1
    flow = np.zeros((size, size, size, size))
    for i in range(size):
        for j in range(size):
            if i:
                flow[i, j, i - 1, j] += 1
            if j:
                flow[i, j, i, j - 1] += 1
            if i < most and (i < j or (i == j and i < most)):
                flow[i, j, i + 1, j] += rate / (2 if i == j else 1)
            if j < most and (j < i or (i == j and j < most)):
                flow[i, j, i, j + 1] += rate / (2 if i == j else 1)
    matrix = flow.reshape(size**2, size**2)
    matrix -= np.diag(matrix.sum(axis=1))
    matrix[:, 0] = 1.0
    chance = np.linalg.solve(matrix.T, np.eye(size**2)[0]).reshape(size, size)
    jobs = (chance * np.add.outer(np.arange(size), np.arange(size))).sum()
    return jobs / rate


def test_two_queues_by_their_markov_chain():
    network, names = farm(2, 1.6)
    seen = simulated(network, 200_000, dispatch=[JoinShortestQueue(names)])
    assert seen.response_time.covers(two_shortest_queues(1.6, 24))
    assert seen.response_time.half_width < 0.15
    assert seen.station_throughput.value[0] == pytest.approx([0.8, 0.8], rel=0.02)


def test_one_look_is_a_random_split():
    network, names = farm(4, 4 * 0.6)
    seen = simulated(network, 100_000, dispatch=[JoinShortestQueue(names, choices=1)])
    assert seen.response_time.covers(2.5)


@pytest.mark.parametrize("looks", [2, 3])
def test_power_of_choices_at_many_servers(looks):
    network, names = farm(60, 60 * 0.8)
    seen = simulated(network, 150_000, dispatch=[JoinShortestQueue(names, choices=looks)])
    limit = float(power_of_choices(0.8, looks).response_time)
    assert seen.response_time.value == pytest.approx(limit, rel=0.03)


def test_every_job_of_an_idle_farm_is_served_at_once():
    network, names = farm(3, 1.0, Deterministic(2.0))
    gaps = Trace([0.0, 0.0, 0.0, 4.0])
    seen = simulated(
        network, 4, arrivals={"jobs": gaps}, dispatch=[JoinShortestQueue(names)], keep_samples=True
    )
    assert seen.samples[0].tolist() == [2, 2, 2, 2]


def test_a_full_farm_loses_and_one_with_room_does_not():
    network, names = farm(2, 2.0, capacity=1)
    seen = simulated(network, 100_000, dispatch=[JoinShortestQueue(names)])
    # two servers and no line: Erlang's loss formula at 2 erlangs
    assert seen.loss_probability.covers(0.4)


def test_a_job_that_comes_back_does_not_count_itself():
    stations = [Station("a"), Station("b")]
    network = Network(stations, [JobClass("jobs", population=2)], [1.0] * 2, visits=[2.0, 2.0])
    seen = simulated(network, 20_000, dispatch=[JoinShortestQueue(["a", "b"])])
    assert seen.waiting_time.value.max() == 0


def test_blocked_jobs_keep_their_choice_in_plain_python_and_compiled():
    stations = [Station("first"), *(Station(n, capacity=1) for n in "xyz")]
    network = Network(
        stations,
        [JobClass("jobs", arrival_rate=0.5)],
        [1.0, 1.5, 1.5, 1.5],
        routing=[[0, 1 / 3, 1 / 3, 1 / 3], [0] * 4, [0] * 4, [0] * 4],
    )
    options = Options(dispatch=[JoinShortestQueue(["x", "y", "z"], choices=2)])
    plain, fast = (run(network, options, 3000, 9, fast=f) for f in (False, True))
    np.testing.assert_array_equal(plain.trail, fast.trail)
    assert plain.done == 3000


def test_bad_groups():
    network, names = farm(2, 1.0)
    with pytest.raises(ValueError, match=r"dispatch must name stations of \['s0', 's1'\], got 'x'"):
        simulated(network, 10, dispatch=[JoinShortestQueue(["s0", "x"])])
    with pytest.raises(ValueError, match="each station once, none of forks, got 's1'"):
        simulated(network, 10, dispatch=[JoinShortestQueue(names), JoinShortestQueue(["s1", "s0"])])
    with pytest.raises(ValueError, match="stations must be two or more to choose from, got"):
        JoinShortestQueue(["s0"])
    path = Network(network.stations, network.classes, [1.0, 1.0])
    with pytest.raises(ValueError, match=r"routing from \['s0', 's1'\] must be the same"):
        simulated(path, 10, dispatch=[JoinShortestQueue(names)])
    uneven = Network(network.stations, network.classes, [1.0, 1.0], visits=[1.2, 0.8])
    with pytest.raises(ValueError, match="must have equal visits to be dispatched to"):
        simulated(uneven, 10, dispatch=[JoinShortestQueue(names)])
