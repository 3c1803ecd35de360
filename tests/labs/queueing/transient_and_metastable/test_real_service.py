"""The experiment on the real service: on a simulated one that never depends on the time of day."""

from contextlib import contextmanager
from dataclasses import replace

import pytest

from perfmodel.labs.queueing.transient_and_metastable.fluid import critical_outage
from perfmodel.labs.queueing.transient_and_metastable.loopback import NoServiceError, running
from perfmodel.labs.queueing.transient_and_metastable.real_service import (
    bracket,
    measured_capacity,
    real_outage,
)
from perfmodel.labs.queueing.transient_and_metastable.simulated import SimulatedPort
from perfmodel.labs.queueing.transient_and_metastable.system import Incident, Service, with_load

ASKED = Service(workers=4, mean_service=0.01)
BEFORE = Incident(0.3, 0.0, 1.0)


class SlowPort(SimulatedPort):
    """A simulated machine on which each request takes a share longer than asked for."""

    def __init__(self, service, share):
        super().__init__(service)
        self.share = share

    def send(self, number, seconds):
        super().send(number, seconds * (1 + self.share * (number >= 0)))


def machine(share=0.0):
    @contextmanager
    def opening(service):
        yield SlowPort(service, share)

    return opening


def test_capacity_is_measured_not_believed():
    seen = measured_capacity(ASKED, opening=machine(0.25))
    assert seen.mean_service == pytest.approx(0.0125)
    assert seen.workers == 4


def test_the_fluid_foretells_the_threshold_of_a_slow_machine():
    opening = machine(0.2)
    service = measured_capacity(ASKED, opening=opening)
    clients = with_load(service, 0.7, 0.1)
    seen = bracket(ASKED, clients, critical_outage(service, clients, 1.0), BEFORE, opening=opening)
    assert seen.healthy
    assert seen.as_predicted == 6
    assert "All 6 runs ended as the fluid says" in seen.verdict
    assert "a factor of 1.5" in seen.verdict


def test_a_wrong_prediction_is_said_to_be_wrong():
    seen = bracket(ASKED, with_load(ASKED, 0.7, 0.1), 0.3, BEFORE, opening=machine())
    assert seen.as_predicted == 3
    assert "**not** always" in seen.verdict
    assert "Of 3 short outages 0 were survived" in seen.verdict


def test_a_machine_too_slow_for_the_load_gives_no_verdict():
    seen = bracket(ASKED, with_load(ASKED, 0.7, 0.1), 0.1, BEFORE, opening=machine(1.5))
    assert not seen.healthy
    assert seen.verdict.startswith("**No verdict**")


def test_relief_reaches_the_service():
    storm = replace(BEFORE, outage=0.3, after=2.5)
    clients = with_load(ASKED, 0.6, 0.1)
    assert not real_outage(ASKED, clients, storm, opening=machine()).up
    eased = replace(storm, relief_at=0.5, relief=0.8)
    assert real_outage(ASKED, clients, eased, opening=machine()).up


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predicted": 0.0}, "predicted must be"),
        ({"predicted": float("inf")}, "predicted must be finite"),
        ({"factor": 0.9}, "factor must be 1 or more"),
    ],
)
def test_refusals(change, message):
    given = {"predicted": 0.1, "factor": 1.5} | change
    with pytest.raises(ValueError, match=message):
        bracket(ASKED, with_load(ASKED, 0.7, 0.1), incident=BEFORE, opening=machine(), **given)


@pytest.fixture
def port():
    try:
        with running(Service(2, 0.001, queue_limit=3)) as opened:
            yield opened
    except NoServiceError as problem:
        pytest.skip(str(problem))


def test_the_real_process_serves_in_order_and_refuses_what_is_too_much(port):
    """Whatever the machine does meanwhile: each number is answered once, and a flood is refused."""
    for number in range(40):
        port.send(number, 0.02)
    answers = []
    while len(answers) < 40:
        came = port.answers(port.now() + 60.0)
        assert came
        answers += came
    assert sorted(number for number, _ in answers) == list(range(40))
    served = [number for number, was in answers if was]
    assert 0 < len(served) < 40
    assert served[0] in (0, 1)


def test_waiting_ends_at_its_instant_without_an_answer(port):
    until = port.now() + 0.05
    assert port.answers(until) == []
    assert port.now() >= until


def test_the_process_is_gone_after_the_block():
    try:
        with running(Service(1, 0.001)) as opened:
            connection = opened.connection
        assert connection.fileno() == -1
    except NoServiceError as problem:
        pytest.skip(str(problem))


def test_a_program_that_opens_no_port_is_told(monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(NoServiceError, match="can't open a port"), running(Service(1, 0.001)):
        pass
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(NoServiceError, match="no process can be started"), running(Service(1, 1)):
        pass
