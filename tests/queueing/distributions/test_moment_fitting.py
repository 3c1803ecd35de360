"""Fitting by moments: they are met, on the edges too; what no law has is refused with the range."""

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from perfmodel.queueing.distributions.heavy_tail import BoundedPareto, Lognormal
from perfmodel.queueing.distributions.moment_fitting import fit_map, fit_phase_type
from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.service import Erlang, Exponential, Uniform
from perfmodel.queueing.station.matrix_geometric import solve_phase_queue
from perfmodel.queueing.station.mg1 import mg1, mg1_waiting_variance


def moments_of(law, count=3):
    return [law.moment(order) for order in range(1, count + 1)]


@settings(max_examples=25)
@given(st.floats(1e-3, 1e3), st.floats(0.04, 50), st.floats(0.04, 20))
def test_three_moments_are_met(mean, spread, beyond):
    """Any scv, and a third moment above its least by any factor."""
    second = mean**2 * (1 + spread)
    wanted = [mean, second, second**2 / mean * (1 + beyond)]
    assert moments_of(fit_phase_type(wanted)) == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize(
    ("law", "phases"),
    [
        (Exponential(3.0), 1),
        (Erlang(2.0, 7), 7),
        (PhaseType.hyperexponential(1.0, 4.0), 2),
        (PhaseType(np.array([0.4, 0.6]), np.array([[-1.0, 1.0], [0.0, -3.0]])), 2),
        (Lognormal(1.0, 2.0), 2),
        (BoundedPareto(1.5, 1.0, 1000.0), 2),
        (Uniform(0.0, 2.0), 16),
    ],
)
def test_with_few_phases(law, phases):
    fitted = fit_phase_type(moments_of(law))
    assert fitted.start.size == phases
    assert moments_of(fitted) == pytest.approx(moments_of(law), rel=1e-8)


def test_one_and_two_moments():
    assert moments_of(fit_phase_type([2.0]), 2) == pytest.approx([2.0, 8.0])
    assert moments_of(fit_phase_type([2.0, 5.0]), 2) == pytest.approx([2.0, 5.0])


def test_three_moments_give_mean_and_variance_of_the_wait():
    """Takacs: the wait's mean depends on two moments of service, its variance on three."""
    law = Lognormal(1.0, 2.0)
    queue = solve_phase_queue(Exponential(1.25), fit_phase_type(moments_of(law)))
    assert queue.waiting_time == pytest.approx(
        mg1(arrival_rate=0.8, mean_service=1.0, scv=2.0).waiting_time, rel=1e-8
    )
    edges = np.concatenate([np.linspace(0, 5, 51), np.geomspace(5.5, 800, 90)])
    nodes, weights = np.polynomial.legendre.leggauss(8)
    half = np.diff(edges)[:, None] / 2
    times = edges[:-1, None] + half * (1 + nodes)
    second = (2 * times * queue.waiting_tail(times) * weights * half).sum()
    variance = second - float(queue.waiting_time) ** 2
    assert variance == pytest.approx(mg1_waiting_variance(0.8, law), rel=1e-6)


@given(st.lists(st.floats(0.02, 20), min_size=6, max_size=6))
def test_any_process_of_two_phases_is_found_again(rates):
    """Moments and correlation of a random MAP(2) are in range, and are met."""
    marked = np.array([rates[:2], rates[2:4]])
    quiet = np.array([[0, rates[4]], [rates[5], 0]])
    quiet -= np.diag(quiet.sum(1) + marked.sum(1))
    process = ArrivalProcess(quiet, marked)
    assume(abs(process.scv - 1) > 1e-3)
    between = PhaseType(process.phases @ marked / process.rate, quiet)
    fitted = fit_map(moments_of(between), process.correlation(1))
    assert fitted.rate == pytest.approx(process.rate, rel=1e-6)
    assert fitted.scv == pytest.approx(process.scv, rel=1e-6)
    for lag in (1, 2, 5):
        assert fitted.correlation(lag) == pytest.approx(process.correlation(lag), abs=1e-6)


@pytest.mark.parametrize("moved", [[[1.0, 1.0], [0.0, 1.0]], [[0.0, 2.0], [1.0, 0.0]]])
def test_processes_on_the_edge_are_found_again(moved):
    marked = np.array(moved)
    quiet = np.array([[-3.0, 1.0], [0.5, -0.5]]) - np.diag(marked.sum(1) - [2, 0])
    process = ArrivalProcess(quiet, marked)
    between = PhaseType(process.phases @ marked / process.rate, quiet)
    fitted = fit_map(moments_of(between), process.correlation(1))
    assert fitted.correlation(1) == pytest.approx(process.correlation(1), abs=1e-6)


def test_a_modulated_poisson_process_is_the_same_to_a_queue():
    calls = ArrivalProcess.modulated([1.1, 0.2], [[-0.05, 0.05], [0.05, -0.05]])
    between = PhaseType(calls.phases @ calls.marked / calls.rate, calls.quiet)
    fitted = fit_map(moments_of(between), calls.correlation(1))
    service = PhaseType.erlang(0.9, 2)
    exact = solve_phase_queue(calls, service)
    queue = solve_phase_queue(fitted, service)
    assert queue.waiting_time == pytest.approx(exact.waiting_time, rel=1e-8)
    assert queue.waiting_tail(9.0) == pytest.approx(exact.waiting_tail(9.0), rel=1e-8)


@given(st.floats(0.1, 10), st.floats(0.5, 30), st.floats(0, 1))
def test_two_moments_and_any_correlation_in_range(mean, spread, where):
    moments = [mean, mean**2 * (1 + spread)]
    assume(abs(spread - 1) > 1e-3)
    with pytest.raises(ValueError, match=r"correlation must be from .* got 0.9") as refusal:
        fit_map(moments, 0.9)
    words = str(refusal.value).split()
    low, high = float(words[words.index("from") + 1]), float(words[words.index("below") + 1])
    goal = 0.995 * (low + where * (high - low))
    process = fit_map(moments, goal)
    assert process.rate == pytest.approx(1 / mean)
    assert process.scv == pytest.approx(spread)
    assert process.correlation(1) == pytest.approx(goal, abs=1e-9)


@pytest.mark.parametrize("spread", [0.55, 0.75, 0.95])
@pytest.mark.parametrize("mean", [1.0, 3.0])
def test_third_moments_below_an_scv_of_1_are_those_of_two_phases_tried(mean, spread):
    """A phase of mean a that is left out or not, then one of mean b: a follows from b."""
    b = np.linspace(1e-6, 1 - 1e-6, 100_001)
    a = ((1 + spread) / 2 - b) / (1 - b)
    possible = (a > 0) & (a >= 1 - b)
    a, b = a[possible], b[possible]
    thirds = 6 * mean**3 * ((1 - b) * (a**2 + a * b + b**2) + b**3)
    for far in (0.9 * thirds.min(), 1.1 * thirds.max()):
        with pytest.raises(ValueError, match="third of moments must be from") as refusal:
            fit_map([mean, mean**2 * (1 + spread), far], 0.0)
        words = str(refusal.value).split()
        ends = [float(words[words.index(word) + 1]) for word in ("from", "to")]
        assert ends == pytest.approx([thirds.min(), thirds.max()], rel=1e-4)


def test_memoryless_gaps_have_no_correlation():
    assert fit_map([2.0, 8.0], 0.0).rate == pytest.approx(0.5)
    with pytest.raises(ValueError, match="correlation must be 0 for an scv of 1, got 0.1"):
        fit_map([2.0, 8.0], 0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_phase_type([]), "moments must be a one-dimensional sample of 1 or more"),
        (lambda: fit_phase_type([1.0, 2, 6, 24]), "moments must be one to three, got 4"),
        (lambda: fit_phase_type([2.0, 4.0]), "second of moments must be 4.004 or more, .* got 4"),
        (lambda: fit_phase_type([1.0, 1.002, 1.007]), "at most 100 stages: an scv above 0.01"),
        (lambda: fit_map([1.0], 0.1), "moments must be two or three, got 1"),
        (lambda: fit_map([1.0, 1.2], 0.1), "second of moments must be 1.5 or more"),
        (lambda: fit_map([1.0, 3.0, 12.0], 0.1), "third of moments must be from 13.5 to inf"),
        (lambda: fit_map([1.0, 5.0], 0.375), "correlation must be from -0.0476 to below 0.375"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
