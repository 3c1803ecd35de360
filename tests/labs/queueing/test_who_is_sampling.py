"""Who is sampling: the identities, drawn trains, distributions of arrivals, what arrivals see."""

import numpy as np
import pytest

from perfmodel.labs.queueing.who_is_sampling.trains import (
    bus_stop,
    clock_gaps,
    crowded_trains,
    drawn_fractions,
    interarrival_distribution,
)
from perfmodel.queueing.distributions.service import BoundedPareto, Exponential, mean_residual, scv
from perfmodel.queueing.distributions.workloads import BUS_GAPS
from perfmodel.queueing.operational_analysis.population import population_area, population_at
from perfmodel.queueing.operational_analysis.sample_path import arrival_times, departures
from perfmodel.queueing.operational_analysis.sampling import (
    size_biased_fraction,
    size_biased_tail,
    size_ratio,
    wait_for_next,
    weighted_mean,
)
from perfmodel.queueing.station.gm1 import gm1


@pytest.mark.parametrize("short", [1, 2.5, 4, 5.5, 7, 8.5, 10])
def test_every_stop_can_be_read_and_its_wait_is_that_of_passengers(short):
    scene = bus_stop(short)
    assert scene.faults() == []
    gaps = np.array([*[short] * 4, 100 - 9 * short, *[short] * 5])
    waits = wait_for_next(gaps.cumsum(), np.linspace(0.005, 99.995, 10_000))
    assert scene.values["mean wait (min)"] == pytest.approx(waits.mean(), rel=0.01)


def test_the_extreme_is_the_chapter_s_timetable():
    scene = bus_stop(1)
    assert scene.values["mean wait (min)"] == pytest.approx(float(mean_residual(BUS_GAPS)))
    assert scene.values["in the marked gap"] == 18


def test_the_quotient_of_two_surveys():
    # Le Boudec's trains, and packets of which 80 % are in the 4 % of the flows that are large.
    assert size_ratio(0.30, 0.05) == pytest.approx(6.0, rel=1e-9)
    assert size_ratio(0.80, 0.04) == pytest.approx(20.0, rel=1e-9)


def test_passengers_are_late_in_the_share_of_trains_times_the_ratio():
    day = crowded_trains(10_000, np.random.default_rng(16))
    late = day.delay > 300
    ratio = day.passengers[late].mean() / day.passengers.mean()
    counted = weighted_mean(late.astype(float), day.passengers)
    assert size_biased_fraction(late.mean(), ratio) == pytest.approx(counted, rel=1e-12)


def test_packets_see_flows_by_size():
    distribution = BoundedPareto(1.2, 1.0, 1e3)
    flows = distribution.sample(np.random.default_rng(17), 200_000)
    result = weighted_mean((flows > 30).astype(float), flows)
    assert result == pytest.approx(float(size_biased_tail(distribution, 30.0)), rel=0.05)


def test_passengers_see_the_delay_that_the_model_gives():
    day = crowded_trains(100_000, np.random.default_rng(5), crowding=2.0)
    assert day.delay.mean() == pytest.approx(100, rel=0.02)
    assert day.passengers.mean() == pytest.approx(300, rel=0.02)
    expected = (100 * 100 + 2 * 2 * 100**2) / 300
    assert weighted_mean(day.delay, day.passengers) == pytest.approx(expected, rel=0.03)


def test_trains_that_are_equally_full_give_both_surveys_one_answer():
    day = crowded_trains(20_000, np.random.default_rng(6), crowding=0.0)
    assert weighted_mean(day.delay, day.passengers) == pytest.approx(day.delay.mean(), rel=0.01)


@pytest.mark.parametrize("spread", [0, 0.1, 0.25, 0.5, 1, 4, 20])
def test_arrivals_have_the_mean_and_the_variability_asked_for(spread):
    distribution = interarrival_distribution(spread, 2.0)
    assert distribution.moment(1) == pytest.approx(2.0)
    assert scv(distribution) == pytest.approx(spread)


@pytest.mark.parametrize(("spread", "sees"), [(0, "less"), (1, "the same"), (8, "more")])
def test_only_poisson_arrivals_see_time_averages(spread, sees):
    rng = np.random.default_rng(9)
    distribution = interarrival_distribution(spread, 1 / 0.7)
    came = arrival_times(distribution, 40_000, rng)
    left = departures(came, Exponential(1.0).sample(rng, came.size))
    result = (population_at(came, left, came) > 0).mean()
    busy = gm1(distribution, 1.0).sigma
    assert result == pytest.approx(busy, abs=0.03)
    assert {"less": busy < 0.65, "the same": abs(busy - 0.7) < 1e-9, "more": busy > 0.75}[sees]
    observed = population_at(came, left, came).mean()
    time_average = population_area(came, left, 0, came[-1]) / came[-1]
    assert (observed > time_average * 1.05) == (sees == "more")


def test_clock_gaps_add_up_to_the_time_watched():
    ticks = iter([10.0, 10.5, 11.5, 13.5])
    assert clock_gaps(3.0, clock=lambda: next(ticks)).tolist() == [0.5, 1, 2]


def test_drawn_fractions_by_hand():
    class Three:
        def sample(self, rng, count):
            return np.array([1.0, 2.0, 7.0])

    flows, packets = drawn_fractions(Three(), [0.5, 1.0, 5.0, 9.0], 3, np.random.default_rng(1))
    assert flows == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert packets == pytest.approx([1, 0.9, 0.7, 0])
