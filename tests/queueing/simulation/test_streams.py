"""Random streams: independent by name, the same by seed, however they are cut."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.service import Hyperexponential
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.queueing.simulation.streams import Stream, Trace, generator
from perfmodel.queueing.station.matrix_geometric import solve_phase_queue

CALLS = ArrivalProcess.modulated([0.2, 3.0], [[-0.1, 0.1], [0.3, -0.3]])
"""0.9 a second: bursts of 3 s, calm of 10 s."""
STAGES = PhaseType(
    np.array([0.3, 0.7, 0.0]), np.array([[-3.0, 1.0, 1.0], [0.5, -2.0, 0.0], [0.0, 0.2, -9.0]])
)
LAWS = [2.0, None, Hyperexponential.balanced(1.0, 3.0), Trace([1.0, 2.0, 3.0] * 3000)]
LAWS += [STAGES]
NAMES = ["exponential", "uniform", "law", "trace", "phases"]


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
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


class TestPhases:
    """Draws of phase-type laws and arrival processes, by their moments and in queues."""

    def test_moments_of_a_phase_type_law(self):
        drawn = Stream(STAGES, generator(1, 0)).take(200_000)
        moments = [np.mean(drawn**order) for order in (1, 2, 3)]
        assert moments == pytest.approx([STAGES.moment(order) for order in (1, 2, 3)], rel=0.02)
        assert np.mean(drawn > 1) == pytest.approx(STAGES.tail(1.0), rel=0.02)
        assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.01

    def test_arrivals_remember_their_phase(self):
        drawn = Stream(CALLS, generator(1, 0)).take(200_000)
        assert drawn.mean() == pytest.approx(1 / CALLS.rate, rel=0.02)
        for lag in (1, 5):
            seen = np.corrcoef(drawn[:-lag], drawn[lag:])[0, 1]
            assert seen == pytest.approx(CALLS.correlation(lag), rel=0.06)
        sums = drawn.reshape(400, 500).sum(axis=1)
        assert sums.var() / 500 * CALLS.rate**2 == pytest.approx(CALLS.dispersion, rel=0.2)

    def test_arrivals_do_not_depend_on_how_they_are_taken(self):
        whole, pieces = (Stream(CALLS, generator(1, 0)) for _ in range(2))
        taken = np.concatenate([pieces.take(cut) for cut in (1, 4095, 10, 5000)])
        np.testing.assert_array_equal(taken, whole.take(9106))

    def test_many_quiet_moves_between_arrivals(self):
        """Erlang's stages are quiet moves, 9 of 10 here, so that one draw takes several chunks."""
        calls = ArrivalProcess.renewal(PhaseType.erlang(2.0, 10))
        drawn = Stream(calls, generator(1, 0)).take(10_000)
        assert drawn.mean() == pytest.approx(2.0, rel=0.02)
        assert drawn.var() == pytest.approx(0.4, rel=0.06)

    @pytest.mark.parametrize("calls", [ArrivalProcess.poisson(0.9), CALLS], ids=["M", "MAP"])
    def test_a_queue_against_its_exact_solution(self, calls):
        network = Network([Station("s")], [JobClass("calls", 0.9)], [[STAGES]])
        run = simulate(network, 100_000, 4, arrivals={"calls": calls}, progress=False)
        exact = solve_phase_queue(calls, STAGES)
        assert run.response_time.covers(exact.response_time).all()
        assert run.utilization.covers(exact.utilization).all()
        assert run.response_time.half_width < 0.3 * exact.response_time

    def test_services_that_are_alike_against_a_chain(self):
        """Poisson calls, and services with a phase that goes on from one to the next."""
        services = ArrivalProcess.modulated([1.0, 4.0], [[-0.2, 0.2], [0.3, -0.3]])
        rate, most = 0.5 * services.rate, 120
        exact = chain_of_services(rate, services, most)
        network = Network([Station("s")], [JobClass("calls", rate)], [[services]])
        run = simulate(network, 100_000, 4, progress=False)
        assert run.queue_length.covers(exact).all()
        assert run.queue_length.half_width < 0.3 * exact

    def test_bursts_ask_for_a_longer_run(self):
        network = Network([Station("s")], [JobClass("calls", 0.9)], [0.5])
        runs = [
            simulate(network, 2000, 1, arrivals={"calls": law}, progress=False)
            for law in (ArrivalProcess.poisson(0.9), CALLS)
        ]
        needed = [run.customers_needed.get("response_time", 0) for run in runs]
        assert needed[0] == 0
        assert needed[1] == pytest.approx(400 * 0.45**2 * (CALLS.dispersion + 1) / 0.55**2, rel=0.1)


def chain_of_services(rate, services, most):
    """Return the mean number at a station that holds `most`; phases stand still while it idles."""
    phases = np.eye(2)
    up, down = np.eye(most + 1, k=1), np.eye(most + 1, k=-1)
    busy = np.diag(np.r_[0.0, np.ones(most)])
    moves = np.kron(up, rate * phases) + np.kron(down, services.marked)
    moves += np.kron(busy, services.quiet - np.diag(services.quiet.diagonal()))
    chain = moves - np.diag(moves.sum(axis=1))
    law = np.linalg.lstsq(np.vstack([chain.T, np.ones(len(chain))]), np.eye(len(chain) + 1)[-1])[0]
    return law @ np.repeat(np.arange(most + 1), 2)
