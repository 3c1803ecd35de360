"""The stratified bootstrap: against every resample there is, theory, and scipy's own bootstrap."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from perfmodel.benchmarking import geometric_mean, rank_stability, stratified_bootstrap

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
    assert result.wins[0, 1] == pytest.approx(win, abs=0.01)
    assert result.wins + result.wins.T == pytest.approx(np.ones((2, 2)))
    assert result.shares[0] == pytest.approx([win, 1 - win], abs=0.01)
    turned = rank_stability(table, mean, larger_is_better=False, resamples=40_000)
    assert turned.wins == pytest.approx(result.wins.T)


def test_a_system_that_wins_every_task_is_always_first():
    result = rank_stability(np.stack([SCORES, 0.1 * SCORES, SCORES + 20]), mean, resamples=500)
    assert result.shares.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_systems_that_tie_share_the_best_rank():
    result = rank_stability(np.stack([SCORES[:, :1]] * 2), mean, resamples=50)
    assert result.shares.tolist() == [[1, 0], [1, 0]]
    assert result.wins.tolist() == [[0.5, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stratified_bootstrap([1, 2], mean), r"shape \(..., tasks, runs\), got \(2,\)"),
        (lambda: stratified_bootstrap([[]], mean), r"shape \(..., tasks, runs\), got \(1, 0\)"),
        (
            lambda: stratified_bootstrap([[1], [2]], mean, tasks=False),
            "tasks must be True where scores have one run",
        ),
        (lambda: stratified_bootstrap([[1, np.nan]], mean), "scores must be finite"),
        (lambda: stratified_bootstrap(SCORES, np.mean), "statistic must reduce the last two"),
        (lambda: rank_stability(SCORES, mean), r"shape \(systems, tasks, runs\), got \(30, 5\)"),
        (lambda: rank_stability([SCORES], mean), r"systems, tasks, runs\), got \(1, 30, 5\)"),
    ],
)
def test_scores_that_leave_nothing_to_resample_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
