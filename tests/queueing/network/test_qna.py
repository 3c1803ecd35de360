"""Whitt's network analyzer: Jackson networks exactly, hand values, simulation, refusals."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.service import Deterministic, Erlang, Hyperexponential
from perfmodel.queueing.network import bcmp
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.qna import arrival_scv, qna
from perfmodel.queueing.simulation import simulate

JOBS = [JobClass("jobs", arrival_rate=0.8)]
H2 = Hyperexponential.balanced(1.0, 4.0)


def line(*service, servers=1, jobs=JOBS, **more):
    names = [Station(f"s{i}", servers, **more) for i in range(len(service))]
    return Network(names, jobs, list(service))


def test_jackson_networks_exactly():
    routing = [[0.2, 0.5, 0.3], [0.4, 0.0, 0.1], [0.0, 0.3, 0.0]]
    stations = [Station("a", 2), Station("b", 3), Station("c", discipline="delay")]
    network = Network(stations, JOBS, [0.7, 0.6, 2.0], routing=routing, entry=[0.5, 0.5, 0.0])
    solved, exact = qna(network), bcmp.bcmp(network)
    np.testing.assert_allclose(solved.residence_time, exact.residence_time, rtol=1e-12)
    np.testing.assert_allclose(arrival_scv(network), 1, rtol=1e-12)
    assert solved.exact


def test_departures_by_hand():
    # 0.8^2 x scv of service + (1 - 0.8^2) x scv of arrivals; service below 0.2 counts as 0.2
    assert arrival_scv(line(H2, 1.0))[1] == pytest.approx(0.64 * 4 + 0.36)
    assert arrival_scv(line(Deterministic(1.0), 1.0), {"jobs": 3.0})[1] == pytest.approx(
        0.64 * 0.2 + 0.36 * 3
    )
    # four servers at 0.8: 1 + (1 - 0.64) (3 - 1) + 0.64 / 2 (4 - 1)
    fast = line(H2, 1.0, servers=4, jobs=[JobClass("jobs", 3.2)])
    assert arrival_scv(fast, {"jobs": 3.0})[1] == pytest.approx(1 + 0.72 + 0.96)


def test_splitting_and_merging_by_hand():
    # half of a stream of scv 3 has scv 2; two such at load 0.5, v = 2: w = 1 / (1 + 4 x 0.25)
    stations = [Station("a"), Station("b"), Station("c")]
    routing = [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    network = Network(
        stations, [JobClass("jobs", 0.5)], [1e-9, 1e-9, 1.0], routing=routing, entry=[0.5, 0.5, 0]
    )
    assert arrival_scv(network, {"jobs": 3.0}) == pytest.approx([2, 2, 1 + 0.5 * (2 - 1)], abs=1e-6)


def test_one_station_is_exact_for_poisson_arrivals():
    solved = qna(line(H2))
    assert solved.response_time[0] - 1 == pytest.approx(0.8 * (1 + 4) / 2 / 0.2)
    assert solved.exact
    assert solved.warning == ""


def test_two_classes_are_one_stream_with_the_moments_of_both():
    jobs = [JobClass("short", 0.6), JobClass("long", 0.1)]
    network = Network([Station("s")], jobs, [[0.5], [3.0]])
    wait = (0.6 * 0.5**2 + 0.1 * 3**2) / (1 - 0.6)
    np.testing.assert_allclose(qna(network).response_time, [wait + 0.5, wait + 3])


@pytest.mark.parametrize("service", [Erlang(1.0, 4), H2, Deterministic(1.0)])
def test_against_simulation(service):
    jobs = [JobClass("jobs", 0.7)]
    routing = [[0.0, 0.6, 0.0], [0.0, 0.0, 1.0], [0.1, 0.0, 0.0]]
    network = Network(
        [Station("a"), Station("b"), Station("c")], jobs, [0.9, service, 1.0], routing=routing
    )
    seen = simulate(network, 200_000, seed=1, progress=False)
    assert qna(network).response_time == pytest.approx(seen.response_time.value, rel=0.06)


def test_bursts_that_pass_idle_stations_get_a_warning():
    gaps = {"jobs": Hyperexponential.balanced(1 / 0.8, 8.0)}
    short, long = line(0.3, 1.125), line(*[0.75] * 6, 1.125)
    for network, far in ((short, False), (long, True)):
        solved = qna(network, {"jobs": 8.0})
        seen = simulate(network, 400_000, seed=2, arrivals=gaps, progress=False)
        off = solved.residence_time[0, -1] / seen.residence_time.value[0, -1] - 1
        assert (abs(off) > 0.2) == far
        assert ("(utilization 0.90) may be far off: arrivals of scv" in solved.warning) == far


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (line(1.3), "station 's0' must have utilization below 1 to be stable, got 1.04"),
        (line(1.0, discipline="PS"), "station 's0' must be FCFS or delay with one speed, got 'PS'"),
        (line(1.0, capacity=5), "capacity of station 's0' must be unlimited, got 5"),
        (line(1.0, jobs=[JobClass("c", population=3)]), "class 'c' must be open, got population 3"),
    ],
)
def test_refusals_name_the_station(network, message):
    with pytest.raises(ValueError, match=message):
        qna(network)


def test_arrivals_must_be_of_known_classes():
    with pytest.raises(ValueError, match=r"arrivals must name classes of \['jobs'\], got 'job'"):
        qna(line(1.0), {"job": 1.0})
    with pytest.raises(ValueError, match="arrivals of 'jobs' must be"):
        qna(line(1.0), {"jobs": -1.0})
