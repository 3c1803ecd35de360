"""The service, its clients and the incident: derived quantities and refusals."""

import math

import numpy as np
import pytest

from perfmodel.labs.queueing.transient_and_metastable.system import (
    Clients,
    Incident,
    Service,
    checked_patience,
    storm_load,
    with_load,
)


def test_capacity_is_workers_over_service():
    assert Service(4, 0.01).capacity == pytest.approx(400)


def test_backoff_doubles():
    clients = Clients(1.0, timeout=2.0, retries=3, backoff=1.0)
    assert [clients.delay(k) for k in (1, 2, 3)] == [3.0, 4.0, 6.0]


def test_the_load_of_a_storm():
    service = Service(3, 0.01)
    assert storm_load(service, Clients(150, 0.1, retries=3)) == pytest.approx(2.0)
    assert storm_load(service, Clients(150, 0.1, retries=3, budget=0.2)) == pytest.approx(0.6)
    assert storm_load(service, with_load(service, 0.5, 0.1, retries=0)) == pytest.approx(0.5)


def test_relief_turns_new_requests_away_for_its_time():
    incident = Incident(1.0, 2.0, 9.0, relief_at=1.0, relief=0.5)
    assert (incident.end, incident.horizon) == (3.0, 12.0)
    np.testing.assert_array_equal(
        incident.admits([0.0, 3.99, 4.0, 4.49, 4.5]), [True, True, False, False, True]
    )
    assert Incident(1.0, 2.0, 9.0).admits(np.linspace(0, 12, 50)).all()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Service(0, 0.01), "workers"),
        (lambda: Service(2, 0.0), "mean_service"),
        (lambda: Service(2, 0.1, queue_limit=0), "queue_limit"),
        (lambda: Service(2, 0.1, queue_limit=math.nan), "queue_limit"),
        (lambda: Clients(0.0, 0.1), "arrival_rate"),
        (lambda: Clients(1.0, 0.0), "timeout"),
        (lambda: Clients(1.0, 0.1, retries=1.5), "retries"),
        (lambda: Clients(1.0, 0.1, backoff=-1.0), "backoff"),
        (lambda: Clients(1.0, 0.1, budget=-0.1), "budget"),
        (lambda: Clients(1.0, 0.1).delay(0), "retry"),
        (lambda: Incident(-1.0, 0.0, 1.0), "start"),
        (lambda: Incident(0.0, math.nan, 1.0), "outage"),
        (lambda: Incident(0.0, 1.0, 0.0), "after"),
        (lambda: Incident(0.0, 1.0, 1.0, relief=-1.0), "relief"),
        (lambda: with_load(Service(1, 1.0), 0.0, 2.0), "load"),
        (lambda: checked_patience(Service(1, 1.0), Clients(0.5, timeout=1.0)), "timeout"),
    ],
)
def test_refusals_name_the_argument(make, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        make()
