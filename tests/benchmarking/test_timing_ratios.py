"""Ratios of noisy timings, against simulation; and whether what a report says can be trusted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from perfmodel.benchmarking import (
    TimingRatio,
    noise_of_ratios,
    repeats_needed,
    summarize_ratios,
)

noises = st.floats(0.01, 0.6)


@given(noises, st.floats(0.3, 4), st.integers(1, 9), st.floats(0.5, 2))
def test_law_is_that_of_simulated_timings(
    noise: float, speedup: float, repeats: int, bound: float
) -> None:
    rng = np.random.default_rng(1)
    old = np.exp(noise * rng.standard_normal((20_000, repeats)).mean(axis=1))
    new = np.exp(noise * rng.standard_normal((20_000, repeats)).mean(axis=1)) / speedup
    ratios, law = old / new, TimingRatio(noise, speedup, repeats)
    error = 5 * ratios.std() / np.sqrt(ratios.size)
    assert_allclose(law.mean, ratios.mean(), atol=error)
    assert_allclose(law.mean_of_clamped(bound), np.maximum(ratios, bound).mean(), atol=error)
    assert_allclose(law.chance_above(bound), np.mean(ratios >= bound), atol=0.02)
    assert_allclose(np.mean(ratios <= law.quantile(0.95)), 0.95, atol=0.008)
    assert_allclose(np.mean(law.draw(20_000, rng)), law.mean, atol=error)


@pytest.mark.parametrize(
    ("noise", "passed", "clamped"),
    [(0.25, 0.394, 1.179), (0.10, 0.250, 1.062), (0.02, 4e-4, 1.0115)],
)
def test_twins_give_the_inflation_worked_out_by_hand(
    noise: float, passed: float, clamped: float
) -> None:
    twins = TimingRatio(noise)
    assert_allclose(
        [twins.chance_above(1.1), twins.mean_of_clamped()], [passed, clamped], atol=5e-4
    )


@given(noises, st.floats(0.3, 4))
def test_swapping_old_and_new_inverts_the_median_and_not_the_mean(noise: float, s: float) -> None:
    law, swapped = TimingRatio(noise, s), TimingRatio(noise, 1 / s)
    assert_allclose(law.quantile(0.5) * swapped.quantile(0.5), 1)
    assert law.mean * swapped.mean > 1
    assert law.mean_of_clamped() * swapped.mean_of_clamped() > 1


def test_without_noise_nothing_is_inflated() -> None:
    for speedup in (0.5, 1.0, 1.1, 2.0):
        law = TimingRatio(0.0, speedup)
        assert law.mean == speedup
        assert law.mean_of_clamped() == max(1.0, speedup)
        assert law.chance_above(1.1) == float(speedup >= 1.1)
        assert law.standard_deviation == 0
        assert_allclose(law.quantile([0.1, 0.9]), speedup)


def test_standard_deviation_is_that_of_many_ratios() -> None:
    law = TimingRatio(0.2)
    assert_allclose(
        law.draw(400_000, np.random.default_rng(0)).std(), law.standard_deviation, rtol=0.02
    )


@given(st.floats(0.02, 0.5), st.floats(1.02, 2), st.floats(0.001, 0.2))
def test_repeats_needed_are_enough_and_one_less_is_not(
    noise: float, threshold: float, chance: float
) -> None:
    repeats = repeats_needed(noise, threshold, chance)
    assert TimingRatio(noise, repeats=repeats).chance_above(threshold) <= chance * (1 + 1e-6)
    if repeats > 1:
        assert TimingRatio(noise, repeats=repeats - 1).chance_above(threshold) > chance * (1 - 1e-6)


def test_noise_is_found_again_and_a_bias_is_none() -> None:
    ratios = TimingRatio(0.15, speedup=1.3).draw(40_000, np.random.default_rng(9))
    assert_allclose(noise_of_ratios(ratios), 0.15, rtol=0.02)


@pytest.mark.parametrize("noise", [0.1, 0.25])
def test_null_experiment_covers_the_truth_in_93_to_97_of_100(noise: float) -> None:
    """400 null experiments of 500 pairs: each reported number's interval against the known law."""
    law, rng = TimingRatio(noise), np.random.default_rng(2026)
    reports = [summarize_ratios(law.draw(500, rng)) for _ in range(400)]
    covered = {
        "mean": np.mean([report.mean.covers(law.mean) for report in reports]),
        "clamped": np.mean([r.clamped_mean.covers(law.mean_of_clamped()) for r in reports]),
        "geometric": np.mean([report.geometric_mean.covers(1.0) for report in reports]),
        "passed": np.mean([report.passed.covers(law.chance_above(1.1)) for report in reports]),
    }
    assert {
        name: fraction for name, fraction in covered.items() if not 0.93 <= fraction <= 0.97
    } == {}
    assert_allclose(np.mean([report.mean.value for report in reports]), law.mean, rtol=2e-3)


def test_no_interval_of_the_clamped_mean_holds_that_nothing_changed() -> None:
    report = summarize_ratios(TimingRatio(0.1).draw(500, np.random.default_rng(0)))
    assert report.geometric_mean.covers(1.0)
    assert report.clamped_mean.low > 1.04


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: repeats_needed(1e200, 1.1, 0.01),
            "noise must be smaller compared with the threshold",
        ),
        (lambda: repeats_needed(0.1, 1 + 1e-15, 0.01), r"over 1e\+12 repeats, got 0.1 for 1.0000"),
    ],
)
def test_noise_that_no_repeats_average_out_is_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
