"""A queue on this machine: timetables, real requests, predictions, intervals, the contest."""

import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.on_your_machine.polite_tester import (
    DUE,
    SIZES,
    recorded_politely,
    stopwatches,
)
from perfmodel.labs.queueing.on_your_machine.repeated_contest import (
    GRAYBOX,
    LEARNED,
    REGRESSION,
    WHITEBOX,
    RepeatedContest,
    conclusion,
    longest_pause,
    pause,
    predictions,
    repeated_contest,
)
from perfmodel.live.drawing import Box
from perfmodel.queueing.distributions.service import Erlang, scv
from perfmodel.queueing.operational_analysis import loopback
from perfmodel.queueing.operational_analysis.load_forecast import (
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
from perfmodel.queueing.operational_analysis.loopback import (
    LoopbackUnavailableError,
    ServerDiedError,
    drive,
    offer,
    server,
)
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.operational_analysis.timetable import (
    MeasuredRun,
    Timetable,
    drift,
    measure,
    plan,
)
from perfmodel.queueing.station.mg1 import mg1


class FakeTime:
    def __init__(self):
        self.now, self.slept = 100.0, []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def shop():
    try:
        with server() as running:
            yield running
    except LoopbackUnavailableError as problem:
        pytest.skip(str(problem))


def test_requests_go_out_at_their_time():
    fake, numbers = FakeTime(), []
    sent = offer(np.array([0.5, 2.0, 2.0, 7.0]), numbers.append, fake.clock, fake.sleep)
    assert numbers == [0, 1, 2, 3]
    np.testing.assert_allclose(sent, [0.5, 2, 2, 7])
    np.testing.assert_allclose(fake.slept, [0.5, 1.5, 5])


def test_a_slow_connection_makes_requests_late_but_moves_no_timetable():
    fake = FakeTime()

    def slow(number):
        fake.now += 3.0 if number == 0 else 0.0

    sent = offer(np.array([1.0, 2.0, 3.0, 6.0]), slow, fake.clock, fake.sleep)
    np.testing.assert_allclose(sent, [1, 4, 4, 6])


def test_real_requests_are_served_one_at_a_time_in_order(shop):
    result = drive(shop, np.zeros(8), np.full(8, 0.001))
    assert (result.finished > result.started).all()
    assert (result.started[1:] >= result.finished[:-1]).all()
    assert (result.sent >= result.planned).all()
    assert (result.answered >= result.started).all()
    assert (result.finished - result.started >= 0.001).all()


def test_a_second_run_on_one_server_has_a_log_of_its_own(shop):
    first = drive(shop, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    second = drive(shop, [0.0, 0.0], [0.0, 0.0], kind="cpu")
    assert (first.started.size, second.started.size) == (3, 2)
    assert (second.started >= 0).all()


def test_the_process_is_gone_after_the_block():
    try:
        with server() as shop, pytest.raises(ZeroDivisionError):
            raise ZeroDivisionError
    except LoopbackUnavailableError as problem:
        pytest.skip(str(problem))
    assert shop.process.returncode == 0


def test_a_killed_server_is_noticed(shop):
    shop.process.kill()
    shop.process.wait()
    with pytest.raises(ServerDiedError, match="ended with code -?[0-9]+; requests without an"):
        drive(shop, [0.0, 0.0], [0.0, 0.0])


def test_a_server_killed_in_the_middle_is_noticed(shop):
    sizes = [0.0, 60.0, 0.0]
    planned = np.array([0.0, 0.01, 0.02])
    ticks = []

    def sleep(seconds):
        ticks.append(seconds)
        if len(ticks) == 2:
            shop.process.kill()
            shop.process.wait()

    with pytest.raises(ServerDiedError, match="requests without an answer: [123]"):
        drive(shop, planned, sizes, sleep=sleep)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print('error Address family not supported')", "not supported"),
        ("pass", "its process ended at once"),
    ],
)
def test_no_loopback_is_said_clearly(script, message):
    text = pytest.raises(LoopbackUnavailableError, match=f"127.0.0.1 here .*{message}")
    with text, server([sys.executable, "-c", script]):
        pytest.fail("there is no server")


def test_a_program_that_cannot_start_is_said_clearly(tmp_path):
    message = pytest.raises(LoopbackUnavailableError, match="no server can be opened")
    with message, server([str(tmp_path / "nothing")]):
        pytest.fail("there is no server")


def test_a_server_that_ignores_its_end_is_killed(monkeypatch):
    monkeypatch.setattr(loopback, "GRACE", 0.05)
    stubborn = "import time; print('port 1', flush=True); time.sleep(60)"
    with server([sys.executable, "-c", stubborn]) as shop:
        assert shop.port == 1
    assert shop.process.returncode not in (None, 0)


@pytest.mark.parametrize(
    ("planned", "sizes", "message"),
    [
        ([0.0], [0.0, 1.0], "sizes must have the shape"),
        ([1.0, 0.0], [0.0, 0.0], "planned must not fall"),
        ([-1.0], [0.0], "planned must not fall and must not be negative"),
    ],
)
def test_timetables_that_run_backwards_are_refused(planned, sizes, message):
    with pytest.raises(ValueError, match=message):
        drive(None, planned, sizes)


LAW = Erlang(0.004, 4)


def ideal(timetable):
    """Return the run of a server without any overhead."""
    ends = departures(timetable.arrivals, timetable.sizes)
    starts = ends - timetable.sizes
    return MeasuredRun(timetable, starts, ends, ends, timetable.arrivals, "made up")


def test_on_an_ideal_server_the_median_of_long_runs_is_pollaczek_and_khinchine():
    result = repeated_contest(LAW, 0.004, repeats=10, requests=(100, 1000), run=ideal)
    low, high = result.interval
    exact = float(mg1(arrival_rate=0.7 / 0.004, mean_service=0.004, scv=0.25).response_time)
    assert low - (high - low) < exact < high + (high - low)
    assert high - low < 0.4 * exact
    assert result.pauses == pytest.approx(np.zeros(10), abs=1e-9)


def test_the_median_run_lies_below_the_mean():
    """Of short runs, whose mean few long queues carry: what the page says that the median costs."""
    exact = float(mg1(arrival_rate=0.7 / 0.004, mean_service=0.004, scv=0.25).response_time)
    plans = (plan(0.7 / 0.004, LAW, 100, seed) for seed in range(2000))
    means = np.array([ideal(each).responses[25:].mean() for each in plans])
    assert means.mean() == pytest.approx(exact, rel=0.03)
    assert np.median(means) == pytest.approx(0.92 * exact, rel=0.02)


def test_one_pause_of_one_run_moves_the_mean_and_not_the_winner():
    quiet = repeated_contest(LAW, 0.004, repeats=20, run=ideal)

    def stopped(timetable):
        run = ideal(timetable)
        if stopped.calls == 3:
            run.ends[-50:] += 0.3
            run.answers[-50:] = run.ends[-50:]
            run.starts[-49:] += 0.3
        stopped.calls += 1
        return run

    stopped.calls = 0
    held = repeated_contest(LAW, 0.004, repeats=20, run=stopped)
    assert held.measured.mean() > 1.5 * quiet.measured.mean()
    assert held.typical == pytest.approx(quiet.typical, rel=0.15)
    assert max(held.nearest, key=held.nearest.get) == max(quiet.nearest, key=quiet.nearest.get)
    message = pause(held)
    assert "300.00 ms, in repeat 4. In half of the 20 runs" in message
    assert "is at most 0.00 ms" in message


def test_the_longest_pause_by_hand():
    """One request sent 0.2 s late, one served 0.1 s too long, one answer 0.3 s on its way."""
    timetable = plan(10.0, LAW, 3, seed=0)
    sent = timetable.arrivals + np.array([0.2, 0, 0])
    ends = sent + timetable.sizes + np.array([0, 0.1, 0])
    run = MeasuredRun(timetable, sent, ends, ends + np.array([0, 0, 0.3]), sent, "made up")
    assert longest_pause(run) == pytest.approx(0.3)
    run = MeasuredRun(timetable, sent, ends, ends, sent, "made up")
    assert longest_pause(run) == pytest.approx(0.2)
    run = MeasuredRun(timetable, sent, ends, ends, timetable.arrivals, "made up")
    assert longest_pause(run) == pytest.approx(0.1)


def test_with_long_runs_the_shape_of_the_formula_wins_and_the_forest_cannot_go_beyond():
    result = repeated_contest(LAW, 0.004, repeats=4, requests=(4000, 4000), run=ideal)
    medians = dict(zip(result.names, np.median(result.errors, axis=0), strict=True))
    assert medians[WHITEBOX] < 8
    assert medians[LEARNED] > 20
    assert result.nearest[WHITEBOX] + result.nearest[GRAYBOX] >= 3
    forest = result.predicted[:, result.names.index(LEARNED)]
    assert (forest < result.typical).all()


def test_runs_of_a_repeat_do_not_share_a_queue():
    result = []

    def run(timetable):
        result.append(ideal(timetable))
        return result[-1]

    repeated_contest(LAW, 0.004, repeats=2, requests=(30, 40), run=run)
    assert len(result) == 2
    for first in (30, 60, 90):
        assert (result[0].plan.arrivals[first] > result[0].ends[first - 1]).item()


def test_predictions_by_hand():
    learn = [ideal(plan(rate, LAW, 300, seed)) for seed, rate in enumerate((60, 100, 140))]
    rate = 170.0
    result = predictions(learn, rate)
    means = [run.responses.mean() for run in learn]
    rates = [run.plan.rate for run in learn]
    assert list(result) == [WHITEBOX, GRAYBOX, REGRESSION, LEARNED]
    assert result[REGRESSION] == pytest.approx(np.polyval(np.polyfit(rates, means, 2), rate))
    assert result[LEARNED] == pytest.approx(means[-1], rel=0.1)
    services = np.concatenate([run.services for run in learn])
    spread = services.var() / services.mean() ** 2
    exact = float(mg1(arrival_rate=rate, mean_service=services.mean(), scv=spread).response_time)
    assert result[WHITEBOX] == pytest.approx(exact)


def contest(errors):
    errors = np.array(errors, dtype=float)
    return runs(("A", "B"), errors, np.tile([0.9, 1.1], len(errors) // 2))


def runs(names, errors, measured):
    return RepeatedContest(names, 1 + errors / 100, measured, np.zeros(len(measured)))


def test_nearest_interval_and_errors_by_hand():
    result = contest([[1, -2], [3, 2], [0, 5], [1, 4], [1, 2], [1, 2]])
    assert result.typical == pytest.approx(1)
    assert result.nearest == {"A": 5, "B": 1}
    np.testing.assert_allclose(result.errors[:4], [[1, 2], [3, 2], [0, 5], [1, 4]])
    assert result.interval == (0.9, 1.1)  # of six, the first and the last


@pytest.mark.parametrize(
    ("wins", "nearest", "said"),
    [
        (16, "**A** was closest to the median in 16 of 20 repeats, and B in 4", "more often than"),
        (11, "**A** was closest to the median in 11 of 20 repeats, and B in 9", "no winner here"),
        (2, "**B** was closest to the median in 18 of 20 repeats, and A in 2", "more often than"),
    ],
)
def test_conclusion(wins, nearest, said):
    result = conclusion(contest([[1, 2]] * wins + [[2, 1]] * (20 - wins)))
    assert nearest in result
    assert said in result


def test_conclusion_of_a_first_that_is_not_closer_than_the_second():
    """Most often nearest of three, and yet no closer than the second."""
    errors = np.array([[1, 9, 2]] * 8 + [[9, 1, 2]] * 7 + [[3, 1.5, 1]] * 5, dtype=float)
    result = runs(("A", "B", "C"), errors, np.tile([0.9, 1.1], 10))
    assert "closer in 8. Chance alone" in conclusion(result)


def test_conclusion_counts_all_pairs_that_chance_had():
    """16 of 20 is rare for one pair, not for the luckiest of six."""
    errors = np.array([[1, 2, 9, 9]] * 16 + [[2, 1, 9, 9]] * 4, dtype=float)
    result = runs(("A", "B", "C", "D"), errors, np.tile([0.9, 1.1], 10))
    assert "closer in 16. Chance alone" in conclusion(result)


def test_conclusion_of_runs_that_scatter():
    result = runs(("A", "B"), np.ones((20, 2)), np.geomspace(0.1, 10, 20))
    assert "too vague to rank the families" in conclusion(result)
    assert "closest" not in conclusion(result)
    few = runs(("A", "B"), np.ones((5, 2)), np.ones(5))
    assert "too vague" in conclusion(few)


def test_services_too_slow_for_the_load_are_an_overload_to_models_of_a_queue():
    learn = [ideal(plan(rate, LAW, 50, seed)) for seed, rate in enumerate((20.0, 40.0, 60.0))]
    message = predictions(learn, 1 / 0.002)
    assert message[WHITEBOX] == message[GRAYBOX] == np.inf
    assert np.isfinite([message[REGRESSION], message[LEARNED]]).all()


def test_a_real_server_once():
    result = repeated_contest(Erlang(0.001, 4), 0.0013, repeats=2, requests=(8, 8))
    assert result.predicted.shape == (2, 4)
    assert not np.isnan(result.predicted).any()
    assert (result.measured > 0).all()


def test_a_parabola_needs_three_runs():
    with pytest.raises(ValueError, match="learn must be three runs or more, got 0"):
        predictions([], 1.0)


@pytest.mark.parametrize("connections", [1, 2, 3, len(DUE)])
def test_nothing_lies_outside_or_on_a_text(connections):
    assert stopwatches(connections).faults() == []


def test_one_connection_times_the_services_of_a_busy_server_and_many_the_truth():
    one, many = stopwatches(1).values, stopwatches(len(DUE)).values
    assert one["recorded mean (s)"] == pytest.approx(sum(SIZES) / len(SIZES))
    assert many["recorded mean (s)"] == many["true mean (s)"] == one["true mean (s)"]


def test_boxes_are_as_long_as_what_is_written_down():
    scene = stopwatches(2)
    second = (348 - 36) / 12
    boxes = [shape for shape in scene.shapes if isinstance(shape, Box) and shape.y >= 60]
    length = sum(box.width for box in boxes) / second
    assert length == pytest.approx(len(DUE) * scene.values["recorded mean (s)"])


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
    result = formulas(known, timetable.rate, timetable.arrival_scv)
    drawn = simulated(known, timetable, runs=3).mean()
    assert result["M/G/1"] == pytest.approx(drawn, rel=0.05)
    assert result["G/G/1"] == pytest.approx(drawn, rel=0.05)
    assert result["M/M/1"] > 1.15 * drawn
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
    result = recorded_politely(arrivals, ends, connections)
    assert (result <= ends - arrivals + 1e-9).all()
    assert (result >= services - 1e-9).all()
    np.testing.assert_allclose(recorded_politely(arrivals, ends, 1), services, atol=1e-9)
    np.testing.assert_allclose(recorded_politely(arrivals, ends, 40), ends - arrivals)


@given(paths, st.integers(1, 5))
def test_a_polite_generator_simulated_step_by_step(steps, connections):
    gaps, services = np.array(steps).T
    free, server, result = [0.0] * connections, 0.0, []
    for came, size in zip(np.cumsum(gaps), services, strict=True):
        sent = max(came, min(free))
        server = max(sent, server) + size
        free[free.index(min(free))] = server
        result.append(server - sent)
    arrivals = np.cumsum(gaps)
    ends = departures(arrivals, services)
    np.testing.assert_allclose(recorded_politely(arrivals, ends, connections), result, atol=1e-9)


def test_small_errors_grow_with_the_load():
    result = amplification([0.0, 0.3, 0.6, 0.9], 0.5, 0.02)
    assert result[0] == pytest.approx(0.02)
    assert (np.diff(result) > 0).all()
    assert amplification(0.5, 1.0, 0.0) == pytest.approx(0)


def test_without_a_loopback_the_queue_runs_inside(monkeypatch):
    def nowhere(command):
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
        (lambda: calibrate([]), "runs must be one or more, got none"),
        (lambda: drift([recorded(plan(1, LAW, 2, 1))]), "runs must be two or more, got 1"),
        (lambda: formulas(KNOWN, 1.5), "utilization must be below 1"),
        (lambda: recorded_politely([0, 1], [1], 1), "ends must have the shape"),
        (lambda: amplification(0.9, 1, 0.2), "utilization must be below 1"),
    ],
)
def test_too_few_runs_and_overloads_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
