"""Runs on a simulated clock: counts, lengths, the best and the median."""

import numpy as np
import pytest

from perfmodel.measurement.runs import Runs, repetitions, short_runs, timed, timed_in_turns


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


def test_a_pause_while_repetitions_are_chosen_is_noticed():
    pauses = iter([1.0] * 3)
    count, seconds = short_runs(lambda n: n * 1e-6 + next(pauses, 0.0), 1e-3, runs=10)
    assert count in (1000, 1001)
    np.testing.assert_allclose(seconds, 1e-3, rtol=2e-3)


def test_a_run_that_ignores_its_repetitions_is_noticed():
    with pytest.raises(ValueError, match="run must take longer the more it repeats"):
        repetitions(lambda n: 1e-9, 1e-3)
