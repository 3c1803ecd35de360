"""One loop for all clients, on a clock that jumps: who gives up when, and what is asked again."""

import math

import numpy as np
import pytest

from perfmodel.labs.queueing.transient_and_metastable.client import play, poisson_arrivals
from perfmodel.labs.queueing.transient_and_metastable.simulated import SimulatedPort
from perfmodel.labs.queueing.transient_and_metastable.system import Clients, Incident, Service

QUIET = Incident(0.0, 0.0, 20.0)


def run(clients, arrivals, sizes, incident=QUIET, service=None):
    port = SimulatedPort(service or Service(1, 1.0))
    return play(port, clients, incident, np.array(arrivals), np.array(sizes))


def test_an_answer_in_time_is_one_attempt():
    seen = run(Clients(1.0, timeout=2.0), [1.0], [1.5])
    assert (seen.sent, seen.in_time) == ([1.0], [1.0])


def test_a_late_answer_is_asked_again_behind_the_work_that_nobody_waits_for():
    """The first attempt keeps the worker until 4; the second, sent at 3, would end at 7."""
    seen = run(Clients(1.0, timeout=2.0), [1.0], [3.0])
    np.testing.assert_allclose(seen.sent, [1, 3])
    assert seen.in_time.tolist() == [0, 0]
    assert seen.request.tolist() == [0, 0]


def test_the_second_attempt_counts_when_it_is_in_time():
    """A blocked worker from 0 to 2.5; the request of 1 s is late at 2.1 and served at 4.5."""
    seen = run(Clients(1.0, timeout=2.0), [0.1], [1.0], Incident(0.0, 2.5, 10.0))
    np.testing.assert_allclose(seen.sent, [0.1, 2.1])
    assert seen.in_time.tolist() == [0, 0]
    patient = run(Clients(1.0, timeout=2.5), [0.1], [1.0], Incident(0.0, 2.5, 10.0))
    np.testing.assert_allclose(patient.sent, [0.1, 2.6])
    assert patient.in_time.tolist() == [0, 1]


def test_backoff_waits_longer_each_time():
    clients = Clients(1.0, timeout=1.5, retries=3, backoff=1.0)
    seen = run(clients, [0.0], [9.0])
    np.testing.assert_allclose(seen.sent, [0, 2.5, 6.0, 11.5])


def test_a_budget_lets_few_retries_through():
    free = run(Clients(1.0, timeout=1.5), np.arange(10.0), [9.0] * 10)
    tight = run(Clients(1.0, timeout=1.5, budget=0.35), np.arange(10.0), [9.0] * 10)
    assert (free.sent.size, tight.sent.size) == (20, 13)


def test_a_refused_request_is_not_asked_again():
    service = Service(1, 1.0, queue_limit=1)
    seen = run(Clients(1.0, timeout=5.0), [0.0, 0.1, 0.2], [1.0] * 3, service=service)
    assert seen.in_time.tolist() == [1, 1, 0]


def test_goodput_counts_attempts_per_new_request():
    seen = run(Clients(1.0, timeout=2.0), [0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 9.0, 0.5])
    assert seen.goodput(0.0, 2.0) == 1.0
    assert seen.goodput(0.0, 4.0) == 0.5
    assert math.isnan(seen.goodput(8.0, 9.0))


def test_poisson_arrivals_come_at_their_rate():
    stream = poisson_arrivals(1000.0, 10.0, seed=3)
    gaps = np.diff(stream)
    assert stream.size == pytest.approx(10_000, abs=4 * 100)
    assert gaps.std() / gaps.mean() == pytest.approx(1, abs=0.04)
    assert (stream == poisson_arrivals(1000.0, 10.0, seed=3)).all()
