"""A queue on this machine, from recorded runs: calibrating, predicting, intervals, clocks."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.on_your_machine import loopback
from perfmodel.labs.queueing.on_your_machine.load_forecast import (
    Calibration,
    amplification,
    busy_cycles,
    calibrate,
    formulas,
    measured_interval,
    predicted_interval,
    replay,
    simulated,
)
from perfmodel.labs.queueing.on_your_machine.timetable import (
    MeasuredRun,
    Timetable,
    drift,
    measure,
    plan,
    recorded_politely,
)
from perfmodel.queueing.distributions.service import Erlang, Exponential, scv
from perfmodel.queueing.operational_analysis.sample_path import departures

LAW = Erlang(0.004, 4)
KNOWN = Calibration(np.ones(3), 0.0, 0.0)


def recorded(timetable, overhead=0.0, outside=0.0, late=0.0):
    """Return the run that a server with a constant overhead would leave behind."""
    services, sent = timetable.sizes + overhead, timetable.arrivals + late
    ends = departures(sent, services)
    return MeasuredRun(timetable, ends - services, ends, ends + outside, sent, "recorded")


def test_a_plan_has_the_rate_and_the_sizes_asked_for():
    timetable = plan(200.0, LAW, 20_000, seed=3)
    assert timetable.rate == pytest.approx(200, rel=0.03)
    assert timetable.arrival_scv == pytest.approx(1, rel=0.05)
    assert timetable.sizes.mean() == pytest.approx(0.004, rel=0.02)
    np.testing.assert_array_equal(timetable.sizes, plan(200.0, LAW, 20_000, seed=3).sizes)


def test_calibrating_recovers_what_the_server_was_made_of():
    runs = [
        recorded(plan(rate, LAW, 500, seed=n), 0.0005, 0.0002) for n, rate in enumerate([50, 99])
    ]
    known = calibrate(runs)
    assert known.overhead == pytest.approx(0.0005)
    assert known.outside == pytest.approx(0.0002)
    assert known.mean_service == pytest.approx(0.0045, rel=0.05)
    assert known.services.size == 1000


def test_a_late_generator_is_part_of_the_response_but_not_of_the_server():
    timetable = plan(150.0, LAW, 200, seed=6)
    late, punctual = recorded(timetable, late=0.01), recorded(timetable)
    np.testing.assert_allclose(late.lateness, 0.01)
    np.testing.assert_allclose(late.responses, punctual.responses + 0.01)
    assert calibrate([late]).outside == pytest.approx(0, abs=1e-12)


def test_drift_is_the_spread_of_the_mean_services():
    runs = [recorded(Timetable(np.arange(3.0), np.full(3, size))) for size in (0.2, 0.25, 0.22)]
    assert drift(runs) == pytest.approx(0.25)


def test_utilization_and_responses_by_hand():
    run = recorded(Timetable(np.array([1.0, 2.0, 10.0]), np.array([3.0, 1.0, 2.0])), outside=0.5)
    assert run.utilization == pytest.approx(6 / 12)
    np.testing.assert_allclose(run.responses, [3.5, 3.5, 2.5])
    total, count = busy_cycles(run)
    np.testing.assert_allclose(total, [7, 2.5])
    np.testing.assert_allclose(count, [2, 1])


def test_formulas_agree_with_the_simulation_and_only_mg1_knows_the_variability():
    timetable = plan(150.0, LAW, 20_000, seed=4)
    known = calibrate([recorded(timetable, outside=0.001)])
    found = formulas(known, timetable.rate, timetable.arrival_scv)
    drawn = simulated(known, timetable, runs=3).mean()
    assert found["M/G/1"] == pytest.approx(drawn, rel=0.05)
    assert found["G/G/1"] == pytest.approx(drawn, rel=0.05)
    assert found["M/M/1"] > 1.15 * drawn
    assert known.scv == pytest.approx(scv(LAW), rel=0.05)


def test_simulating_equal_services_is_replaying():
    timetable = plan(150.0, LAW, 300, seed=5)
    known = Calibration(np.full(9, 0.004), 0.0, 0.001)
    expected = replay(timetable.arrivals, np.full(300, 0.004)).mean() + 0.001
    assert simulated(known, timetable, runs=2) == pytest.approx([expected] * 2)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    exact = formulas(Calibration(np.array([0.004 / 2, 0.004 * 3 / 2]), 0.0, 0.0), 150.0)["M/G/1"]
    measured = predicted = 0
    for seed in range(60):
        run = recorded(plan(150.0, LAW, 800, seed))
        low, high = measured_interval(run)
        measured += low <= exact <= high
        low, high = predicted_interval(calibrate([run]), 150.0)
        predicted += low <= exact <= high
    assert measured >= 48
    assert predicted >= 53


def test_neighbours_share_a_queue_so_that_single_requests_give_too_narrow_an_interval():
    run = recorded(plan(200.0, LAW, 2000, seed=7))
    low, high = measured_interval(run)
    alone = 2 * 1.96 * run.responses.std() / np.sqrt(run.responses.size)
    assert high - low > 2 * alone


def test_an_interval_that_reaches_overload_has_no_upper_end():
    known = Calibration(np.array([0.001, 0.009, 0.004]), 0.0, 0.0)
    assert predicted_interval(known, 200.0)[1] == np.inf


paths = st.lists(st.tuples(st.floats(0, 5), st.floats(0.01, 5)), min_size=1, max_size=40)


@given(paths, st.integers(1, 45))
def test_polite_generators_record_between_service_and_response(steps, connections):
    gaps, services = np.array(steps).T
    arrivals = np.cumsum(gaps)
    ends = departures(arrivals, services)
    seen = recorded_politely(arrivals, ends, connections)
    assert (seen <= ends - arrivals + 1e-9).all()
    assert (seen >= services - 1e-9).all()
    np.testing.assert_allclose(recorded_politely(arrivals, ends, 1), services, atol=1e-9)
    np.testing.assert_allclose(recorded_politely(arrivals, ends, 40), ends - arrivals)


@given(paths, st.integers(1, 5))
def test_a_polite_generator_simulated_step_by_step(steps, connections):
    gaps, services = np.array(steps).T
    free, server, seen = [0.0] * connections, 0.0, []
    for came, size in zip(np.cumsum(gaps), services, strict=True):
        sent = max(came, min(free))
        server = max(sent, server) + size
        free[free.index(min(free))] = server
        seen.append(server - sent)
    arrivals = np.cumsum(gaps)
    ends = departures(arrivals, services)
    np.testing.assert_allclose(recorded_politely(arrivals, ends, connections), seen, atol=1e-9)


def test_small_errors_grow_with_the_load():
    found = amplification([0.0, 0.3, 0.6, 0.9], 0.5, 0.02)
    assert found[0] == pytest.approx(0.02)
    assert (np.diff(found) > 0).all()
    assert amplification(0.5, 1.0, 0.0) == pytest.approx(0)


def test_without_a_loopback_the_queue_runs_inside(monkeypatch):
    def nowhere():
        raise loopback.LoopbackUnavailableError("no server can be opened")

    monkeypatch.setattr(loopback, "server", nowhere)
    run = measure(Timetable(np.array([0.0, 0.001]), np.array([0.0, 0.0])))
    assert run.where == "a worker inside this process: no server can be opened"
    assert (run.starts[1:] >= run.ends[:-1]).all()


def test_over_the_loopback_the_run_says_so():
    run = measure(Timetable(np.array([0.0, 0.001, 0.001]), np.zeros(3)), "cpu")
    assert run.where.startswith(("loopback server", "a worker inside this process: no server"))
    assert (run.starts[1:] >= run.ends[:-1]).all()
    assert (run.lateness >= 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plan(0, LAW, 10, 1), "arrival_rate must be above 0, got 0"),
        (lambda: plan(1, LAW, 1, 1), "count must be a whole number, 2 or more, got 1"),
        (lambda: measure(plan(1, LAW, 2, 1), "nap"), "kind must be one of sleep, cpu, got 'nap'"),
        (lambda: calibrate([]), "runs must be one or more, got none"),
        (lambda: drift([recorded(plan(1, LAW, 2, 1))]), "runs must be two or more, got 1"),
        (lambda: formulas(KNOWN, 1.5), "utilization must be below 1"),
        (lambda: recorded_politely([0, 1], [1], 1), "ends must have the shape"),
        (lambda: recorded_politely([0], [1], 0), "connections must be a whole number, 1 or more"),
        (lambda: amplification(0.9, 1, 0.2), "utilization must be below 1"),
        (lambda: amplification(0.5, 1, -1), "1 \\+ error must be above 0"),
        (
            lambda: simulated(Calibration(np.ones(3), 0, 0), plan(0.5, Exponential(1), 9, 1), 0),
            "runs",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
