"""Resampled scores, winners' curse and ratios of times: simulation and closed forms."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from perfmodel.benchmarking import (
    TimingRatio,
    expected_maximum,
    geometric_mean,
    noise_of_ratios,
    rank_stability,
    reliability,
    repeats_needed,
    stratified_bootstrap,
    summarize_ratios,
    winners_curse,
)

RNG = np.random.default_rng(7)
SCORES = RNG.lognormal(0, 1, (30, 5)) + RNG.uniform(0, 5, (30, 1))


def mean(scores):
    return scores.mean(axis=(-2, -1))


def test_of_two_tasks_with_two_runs_every_resample_comes_as_often_as_it_should():
    table = np.array([[1.0, 2.0], [10.0, 20.0]])
    exact = {}
    for tasks in product(range(2), repeat=2):
        for runs in product(range(2), repeat=4):
            value = np.mean([table[tasks[i // 2], runs[i]] for i in range(4)])
            exact[value] = exact.get(value, 0) + 1 / 64
    samples = stratified_bootstrap(table, mean, resamples=40_000).samples
    seen = {value: np.mean(samples == value) for value in exact}
    assert sum(seen.values()) == pytest.approx(1)
    assert seen == pytest.approx(exact, abs=0.01)


def test_the_spread_over_runs_is_that_of_the_strata():
    result = stratified_bootstrap(SCORES, mean, tasks=False)
    expected = np.sqrt(SCORES.var(axis=1).sum() / 5) / 30
    assert result.standard_error == pytest.approx(expected, rel=0.03)
    assert result.value == pytest.approx(SCORES.mean())


def test_drawing_tasks_too_adds_their_spread():
    result = stratified_bootstrap(SCORES, mean)
    within, between = SCORES.var(axis=1).mean() / 5, SCORES.mean(axis=1).var()
    assert result.standard_error == pytest.approx(np.sqrt((within + between) / 30), rel=0.03)


def test_with_one_run_a_task_it_is_scipys_bootstrap():
    ratios = SCORES[:, :1]
    low, high = stratified_bootstrap(ratios, lambda x: geometric_mean(x[..., 0])).interval(0.9)
    theirs = stats.bootstrap(
        (ratios[:, 0],), stats.gmean, confidence_level=0.9, method="percentile", random_state=1
    ).confidence_interval
    assert (low, high) == pytest.approx(tuple(theirs), rel=0.02)


def test_systems_share_their_tasks_but_not_their_runs():
    table = np.stack([SCORES, SCORES + 1.0])
    apart = stratified_bootstrap(table, mean).samples
    assert np.corrcoef(apart.T)[0, 1] == pytest.approx(
        SCORES.mean(axis=1).var() / (SCORES.mean(axis=1).var() + SCORES.var(axis=1).mean() / 5),
        abs=0.05,
    )
    once = stratified_bootstrap(table[..., :1], mean).samples
    assert once[:, 1] - once[:, 0] == pytest.approx(np.ones(len(once)))


@pytest.mark.parametrize("runs", [3, 7, 300])
def test_each_run_is_drawn_equally_often(runs):
    def shares(scores):
        return (scores[..., None] == np.arange(runs)).mean(axis=(-3, -2))

    drawn = stratified_bootstrap([np.arange(runs)], shares, tasks=False, resamples=60_000 // runs)
    expected = stats.chisquare(drawn.samples.mean(axis=0) * 60_000)
    assert expected.pvalue > 1e-3


def test_more_runs_than_16_bits_can_number():
    runs = np.arange(70_000.0)
    result = stratified_bootstrap([runs], mean, tasks=False, resamples=60)
    assert result.samples.mean() == pytest.approx(runs.mean(), rel=1e-3)
    assert result.standard_error == pytest.approx(runs.std() / np.sqrt(runs.size), rel=0.4)


def test_a_statistic_may_return_several_numbers():
    result = stratified_bootstrap(
        np.stack([SCORES, SCORES]),
        lambda x: np.moveaxis(np.quantile(x, [0.2, 0.5, 0.8], axis=(-2, -1)), 0, -1),
        resamples=50,
    )
    assert result.samples.shape == (50, 2, 3)
    assert result.value == pytest.approx(np.tile(np.quantile(SCORES, [0.2, 0.5, 0.8]), (2, 1)))


def test_a_seed_repeats_the_samples_and_another_does_not():
    first, again, other = (
        stratified_bootstrap(SCORES, mean, resamples=200, seed=seed).samples for seed in (3, 3, 4)
    )
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_ranks_of_two_systems_by_enumeration():
    # Task differences 1, 1 and -3: B wins as soon as task 2 is among the three drawn.
    table = np.array([[[1.0], [2.0], [3.0]], [[0.0], [1.0], [6.0]]])
    totals = [sum((1, 1, -3)[i] for i in draw) for draw in product(range(3), repeat=3)]
    win = np.mean([(t > 0) + (t == 0) / 2 for t in totals])
    result = rank_stability(table, mean, resamples=40_000)
    assert result.win_fractions[0, 1] == pytest.approx(win, abs=0.01)
    assert result.win_fractions + result.win_fractions.T == pytest.approx(np.ones((2, 2)))
    assert result.rank_fractions[0] == pytest.approx([win, 1 - win], abs=0.01)
    turned = rank_stability(table, mean, larger_is_better=False, resamples=40_000)
    assert turned.win_fractions == pytest.approx(result.win_fractions.T)


def test_a_system_that_wins_every_task_is_always_first():
    result = rank_stability(np.stack([SCORES, 0.1 * SCORES, SCORES + 20]), mean, resamples=500)
    assert result.rank_fractions.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_systems_that_tie_share_the_best_rank():
    result = rank_stability(np.stack([SCORES[:, :1]] * 2), mean, resamples=50)
    assert result.rank_fractions.tolist() == [[1, 0], [1, 0]]
    assert result.win_fractions.tolist() == [[0.5, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stratified_bootstrap([1, 2], mean), r"shape \(..., tasks, runs\), got \(2,\)"),
        (lambda: stratified_bootstrap([[]], mean), r"shape \(..., tasks, runs\), got \(1, 0\)"),
        (
            lambda: stratified_bootstrap([[1], [2]], mean, tasks=False),
            "tasks must be True where scores have one run",
        ),
        (lambda: stratified_bootstrap(SCORES, np.mean), "statistic must reduce the last two"),
        (lambda: rank_stability(SCORES, mean), r"shape \(systems, tasks, runs\), got \(30, 5\)"),
        (lambda: rank_stability([SCORES], mean), r"systems, tasks, runs\), got \(1, 30, 5\)"),
    ],
)
def test_scores_that_leave_nothing_to_resample_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_expected_maximum_has_its_known_values() -> None:
    """1/sqrt(pi) for two, 3/(2 sqrt(pi)) for three; the 8th from tables of order statistics."""
    assert_allclose(
        [expected_maximum(n) for n in (1, 2, 3, 8)],
        [0, np.pi**-0.5, 1.5 * np.pi**-0.5, 1.42360],
        atol=1e-5,
    )


@pytest.mark.parametrize(("count", "spread", "noise"), [(8, 0.3, 0.4), (40, 1.0, 0.1), (3, 0, 2)])
def test_winner_is_that_of_simulated_contests(count: int, spread: float, noise: float) -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(5, spread, (40_000, count))
    measured = true + rng.normal(0, noise, true.shape)
    row = np.arange(len(true)), measured.argmax(axis=1)
    winner = winners_curse(count, spread, noise, mean=5.0)
    error = 4 * max(measured[row].std(), true[row].std()) / np.sqrt(len(true)) + 1e-12
    assert_allclose(winner.measured, measured[row].mean(), atol=error)
    assert_allclose(winner.true, true[row].mean(), atol=error)


@given(st.integers(1, 50), st.floats(0, 3), st.floats(0, 3))
def test_curse_grows_with_candidates_and_is_never_a_gift(n: int, tau: float, s: float) -> None:
    one, more = winners_curse(n, tau, s), winners_curse(n + 1, tau, s)
    assert -1e-9 <= one.curse <= more.curse + 1e-9
    assert one.true <= more.true + 1e-9
    assert winners_curse(n, tau, 0.0).curse == pytest.approx(0, abs=1e-9)


def test_reliability_is_the_correlation_of_two_measurements() -> None:
    rng = np.random.default_rng(5)
    true = rng.normal(0, 1.0, 20_000)
    first, second = true + rng.normal(0, 1.5, (2, true.size))
    fraction = reliability(first, second)
    assert_allclose(fraction, 1 / (1 + 1.5**2), atol=0.02)
    assert_allclose(fraction, stats.pearsonr(first, second).statistic)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reliability([1, 2], [1, 2, 3]), "second must have as many values"),
        (lambda: reliability([1, 1], [1, 2]), "first and second must vary"),
    ],
)
def test_measurements_without_a_reliability_are_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]


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
    assert_allclose(law.probability_above(bound), np.mean(ratios >= bound), atol=0.02)
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
        [twins.probability_above(1.1), twins.mean_of_clamped()], [passed, clamped], atol=5e-4
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
        assert law.probability_above(1.1) == float(speedup >= 1.1)
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
    assert TimingRatio(noise, repeats=repeats).probability_above(threshold) <= chance * (1 + 1e-6)
    if repeats > 1:
        assert TimingRatio(noise, repeats=repeats - 1).probability_above(threshold) > chance * (
            1 - 1e-6
        )


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
        "passed": np.mean([report.passed.covers(law.probability_above(1.1)) for report in reports]),
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
