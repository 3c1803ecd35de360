"""The table of bugs, and the comparisons that the lab draws from it, worked out beforehand."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from perfmodel.benchmarking import mcnemar, proportion_interval
from perfmodel.labs.benchmarking.kgym.bugs import RUNS, bugs_table, solved, solved_by_sample
from perfmodel.labs.benchmarking.kgym.evaluator import (
    judge,
    pass_probability,
    patch_sieve,
    predictive_value,
)
from perfmodel.labs.benchmarking.kgym.farm import Farm, farm_trace, schedule
from perfmodel.labs.benchmarking.kgym.race import race_probability, run_race
from perfmodel.queueing import qna, simulate

GPT, GEMINI = "GPT-4 Turbo, assisted, 10 samples", "Gemini 1.5 Pro, assisted, 10 samples"
UNASSISTED = "GPT-4 Turbo, unassisted"


def test_sizes_of_the_fixes() -> None:
    table = bugs_table()
    assert (table["lines"] == table["added"] + table["removed"]).all()
    assert_allclose(table["lines"].mean(), 14.27, atol=5e-3)
    assert table["lines"].median() == 7
    assert_allclose((table["files"] == 1).mean(), 0.842, atol=5e-4)


def test_size_of_the_fix_does_not_foretell_who_is_solved() -> None:
    lines, won = bugs_table()["lines"].to_numpy(), np.any([solved(run) for run in RUNS], axis=0)
    test = stats.mannwhitneyu(lines[won], lines[~won])
    assert_allclose(test.pvalue, 0.77, atol=5e-3)


def test_pairs_are_those_counted_by_hand() -> None:
    pair = mcnemar(solved(GPT), solved(GEMINI))
    assert (pair.both, pair.only_first, pair.only_second) == (3, 12, 7)
    assert_allclose(pair.p_value, 0.359, atol=5e-4)
    unpaired = stats.fisher_exact([[15, 264], [10, 269]]).pvalue
    assert_allclose(unpaired, 0.414, atol=5e-4)
    assert mcnemar(solved(GPT), solved(UNASSISTED)).both == 0


def test_all_runs_together_solve_twice_what_the_best_does() -> None:
    assert np.any([solved(run) for run in RUNS], axis=0).sum() == 31


def test_wilson_s_ends() -> None:
    low, high = proportion_interval([15, 10, 2], 279)
    assert_allclose(low, [0.0328, 0.0196, 0.0020], atol=5e-5)
    assert_allclose(high, [0.0868, 0.0647, 0.0258], atol=5e-5)


def test_solved_by_sample_ends_at_the_count() -> None:
    for run in (GPT, GEMINI, UNASSISTED):
        by_sample = solved_by_sample(run)
        assert by_sample[-1] == solved(run).sum()
        assert (np.diff(by_sample) >= 0).all()


def test_a_run_of_one_sample_has_no_curve() -> None:
    with pytest.raises(ValueError, match="run must have drawn several samples"):
        solved_by_sample("GPT-4 Turbo, assisted, 1 sample")


# The judge's rule, against the rule run step by step and against values worked out by hand.

shares = st.floats(0, 0.95)


def test_values_worked_out_by_hand() -> None:
    assert_allclose(pass_probability([0.1, 0.3, 0.5, 0.8]), [0.729, 0.343, 0.125, 0.008])
    assert_allclose(predictive_value(0.01, 0.3), 0.01 / (0.01 + 0.99 * 0.343))
    assert_allclose(pass_probability(0.0, [0.1, 0.4]), [0.99144, 0.68256])


@given(st.floats(0, 1))
def test_a_true_fix_passes_with_three_good_runs_of_five(outage: float) -> None:
    direct = sum(comb(5, j) * (1 - outage) ** j * outage ** (5 - j) for j in (3, 4, 5))
    assert_allclose(pass_probability(0.0, outage), direct, atol=1e-12)


@settings(max_examples=15)
@given(shares, shares, st.integers(1, 5), st.integers(0, 4))
def test_chance_is_that_of_the_rule_run_by_run(
    crash: float, outage: float, clean: int, spare: int
) -> None:
    rng = np.random.default_rng(3)
    passed = judge(np.full(20_000, crash), outage, rng, clean, clean + spare)
    assert_allclose(
        pass_probability(crash, outage, clean, clean + spare), passed.mean(), atol=0.015
    )


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.integers(1, 20))
def test_a_pass_is_worth_more_with_more_runs_and_a_higher_prior(
    prior: float, crash: float, clean: int
) -> None:
    value = predictive_value(prior, crash, clean=clean)
    assert prior <= value + 1e-12
    assert value <= predictive_value(prior, crash, clean=clean + 1) + 1e-12
    assert value <= predictive_value((1 + prior) / 2, crash, clean=clean) + 1e-12
    assert value <= 1


def test_predictive_value_is_the_share_of_fixes_among_what_the_judge_passed() -> None:
    rng = np.random.default_rng(8)
    fix = rng.random(200_000) < 0.05
    passed = judge(np.where(fix, 0.0, 0.4), 0.1, rng)
    assert_allclose(predictive_value(0.05, 0.4, 0.1), fix[passed].mean(), atol=0.006)


# The farm: its bounds hold for every schedule, and queueing's own models agree with each other.

times = st.floats(0.5, 20)
machines = st.integers(1, 6)


def test_bounds_worked_out_by_hand() -> None:
    assert Farm(12, 16, 8, 8).least_makespan(2790) == 2802
    assert Farm(12, 16, 8, 12).least_makespan(2790) == 2100.5
    assert Farm(12, 16, 8, 8).bottleneck == "boot"
    assert Farm(12, 16, 8, 12).bottleneck == "build"


@given(st.integers(1, 60), times, machines, times, machines)
def test_no_schedule_beats_the_bound_and_ours_comes_near(
    jobs: int, build: float, builders: int, boot: float, boots: int
) -> None:
    farm = Farm(build, builders, boot, boots)
    _, booted = schedule(np.full(jobs, build), np.full(jobs, boot), builders, boots)
    assert farm.least_makespan(jobs) - 1e-9 <= booted.max()
    assert booted.max() <= farm.least_makespan(jobs) + build + boot
    assert jobs / booted.max() <= farm.capacity


@given(st.lists(st.tuples(times, times), min_size=1, max_size=20), machines, machines)
def test_no_machine_serves_two_patches_at_once(
    pairs: list[tuple[float, float]], builders: int, boots: int
) -> None:
    builds, takes = np.array(pairs).T
    built, booted = schedule(builds, takes, builders, boots)
    for ends, lengths, servers in ((built, builds, builders), (booted, takes, boots)):
        starts = ends - lengths
        busy = [(starts <= at + 1e-9) & (at + 1e-9 < ends) for at in starts]
        assert max(int(now.sum()) for now in busy) <= servers
    assert (booted - takes >= built - 1e-9).all()


def test_open_farm_by_two_moments_is_that_of_the_simulation() -> None:
    farm = Farm(720, 16, 480, 12)
    network = farm.network(0.8 * farm.capacity)
    run = simulate(network, customers=30_000, seed=3, progress=False)
    assert_allclose(qna(network).response_time, run.response_time.value, rtol=0.04)


def test_drawings_say_what_the_models_compute() -> None:
    assert farm_trace(3, 3).values["last one done (min)"] == 44
    assert farm_trace(1, 1).values["last one done (min)"] == 8 * 12 + 8
    scenes = [farm_trace(b, m) for b in (1, 2, 3) for m in (1, 2, 3)]
    scenes += [patch_sieve(runs, crash) for runs in range(9) for crash in (0.1, 0.3, 0.5, 0.8)]
    assert [scene.faults() for scene in scenes if scene.faults()] == []
    assert patch_sieve(0, 0.3, 0.05).values["true among those left (%)"] == pytest.approx(5)
    assert patch_sieve(8, 1.0).values["patches left"] == pytest.approx(10)


def test_each_patch_is_built_and_booted():
    with pytest.raises(ValueError, match="boots must have as many jobs"):
        schedule([1.0], [1.0, 2.0], 1, 1)


# The race: its chance against drawn instants, and real threads where the end is certain.


@given(st.floats(0, 2))
def test_chance_is_that_of_two_drawn_instants(window: float) -> None:
    first, second = np.random.default_rng(1).uniform(0, 1, (2, 20_000))
    assert_allclose(
        race_probability(window, 1.0), np.mean(abs(first - second) < window), atol=0.015
    )


def test_without_a_window_nothing_is_lost_by_the_model() -> None:
    assert race_probability(0.0, 1.0) == 0
    assert race_probability(3.0, 1.0) == 1


def test_a_window_far_longer_than_the_spread_always_loses_and_a_lock_never() -> None:
    rng = np.random.default_rng(2)
    lost = run_race(2, window=0.2, interval=1e-4, rng=rng)
    assert lost.failed.all()
    assert (lost.windows >= 0.2).all()
    assert not run_race(2, window=0.02, interval=1e-4, rng=rng, locked=True).failed.any()
