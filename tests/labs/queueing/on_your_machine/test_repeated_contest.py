"""The repeated contest: on runs made up from a known server, and on a real one once."""

import numpy as np
import pytest

from perfmodel.labs.queueing.on_your_machine.repeated_contest import (
    GRAYBOX,
    LEARNED,
    REGRESSION,
    WHITEBOX,
    RepeatedContest,
    longest_pause,
    pause,
    predictions,
    repeated_contest,
    verdict,
)
from perfmodel.labs.queueing.on_your_machine.timetable import MeasuredRun, plan
from perfmodel.queueing.distributions.service import Erlang
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.station.mg1 import mg1

LAW = Erlang(0.004, 4)


def ideal(timetable):
    """Return the run of a server without any overhead."""
    ends = departures(timetable.arrivals, timetable.sizes)
    starts = ends - timetable.sizes
    return MeasuredRun(timetable, starts, ends, ends, timetable.arrivals, "made up")


def test_on_an_ideal_server_the_median_of_long_runs_is_pollaczek_and_khinchine():
    found = repeated_contest(LAW, 0.004, repeats=10, requests=(100, 1000), run=ideal)
    low, high = found.interval
    exact = float(mg1(arrival_rate=0.7 / 0.004, mean_service=0.004, scv=0.25).response_time)
    assert low - (high - low) < exact < high + (high - low)
    assert high - low < 0.4 * exact
    assert found.pauses == pytest.approx(np.zeros(10), abs=1e-9)


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
    assert "300.00 ms, in repeat 4; in half of the 20 runs it is 0.00 ms or less" in pause(held)


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
    found = repeated_contest(LAW, 0.004, repeats=4, requests=(4000, 4000), run=ideal)
    medians = dict(zip(found.names, np.median(found.errors, axis=0), strict=True))
    assert medians[WHITEBOX] < 8
    assert medians[LEARNED] > 20
    assert found.nearest[WHITEBOX] + found.nearest[GRAYBOX] >= 3
    forest = found.predicted[:, found.names.index(LEARNED)]
    assert (forest < found.typical).all()


def test_runs_of_a_repeat_do_not_share_a_queue():
    seen = []

    def run(timetable):
        seen.append(ideal(timetable))
        return seen[-1]

    repeated_contest(LAW, 0.004, repeats=2, requests=(30, 40), run=run)
    assert len(seen) == 2
    for first in (30, 60, 90):
        assert (seen[0].plan.arrivals[first] > seen[0].ends[first - 1]).item()


def test_predictions_by_hand():
    learn = [ideal(plan(rate, LAW, 300, seed)) for seed, rate in enumerate((60, 100, 140))]
    rate = 170.0
    found = predictions(learn, rate)
    means = [run.responses.mean() for run in learn]
    rates = [run.plan.rate for run in learn]
    assert list(found) == [WHITEBOX, GRAYBOX, REGRESSION, LEARNED]
    assert found[REGRESSION] == pytest.approx(np.polyval(np.polyfit(rates, means, 2), rate))
    assert found[LEARNED] == pytest.approx(means[-1], rel=0.1)
    services = np.concatenate([run.services for run in learn])
    spread = services.var() / services.mean() ** 2
    exact = float(mg1(arrival_rate=rate, mean_service=services.mean(), scv=spread).response_time)
    assert found[WHITEBOX] == pytest.approx(exact)


def contest(errors):
    errors = np.array(errors, dtype=float)
    return runs(("A", "B"), errors, np.tile([0.9, 1.1], len(errors) // 2))


def runs(names, errors, measured):
    return RepeatedContest(names, 1 + errors / 100, measured, np.zeros(len(measured)))


def test_nearest_interval_and_errors_by_hand():
    found = contest([[1, -2], [3, 2], [0, 5], [1, 4], [1, 2], [1, 2]])
    assert found.typical == pytest.approx(1)
    assert found.nearest == {"A": 5, "B": 1}
    np.testing.assert_allclose(found.errors[:4], [[1, 2], [3, 2], [0, 5], [1, 4]])
    assert found.interval == (0.9, 1.1)  # of six, the first and the last


@pytest.mark.parametrize(
    ("wins", "nearest", "said"),
    [
        (16, "**A** was nearest to the median in 16 of 20 repeats, B in 4", "more often than"),
        (11, "**A** was nearest to the median in 11 of 20 repeats, B in 9", "no winner here"),
        (2, "**B** was nearest to the median in 18 of 20 repeats, A in 2", "more often than"),
    ],
)
def test_verdict(wins, nearest, said):
    found = verdict(contest([[1, 2]] * wins + [[2, 1]] * (20 - wins)))
    assert nearest in found
    assert said in found


def test_verdict_of_a_first_that_is_not_closer_than_the_second():
    """Most often nearest of three, and yet no closer than the second."""
    errors = np.array([[1, 9, 2]] * 8 + [[9, 1, 2]] * 7 + [[3, 1.5, 1]] * 5, dtype=float)
    found = runs(("A", "B", "C"), errors, np.tile([0.9, 1.1], 10))
    assert "closer in 8, which chance alone" in verdict(found)


def test_verdict_counts_all_pairs_that_chance_had():
    """16 of 20 is rare for one pair, not for the luckiest of six."""
    errors = np.array([[1, 2, 9, 9]] * 16 + [[2, 1, 9, 9]] * 4, dtype=float)
    found = runs(("A", "B", "C", "D"), errors, np.tile([0.9, 1.1], 10))
    assert "closer in 16, which chance alone" in verdict(found)


def test_verdict_of_runs_that_scatter():
    found = runs(("A", "B"), np.ones((20, 2)), np.geomspace(0.1, 10, 20))
    assert "too vague to rank anybody" in verdict(found)
    assert "nearest" not in verdict(found)
    few = runs(("A", "B"), np.ones((5, 2)), np.ones(5))
    assert "too vague" in verdict(few)


def test_services_too_slow_for_the_load_are_an_overload_to_models_of_a_queue():
    learn = [ideal(plan(rate, LAW, 50, seed)) for seed, rate in enumerate((20.0, 40.0, 60.0))]
    told = predictions(learn, 1 / 0.002)
    assert told[WHITEBOX] == told[GRAYBOX] == np.inf
    assert np.isfinite([told[REGRESSION], told[LEARNED]]).all()


def test_a_real_server_once():
    found = repeated_contest(Erlang(0.001, 4), 0.0013, repeats=2, requests=(8, 8))
    assert found.predicted.shape == (2, 4)
    assert not np.isnan(found.predicted).any()
    assert (found.measured > 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: repeated_contest(LAW, 0.0, run=ideal), "mean_service must be above 0"),
        (lambda: repeated_contest(LAW, 1.0, repeats=1, run=ideal), "repeats must be .* 2 or more"),
        (lambda: predictions([], 1.0), "learn must be three runs or more, got 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
