"""MAP/PH/1: the truncated chain solved densely, simpler models, percentiles by other methods."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions import phase_type as ph
from perfmodel.queueing.distributions.service import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
)
from perfmodel.queueing.network.elements import JobClass, Station
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.queueing.station.gm1 import gm1
from perfmodel.queueing.station.matrix_geometric import solve_phase_queue
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import (
    mm1,
    mmc,
    mmc_response_quantile,
    mmc_response_tail,
    mmc_waiting_quantile,
    mmc_waiting_tail,
)
from perfmodel.queueing.station.percentiles import mg1_waiting_tail

BURSTY = ph.ArrivalProcess.modulated([1.1, 0.2], [[-0.05, 0.05], [0.05, -0.05]])


def truncated(arrivals, service, levels):
    """Solve the same chain densely, arrivals lost at the last level; the law of the number."""
    a, b = arrivals.quiet.shape[0], service.start.size
    size = a + levels * a * b
    generator = np.zeros((size, size))
    slots = [slice(0, a)]
    slots += [slice(a + k * a * b, a + (k + 1) * a * b) for k in range(levels)]
    exits = service.exits[:, None]
    generator[slots[0], slots[0]] = arrivals.quiet
    generator[slots[0], slots[1]] = np.kron(arrivals.marked, service.start[None, :])
    generator[slots[1], slots[0]] = np.kron(np.eye(a), exits)
    for level in range(1, levels + 1):
        here = slots[level]
        moves = np.kron(arrivals.quiet, np.eye(b)) + np.kron(np.eye(a), service.generator)
        generator[here, here] = moves
        if level > 1:
            down = np.kron(np.eye(a), exits * service.start)
            generator[here, slots[level - 1]] = down
        if level < levels:
            generator[here, slots[level + 1]] = np.kron(arrivals.marked, np.eye(b))
        else:
            generator[here, here] += np.kron(arrivals.marked, np.eye(b))
    equations = np.vstack([generator.T[:-1], np.ones(size)])
    law = np.linalg.solve(equations, np.eye(size)[-1])
    return np.array([law[slot].sum() for slot in slots])


@pytest.mark.parametrize(
    ("arrivals", "service"),
    [
        (ph.ArrivalProcess.poisson(0.7), ph.PhaseType.hyperexponential(1.0, 4.0)),
        (
            ph.ArrivalProcess.renewal(ph.PhaseType.erlang(1.6, 3)),
            ph.PhaseType.of_two_moments(1.0, 0.4),
        ),
        (BURSTY, ph.PhaseType.erlang(0.9, 2)),
    ],
)
def test_against_the_truncated_chain(arrivals, service):
    law = truncated(arrivals, service, 200)
    queue = solve_phase_queue(arrivals, service)
    assert queue.number_probabilities(15) == pytest.approx(law[:15], rel=1e-6)
    assert queue.queue_length == pytest.approx(law @ np.arange(law.size), rel=1e-4)


@given(st.floats(0.01, 0.995), st.floats(0.05, 40))
def test_poisson_arrivals_are_pollaczek_khinchine(load, spread):
    queue = solve_phase_queue(
        ph.ArrivalProcess.poisson(load), ph.PhaseType.of_two_moments(1.0, spread)
    )
    exact = mg1(arrival_rate=load, mean_service=1.0, scv=spread)
    assert queue.response_time == pytest.approx(exact.response_time, rel=1e-7)
    assert queue.number_probabilities(1)[0] == pytest.approx(1 - load)
    assert queue.exact


@given(st.floats(0.05, 0.99))
def test_exponential_service_is_gm1(load):
    queue = solve_phase_queue(
        ph.ArrivalProcess.renewal(ph.PhaseType.erlang(1 / load, 3)), ph.PhaseType.exponential(1.0)
    )
    exact = gm1(Erlang(1 / load, 3), 1.0)
    assert queue.response_time == pytest.approx(exact.response_time, rel=1e-7)
    assert queue.waiting_tail(0.0) == pytest.approx(exact.sigma, rel=1e-7)


def test_percentiles_of_mm1():
    queue = solve_phase_queue(ph.ArrivalProcess.poisson(0.8), ph.PhaseType.exponential(1.0))
    p = [0.1, 0.5, 0.99]
    assert queue.waiting_quantile(p) == pytest.approx(mmc_waiting_quantile(p, 0.8, 1.0), abs=1e-6)
    assert queue.response_quantile(p) == pytest.approx(mmc_response_quantile(p, 0.8, 1.0))


def test_percentiles_of_gm1():
    queue = solve_phase_queue(
        ph.ArrivalProcess.renewal(ph.PhaseType.erlang(1.25, 2)), ph.PhaseType.exponential(1.0)
    )
    exact = gm1(Erlang(1.25, 2), 1.0)
    assert queue.response_quantile(0.95) == pytest.approx(exact.response_quantile(0.95))


def test_waiting_tail_against_transform_inversion():
    queue = solve_phase_queue(
        ph.ArrivalProcess.poisson(0.7), ph.PhaseType.hyperexponential(1.0, 6.0)
    )
    times = np.array([0.0, 0.1, 1.0, 6.0, 25.0])
    inverted = mg1_waiting_tail(times, 0.7, Hyperexponential.balanced(1.0, 6.0))
    assert queue.waiting_tail(times) == pytest.approx(inverted, abs=1e-8)


def test_response_tail_integrates_to_the_mean():
    queue = solve_phase_queue(BURSTY, ph.PhaseType.erlang(0.9, 2))
    times = np.linspace(0, 400, 8001)
    area = np.trapezoid(queue.response_tail(times), times)
    assert area == pytest.approx(queue.response_time, rel=1e-4)


def test_bursts_wait_longer_than_their_scv_says():
    queue = solve_phase_queue(BURSTY, ph.PhaseType.exponential(1.0))
    plain = ph.ArrivalProcess.renewal(ph.PhaseType.hyperexponential(1 / BURSTY.rate, BURSTY.scv))
    renewal = solve_phase_queue(plain, ph.PhaseType.exponential(1.0))
    assert queue.waiting_time > 2 * renewal.waiting_time


def every_server(arrivals, service, servers, levels):
    """Solve MAP/PH/c with each server's phase kept, 0 for idle, densely; the law of the number.

    A job takes the first idle server. Arrivals are lost with `levels` jobs present.
    """
    phases = service.start.size
    states = [
        (a, *marks, line)
        for marks in product(range(phases + 1), repeat=servers)
        for line in range(levels - servers + 1 if min(marks) else 1)
        for a in range(arrivals.quiet.shape[0])
    ]
    place = {state: i for i, state in enumerate(states)}
    generator = np.zeros((len(states), len(states)))

    def move(origin, a, marks, line, rate):
        generator[place[origin], place[(a, *marks, line)]] += rate
        generator[place[origin], place[origin]] -= rate

    for state in states:
        a, marks, line = state[0], list(state[1:-1]), state[-1]
        for b in range(arrivals.quiet.shape[0]):
            if b != a:
                move(state, b, marks, line, arrivals.quiet[a, b])
            if min(marks):
                move(state, b, marks, min(line + 1, levels - servers), arrivals.marked[a, b])
            else:
                for phase, chance in enumerate(service.start):
                    taken = [*marks]
                    taken[marks.index(0)] = phase + 1
                    move(state, b, taken, 0, arrivals.marked[a, b] * chance)
        for server, mark in enumerate(marks):
            if not mark:
                continue
            for phase in range(phases):
                moved = [*marks[:server], phase + 1, *marks[server + 1 :]]
                if phase != mark - 1:
                    move(state, a, moved, line, service.generator[mark - 1, phase])
                if line:
                    rate = service.exits[mark - 1] * service.start[phase]
                    move(state, a, moved, line - 1, rate)
            if not line:
                left = [*marks[:server], 0, *marks[server + 1 :]]
                move(state, a, left, 0, service.exits[mark - 1])
    equations = np.vstack([generator.T[:-1], np.ones(len(states))])
    law = np.linalg.solve(equations, np.eye(len(states))[-1])
    number = np.array([sum(m > 0 for m in s[1:-1]) + s[-1] for s in states])
    return np.bincount(number, law)


@pytest.mark.parametrize(
    ("arrivals", "service", "servers"),
    [
        (ph.ArrivalProcess.poisson(0.7), ph.PhaseType.hyperexponential(1.0, 4.0), 2),
        (
            ph.ArrivalProcess.renewal(ph.PhaseType.erlang(0.8, 2)),
            ph.PhaseType.of_two_moments(1.0, 0.7),
            3,
        ),
        (BURSTY, ph.PhaseType.erlang(1.1, 2), 2),
    ],
)
def test_several_servers_against_the_truncated_chain(arrivals, service, servers):
    law = every_server(arrivals, service, servers, 60)
    queue = solve_phase_queue(arrivals, service, servers)
    assert queue.number_probabilities(12) == pytest.approx(law[:12], rel=1e-9)
    assert queue.queue_length == pytest.approx(law @ np.arange(law.size), rel=1e-9)
    assert queue.number_probabilities(2) == pytest.approx(law[:2], rel=1e-9)


@given(st.integers(1, 60), st.floats(0.05, 0.99))
def test_exponential_servers_are_erlang_c(servers, load):
    queue = solve_phase_queue(Exponential(1 / (load * servers)), Exponential(1.0), servers)
    exact = mmc(load * servers, 1.0, servers)
    assert queue.waiting_time == pytest.approx(exact.waiting_time, rel=1e-9)
    assert queue.utilization == pytest.approx(load)
    assert queue.servers == servers


def test_the_law_of_the_wait_before_several_servers():
    queue = solve_phase_queue(Exponential(1 / 3.2), Exponential(1.0), 4)
    times = np.array([0.0, 0.4, 2.0, 7.0])
    assert queue.waiting_tail(times) == pytest.approx(
        mmc_waiting_tail(times, 3.2, 1.0, 4), rel=1e-9
    )
    assert queue.response_tail(times) == pytest.approx(
        mmc_response_tail(times, 3.2, 1.0, 4), rel=1e-9
    )


def test_several_servers_against_the_simulator():
    """Bursts before three servers whose sizes vary: the mean wait lies in the run's interval."""
    sizes = Hyperexponential.balanced(1.0, 3.0)
    exact = solve_phase_queue(Hyperexponential.balanced(0.5, 2.0), sizes, 3)
    jobs = JobClass("jobs", arrival_rate=2.0)
    run = simulate(
        Network([Station("pool", servers=3)], [jobs], [sizes]),
        400_000,
        seed=3,
        arrivals={"jobs": Hyperexponential.balanced(0.5, 2.0)},
        progress=False,
    )
    [(_, (low, high))] = run.intervals()
    assert low < exact.response_time < high
    assert high - low < 0.1 * exact.response_time


def test_tails_before_several_servers_integrate_to_the_means():
    queue = solve_phase_queue(BURSTY, Hyperexponential.balanced(1.4, 3.0), 2)
    times = np.linspace(0, 300, 6001)
    waiting = np.trapezoid(queue.waiting_tail(times), times)
    assert waiting == pytest.approx(queue.waiting_time, rel=1e-3)
    response = np.trapezoid(queue.response_tail(times), times)
    assert response == pytest.approx(queue.response_time, rel=1e-3)


def test_near_saturation():
    queue = solve_phase_queue(ph.ArrivalProcess.poisson(0.9999), ph.PhaseType.exponential(1.0))
    exact = mm1(0.9999, 1.0).response_time
    assert queue.response_time == pytest.approx(exact, rel=1e-5)
    assert "fewer digits" in queue.warning
    with pytest.raises(ValueError, match="utilization must leave fewer than 20000 likely levels"):
        queue.waiting_quantile(0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: solve_phase_queue(BURSTY, ph.PhaseType.erlang(0.5, 2)).waiting_tail(-1.0),
            "time must be 0 or more",
        ),
        (
            lambda: solve_phase_queue(BURSTY, ph.PhaseType.erlang(0.5, 2)).number_probabilities(0),
            "length must be a whole number, 1 or more",
        ),
        (
            lambda: solve_phase_queue(Exponential(1.0), Deterministic(0.5)),
            "service must be a PhaseType.*fit one to it",
        ),
        (
            lambda: solve_phase_queue(Exponential(1.0), Erlang(1.0, 9), 9),
            "servers and phases must give at most 200 ways to be busy, got 24310",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


class TestLongOverloads:
    """A source that overloads the server for a time 1/slow: the queue grows with that time."""

    @staticmethod
    def solved(slow):
        moves = slow * np.array([[-0.2, 0.2], [0.1, -0.1]])
        return solve_phase_queue(ph.ArrivalProcess.modulated([1.5, 0.1], moves), Exponential(1.0))

    def test_a_queue_of_thousands_says_that_digits_are_fewer(self):
        brief, long = self.solved(0.1), self.solved(1e-5)
        assert brief.warning == ""
        assert "expect fewer digits" in long.warning
        fluid = (1 + 0.5 / 0.9) / 3 / (0.2 / 0.5 - 0.1 / 0.9)
        assert long.queue_length * 1e-5 == pytest.approx(fluid, rel=1e-4)

    def test_a_queue_without_end_is_refused(self):
        with pytest.raises(ValueError, match="must not make queues of a billion jobs"):
            self.solved(1e-12)
