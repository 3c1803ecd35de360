"""Arrival processes by EM: a step is what integrals say, the likelihood rises, truth is found."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad_vec
from scipy.linalg import expm

from perfmodel.queueing.distributions import trace_fitting
from perfmodel.queueing.distributions.likelihood_fitting import fit_hyper_erlang
from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.trace_fitting import fit_map_em
from perfmodel.queueing.simulation.streams import Phases

BURSTS = ArrivalProcess.modulated([10.0, 1.0], [[-0.2, 0.2], [0.1, -0.1]])
THREE = ArrivalProcess(
    np.array([[-4.0, 1.0, 0.5], [0.2, -1.0, 0.3], [0.1, 0.0, -9.0]]),
    np.array([[2.0, 0.0, 0.5], [0.1, 0.3, 0.1], [4.0, 0.9, 4.0]]),
)


def drawn(process, count, seed):
    return Phases(process).sample(np.random.default_rng(seed), count)


def density(times, process, start):
    """Return the product of matrices that is the trace's density, without any scaling."""
    row = start
    for time in times:
        row = row @ expm(process.quiet * time) @ process.marked
    return row.sum()


def stepped_by_integration(times, process):
    """Return D0 and D1 after one step, from integrals over each gap and unscaled products."""
    quiet, marked, size = process.quiet, process.marked, process.start.size
    rows, columns = [process.start], [np.ones(size)]
    for time in times:
        rows.append(rows[-1] @ expm(quiet * time) @ marked)
    for time in times[::-1]:
        columns.insert(0, expm(quiet * time) @ marked @ columns[0])
    hidden, shown = np.zeros((2, size, size))
    for n, time in enumerate(times):
        row, column = rows[n], columns[n + 1]
        hidden += quad_vec(
            lambda u, t=time, row=row, column=column: np.outer(
                row @ expm(quiet * u), expm(quiet * (t - u)) @ marked @ column
            ),
            0,
            time,
            epsabs=0,
            epsrel=1e-12,
        )[0]
        shown += marked * np.outer(row @ expm(quiet * time), column)
    stays = hidden.diagonal()[:, np.newaxis]
    return quiet * (1 - np.eye(size)) * hidden / stays, shown / stays


@pytest.mark.parametrize("process", [BURSTS, THREE], ids=["two phases", "three phases"])
def test_a_step_is_the_expectation_by_integration(process):
    times = drawn(process, 8, seed=4)
    hidden, marked = stepped_by_integration(times, process)
    stepped = fit_map_em(times, process, max_iterations=1).process
    size = len(marked)
    assert stepped.marked == pytest.approx(marked, rel=1e-9)
    assert stepped.quiet * (1 - np.eye(size)) == pytest.approx(hidden, rel=1e-9)


def test_the_likelihood_is_the_product_of_matrices():
    times = drawn(THREE, 30, seed=2)
    fit = fit_map_em(times, THREE, max_iterations=3)
    assert fit.log_likelihood[0] == pytest.approx(np.log(density(times, THREE, THREE.start)))
    assert fit.log_likelihood[-1] == pytest.approx(np.log(density(times, fit.process, fit.start)))


@settings(max_examples=30)
@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=40), st.integers(1, 4))
def test_no_step_makes_the_trace_less_likely(times, phases):
    fit = fit_map_em(times, phases, max_iterations=60)
    gains = np.diff(fit.log_likelihood)
    assert (gains >= -1e-8 * (1 + np.abs(fit.log_likelihood[1:]))).all()
    assert fit.start.sum() == pytest.approx(1)


def test_one_phase_is_the_poisson_process():
    fit = fit_map_em([1.0, 2.0, 6.0], 1)
    assert fit.process.marked == pytest.approx(np.array([[1 / 3]]), rel=1e-14)
    assert fit.log_likelihood[-1] == pytest.approx(-3 * (1 + np.log(3)), rel=1e-14)


def test_a_process_in_bursts_is_found_again():
    """Within twice the deviation that the trace's own estimates have, over other traces."""
    others = [drawn(BURSTS, 10_000, seed) for seed in range(100, 130)]
    scvs = [times.var() / times.mean() ** 2 for times in others]
    correlations = [np.corrcoef(times[:-1], times[1:])[0, 1] for times in others]
    process = fit_map_em(drawn(BURSTS, 10_000, seed=1), 2).process
    assert process.scv == pytest.approx(BURSTS.scv, abs=2 * np.std(scvs))
    assert process.correlation(1) == pytest.approx(
        BURSTS.correlation(1), abs=2 * np.std(correlations)
    )
    assert np.sort(process.marked.sum(axis=1)) == pytest.approx([1.0, 10.0], rel=0.08)


def test_independent_times_start_as_likely_as_their_phase_type_fit():
    law = fit_hyper_erlang(np.random.default_rng(3).gamma(0.5, 1.0, 500), [1, 2])
    fit = fit_map_em(
        np.random.default_rng(3).gamma(0.5, 1.0, 500), ArrivalProcess.renewal(law.distribution), 20
    )
    assert fit.log_likelihood[0] == pytest.approx(law.log_likelihood[-1], rel=1e-9)
    assert fit.log_likelihood[-1] > fit.log_likelihood[0]


def test_long_times_do_not_underflow():
    times = np.tile([1e-3, 1e-3, 1e-3, 10.0], 20)
    slow = fit_map_em(times, ArrivalProcess.modulated([1e3, 1e3], [[-1.0, 1.0], [1.0, -1.0]]))
    assert slow.log_likelihood[0] == pytest.approx(80 * np.log(1e3) - 1e3 * times.sum())
    assert np.isfinite(slow.log_likelihood).all()


def test_pieces_of_a_long_trace_add_up(monkeypatch):
    times = drawn(THREE, 100, seed=6)
    whole = fit_map_em(times, THREE, max_iterations=2).process
    monkeypatch.setattr(trace_fitting, "_PIECE", 7)
    pieced = fit_map_em(times, THREE, max_iterations=2).process
    assert pieced.quiet == pytest.approx(whole.quiet, rel=1e-12)
    assert pieced.marked == pytest.approx(whole.marked, rel=1e-12)


def test_a_phase_that_the_trace_never_visits_keeps_its_rates():
    apart = ArrivalProcess(np.diag([-2.0, -5.0]), np.array([[2.0, 0.0], [5.0, 0.0]]))
    fit = fit_map_em([1.0, 3.0], apart)
    assert fit.process.marked == pytest.approx(np.array([[0.5, 0.0], [5.0, 0.0]]))
    assert fit.start == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_map_em([1.0], 1), "times must be .* sample of 2 or more"),
        (
            lambda: fit_map_em([1.0, 1e-60], ArrivalProcess.renewal(PhaseType.erlang(1.0, 8))),
            "times must be likelier than 1e-300 for the process, got times from 1e-60 to 1 s",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
