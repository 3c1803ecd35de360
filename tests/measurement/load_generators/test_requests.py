"""A list of requests: loops that make one, and bad input."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.measurement.load_generators.requests import HttpRequests, closed_loop, open_loop

TIMES = st.lists(st.floats(1e-4, 2), min_size=1, max_size=40)


def test_two_clients_by_hand():
    sent = closed_loop([0.3, 0.1, 0.1, 0.2], clients=2)
    np.testing.assert_allclose(sent.starts, [0, 0.1, 0, 0.2])
    assert sent.elapsed == pytest.approx(0.4)


@given(times=TIMES, clients=st.integers(1, 5))
def test_a_closed_loop_keeps_its_clients_busy(times, clients):
    sent = closed_loop(times, clients)
    under_way = [
        np.sum((sent.starts <= at) & (at < sent.ends)) for at in sent.starts + 1e-9 * sent.times
    ]
    assert max(under_way) <= clients
    assert sent.times.sum() <= clients * sent.elapsed * (1 + 1e-9)
    assert sorted(sent.times) == sorted(times)


@given(times=TIMES, rate=st.floats(0.1, 1000))
def test_an_open_loop_sends_by_the_clock(times, rate):
    sent = open_loop(times, rate)
    np.testing.assert_allclose(np.sort(sent.starts), np.arange(len(times)) / rate)


def test_statuses_stay_with_their_times():
    sent = closed_loop([0.3, 0.1], 2, status=[503, 200], body=[2, 3])
    assert sent.status.tolist() == [200, 503]
    assert sent.body.tolist() == [3, 2]
    assert sent.failures(500) == 1


def test_a_warm_up_is_cut_off_by_the_start():
    sent = closed_loop([0.5] * 4)
    assert sent.since(1.0).count == 2
    with pytest.raises(ValueError, match=r"time must be at most 1.5, the last start, got 1.6"):
        sent.since(1.6)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"times": [1.0], "body": [1, 2]}, r"body must have one value or 1, got shape \(2,\)"),
        ({"times": [1.0], "connects": 2.0}, "connects must be at most times, got 2.0 of 1.0"),
    ],
)
def test_times_that_contradict_are_named(fields, message):
    with pytest.raises(ValueError, match=message):
        HttpRequests(**fields)
