"""More processors: hidden truths are in the interval, and what can't be told is not told."""

import numpy as np
import pytest

from perfmodel.scaling import extrapolate_scaling

COUNTS = 2.0 ** np.arange(8)
TRUTHS = {
    "Amdahl": lambda p: 1 + 100 / p,
    "USL": lambda p: 100 * (1 + 0.02 * (p - 1) + 3e-5 * p * (p - 1)) / p,
    "a tree": lambda p: 100 / p + 0.3 * np.log2(p) + 0.2,
    "a root": lambda p: 100 / p + 0.1 * np.sqrt(p),
    "perfect": lambda p: 100 / p,
}


def runs(truth, seed=0, counts=COUNTS):
    return truth(counts) * np.exp(0.02 * np.random.default_rng(seed).standard_normal(counts.size))


@pytest.mark.parametrize("name", TRUTHS)
def test_twice_the_largest_run_is_in_the_interval(name):
    """Forty draws: with 90 % each, fewer than 32 happen once in a hundred times."""
    held = 0
    for seed in range(40):
        forecast = extrapolate_scaling(COUNTS, runs(TRUTHS[name], seed), 256)
        held += forecast.low <= TRUTHS[name](256) <= forecast.high
    assert held >= 32


@pytest.mark.parametrize("base", [1, 4, 64])
def test_the_base_need_not_be_one_processor(base):
    counts = base * COUNTS
    forecast = extrapolate_scaling(counts, TRUTHS["Amdahl"](counts / base), 256 * base)
    assert forecast.time == pytest.approx(TRUTHS["Amdahl"](256.0), rel=0.02)


def test_a_form_is_judged_on_runs_that_it_did_not_see():
    forecast = extrapolate_scaling(COUNTS, TRUTHS["Amdahl"](COUNTS), 256)
    held_out = {form.name: form.held_out for form in forecast.forms}
    assert held_out["Amdahl"] == pytest.approx(1, abs=1e-6)
    assert held_out["perfect from the largest"] > 1.3
    in_order = [form.held_out for form in forecast.forms]
    assert in_order == pytest.approx(sorted(in_order), abs=1e-6)


@pytest.mark.parametrize(("at", "told"), [(512, True), (1024, True), (1025, False), (1e6, False)])
def test_there_is_no_number_further_out_than_was_tested(at, told):
    forecast = extrapolate_scaling(COUNTS, runs(TRUTHS["Amdahl"]), at)
    assert (forecast.time is not None) == told
    assert told or "too far" in forecast.reason
    assert forecast.low is not None


def test_three_counts_test_no_form():
    forecast = extrapolate_scaling([1, 2, 4], [8.0, 4.5, 2.8], 8)
    assert forecast.time is None
    assert "measure 4 or more" in forecast.reason


def test_a_job_that_is_still_superlinear_has_no_forecast():
    counts = np.array([20.0, 30, 40, 50, 60])
    forecast = extrapolate_scaling(counts, [725, 506, 319, 180, 82], 120)
    assert forecast.time is None
    assert forecast.low is None
    assert forecast.superlinear[-1] == (50, 60)


def test_an_early_superlinear_stretch_is_left_out():
    time = np.where(COUNTS < 4, 2.0, 1.0) * TRUTHS["Amdahl"](COUNTS)
    forecast = extrapolate_scaling(COUNTS, time, 256)
    assert forecast.superlinear == ((2, 4),)
    assert forecast.time == pytest.approx(TRUTHS["Amdahl"](256.0), rel=0.02)


def test_a_job_that_grows_with_the_processors():
    counts = 2.0 ** np.arange(7)
    forecast = extrapolate_scaling(counts, 10 + 0.5 * np.log2(counts), 128, job="weak")
    assert forecast.time == pytest.approx(13.5, rel=0.02)
    assert forecast.low <= 13.5 <= forecast.high


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2, 2], [1, 2, 3], 4), "processors must hold 3 different counts or more, got 2"),
        (([1, 2, 4, 8], [1, 2, 3], 4), "times must be one for each of the 4 processors, got 3"),
    ],
)
def test_too_few_counts_or_times_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        extrapolate_scaling(*arguments)
