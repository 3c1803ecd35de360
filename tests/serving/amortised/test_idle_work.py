import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize_scalar

from perfmodel.queueing import (
    Deterministic,
    Exponential,
    JobClass,
    Network,
    Station,
    Uniform,
    mg1,
    mg1_vacations,
    nonpreemptive_priorities,
    simulate,
)
from perfmodel.serving import best_piece_time, mg1_background, useful_idle_fraction


def test_all_idle_time_is_the_vacation_formula():
    for piece in (Deterministic(2.0), Exponential(3.0), Uniform(1.0, 5.0)):
        ours = mg1_background(0.5, Exponential(1.0), piece)
        assert ours.waiting_time == pytest.approx(
            mg1_vacations(0.5, Exponential(1.0), piece).waiting_time
        )


@given(load=st.floats(0, 0.95), share=st.floats(0.01, 0.99), mean=st.floats(0.1, 10))
def test_a_share_agrees_with_cobham(load, share, mean):
    """Pieces as a second class with Poisson arrivals are one way of taking a share."""
    rate = share * (1 - load) / mean
    cobham = nonpreemptive_priorities([load, rate], [1.0, mean], [1.0, 0.0]).waiting_time[0]
    ours = mg1_background(load, Exponential(1.0), Deterministic(mean), share).waiting_time
    assert ours == pytest.approx(cobham)


def test_event_simulation_agrees():
    """Two classes with priorities, not interrupted: pieces take half of the idle time."""
    load, mean, share = 0.6, 5.0, 0.5
    piece = Uniform(0.0, 2 * mean)
    network = Network(
        [Station("server", discipline="priority")],
        [
            JobClass("questions", arrival_rate=load),
            JobClass("pieces", arrival_rate=share * (1 - load) / mean, priority=1),
        ],
        [[1.0], [piece]],
    )
    run = simulate(network, customers=300_000, seed=5, progress=False)
    ours = float(mg1_background(load, Exponential(1.0), piece, share).waiting_time)
    low, high = run.waiting_time.low[0, 0], run.waiting_time.high[0, 0]
    assert low < ours < high
    assert high - low < 0.2 * (
        ours - float(mg1(arrival_rate=load, mean_service=1.0, scv=1.0).waiting_time)
    )


def vacations_by_hand(rate, piece, count, seed):
    """Lindley with a server that begins a piece whenever it finds no job; mean wait of a job."""
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1 / rate, count))
    services = rng.exponential(1.0, count)
    free, waited = 0.0, np.empty(count)
    for i, (came, served) in enumerate(zip(arrivals, services, strict=True)):
        if free < came:
            free += np.ceil((came - free) / piece) * piece
        waited[i] = free - came
        free += served
    return waited


def test_own_simulation_agrees_when_pieces_fill_all_idle_time():
    waited = vacations_by_hand(0.5, 2.0, 200_000, 1)
    batches = waited.reshape(40, -1).mean(axis=1)
    error = batches.std(ddof=1) / np.sqrt(batches.size)
    ours = float(mg1_background(0.5, Exponential(1.0), Deterministic(2.0)).waiting_time)
    assert abs(batches.mean() - ours) < 4 * error < 0.1


@given(load=st.floats(0, 0.95), share=st.floats(0, 1), mean=st.floats(0.01, 100))
def test_what_is_added_does_not_depend_on_the_load(load, share, mean):
    extra = (
        mg1_background(load, Exponential(1.0), Deterministic(mean), share).waiting_time
        - mg1(arrival_rate=load, mean_service=1.0, scv=1.0).waiting_time
    )
    assert extra == pytest.approx(share * mean / 2, abs=1e-9)


def test_kept_share_by_simulation():
    """Play idle times: pieces of 1.5 s and 0.2 s to save them, until an arrival ends all."""
    rng = np.random.default_rng(2)
    idle = rng.exponential(1 / 0.4, 400_000)
    finished = np.floor(idle / (1.5 + 0.2))
    played = 1.5 * finished.sum() / idle.sum()
    assert useful_idle_fraction(0.4, 1.5, 0.2) == pytest.approx(played, rel=0.01)


def test_kept_share_has_its_limits():
    assert useful_idle_fraction(0.0, 3.0, 1.0) == pytest.approx(0.75)
    assert useful_idle_fraction(1.0, 1e-9) == pytest.approx(1.0)
    assert useful_idle_fraction(1.0, 800.0) == pytest.approx(0.0, abs=1e-300)


@given(rate=st.floats(1e-3, 10), overhead=st.floats(1e-4, 10))
def test_best_piece_keeps_most(rate, overhead):
    best = float(best_piece_time(rate, overhead))
    found = minimize_scalar(
        lambda log: -float(useful_idle_fraction(rate, np.exp(log), overhead)),
        bounds=(np.log(best) - 3, np.log(best) + 3),
        method="bounded",
    )
    assert useful_idle_fraction(rate, best, overhead) >= -found.fun * (1 - 1e-9)


def test_best_piece_is_the_square_root_where_saves_are_short():
    assert best_piece_time(2.0, 1e-6) == pytest.approx(np.sqrt(2 * 1e-6 / 2.0), rel=1e-3)


def test_refuses():
    with pytest.raises(ValueError, match="utilization"):
        mg1_background(1.5, Exponential(1.0), Deterministic(1.0))
