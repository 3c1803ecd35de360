"""Timing on a simulated clock: warm-up, calibration, stopping, intervals and their coverage."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.measurement.clock import calibrate, clock_resolution, time_calls
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
    machine = SimulatedMachine(spread=0.0)
    result = measure(machine.job(0.5), max_seconds=100, clock=machine.clock)
    assert result.median == result.minimum == pytest.approx(0.5)
    assert result.interval == (result.median, result.median)
    assert result.reached
    assert result.samples.size == 7
    assert result.inner == 1


def test_warm_up_is_recorded_and_kept_out():
    machine = SimulatedMachine(spread=0.0)
    slow, quick, calls = machine.job(5.0), machine.job(0.5), []

    def compiled():
        calls.append(1)
        (slow if len(calls) <= 2 else quick)()

    result = measure(compiled, warmup=3, max_seconds=20, clock=machine.clock)
    assert result.warmup == pytest.approx([5.0, 5.0, 0.5])
    assert result.samples.max() == pytest.approx(0.5)


def test_the_target_is_kept_or_the_miss_is_said():
    machine = SimulatedMachine(spread=0.2)
    result = measure(machine.job(0.1), target=0.05, max_seconds=1000, clock=machine.clock)
    low, high = median_interval(result.samples)
    assert result.reached
    assert high - low <= 2 * 0.05 * result.median
    short = measure(machine.job(0.1), target=0.001, max_seconds=3, clock=machine.clock)
    assert not short.reached
    assert 3 <= short.samples.sum() < 3.5
    assert "target not reached" in str(short)


def test_five_samples_are_taken_of_a_function_that_is_longer_than_the_time():
    machine = SimulatedMachine(spread=0.1)
    assert measure(machine.job(3.0), max_seconds=1, clock=machine.clock).samples.size == 5


def test_the_interval_covers_the_true_median_about_as_often_as_it_says():
    covered = 0
    for seed in range(100):
        machine = SimulatedMachine(spread=0.2, seed=seed)
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
    machine = SimulatedMachine(spread=0.1)
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
    machine = SimulatedMachine(spread=0.1)
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
