"""MAP/PH/1: the truncated chain solved densely, simpler models, percentiles by other methods."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions import phase_type as ph
from perfmodel.queueing.distributions.service import Erlang, Hyperexponential
from perfmodel.queueing.station.gm1 import gm1
from perfmodel.queueing.station.markovian import mm1, mmc_response_quantile, mmc_waiting_quantile
from perfmodel.queueing.station.matrix_geometric import solve_phase_queue
from perfmodel.queueing.station.mg1 import mg1
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
    exact = mg1(load, 1.0, spread)
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
            lambda: solve_phase_queue(
                ph.ArrivalProcess.poisson(2.0), ph.PhaseType.exponential(1.0)
            ),
            "utilization must be below 1 for a steady state, got 2",
        ),
        (
            lambda: solve_phase_queue(BURSTY, ph.PhaseType.erlang(0.5, 2)).waiting_tail(-1.0),
            "time must be 0 or more",
        ),
        (
            lambda: solve_phase_queue(BURSTY, ph.PhaseType.erlang(0.5, 2)).number_probabilities(0),
            "length must be a whole number, 1 or more",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
