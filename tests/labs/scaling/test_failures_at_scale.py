"""Interruptions: the shipped tables, ratios by job size, Weibull gaps against runs played."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gamma

from perfmodel.labs.scaling.failures_at_scale.inputs import (
    BLOOM_INTERVALS,
    BLOOM_MTBF,
    BLOOM_SAVE,
    BLOOM_STEP,
    LLAMA_GPUS,
    LLAMA_MTBF,
    RSC_RATES,
)
from perfmodel.labs.scaling.failures_at_scale.job_size import (
    bunched_efficiency,
    job_mttf,
    longest_save,
    training_time_ratio,
)
from perfmodel.labs.scaling.failures_at_scale.tables import (
    board_lives,
    causes,
    cluster,
    interruptions,
    yearly_rates,
)
from perfmodel.scaling import (
    checkpoint_efficiency,
    checkpoint_waste,
    fit_weibull_life,
    simulate_interruptions,
    young_interval,
)

MTBF = 1296 / 419 * 60
"""Minutes."""


@pytest.mark.parametrize(
    ("save", "recovery", "values"),
    [(1, 5, [0.8761, 0.8788, 0.8841]), (5, 10, [0.7448, 0.7541, 0.7686])],
)
def test_bunched_gaps_at_the_same_mean_cost_a_little_less(save, recovery, values) -> None:
    young = float(young_interval(save, MTBF))
    result = [bunched_efficiency(young, save, MTBF, recovery, k) for k in (1, 0.7, 0.5)]
    assert result == pytest.approx(values, abs=1e-4)


@pytest.mark.parametrize("shape", [0.5, 0.7, 1.0, 2.0])
def test_sum_is_what_runs_play_out(shape: float) -> None:
    draws = np.random.default_rng(4).weibull(shape, 400_000)
    gaps = 5 + MTBF / gamma(1 + 1 / shape) * draws
    run = simulate_interruptions(gaps, 20.0, 1.0, 5.0)
    exact = bunched_efficiency(20.0, 1.0, MTBF, 5.0, shape)
    assert run.efficiency == pytest.approx(exact, rel=0.005)


def test_shape_of_one_is_exponential_but_for_recoveries_cut_short() -> None:
    for interval in (5.0, 20.0, 100.0):
        without = checkpoint_efficiency(interval, 1.0, MTBF)
        result = bunched_efficiency(interval, 1.0, MTBF, 5.0, 1.0)
        assert result == pytest.approx(without * MTBF / (MTBF + 5), rel=1e-12)


RATE = RSC_RATES["RSC-1"]


def test_mean_time_goes_with_one_over_the_size() -> None:
    assert job_mttf([1024, 2048], RATE) / 3600 == pytest.approx([28.85, 14.42], abs=0.005)
    assert pytest.approx(30.4, abs=0.05) == LLAMA_MTBF * 16384 / 100_000 / 60


def test_llama_fails_at_a_rate_between_the_two_clusters() -> None:
    rate = 1 / (LLAMA_MTBF * LLAMA_GPUS / 8)
    assert RSC_RATES["RSC-2"] < rate < RATE
    assert rate * 86400 * 1000 == pytest.approx(3.789, abs=5e-4)


@pytest.mark.parametrize(
    ("gpus", "rate", "interval", "restart", "ratio"),
    [
        (4096, RATE, 60, 10, 0.908),
        (16_384, RATE, 5, 5, 0.931),
        (16_384, RATE, 60, 5, 0.676),
        (100_000, RSC_RATES["RSC-2"], 2, 2, 0.939),
    ],
)
def test_ratio_by_hand(gpus, rate, interval, restart, ratio) -> None:
    result = training_time_ratio(job_mttf(gpus, rate), 60 * interval, 60 * restart)
    assert result == pytest.approx(ratio, abs=6e-4)


def test_ratio_is_the_exact_efficiency_where_failures_are_rare() -> None:
    mean = job_mttf(64, RATE)
    for save in (0.0, 60.0):
        exact = checkpoint_efficiency(3600.0, save, mean, 300.0)
        assert training_time_ratio(mean, 3600.0, 300.0, save) == pytest.approx(exact, abs=1e-4)


def test_ratio_never_falls_below_nothing() -> None:
    assert training_time_ratio(60.0, 3600.0, 600.0) == 0.0


def test_bloom_lost_little_by_saving_rarely() -> None:
    best = young_interval(BLOOM_SAVE, BLOOM_MTBF)
    assert best / 3600 == pytest.approx(1.93, abs=0.005)
    steps = np.array(BLOOM_INTERVALS) * BLOOM_STEP
    waste = checkpoint_waste([float(best), *steps], BLOOM_SAVE, BLOOM_MTBF)
    assert 100 * waste == pytest.approx([1.15, 2.33, 1.93, 1.25], abs=0.006)


def test_only_one_row_of_the_causes_contradicts_its_count() -> None:
    wrong = [
        cause.component
        for cause in causes()
        if abs(float(cause.printed.split()[0]) - 100 * cause.times / interruptions()) > 0.05
    ]
    assert wrong == ["Faulty GPU"]
    assert sum(float(c.printed.split()[0]) for c in causes()) == pytest.approx(94.9)


def test_boards_by_batch() -> None:
    old, new = board_lives("old"), board_lives("new")
    assert old.failures.sum() + new.failures.sum() == 5089
    assert old.exposure.sum() + new.exposure.sum() == pytest.approx(100_820, abs=1)
    rates = [lives.failures.sum() / lives.exposure.sum() for lives in (old, new)]
    assert rates[0] / rates[1] == pytest.approx(27, abs=0.2)
    assert 1 / rates[1] == pytest.approx(405, abs=1)
    assert 100 * yearly_rates("old") == pytest.approx(
        [0.09, 0.82, 11.96, 13.43, 12.51, 15.18], abs=0.005
    )


def test_a_weibull_distribution_fitted_to_two_years_misses_the_next_four() -> None:
    early = fit_weibull_life(*board_lives("old", until=2))
    assert early.shape_low < early.shape < early.shape_high
    predicted = early.failure_rate([2, 3, 4, 5], [3, 4, 5, 6])
    assert predicted[0] < yearly_rates("old")[2] / 3
    assert predicted[3] > 2 * yearly_rates("old")[5]


def test_all_ages_give_the_shape_of_the_batch() -> None:
    assert fit_weibull_life(*board_lives("old")).shape == pytest.approx(2.64, abs=0.005)
    assert fit_weibull_life(*board_lives("new")).shape_low < 1


def test_readme_lacks_gpu_jobs_only() -> None:
    both = [cluster("Seren"), cluster("Kalos")]
    jobs, gpu_jobs = (sum(getattr(c, n) for c in both) for n in ("jobs", "gpu_jobs"))
    assert jobs - 880_740 == gpu_jobs - 470_497 == 213_223


def test_an_age_before_the_first_class_is_refused() -> None:
    with pytest.raises(ValueError, match="until must be 0.5 or more"):
        board_lives("old", until=0.1)


@pytest.mark.parametrize(("minutes", "seconds"), [(5, 33), (10, 14.5), (15, 3.3)])
def test_longest_save_that_leaves_nine_tenths(minutes, seconds) -> None:
    """One second more, at any interval, and less than 90 % is work."""
    longest = longest_save(0.9, 11_135, 60 * minutes)
    assert longest == pytest.approx(seconds, abs=0.5)
    intervals = np.geomspace(60, 6000, 4000)
    for more, enough in ((-0.05, True), (0.05, False)):
        kept = checkpoint_efficiency(intervals, longest + more, 11_135, 60 * minutes)
        assert (kept.max() >= 0.9) == enough


def test_no_save_is_short_enough_after_long_recoveries() -> None:
    assert longest_save(0.9, 11_135, 60 * 20) == 0
    with pytest.raises(ValueError, match="goal must"):
        longest_save(1.0, 11_135, 60)
