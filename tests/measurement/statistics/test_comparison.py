"""A/B comparison on simulated machines: verdicts, their error rates, and the blocks themselves."""

import numpy as np
import pytest

from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.statistics.comparison import compare, planned
from perfmodel.measurement.statistics.significance import samples_needed


def on(machine, slowdown, **more):
    return compare(
        machine.job(1.0),
        machine.job(1.0 + slowdown),
        clock=machine.clock,
        **{"detect": 0.1, "max_seconds": 1000, **more},
    )


def test_drift_within_a_block_cancels():
    result = on(SimulatedMachine(spread=0.0, drift=0.01), 0.0)
    relative = result.times[0].ravel() / result.times[0, 0, 0]
    assert relative == pytest.approx([1.0, 1.03, 1.01, 1.02], abs=2e-3)
    assert result.ratios[0] == pytest.approx(1 / result.ratios[1], abs=1e-3)
    assert result.ratios[0] > 1.005
    assert result.ratio == pytest.approx(1, abs=1e-3)


def test_a_known_ratio_is_found_without_noise():
    result = on(SimulatedMachine(spread=0.0), 0.25)
    assert result.ratio == pytest.approx(1.25)
    assert result.verdict == "slower"
    assert result.complete
    assert len(result.times) == 20


def test_faster_slower_and_cannot_tell():
    assert on(SimulatedMachine(0.05), -0.2).verdict == "faster"
    assert on(SimulatedMachine(0.05), 0.2).verdict == "slower"
    assert on(SimulatedMachine(0.2, seed=3), 0.0).verdict == "can't tell"


def test_false_alarms_are_as_rare_as_stated():
    alarms = sum(
        on(SimulatedMachine(0.2, drift=1e-3, step=0.3, seed=seed), 0.0, detect=0.2).verdict
        != "can't tell"
        for seed in range(100)
    )
    # At 5 %, 100 trials give 11 or fewer with a chance of 0.99.
    assert alarms <= 11


def test_a_program_is_like_itself_when_its_time_is_near_that_of_a_sample():
    # Single calls and means of two calls have different minima: a bias that many blocks would show.
    alarms = 0
    for seed in range(15):
        machine = SimulatedMachine(0.31, seed=seed)
        result = on(machine, 0.0, detect=0.07, max_seconds=4900)
        alarms += result.verdict != "can't tell"
    assert alarms <= 3


def test_a_difference_is_found_as_often_as_planned():
    result = sum(
        on(SimulatedMachine(0.2, seed=seed), 0.2, detect=0.2).verdict == "slower"
        for seed in range(100)
    )
    assert result >= 83


def test_more_noise_or_a_smaller_effect_needs_more_blocks():
    pilot = np.random.default_rng(1).normal(0, 0.2, 10)
    assert planned(0.1, pilot / 2, 0.9, 0.95) < planned(0.1, pilot, 0.9, 0.95)
    assert planned(0.05, pilot, 0.9, 0.95) > 3.5 * planned(0.1, pilot, 0.9, 0.95)
    assert planned(0.1, np.zeros(10), 0.9, 0.95) == 10
    with pytest.raises(ValueError, match="width of the pilot over the effect must be at most"):
        planned(1e-300, pilot, 0.9, 0.95)


def test_the_plan_is_that_of_the_t_test_when_noise_is_normal():
    pilots = np.random.default_rng(1).normal(0, 0.2, (200, 40))
    blocks = np.median([planned(0.1, pilot, 0.9, 0.95) for pilot in pilots])
    assert 1.0 < blocks / samples_needed(0.1, 0.2, power=0.9, pairs=True) < 1.6


def test_pauses_that_hit_a_third_of_the_samples_do_no_harm():
    machine = SimulatedMachine(spread=0.02)
    rng = np.random.default_rng(4)

    def paused(job, pause):
        def work():
            job()
            if rng.random() < 1 / 3:
                pause()

        return work

    old, new = (paused(machine.job(s), machine.job(3.0)) for s in (1.0, 1.1))
    comparison = compare(old, new, clock=machine.clock, max_seconds=2000)
    assert comparison.verdict == "slower"
    assert comparison.ratio == pytest.approx(1.1, abs=0.02)


def test_time_is_up_and_that_is_said():
    result = on(SimulatedMachine(0.3), 0.0, max_seconds=30)
    assert len(result.times) == 8
    assert not result.complete
    assert "fewer than planned" in str(result)
    assert "fewer than planned" in result._repr_html_()


def test_equivalence_is_not_the_absence_of_a_difference():
    vague = on(SimulatedMachine(0.3), 0.0, max_seconds=40)
    assert vague.verdict == "can't tell"
    assert not vague.equivalent(0.05)
    sharp = on(SimulatedMachine(0.01), 0.001, detect=0.01)
    assert sharp.equivalent(0.05)
    assert not on(SimulatedMachine(0.01), 0.2).equivalent(0.05)


def test_the_bootstrap_agrees_with_the_signed_rank_interval():
    result = on(SimulatedMachine(0.1), 0.1, detect=0.03)
    assert result.bootstrap == pytest.approx(result.interval, abs=0.02)
