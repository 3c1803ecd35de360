"""Timing one function: samples, runs, stored files, and bytes in flight."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.measurement.clock import calibrate, clock_resolution, time_calls
from perfmodel.measurement.concurrency import chained_bandwidth, lines_in_flight
from perfmodel.measurement.runs import (
    Runs,
    lengthened,
    repetitions,
    short_runs,
    timed,
    timed_in_turns,
)
from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.statistics.intervals import bootstrap_interval, median_interval
from perfmodel.measurement.timing import measure, repeat


class CoarseClock:
    """A clock that shows whole ticks only, read in a nanosecond."""

    def __init__(self, tick):
        self.tick, self.time = tick, 0

    def __call__(self):
        self.time += 1
        return self.time // self.tick * self.tick

    def spend(self, nanoseconds):
        self.time += nanoseconds


def test_a_steady_function_takes_what_it_takes_and_stops_early():
    machine = SimulatedMachine(log_deviation=0.0)
    result = measure(machine.job(0.5), max_seconds=100, clock=machine.clock)
    assert result.median == result.minimum == pytest.approx(0.5)
    assert result.interval == (result.median, result.median)
    assert result.reached
    assert result.samples.size == 7
    assert result.inner == 1


def test_warm_up_is_recorded_and_kept_out():
    machine = SimulatedMachine(log_deviation=0.0)
    slow, quick, calls = machine.job(5.0), machine.job(0.5), []

    def compiled():
        calls.append(1)
        (slow if len(calls) <= 2 else quick)()

    result = measure(compiled, warmup=3, max_seconds=20, clock=machine.clock)
    assert result.warmup == pytest.approx([5.0, 5.0, 0.5])
    assert result.samples.max() == pytest.approx(0.5)


def test_the_target_is_kept_or_the_miss_is_said():
    machine = SimulatedMachine(log_deviation=0.2)
    result = measure(machine.job(0.1), target=0.05, max_seconds=1000, clock=machine.clock)
    low, high = median_interval(result.samples)
    assert result.reached
    assert high - low <= 2 * 0.05 * result.median
    short = measure(machine.job(0.1), target=0.001, max_seconds=3, clock=machine.clock)
    assert not short.reached
    assert 3 <= short.samples.sum() < 3.5
    assert "target not reached" in str(short)


def test_five_samples_are_taken_of_a_function_that_is_longer_than_the_time():
    machine = SimulatedMachine(log_deviation=0.1)
    assert measure(machine.job(3.0), max_seconds=1, clock=machine.clock).samples.size == 5


def test_the_interval_covers_the_true_median_about_as_often_as_it_says():
    covered = 0
    for seed in range(100):
        machine = SimulatedMachine(log_deviation=0.2, seed=seed)
        result = measure(machine.job(1.0), target=0.08, max_seconds=1e3, clock=machine.clock)
        low, high = median_interval(result.samples)
        covered += low <= 1.0 <= high
    # Stopping when the interval looks narrow costs a little: 100 draws at 0.95 give 88 or more.
    assert covered >= 88


def test_the_bootstrap_interval_covers_as_well():
    rng = np.random.default_rng(2)
    ends = np.array([bootstrap_interval(rng.lognormal(0, 0.3, 25)) for _ in range(150)])
    covered = ((ends[:, 0] <= 1) & (ends[:, 1] >= 1)).mean()
    assert 0.89 <= covered <= 0.99


def test_bca_corrects_the_mean_of_a_skewed_sample():
    skewed = np.random.default_rng(3).lognormal(0, 1, 40)
    plain = bootstrap_interval(skewed, np.mean)
    corrected = bootstrap_interval(skewed, np.mean, method="BCa")
    assert corrected[1] > plain[1]
    assert corrected[0] > plain[0]


def test_calls_are_added_until_a_coarse_clock_can_see_them():
    clock = CoarseClock(tick=1000)
    assert clock_resolution(clock) == pytest.approx(1e-6)
    result = measure(lambda: clock.spend(70), max_seconds=1.0, target=0.001, clock=clock)
    assert result.inner * 70e-9 > 500e-6
    assert result.median == pytest.approx(70e-9, rel=0.01)


def test_calibration_needs_a_clock_that_moves():
    with pytest.raises(RuntimeError, match="clock hardly advanced over"):
        calibrate(lambda: None, 1e-3, lambda: 0)
    back = iter([10, 3])
    with pytest.raises(RuntimeError, match="went backwards by 7 ns"):
        time_calls(lambda: None, 1, lambda: next(back))


def test_repeat_takes_as_many_samples_as_asked():
    machine = SimulatedMachine(log_deviation=0.1)
    result = repeat(machine.job(0.01), 60, clock=machine.clock, name="short run")
    assert result.samples.size == 60
    assert result.name == "short run"
    assert result.target is None


def test_a_bar_is_drawn_between_samples_four_times_a_second(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "rich.progress.Progress.update",
        lambda bar, task, completed, refresh: drawn.append(completed),
    )
    machine = SimulatedMachine(log_deviation=0.1)
    measure(machine.job(0.1), max_seconds=2, target=1e-6, clock=machine.clock, progress=True)
    assert 5 <= len(drawn) <= 8
    assert drawn == sorted(drawn)
    assert max(drawn) <= 2


def test_a_measurement_shows_itself():
    result = repeat(lambda: sum(range(100)), 10, seconds=0.01, name="a < b")
    assert "<td>" in result._repr_html_()
    assert "a &lt; b" in result._repr_html_()
    assert "median" in str(result)


@settings(max_examples=15)
@given(st.lists(st.floats(0.1, 10), min_size=6, max_size=40))
def test_the_median_lies_in_its_intervals(values):
    for low, high in (median_interval(values), bootstrap_interval(values)):
        assert low - 1e-9 <= np.median(values) <= high + 1e-9


def test_median_interval_by_hand():
    # P(Binomial(10, 1/2) <= 1) = 11/1024 and P(<= 2) = 56/1024, so ranks 2 and 9 at 95 %.
    assert median_interval(range(1, 11)) == (2, 9)
    assert median_interval([1, 2, 3, 4, 5]) == (-np.inf, np.inf)


class Clock:
    """Stands still but for what is done on it."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_rates_and_latency_come_from_work_and_times():
    result = Runs("x", 100.0, "bytes", np.array([4.0, 2.0, 5.0]), 1, True)
    assert (result.best, result.median, result.shortest) == (50.0, 25.0, 0.02)


def test_calls_are_timed_after_the_warm_up():
    clock, lengths = Clock(), iter([100.0, 1.0, 2.0, 4.0])

    def run():
        clock.now += next(lengths)

    np.testing.assert_array_equal(timed(run, 3, clock=clock), [1.0, 2.0, 4.0])


def test_a_run_may_say_its_own_seconds():
    np.testing.assert_array_equal(timed(lambda: 0.5, 2, clock=Clock()), [0.5, 0.5])


def test_time_limit_leaves_three_runs():
    clock = Clock()

    def run():
        clock.now += 10.0

    assert timed(run, 60, max_seconds=1.0, clock=clock).size == 3
    assert timed(run, 60, max_seconds=55.0, clock=clock).size == 6
    assert timed(run, 2, max_seconds=1.0, clock=clock).size == 2


def test_works_take_turns_after_the_warm_up():
    clock, order = Clock(), []

    def work(name, lengths):
        def run():
            order.append(name)
            clock.now += next(lengths)

        return run

    works = [work("a", iter([100.0, 1.0, 2.0])), work("b", iter([200.0, 3.0, 4.0]))]
    result = timed_in_turns(works, 2, clock=clock)
    np.testing.assert_array_equal(result, [[1.0, 2.0], [3.0, 4.0]])
    assert "".join(order) == "ababab"


def test_a_change_of_pace_meets_all_works():
    clock = Clock()

    def run():
        clock.now += 1.0 if clock.now < 10 else 2.0

    result = timed_in_turns([run, run], 10, warmup=0, clock=clock)
    np.testing.assert_array_equal(result[0], result[1])
    np.testing.assert_array_equal(result[0], [1.0] * 5 + [2.0] * 5)


def test_a_work_in_turns_may_say_its_own_seconds():
    result = timed_in_turns([lambda: 0.5, lambda: None], 3, clock=Clock())
    np.testing.assert_array_equal(result, [[0.5] * 3, [0.0] * 3])


def test_turns_without_works_are_refused():
    with pytest.raises(ValueError, match="works must hold one or more, got none"):
        timed_in_turns([], 1, warmup=0)


@pytest.mark.parametrize("cost", [1e-9, 3e-6, 1e-4, 5.0])
def test_repetitions_fill_the_length(cost):
    count = repetitions(lambda n: n * cost, 1e-3)
    assert count == max(1, int(np.ceil(1e-3 / cost - 1e-9)))


@pytest.mark.parametrize(("first", "taken"), [(24, 100), (25, 25), (300, 300)])
def test_runs_below_a_quarter_of_their_length_are_taken_again_with_more(first, taken):
    count, lengths = lengthened(first, lambda n: n * np.array([0.015, 0.01]), seconds=1.0)
    assert count == taken
    assert lengths == pytest.approx(taken * np.array([0.015, 0.01]))


def test_a_pause_while_repetitions_are_chosen_is_noticed():
    pauses = iter([1.0] * 3)
    count, seconds = short_runs(lambda n: n * 1e-6 + next(pauses, 0.0), 1e-3, runs=10)
    assert count in (1000, 1001)
    np.testing.assert_allclose(seconds, 1e-3, rtol=2e-3)


def test_a_run_that_ignores_its_repetitions_is_noticed():
    with pytest.raises(ValueError, match="run must take longer the more it repeats"):
        repetitions(lambda n: 1e-9, 1e-3)


ABOVE_ZERO = st.floats(1e-9, 1e12)


def test_a_walk_has_one_line_on_its_way():
    assert chained_bandwidth(1, 100e-9) == pytest.approx(0.64e9)
    assert chained_bandwidth(8, 100e-9, line=128) == pytest.approx(10.24e9)


@given(ABOVE_ZERO, ABOVE_ZERO, st.sampled_from([32, 64, 128]))
def test_each_function_undoes_the_other(chains, latency, line):
    rate = chained_bandwidth(chains, latency, line=line)
    assert lines_in_flight(rate, latency, line) == pytest.approx(chains)


def test_a_core_without_room_for_more_lines_gains_nothing():
    rates = chained_bandwidth([4, 10, 12, 100], 1e-7, max_lines=10)
    np.testing.assert_allclose(rates, chained_bandwidth([4, 10, 10, 10], 1e-7))
