"""Events of one moment: their order is the stated one, in any unit of time."""

import numpy as np
import pytest

from perfmodel.queueing.distributions.light_tail import Deterministic
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import simulate
from perfmodel.queueing.simulation.streams import Trace

UNITS = [1.0, 0.1, 0.7, 1 / 3, 1e-6, 3.7e5]


def run(stations, unit, gap, service, customers=2000, **options):
    network = Network(
        stations,
        [JobClass("jobs", arrival_rate=1 / (gap * unit))],
        [[Deterministic(time * unit) for time in service]],
    )
    arrivals = {"jobs": Deterministic(gap * unit)}
    return simulate(network, customers, arrivals=arrivals, progress=False, **options)


@pytest.mark.parametrize("unit", UNITS)
class TestOneMoment:
    def test_an_end_makes_room_for_the_arrival_of_its_moment(self, unit):
        seen = run([Station("only", capacity=1)], unit, 1, [2])
        assert seen.loss_probability.value == pytest.approx([0.5], abs=1e-3)
        assert seen.throughput.value * unit == pytest.approx([0.5], abs=1e-3)
        assert seen.response_time.value == pytest.approx([2 * unit])

    def test_the_station_that_comes_first_ends_first(self, unit):
        """A job from there finds the next one full, whose service of 3 ends at that moment."""
        row = [Station("a", capacity=1), Station("b", capacity=1)]
        seen = run(row, unit, 1.5, [1, 3], when_full="lose")
        lost = pytest.approx([2 / 3], abs=2e-3)
        assert seen.station_loss_probability.value[0, 1:] == lost
        assert seen.loss_probability.value == lost

    def test_a_shared_station(self, unit):
        seen = run([Station("only", capacity=2, discipline="PS")], unit, 1, [2], 4000)
        one = run([Station("only", capacity=2, discipline="PS")], 1.0, 1, [2], 4000)
        assert seen.loss_probability.value == pytest.approx(one.loss_probability.value, rel=1e-12)
        assert seen.response_time.value / unit == pytest.approx(one.response_time.value, rel=1e-9)


@pytest.mark.parametrize("unit", UNITS)
def test_recorded_times_too(unit):
    gaps, services = np.tile([1.0, 2, 1], 400) * unit, np.tile([3.0, 1], 600) * unit
    network = Network(
        [Station("only", capacity=1)],
        [JobClass("jobs", arrival_rate=0.75 / unit)],
        [[Trace(tuple(services))]],
    )
    arrivals = {"jobs": Trace(tuple(gaps))}
    seen = simulate(network, 400, arrivals=arrivals, progress=False)
    assert seen.loss_probability.value == pytest.approx(lost_of(12), abs=1e-2)


def lost_of(cycles):
    """Return the share lost by a replay of the same gaps and services in whole numbers."""
    arrival, free, lost, served = 0, 0, 0, 0
    gaps = [1, 2, 1] * (100 * cycles)
    for gap in gaps:
        arrival += gap
        if arrival < free:
            lost += 1
            continue
        free = arrival + (3, 1)[served % 2]
        served += 1
    return lost / len(gaps)
