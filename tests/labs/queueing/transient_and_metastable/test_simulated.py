"""The simulated service: order of service, a clock that jumps, and formulas in the limit."""

import numpy as np
import pytest

from perfmodel.labs.queueing.transient_and_metastable.client import poisson_arrivals
from perfmodel.labs.queueing.transient_and_metastable.simulated import (
    SimulatedPort,
    share_up,
    simulate_outage,
)
from perfmodel.labs.queueing.transient_and_metastable.system import (
    Clients,
    Incident,
    Service,
    with_load,
)
from perfmodel.queueing import Exponential, mmc

SHOP = Service(workers=4, mean_service=0.01)


def test_workers_take_requests_in_order():
    port = SimulatedPort(Service(2, 1.0))
    for number, seconds in enumerate([3.0, 1.0, 1.0, 1.0]):
        port.send(number, seconds)
    order = [(port.answers(9.0)[0][0], port.now()) for _ in range(4)]
    assert order == [(1, 1.0), (2, 2.0), (0, 3.0), (3, 3.0)]


def test_a_blocked_port_refuses_only_above_its_limit():
    port = SimulatedPort(Service(1, 1.0, queue_limit=2))
    for number in range(4):
        port.send(number, 1.0)
    assert port.answers(0.5) == [(3, False)]


def test_responses_are_those_of_mmc():
    """Clients who never give up make an M/M/4 queue."""
    rate, service = 280.0, Service(4, 0.01)
    port, arrivals = SimulatedPort(service), poisson_arrivals(rate, 300.0, seed=5)
    sizes = np.random.default_rng(6).exponential(0.01, arrivals.size)
    sent, ended = np.empty(arrivals.size), np.empty(arrivals.size)
    for number, (time, size) in enumerate(zip(arrivals, sizes, strict=True)):
        while answer := port.answers(time):
            ended[answer[0][0]] = port.now()
        sent[number] = port.now()
        port.send(number, size)
    while answer := port.answers(1e9):
        ended[answer[0][0]] = port.now()
    assert (ended - sent).mean() == pytest.approx(
        float(mmc(rate, 100.0, 4).response_time), rel=0.04
    )


def test_same_load_two_states_by_history():
    clients = with_load(SHOP, 0.6, 0.1)
    for seed in range(1, 6):
        assert simulate_outage(SHOP, clients, Incident(0.3, 0.0, 1.5), seed).final_goodput > 0.95
        fallen = simulate_outage(SHOP, clients, Incident(0.3, 0.3, 1.5), seed)
        assert fallen.before > 0.95
        assert fallen.final_goodput < 0.05


def test_turning_requests_away_for_a_while_brings_it_back():
    clients = with_load(SHOP, 0.6, 0.1)
    storm = Incident(0.3, 0.3, 2.5, relief_at=0.5, relief=0.8)
    assert share_up(SHOP, clients, storm, 5) == 1
    assert share_up(SHOP, clients, Incident(0.3, 0.3, 2.5), 5) == 0


def test_exponential_sizes_are_allowed():
    clients = with_load(SHOP, 0.6, 0.2)
    run = simulate_outage(SHOP, clients, Incident(0.3, 0.0, 1.5), 1, Exponential(0.01))
    assert run.up


def test_impatience_below_the_service_time_is_refused():
    with pytest.raises(ValueError, match="timeout must be above the mean service"):
        simulate_outage(SHOP, Clients(100, timeout=0.005), Incident(0.1, 0.1, 1.0))
    with pytest.raises(ValueError, match="runs must be"):
        share_up(SHOP, Clients(100, timeout=0.1), Incident(0.1, 0.1, 1.0), 0)
