"""The reader's simulator: paths against a recursion, the formula, known events."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.build_a_simulator.event_steps import EVENTS, event_steps
from perfmodel.labs.queueing.build_a_simulator.race import Race, one_queue, race
from perfmodel.labs.queueing.build_a_simulator.tasks import random_queue, response_times
from perfmodel.queueing import batch_means, departures, mm1, simulate

times = st.floats(1e-3, 1e3)


@given(st.lists(st.tuples(times, times), min_size=1, max_size=40))
def test_every_path_is_the_recursion_s(customers):
    gaps, sizes = (list(column) for column in zip(*customers, strict=True))
    came = np.cumsum(gaps)
    inside = departures(came, sizes, "FCFS") - came
    assert response_times(gaps, sizes) == pytest.approx(inside, rel=1e-9, abs=1e-9)


def test_interval_covers_the_formula_and_the_package_s_overlaps():
    computed = batch_means(response_times(*random_queue(0.8, 40_000, 5))[500:])
    reference = simulate(one_queue(0.8), 200_000, 5, progress=False).response_time
    exact = float(mm1(0.8, 1.0).response_time)
    assert computed.covers(exact)
    assert reference.covers([exact]).all()
    assert reference.low[0] < computed.high
    assert computed.low < reference.high[0]


def test_random_queue_has_the_utilization_asked_for():
    gaps, sizes = random_queue(0.6, 200_000, 2)
    assert np.mean(sizes) / np.mean(gaps) == pytest.approx(0.6, rel=0.02)
    assert random_queue(0.6, 10, 3) == random_queue(0.6, 10, 3)


@pytest.mark.parametrize("done", range(EVENTS + 1))
def test_every_step_can_be_read(done):
    assert event_steps(done).faults() == []


def test_steps_of_the_example():
    inside = [event_steps(done).values["customers inside"] for done in range(EVENTS + 1)]
    assert inside == [0, 1, 2, 3, 2, 1, 0, 1, 0]
    clocks = [event_steps(done).values["clock (s)"] for done in range(EVENTS + 1)]
    assert clocks == [0, 1, 2, 4, 5, 7, 8, 9, 11]
    pending = [event_steps(done).values["events to come"] for done in range(EVENTS + 1)]
    assert pending == [1, 2, 2, 2, 2, 2, 1, 1, 0]


def test_race_takes_the_least_of_its_turns():
    """A clock that gives the small simulator 3 s and then 2 s, the package 1 s and then 4 s."""
    moments = iter([0.0, 3.0, 10.0, 11.0, 20.0, 22.0, 30.0, 34.0])
    result = race(10, 100, repeats=2, clock=lambda: next(moments))
    assert result == Race(small=0.2, package=0.01)
    assert result.ratio == pytest.approx(20)


@pytest.mark.parametrize(
    ("ratio", "words"), [(250, "a hundred"), (29, "ten"), (4, "three"), (1.5, "hardly faster")]
)
def test_conclusion_goes_by_steps(ratio, words):
    assert words in Race(small=ratio * 1e-8, package=1e-8).conclusion
