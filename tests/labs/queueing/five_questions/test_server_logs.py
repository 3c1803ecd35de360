"""Logs of one server: exact waits against formulas and simulation, and what a log shows."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.five_questions.server_logs import (
    ARRIVALS,
    BURST_SCV,
    SERVICE_SCV,
    arrival_process,
    exact_waiting,
    server_log,
)
from perfmodel.queueing.station.ggc import kingman_bound
from perfmodel.queueing.station.mg1 import mg1


@pytest.mark.parametrize(
    ("kind", "spread"), [("at random", 1.0), *((k, 9.0) for k in ARRIVALS[1:])]
)
def test_gaps_have_the_mean_and_variability_asked_for(kind, spread):
    arrivals = arrival_process(kind, 0.7)
    assert arrivals.rate == pytest.approx(0.7)
    assert arrivals.scv == pytest.approx(spread)
    assert (arrivals.correlation(1) > 0.1) == (kind == "lasting bursts")


@given(st.floats(0.05, 0.97))
@settings(max_examples=20, deadline=None)
def test_exact_waits_at_random_are_pollaczek_and_khinchine(load):
    exact = float(mg1(arrival_rate=load, mean_service=1.0, scv=SERVICE_SCV).waiting_time)
    assert exact_waiting("at random", [load]) == pytest.approx([exact])


@given(st.floats(0.05, 0.97))
@settings(max_examples=20, deadline=None)
def test_independent_bursts_wait_no_longer_than_the_bound_and_lasting_ones_longer(load):
    random, bursts, lasting = (exact_waiting(kind, [load])[0] for kind in ARRIVALS)
    bound = float(kingman_bound(load, 1.0, BURST_SCV, SERVICE_SCV).waiting_time)
    assert random < bursts < bound
    assert bursts < lasting


@pytest.mark.parametrize("kind", ARRIVALS)
def test_logs_agree_with_the_exact_wait(kind):
    waits = [server_log(kind, [0.5], seed, jobs=20_000).waiting[0] for seed in range(30)]
    error = np.std(waits, ddof=1) / np.sqrt(len(waits))
    assert abs(np.mean(waits) - exact_waiting(kind, [0.5])[0]) < 4 * error
    assert error < 0.06 * np.mean(waits)


@pytest.mark.parametrize("kind", ARRIVALS)
def test_a_log_shows_what_came_and_was_asked_for(kind):
    log = server_log(kind, [0.3, 0.6, 0.9], seed=2, jobs=100_000)
    assert log.mean_size == pytest.approx(1, abs=0.02)
    assert log.size_scv == pytest.approx(SERVICE_SCV, rel=0.05)
    assert log.gap_scv == pytest.approx(1 if kind == "at random" else BURST_SCV, rel=0.1)


def test_a_seed_gives_the_same_log_and_another_another():
    first, again, other = (server_log("bursts", [0.5], seed, 500).waiting for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_only_logs_up_to_a_load_are_seen():
    log = server_log("at random", np.linspace(0.1, 0.8, 8), seed=1, jobs=200)
    low = log.up_to(0.4)
    assert low.loads == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert low.mean_size == pytest.approx(log.mean_sizes[:4].mean())
    with pytest.raises(ValueError, match=r"load must leave three logs or more .* got 0\.2"):
        log.up_to(0.2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arrival_process("waves", 1.0), "kind must be one of at random, .*, got 'waves'"),
        (lambda: arrival_process("bursts", 0.0), "rate must be above 0, got 0"),
        (lambda: exact_waiting("bursts", [1.2]), "utilization must be below 1"),
        (lambda: server_log("waves", [0.5], 1), "kind must be one of"),
        (lambda: server_log("bursts", [0.5], 1, jobs=5), "jobs must be .* 100 or more, got 5"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
