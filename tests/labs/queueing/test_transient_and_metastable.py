"""Retry storms: clients on a clock that jumps, the fluid, real runs; relaxation three ways."""

import math
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.linalg import expm

from perfmodel.labs.queueing.transient_and_metastable.client import play, poisson_arrivals
from perfmodel.labs.queueing.transient_and_metastable.fluid import (
    critical_outage,
    critical_relief,
    follow_fluid,
)
from perfmodel.labs.queueing.transient_and_metastable.loopback import NoServiceError, running
from perfmodel.labs.queueing.transient_and_metastable.real_service import (
    bracket,
    measured_capacity,
    real_outage,
)
from perfmodel.labs.queueing.transient_and_metastable.relaxation import (
    exact_mean,
    fluid_mean,
    relaxation_time,
    replicas,
)
from perfmodel.labs.queueing.transient_and_metastable.simulated import (
    SimulatedPort,
    fraction_up,
    simulate_outage,
)
from perfmodel.labs.queueing.transient_and_metastable.storm_queue import storm_queue, waiting_at
from perfmodel.labs.queueing.transient_and_metastable.system import (
    Clients,
    Incident,
    Service,
    checked_patience,
    storm_load,
    with_load,
)
from perfmodel.queueing import Exponential, mmc

QUIET = Incident(0.0, 0.0, 20.0)


def run(clients, arrivals, sizes, incident=QUIET, service=None):
    port = SimulatedPort(service or Service(1, 1.0))
    return play(port, clients, incident, np.array(arrivals), np.array(sizes))


def test_an_answer_in_time_is_one_attempt():
    result = run(Clients(1.0, timeout=2.0), [1.0], [1.5])
    assert (result.sent, result.in_time) == ([1.0], [1.0])


def test_a_late_answer_is_asked_again_behind_the_work_that_nobody_waits_for():
    """The first attempt keeps the worker until 4; the second, sent at 3, would end at 7."""
    result = run(Clients(1.0, timeout=2.0), [1.0], [3.0])
    np.testing.assert_allclose(result.sent, [1, 3])
    assert result.in_time.tolist() == [0, 0]
    assert result.request.tolist() == [0, 0]


def test_the_second_attempt_counts_when_it_is_in_time():
    """A blocked worker from 0 to 2.5; the request of 1 s is late at 2.1 and served at 4.5."""
    result = run(Clients(1.0, timeout=2.0), [0.1], [1.0], Incident(0.0, 2.5, 10.0))
    np.testing.assert_allclose(result.sent, [0.1, 2.1])
    assert result.in_time.tolist() == [0, 0]
    patient = run(Clients(1.0, timeout=2.5), [0.1], [1.0], Incident(0.0, 2.5, 10.0))
    np.testing.assert_allclose(patient.sent, [0.1, 2.6])
    assert patient.in_time.tolist() == [0, 1]


def test_backoff_waits_longer_each_time():
    clients = Clients(1.0, timeout=1.5, retries=3, backoff=1.0)
    result = run(clients, [0.0], [9.0])
    np.testing.assert_allclose(result.sent, [0, 2.5, 6.0, 11.5])


def test_a_budget_lets_few_retries_through():
    free = run(Clients(1.0, timeout=1.5), np.arange(10.0), [9.0] * 10)
    tight = run(Clients(1.0, timeout=1.5, budget=0.35), np.arange(10.0), [9.0] * 10)
    assert (free.sent.size, tight.sent.size) == (20, 13)


def test_a_refused_request_is_not_asked_again():
    service = Service(1, 1.0, queue_limit=1)
    result = run(Clients(1.0, timeout=5.0), [0.0, 0.1, 0.2], [1.0] * 3, service=service)
    assert result.in_time.tolist() == [1, 1, 0]


def test_goodput_counts_attempts_per_new_request():
    result = run(Clients(1.0, timeout=2.0), [0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 9.0, 0.5])
    assert result.goodput(0.0, 2.0) == 1.0
    assert result.goodput(0.0, 4.0) == 0.5
    assert math.isnan(result.goodput(8.0, 9.0))


def test_poisson_arrivals_come_at_their_rate():
    stream = poisson_arrivals(1000.0, 10.0, seed=3)
    gaps = np.diff(stream)
    assert stream.size == pytest.approx(10_000, abs=4 * 100)
    assert gaps.std() / gaps.mean() == pytest.approx(1, abs=0.04)
    assert (stream == poisson_arrivals(1000.0, 10.0, seed=3)).all()


SHOP = Service(workers=4, mean_service=0.01)


class TestPath:
    def test_without_retries_the_backlog_drains_at_what_the_load_leaves_over(self):
        """0.5 s of arrivals at 60 % are 0.3 s of work, gone after 0.3 / 0.4 s more."""
        path = follow_fluid(SHOP, with_load(SHOP, 0.6, 0.1, retries=0), Incident(0.2, 0.5, 2.0))
        at = np.interp([0.2, 0.45, 0.7, 1.0, 1.45, 1.6], path.times, path.queue) / SHOP.capacity
        np.testing.assert_allclose(at, [0, 0.15, 0.3, 0.18, 0, 0], atol=2e-3)

    def test_who_comes_in_the_outage_waits_for_its_rest_and_the_queue(self):
        path = follow_fluid(SHOP, with_load(SHOP, 0.6, 0.1, retries=0), Incident(0.2, 0.5, 2.0))
        result = np.interp([0.1, 0.3, 0.6, 0.8], path.times, path.response)
        np.testing.assert_allclose(
            result, [0.01, 0.4 + 0.06 + 0.01, 0.1 + 0.24 + 0.01, 0.26 + 0.01], atol=3e-3
        )

    def test_a_storm_grows_at_the_storms_load(self):
        clients = with_load(SHOP, 0.8, 0.1, retries=2)
        path = follow_fluid(SHOP, clients, Incident(0.1, 0.4, 4.0))
        late = path.times > 3.0
        slope = np.polyfit(path.times[late], path.queue[late], 1)[0]
        assert slope == pytest.approx((storm_load(SHOP, clients) - 1) * SHOP.capacity, rel=0.01)
        assert path.attempts[-1] == pytest.approx(3 * clients.arrival_rate)
        assert not path.up
        assert path.goodput[-1] == 0

    def test_nothing_happens_without_an_outage(self):
        path = follow_fluid(SHOP, with_load(SHOP, 0.9, 0.1), Incident(0.1, 0.0, 1.0))
        assert path.queue.max() < 2 * 0.1 / 200 * SHOP.capacity
        assert path.final_goodput == pytest.approx(1.0)

    def test_a_queue_that_is_short_enough_keeps_every_answer_in_time(self):
        bounded = replace(SHOP, queue_limit=SHOP.capacity * 0.08)
        path = follow_fluid(bounded, with_load(SHOP, 0.95, 0.1), Incident(0.1, 1.0, 1.0))
        assert path.queue.max() <= bounded.queue_limit
        assert path.up
        assert path.goodput.max() <= path.attempts.max()

    @settings(max_examples=25, deadline=None)
    @given(
        load=st.floats(0.1, 0.95),
        outage=st.floats(0.0, 0.5),
        retries=st.integers(0, 3),
        backoff=st.floats(0.0, 0.2),
        budget=st.floats(0.0, 2.0),
    )
    def test_attempts_stay_within_what_clients_may_do(self, load, outage, retries, backoff, budget):
        clients = Clients(load * SHOP.capacity, 0.1, retries, backoff, budget)
        path = follow_fluid(SHOP, clients, Incident(0.1, outage, 1.0), steps=50)
        assert (path.queue >= 0).all()
        assert (path.attempts >= clients.arrival_rate * (1 - 1e-12)).all()
        assert (path.attempts <= clients.arrival_rate * clients.attempts * (1 + 1e-12)).all()
        assert (path.goodput <= path.attempts * (1 + 1e-12)).all()


class TestThreshold:
    def test_just_below_full_load_an_outage_of_the_patience_left_is_enough(self):
        """Who comes first waits the whole outage, and at full load nobody after waits less."""
        near = critical_outage(SHOP, with_load(SHOP, 0.99, 0.1), after=4.0)
        assert near == pytest.approx(0.1 - 0.01, abs=0.002)

    def test_it_falls_with_the_load_and_rises_with_patience(self):
        loads = [
            critical_outage(SHOP, with_load(SHOP, load, 0.1), 2.0)
            for load in (0.55, 0.65, 0.75, 0.85, 0.95)
        ]
        assert (np.diff(loads) < 0).all()
        patient = critical_outage(SHOP, with_load(SHOP, 0.75, 0.2), 4.0)
        assert patient > 1.8 * loads[2]

    def test_below_the_hidden_capacity_it_comes_back_in_the_end(self):
        assert critical_outage(SHOP, with_load(SHOP, 0.45, 0.1), 24.0) == np.inf
        assert critical_outage(SHOP, with_load(SHOP, 0.52, 0.1), 12.0) < 0.2
        assert critical_outage(SHOP, with_load(SHOP, 0.35, 0.1, retries=2), 12.0) < 0.3

    def test_without_retries_it_always_comes_back(self):
        assert critical_outage(SHOP, with_load(SHOP, 0.9, 0.1, retries=0), 20.0) == np.inf

    def test_backoff_gains_time_and_a_budget_ends_storms(self):
        clients = with_load(SHOP, 0.6, 0.1)
        plain = critical_outage(SHOP, clients, 5.0)
        assert critical_outage(SHOP, replace(clients, backoff=0.4), 5.0) > 2 * plain
        assert critical_outage(SHOP, replace(clients, budget=0.2), 5.0) == np.inf

    def test_relief_must_last_until_the_queue_is_short(self):
        """The backlog is what came less what was served; retries of the last second still come."""
        clients = with_load(SHOP, 0.7, 0.1)
        storm = Incident(0.1, 0.3, 1.0, relief_at=0.5)
        enough = critical_relief(SHOP, clients, storm)
        for share, up in ((0.9, False), (1.1, True)):
            incident = replace(storm, relief=share * enough, after=3.0)
            assert follow_fluid(SHOP, clients, incident).up is up
        assert critical_relief(SHOP, clients, storm, longest=0.1) == np.inf

    def test_loads_that_no_service_bears_and_clients_without_patience_are_refused(self):
        with pytest.raises(ValueError, match="arrival_rate must be one"):
            critical_outage(SHOP, Clients(480, 0.1), 2.0)
        with pytest.raises(ValueError, match="timeout must be"):
            follow_fluid(SHOP, Clients(9, 0.01), Incident(0, 0, 1))


@pytest.mark.parametrize("load", [0.6, 0.8])
def test_simulated_runs_part_near_the_fluids_threshold(load):
    clients = with_load(SHOP, load, 0.1)
    threshold = critical_outage(SHOP, clients, 1.2)
    assert fraction_up(SHOP, clients, Incident(0.3, threshold / 1.5, 1.2), 10) == 1
    assert fraction_up(SHOP, clients, Incident(0.3, threshold * 1.5, 1.2), 10) <= 0.1


def test_more_and_smaller_requests_come_closer_to_the_fluid():
    fine = Service(workers=40, mean_service=0.01)
    clients = with_load(fine, 0.7, 0.1)
    threshold = critical_outage(fine, clients, 1.2)
    for share, up in ((0.9, 1.0), (1.15, 0.0)):
        assert fraction_up(fine, clients, Incident(0.3, threshold * share, 1.2), 6) == up


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
    result = measured_capacity(ASKED, opening=machine(0.25))
    assert result.mean_service == pytest.approx(0.0125)
    assert result.workers == 4


def test_the_fluid_foretells_the_threshold_of_a_slow_machine():
    opening = machine(0.2)
    service = measured_capacity(ASKED, opening=opening)
    clients = with_load(service, 0.7, 0.1)
    result = bracket(
        ASKED, clients, critical_outage(service, clients, 1.0), BEFORE, opening=opening
    )
    assert result.healthy
    assert result.as_predicted == 6
    assert "All 6 runs ended as predicted" in result.conclusion
    assert "a factor 1.5" in result.conclusion


def test_a_wrong_prediction_is_said_to_be_wrong():
    result = bracket(ASKED, with_load(ASKED, 0.7, 0.1), 0.3, BEFORE, opening=machine())
    assert result.as_predicted == 3
    assert "**not** always" in result.conclusion
    assert "The service survived 0 of 3 short outages" in result.conclusion


def test_a_machine_too_slow_for_the_load_gives_no_verdict():
    result = bracket(ASKED, with_load(ASKED, 0.7, 0.1), 0.1, BEFORE, opening=machine(1.5))
    assert not result.healthy
    assert result.conclusion.startswith("**No verdict**")


def test_relief_reaches_the_service():
    storm = replace(BEFORE, outage=0.3, after=2.5)
    clients = with_load(ASKED, 0.6, 0.1)
    assert not real_outage(ASKED, clients, storm, opening=machine()).up
    eased = replace(storm, relief_at=0.5, relief=0.8)
    assert real_outage(ASKED, clients, eased, opening=machine()).up


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


@pytest.mark.parametrize(("load", "start"), [(0.5, 0), (0.8, 12), (1.3, 3)])
def test_exact_is_the_matrix_exponential(load, start):
    size = 60
    rates = np.diag([load] * (size - 1), 1) + np.diag([1.0] * (size - 1), -1)
    rates -= np.diag(rates.sum(axis=1))
    expected = [expm(rates * t)[start] @ np.arange(size) for t in (0.5, 3.0, 8.0)]
    np.testing.assert_allclose(exact_mean(load, start, [0.5, 3.0, 8.0]), expected, rtol=1e-9)


def test_the_distance_falls_at_the_relaxation_time_in_the_end():
    """Far out the slowest mode is alone, but for a power of the time: the rate lies just above."""
    rho, tau = 0.6, float(relaxation_time(0.6))
    times = tau * np.array([12.0, 13.0])
    gaps = rho / (1 - rho) - exact_mean(rho, 0, times)
    rate = np.log(gaps[0] / gaps[1])
    assert rate == pytest.approx(1 + 1.5 * np.log(13 / 12), abs=0.02)


@given(st.floats(0.01, 0.98))
def test_relaxation_rises_with_load(rho):
    assert relaxation_time(rho + 0.01) > relaxation_time(rho) > 1
    assert relaxation_time(rho, 3.0) == pytest.approx(3 * relaxation_time(rho))


@settings(max_examples=15, deadline=None)
@given(load=st.floats(0.1, 1.5), start=st.integers(0, 30))
def test_the_exact_mean_lies_above_the_fluid(load, start):
    times = np.linspace(0, 40, 9)
    exact = exact_mean(load, start, times)
    assert exact[0] == start
    assert (exact >= fluid_mean(load, start, times) - 1e-9).all()


def test_a_long_queue_is_a_fluid():
    times = np.linspace(0, 200, 5)
    np.testing.assert_allclose(exact_mean(0.5, 400, times), fluid_mean(0.5, 400, times), rtol=1e-9)


def test_replicas_cover_the_exact_mean():
    times = np.array([0.0, 5.0, 20.0, 80.0])
    runs = replicas(0.7, 10, times, 600, seed=2)
    error = runs.std(axis=0, ddof=1) / np.sqrt(600)
    assert (runs[:, 0] == 10).all()
    assert (abs(runs.mean(axis=0) - exact_mean(0.7, 10, times)) <= 4 * error).all()


def test_times_of_more_than_a_million_moves_are_refused():
    with pytest.raises(ValueError, match="times must be up to 666667 at load 0.5"):
        exact_mean(0.5, 0, [1e9])


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
    assert fraction_up(SHOP, clients, storm, 5) == 1
    assert fraction_up(SHOP, clients, Incident(0.3, 0.3, 2.5), 5) == 0


def test_exponential_sizes_are_allowed():
    clients = with_load(SHOP, 0.6, 0.2)
    run = simulate_outage(SHOP, clients, Incident(0.3, 0.0, 1.5), 1, Exponential(0.01))
    assert run.up


def test_impatience_below_the_service_time_is_refused():
    with pytest.raises(ValueError, match="timeout must be above the mean service"):
        simulate_outage(SHOP, Clients(100, timeout=0.005), Incident(0.1, 0.1, 1.0))


def test_before_the_outage_nobody_waits_and_all_are_in_time():
    queue, answered = waiting_at(2.9)
    assert (queue, answered) == ([], 2)


def test_the_worker_is_blocked_from_the_second_at_which_the_outage_begins():
    """Requests 2 to 6 come in the outage; the first two of them are asked again 4 s later."""
    queue, answered = waiting_at(8.9)
    assert [each.request for each in queue] == [2, 3, 4, 2, 5, 3, 6]
    assert [each.is_retry for each in queue] == [False, False, False, True, False, True, False]
    assert [each.given_up for each in queue] == [True, True, False, False, False, False, False]
    assert answered == 2


def test_after_it_nobody_is_answered_in_time_again():
    assert {waiting_at(time)[1] for time in (10, 20, 30, 44)} == {2}
    waits = [len(waiting_at(time)[0]) for time in (12, 22, 32, 42)]
    assert waits == sorted(waits)


@pytest.mark.parametrize("time", [0, 2, 5, 9, 12, 20, 30, 40, 45])
def test_every_state_can_be_read(time):
    scene = storm_queue(time)
    assert list(scene.faults()) == []
    assert scene.values["for nobody"] <= scene.values["waiting"]


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
        (lambda: Service(2, 0.1, queue_limit=0), "queue_limit"),
        (lambda: Service(2, 0.1, queue_limit=math.nan), "queue_limit"),
        (lambda: Clients(1.0, 0.1, budget=-0.1), "budget"),
        (lambda: checked_patience(Service(1, 1.0), Clients(0.5, timeout=1.0)), "timeout"),
    ],
)
def test_limits_below_their_least_and_clients_without_patience_are_refused(make, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        make()
