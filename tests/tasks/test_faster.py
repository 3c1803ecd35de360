"""Faster on a simulated machine: results first, then the ratio with its interval."""

import numpy as np
import pytest

from perfmodel.measurement import SimulatedMachine
from perfmodel.tasks import Faster, Mistake


class Race:
    """A task whose functions take simulated seconds, and record how often they are called."""

    def __init__(self, spread=0.01, seconds=1e-3, aim=2.0, bound=4.0, seed=1):
        self.machine = SimulatedMachine(log_deviation=spread, seed=seed)
        slow = self.machine.job(seconds)
        self.calls = 0

        def given(x):
            self.calls += 1
            slow()
            return 2 * x

        self.task = Faster(
            "Double",
            given=given,
            cases=[(1.0,), (3.0,)],
            reference=lambda x: x + x,
            bound=lambda: bound,
            aim=aim,
            model="the roofline",
            mistakes=[Mistake("square", lambda x: x * x, "That squares.")],
            hint="h",
            right="Half the bytes.",
            clock=self.machine.clock,
        )

    def judge(self, seconds, result=lambda x: 2 * x):
        job = self.machine.job(seconds)

        def mine(x):
            print("never timed")
            job()
            return result(x)

        return self.task.judge(mine)


def test_untouched_nothing_is_timed():
    race = Race()
    for untouched in (race.task.given, ..., lambda x: ...):
        assert race.task.check(untouched).text == "Not done yet: Double."
    race = Race()
    assert race.task.check(race.task.given).html.count("change the function") == 2
    assert race.calls == 0


def test_results_come_first():
    race = Race()
    assert race.judge(1e-6, lambda x: x * x).said == "That squares."
    assert "0, whatever the arguments are" in race.judge(1e-6, lambda x: 0.0).said
    assert race.task.judge(3).said == "Give a function; this is 3."


def test_the_aim_is_reached(capsys):
    outcome = Race().judge(0.4e-3)
    assert capsys.readouterr().out.split("\n") == ["never timed"] * 2 + [""], "two cases, no more"
    assert outcome.state == "right"
    assert outcome.said.startswith("Same results, 2.49")
    assert "The aim is 2; the roofline allows 4 at most here. Half the bytes." in outcome.said


def test_the_aim_is_missed():
    outcome = Race().judge(0.8e-3)
    assert outcome.state == "slow"
    assert outcome.said.startswith("Same results, 1.2")
    assert outcome.said.endswith("That is faster, but not yet 2 times as fast.")


def test_a_slower_one_is_asked_for_temporary_arrays():
    outcome = Race().judge(1.3e-3)
    assert outcome.state == "slow"
    assert "temporary arrays" in outcome.said
    assert "That is faster" not in outcome.said


def test_a_noisy_machine_does_not_decide():
    outcome = Race(spread=0.4).judge(0.5e-3)
    assert outcome.state == "undecided"
    assert "run the cell again when the machine is quieter" in outcome.said


def test_above_the_bound_the_model_is_asked():
    said = Race().judge(0.1e-3).said
    assert "You are above that: what did the roofline leave out?" in said


@pytest.mark.parametrize("seconds", [1e-7, 1e-4, 1e-3, 0.02, 10.0])
def test_a_check_takes_less_than_three_seconds_or_little_more_than_a_call_or_four(seconds):
    race = Race()
    race.judge(seconds)
    assert race.machine.seconds < max(3, 4.5 * seconds)


def test_a_very_slow_function_is_said_to_be_slow_and_not_compared():
    outcome = Race(spread=0.0).judge(10.0)
    assert outcome.state == "slow"
    assert "temporary arrays" in outcome.said
    assert outcome.said.startswith(
        "Same results, but a call takes 10 s, and the given function 0.00"
    )


def test_the_decision_is_right_about_as_often_as_the_interval_says():
    wrong = sum(Race(spread=0.05, seed=seed).judge(0.52e-3).state == "right" for seed in range(25))
    assert wrong <= 3


class TestVerify:
    def test_a_sound_task_passes_and_nothing_is_timed(self):
        race = Race()
        race.task.verify()
        assert race.calls < 20

    def test_an_aim_above_the_bound(self):
        with pytest.raises(ValueError, match="aim must be below the bound 4, got 5"):
            Race(aim=5.0).task.verify()

    def test_a_reference_with_other_results(self):
        task = Faster("x", abs, [(-1.0,)], lambda x: x, lambda: 9.0, hint="h", right="r")
        with pytest.raises(ValueError, match="reference must give what the given one gives"):
            task.verify()


def test_bad_declarations_are_named():
    with pytest.raises(ValueError, match="aim must be above 1, got 1"):
        Race(aim=1)
    with pytest.raises(ValueError, match="cases must have arguments"):
        Faster("x", abs, [()], abs, lambda: 2.0)


class TestWhatACallLeavesBehind:
    """Filled arrays and those that are only read belong to the results, work space doesn't."""

    @staticmethod
    def given(filled, read, work):
        work[:] = 3 * read
        filled[:] = work + 1
        return filled

    @staticmethod
    def reference(filled, read, work):
        filled[:] = 3 * read + 1
        return filled

    def judged(self, function):
        arrays = tuple(np.arange(4.0) + place for place in range(3))
        task = Faster(
            "Fill", self.given, [arrays, arrays], self.reference, lambda: 4.0, hint="h", right="r"
        )
        return task.judge(function)

    def test_an_array_that_is_not_filled_is_told(self):
        def rebound(filled, read, work):
            return 3 * read + 1

        said = self.judged(rebound).said
        assert (
            said == "Same results, but after the call `filled` holds other numbers than it should."
        )

    def test_an_array_that_is_only_read_stays(self):
        def spoiling(filled, read, work):
            read *= 3
            filled[:] = read + 1
            return filled

        assert "`read` holds other numbers" in self.judged(spoiling).said

    def test_work_space_is_free(self):
        def other(filled, read, work):
            work[:] = -1
            filled[:] = 3 * read + 1
            return filled

        assert "after the call" not in self.judged(other).said
