"""What a run records, and what is said of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import linregress, t

from perfmodel.benchmarking import addition_reversals, removal_reversals, time_average
from perfmodel.labs.benchmarking.efficientllm.footprint import (
    Footprint,
    alternating_footprints,
    footprint_ratio,
    footprint_verdict,
    measure_footprint,
)
from perfmodel.labs.benchmarking.efficientllm.metrics import (
    FREEZE_LATENCY,
    FREEZE_PARAMETERS,
    PRETRAINED,
    SCORES_14B,
    SERVED,
    TABLE,
    compression_rate,
    energy_per_token,
    fit_power_law,
    minmax_score,
    outlier_method,
    reference_score,
)
from perfmodel.labs.benchmarking.efficientllm.power_cycle import (
    METERS,
    TRAINING,
    Phase,
    PowerCycle,
    clock_times,
    event_times,
    readings,
    sampled_trace,
)


def test_a_run_records_its_matrices():
    run = measure_footprint("float64", size=300, products=40)
    assert run.latencies.shape == (40,)
    assert (np.diff(run.times) > 0).all()
    assert run.times.shape == run.memory.shape
    assert run.memory.max() >= 0.9 * 3 * 300 * 300 * 8


def test_pairs_of_runs_give_a_ratio():
    pairs = alternating_footprints(2, 300)
    assert [len(pair) for pair in pairs] == [2, 2]
    ratio, low, high = footprint_ratio(pairs, "latency")
    assert low <= ratio <= high


def test_the_mean_memory_weights_by_time():
    run = Footprint(np.array([0, 1, 4.0]), np.array([8, 2, 2.0]), np.array([1.0]), 0.5)
    assert run.mean_memory == pytest.approx((8 * 1 + 2 * 3) / 4)
    assert run.latency == 1.0


@pytest.mark.parametrize(
    ("speed", "said"),
    [((2.1, 0.5, 6.0), "**open**"), ((2.1, 1.9, 2.3), "longer"), ((0.5, 0.4, 0.6), "shorter")],
)
def test_the_verdict_follows_the_intervals(speed, said):
    assert said in footprint_verdict((2.0, 1.9, 2.1), speed)


# The study's metrics by hand, the fit against SciPy's, the cells that the abstract is held to.

RATE = st.floats(0.01, 100)


@given(before=RATE, after=RATE, score=RATE, kept=RATE)
def test_compressing_and_undoing_it_comes_back(before, after, score, kept):
    there, back = (
        compression_rate(before, after, score, kept),
        compression_rate(after, before, kept, score),
    )
    assert there * back == pytest.approx(1)
    assert compression_rate(before, after, score, score / 2) == pytest.approx(before / after / 2)


def test_energy_per_token_of_the_tables():
    joules = {key: energy_per_token(s.power, s.rate) for key, s in SERVED.items()}
    assert list(joules.values()) == pytest.approx([15.91, 11.20, 8.57, 7.23], abs=0.01)
    before, after = (joules["DeepSeek-R1 14B", kind] for kind in ("bf16", "int4"))
    assert 1 - after / before == pytest.approx(0.156, abs=5e-4)


def test_numbers_of_the_audit_by_hand():
    assert compression_rate(16, 4, *SCORES_14B) == pytest.approx(3.697, abs=5e-4)
    mamba, dense = PRETRAINED["Mamba"], PRETRAINED["transformer"]
    step = [model.power * model.latency for model in (mamba, dense)]
    assert step == pytest.approx([52.4, 83.6], abs=0.05)
    assert mamba.perplexity / dense.perplexity == pytest.approx(1.172, abs=5e-4)


def test_the_exponent_is_scipys():
    fit = fit_power_law(FREEZE_PARAMETERS, FREEZE_LATENCY)
    line = linregress(np.log(FREEZE_PARAMETERS), np.log(FREEZE_LATENCY))
    assert fit.exponent == pytest.approx(line.slope) == pytest.approx(0.599, abs=5e-4)
    assert fit.high - fit.exponent == pytest.approx(t.ppf(0.975, 2) * line.stderr)


def test_a_power_law_needs_values_that_differ():
    with pytest.raises(ValueError, match="values that differ"):
        fit_power_law([2, 2, 2], [1, 2, 3])


# Meters against the true mean of a known cycle.

PHASE = st.builds(
    Phase, st.sampled_from("abc"), st.floats(0.01, 1), st.floats(0, 900, allow_subnormal=False)
)


@given(phases=st.lists(PHASE, min_size=1, max_size=4))
def test_a_fast_clock_finds_the_mean_power(phases):
    cycle = PowerCycle(tuple(phases))
    times = clock_times(cycle.period / 4000, cycle.period)
    assert cycle.power_at(times).mean() == pytest.approx(cycle.mean_power, rel=0.01, abs=0.5)
    assert cycle.power_at(times + 3 * cycle.period).mean() == pytest.approx(
        cycle.power_at(times).mean(), rel=0.01, abs=0.5
    )


@pytest.mark.parametrize("offset", [0.0, 0.03, 0.089, 0.1, 0.129])
def test_a_clock_in_step_with_the_cycle_sees_one_phase_only(offset):
    watts = TRAINING.power_at(clock_times(TRAINING.period, 100 * TRAINING.period, offset))
    assert np.ptp(watts) == 0
    assert abs(watts.mean() - TRAINING.mean_power) > 100


def test_jitter_breaks_the_step():
    times = clock_times(TRAINING.period, 4000 * TRAINING.period, jitter=0.49, seed=1)
    assert (np.diff(times) > 0).all()
    assert TRAINING.power_at(times).mean() == pytest.approx(TRAINING.mean_power, rel=0.03)


@given(fast=st.floats(0.002, 0.02), slow=st.floats(0.01, 0.2))
def test_readings_at_events_need_their_times(fast, slow):
    end = 7 * TRAINING.period
    times = event_times(TRAINING, {"compute": fast, "exchange": slow}, end)
    watts = TRAINING.power_at(times)
    held = time_average([*times, end], [*watts, watts[-1]], "held")
    assert held == pytest.approx(TRAINING.mean_power)


@pytest.mark.parametrize("meter", METERS)
def test_every_meter_can_be_drawn(meter):
    scene = sampled_trace(meter)
    assert scene.faults() == []
    watts = TRAINING.power_at(readings(meter))
    assert scene.values["mean of the readings (W)"] == pytest.approx(watts.mean())


def test_the_mean_by_hand():
    assert TRAINING.mean_power == pytest.approx((0.09 * 650 + 0.04 * 300) / 0.13)


# Scores that depend on who is in the table, and those that don't.


def test_a_terrible_method_turns_the_spread_scores_around():
    before = minmax_score(TABLE)
    after = minmax_score(np.vstack([TABLE, outlier_method(3)]))
    assert before.argmax() == after[:4].argmin() == 2
    assert before.argmin() == after[:4].argmax() == 3
    assert addition_reversals(TABLE, outlier_method(3), minmax_score)
    assert not removal_reversals(TABLE, minmax_score)


@pytest.mark.parametrize("factor", [1, 1.5, 3, 10, 100])
def test_scores_against_a_reference_do_not_care_who_else_is_there(factor):
    crowd = np.vstack([TABLE, outlier_method(factor)])
    assert reference_score(crowd)[:4] == pytest.approx(reference_score(TABLE))
    assert addition_reversals(TABLE, outlier_method(factor), reference_score) == []


def test_spread_scores_by_hand():
    steps = [(9.48 - 8.09) / 2.38, (76.53 - 44.82) / 46.28, (0.142 - 0.128) / 0.0395, 39 / 181]
    assert minmax_score(TABLE)[0] == pytest.approx(np.mean(steps))
