"""Random streams: independent by name, the same by seed, however they are cut."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.service import Hyperexponential
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.queueing.simulation.streams import Stream, Trace, generator

LAWS = [2.0, None, Hyperexponential.balanced(1.0, 3.0), Trace([1.0, 2.0, 3.0] * 3000)]


@pytest.mark.parametrize("law", LAWS, ids=["exponential", "uniform", "law", "trace"])
@given(cuts=st.lists(st.integers(0, 3000), max_size=4))
def test_the_numbers_do_not_depend_on_how_they_are_taken(law, cuts):
    whole = Stream(law, generator(1, 0, "x")).take(sum(cuts))
    pieces = Stream(law, generator(1, 0, "x"))
    taken = [pieces.take(cut) for cut in cuts]
    np.testing.assert_array_equal(np.concatenate([[], *taken]), whole)
    assert pieces.taken == sum(cuts)


def test_streams_are_independent():
    names = [("service", "a", "s"), ("service", "b", "s"), ("service", "a", "t"), ("route", "a")]
    drawn = [generator(7, r, *n).standard_normal(20_000) for n in names for r in (0, 1)]
    off = np.corrcoef(drawn) - np.eye(len(drawn))
    assert np.abs(off).max() < 0.03


def test_mean_of_a_plain_number():
    assert Stream(0.25, generator(1, 0)).take(100_000).mean() == pytest.approx(0.25, rel=0.02)


def test_a_trace_ends():
    stream = Stream(Trace([1.0, 2.0]), generator(1, 0))
    assert stream.take(3).tolist() == [1, 2, np.inf]
    assert stream.length == 2


def test_common_random_numbers_between_systems():
    """Same arrivals and sizes: SRPT and FCFS serve the same work, and end when the other does."""
    users = [JobClass("users", 0.7)]
    kinds = [Station("s"), Station("s", discipline="SRPT")]
    seen = [simulate(Network([k], users, [1.0]), 5000, 3, progress=False) for k in kinds]
    work = [s.utilization.value[0, 0] for s in seen]
    assert work[0] == pytest.approx(work[1], rel=0.02)
    third = Network([Station("s"), Station("other")], users, [1.0, 0.1])
    first = simulate(third, 5000, 3, progress=False, keep_samples=True)
    alone = simulate(Network([kinds[0]], users, [1.0]), 5000, 3, progress=False, keep_samples=True)
    assert (first.samples[0] > alone.samples[0]).all()
