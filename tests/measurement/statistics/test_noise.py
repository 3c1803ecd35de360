"""Noise, trends and comparisons of runs: planted disturbances are found, and only these."""

from itertools import combinations
from math import comb, inf
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from scipy.signal import lfilter

from perfmodel.measurement.load import Load, Snapshot, between, snapshot
from perfmodel.measurement.simulated import SimulatedMachine
from perfmodel.measurement.statistics import noise, stored_comparison
from perfmodel.measurement.statistics.comparison import compare, planned
from perfmodel.measurement.statistics.hypothesis_tests import samples_needed
from perfmodel.measurement.statistics.stored_comparison import (
    compare_samples,
    ratio_of_means_interval,
)
from perfmodel.measurement.statistics.trend import (
    effective_sample_size,
    theil_sen_slope,
    trend_p_value,
)
from perfmodel.measurement.timing import repeat


def clean(count=150, seed=1, log_deviation=0.05):
    return np.random.default_rng(seed).lognormal(0, log_deviation, count)


@pytest.mark.parametrize("find", [noise.drift, noise.dependence, noise.bimodality])
def test_clean_samples_are_left_in_peace(find):
    labels = [find(clean(seed=seed)).label for seed in range(8)]
    assert labels.count("ok") == 8


def test_drift_is_found_and_sized():
    samples = clean() * np.linspace(1, 1.2, 150)
    result = noise.drift(samples)
    assert result.label == "problem"
    assert 0.13 < float(result.evidence.split("%")[0]) / 100 < 0.23
    assert "A B B A" in result.advice
    assert noise.drift(samples[::-1]).evidence.startswith("-")


def shares(label, sample, seeds=100):
    return sum(noise.drift(sample(seed)).label == label for seed in range(seeds)) / seeds


def taken(seed, count=200, **kind):
    """Times of jobs of a tenth of a second, one after the other on a simulated machine."""
    machine = SimulatedMachine(seed=seed, **kind)
    job, ends = machine.job(0.1), [0.0]
    for _ in range(count):
        job()
        ends.append(machine.seconds)
    return np.diff(ends)


def alike(seed, likeness=0.8, count=200):
    """Samples each of which resembles the one before, without a trend."""
    steps = np.random.default_rng(seed).standard_normal(count)
    steps[1:] *= np.sqrt(1 - likeness**2)
    return np.exp(0.03 * lfilter([1], [1, -likeness], steps))


UNDRIFTING = {
    "steady": lambda seed: taken(seed, log_deviation=0.03),
    "switching": lambda seed: taken(seed, log_deviation=0.03, step=0.3, dwell=2.0),
    "switching slowly": lambda seed: taken(seed, log_deviation=0.02, step=0.2, dwell=4.0),
    "autocorrelated": alike,
}


@pytest.mark.parametrize("name", UNDRIFTING)
def test_dependent_samples_are_not_taken_for_a_drift(name, monkeypatch):
    assert shares("problem", UNDRIFTING[name]) <= 0.02
    monkeypatch.setattr(noise, "P_LIMIT", 0.05)
    assert shares("problem", UNDRIFTING[name]) <= 0.12


def test_a_trend_that_may_be_dependence_is_left_open():
    result = [noise.drift(UNDRIFTING["switching slowly"](seed)) for seed in range(20)]
    open_ = [item for item in result if item.label == "unknown"]
    assert len(open_) > 4
    assert "independent samples" in open_[0].evidence
    assert "measure for longer" in open_[0].advice


def test_drifts_are_found_in_dependent_samples_and_where_they_end():
    warming = 1 - 0.2 * np.exp(-np.arange(200) / 40)
    assert shares("problem", lambda seed: taken(seed, log_deviation=0.03, drift=0.01)) == 1
    assert shares("problem", lambda seed: alike(seed, 0.5) * np.linspace(1, 1.15, 200)) > 0.95
    assert shares("problem", lambda seed: clean(200, seed, 0.03) * warming) > 0.95


def test_samples_that_are_all_alike_show_no_drift():
    assert noise.drift(np.ones(50)).label == "unknown"
    assert noise.drift(np.linspace(1, 2, 50)).label == "problem"


def test_many_samples_give_the_same_slope():
    samples = clean(5000) * np.linspace(1, 1.2, 5000)
    assert 15 < float(noise.drift(samples).evidence.split(" %")[0]) < 21


def test_a_slow_state_that_lasts_makes_samples_alike():
    machine = SimulatedMachine(log_deviation=0.05, step=0.3, dwell=20, seed=2)
    samples = repeat(machine.job(1.0), 200, clock=machine.clock).samples
    assert noise.dependence(samples).label == "problem"
    assert noise.bimodality(samples).label == "problem"
    assert "fresh processes" in noise.dependence(samples).advice


def test_two_modes_are_found_and_a_long_tail_is_not_taken_for_one():
    mixed = np.concatenate([clean(100), 1.5 * clean(50, seed=2)])
    result = noise.bimodality(mixed)
    assert result.label == "problem"
    assert result.evidence.startswith("33 % of the samples in a second mode, 5")
    tail = 1 + np.random.default_rng(3).exponential(0.3, 300)
    assert noise.bimodality(tail).label == "ok"


def test_outliers_are_counted_and_weighed():
    samples = clean(100)
    assert noise.outliers(samples).label == "ok"
    samples[[10, 60]] = 2.5, 2.5
    assert noise.outliers(samples).label == "notice"
    assert noise.outliers(samples).evidence.startswith("2.0 %")
    samples[10] = 30
    assert noise.outliers(samples).label == "problem"


def test_too_few_samples_are_said_to_be_too_few():
    for find in (noise.drift, noise.dependence, noise.bimodality):
        assert find(clean(10)).label == "unknown"
    assert noise.bimodality(np.ones(50)).label == "unknown"


def test_load_beside():
    busy = Load(average=5.0, cores=2, preemptions=500, stolen=0.1, frequency_change=0.3)
    labels = {item.name: item.label for item in noise.other_load(busy, 2.0)}
    assert labels == {
        "preemption": "problem",
        "load": "problem",
        "stolen time": "problem",
        "frequency": "notice",
    }
    idle = Load(average=0.2, cores=2, preemptions=1, stolen=0.0, frequency_change=0.0)
    assert {item.label for item in noise.other_load(idle, 2.0)} == {"ok"}
    hidden = Load(average=None, cores=2, preemptions=0, stolen=None, frequency_change=None)
    assert [item.label for item in noise.other_load(hidden, 2.0)] == ["ok"] + ["unknown"] * 3


def test_a_diagnosis_holds_all_findings():
    machine = SimulatedMachine(log_deviation=0.1)
    result = noise.diagnose(repeat(machine.job(0.01), 60, clock=machine.clock))
    assert len(list(result)) == 9
    assert result["clock"].label == "ok"
    assert str(result).count("\n") == 8
    assert "<table>" in result._repr_html_()
    bad = noise.Diagnosis((noise.clock(1e-7, 1e-7),))
    assert not bad.clean
    with pytest.raises(StopIteration):
        bad["drift"]


def test_counters_of_the_system_are_read_from_files(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu  10 0 20 60 0 0 0 10 5 0\ncpu0 1\n")
    folder = tmp_path / "sys/devices/system/cpu/cpu0/cpufreq"
    folder.mkdir(parents=True)
    (folder / "scaling_cur_freq").write_text("2000000\n")
    before = snapshot(tmp_path)
    assert (before.stolen, before.ticks, before.frequencies) == (10, 100, (2e9,))
    (tmp_path / "proc/stat").write_text("cpu  30 0 60 180 0 0 0 30 15 0\n")
    (folder / "scaling_cur_freq").write_text("1500000\n")
    result = between(before, snapshot(tmp_path))
    assert result.stolen == pytest.approx(0.1)
    assert result.frequency_change == pytest.approx(0.25)


def test_a_system_that_shows_nothing(tmp_path):
    shown = snapshot(tmp_path)
    assert (shown.stolen, shown.ticks, shown.frequencies) == (None, None, ())
    nothing = between(shown, Snapshot(None, 0, None, None, ()))
    assert nothing.stolen is None
    assert nothing.frequency_change is None


def noise_of_trend(count, memory=0.0, seed=1):
    """Return normal noise_of_trend, each value keeping a share of the one before."""
    fresh = np.random.default_rng(seed).standard_normal(count)
    values = [fresh[0]]
    for item in fresh[1:]:
        values.append(memory * values[-1] + np.sqrt(1 - memory**2) * item)
    return np.array(values)


@given(st.floats(-1, 1), st.sampled_from([50, 5000]))
def test_the_slope_of_a_line_is_found_from_pairs_and_from_blocks(slope, count):
    assert theil_sen_slope(3 + slope * np.arange(count)) == pytest.approx(slope, abs=1e-9)


def test_independent_samples_are_worth_their_number_and_dependent_ones_less():
    assert effective_sample_size(noise_of_trend(400), 0.0) > 300
    # With a memory a, n samples are worth n (1 - a) / (1 + a).
    worth = np.mean(
        [effective_sample_size(noise_of_trend(400, 0.8, seed), 0.0) for seed in range(20)]
    )
    assert worth == pytest.approx(400 * 0.2 / 1.8, rel=0.5)


def test_a_straight_drift_takes_nothing_from_the_worth():
    drifting = noise_of_trend(400) + 0.1 * np.arange(400)
    assert effective_sample_size(drifting, 0.1) > 300


def test_the_p_value_is_near_that_of_kendalls_test():
    times = noise_of_trend(200) + 0.002 * np.arange(200)
    test = stats.kendalltau(np.arange(200), times)
    assert trend_p_value(test.statistic, 200) == pytest.approx(test.pvalue, rel=0.1)


@given(st.floats(0.05, 0.9), st.floats(5, 500))
def test_fewer_samples_are_less_sure_of_a_trend(kendall, worth):
    assert trend_p_value(kendall, worth) > trend_p_value(kendall, 1.5 * worth)
    assert trend_p_value(-kendall, worth) == trend_p_value(kendall, worth)


def on(machine, slowdown, **more):
    return compare(
        machine.job(1.0),
        machine.job(1.0 + slowdown),
        clock=machine.clock,
        **{"detect": 0.1, "max_seconds": 1000, **more},
    )


def test_drift_within_a_block_cancels():
    result = on(SimulatedMachine(log_deviation=0.0, drift=0.01), 0.0)
    relative = result.times[0].ravel() / result.times[0, 0, 0]
    assert relative == pytest.approx([1.0, 1.03, 1.01, 1.02], abs=2e-3)
    assert result.ratios[0] == pytest.approx(1 / result.ratios[1], abs=1e-3)
    assert result.ratios[0] > 1.005
    assert result.ratio == pytest.approx(1, abs=1e-3)


def test_a_known_ratio_is_found_without_noise():
    result = on(SimulatedMachine(log_deviation=0.0), 0.25)
    assert result.ratio == pytest.approx(1.25)
    assert result.conclusion == "slower"
    assert result.complete
    assert len(result.times) == 20


def test_faster_slower_and_cannot_tell():
    assert on(SimulatedMachine(0.05), -0.2).conclusion == "faster"
    assert on(SimulatedMachine(0.05), 0.2).conclusion == "slower"
    assert on(SimulatedMachine(0.2, seed=3), 0.0).conclusion == "can't tell"


def test_false_alarms_are_as_rare_as_stated():
    alarms = sum(
        on(SimulatedMachine(0.2, drift=1e-3, step=0.3, seed=seed), 0.0, detect=0.2).conclusion
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
        alarms += result.conclusion != "can't tell"
    assert alarms <= 3


def test_a_difference_is_found_as_often_as_planned():
    result = sum(
        on(SimulatedMachine(0.2, seed=seed), 0.2, detect=0.2).conclusion == "slower"
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
    machine = SimulatedMachine(log_deviation=0.02)
    rng = np.random.default_rng(4)

    def paused(job, pause):
        def work():
            job()
            if rng.random() < 1 / 3:
                pause()

        return work

    old, new = (paused(machine.job(s), machine.job(3.0)) for s in (1.0, 1.1))
    comparison = compare(old, new, clock=machine.clock, max_seconds=2000)
    assert comparison.conclusion == "slower"
    assert comparison.ratio == pytest.approx(1.1, abs=0.02)


def test_time_is_up_and_that_is_said():
    result = on(SimulatedMachine(0.3), 0.0, max_seconds=30)
    assert len(result.times) == 8
    assert not result.complete
    assert "fewer than planned" in str(result)
    assert "fewer than planned" in result._repr_html_()


def test_equivalence_is_not_the_absence_of_a_difference():
    vague = on(SimulatedMachine(0.3), 0.0, max_seconds=40)
    assert vague.conclusion == "can't tell"
    assert not vague.equivalent(0.05)
    sharp = on(SimulatedMachine(0.01), 0.001, detect=0.01)
    assert sharp.equivalent(0.05)
    assert not on(SimulatedMachine(0.01), 0.2).equivalent(0.05)


def test_the_bootstrap_agrees_with_the_signed_rank_interval():
    result = on(SimulatedMachine(0.1), 0.1, detect=0.03)
    assert result.bootstrap == pytest.approx(result.interval, abs=0.02)


SIZES = st.integers(1, 9)


def test_a_few_pauses_do_not_move_the_ratio():
    rng = np.random.default_rng(5)
    old, new = 0.1 * np.exp(0.01 * rng.standard_normal((2, 40)))
    new *= 0.98
    new[::20] = 0.2
    result = compare_samples(old, new)
    assert result.ratio == pytest.approx(0.98, abs=0.01)
    assert result.interval[1] < 1
    assert result.mean_interval[0] < 1 < result.mean_interval[1]
    assert result.p_ranks < 1e-4 < 0.05 < result.p_means


@given(SIZES, SIZES)
def test_the_rank_distribution_is_that_of_all_orders(first, second):
    counts = np.zeros(first * second + 1)
    for indices in combinations(range(first + second), first):
        counts[sum(indices) - first * (first - 1) // 2] += 1
    result = stored_comparison._rank_distribution(first, second)
    assert result == pytest.approx(counts / comb(first + second, first), abs=1e-12)


def test_ranked_differences_of_many_pairs_are_those_of_few(monkeypatch):
    rng = np.random.default_rng(1)
    a, b = np.sort(rng.standard_normal(80)), np.sort(rng.standard_normal(50))
    expected = np.sort((b[:, None] - a).ravel())
    monkeypatch.setattr(stored_comparison, "_FEW_PAIRS", 1)
    result = [stored_comparison._ordered_difference(a, b, rank) for rank in (0, 17, 2000, 3999)]
    assert result == pytest.approx(expected[[0, 17, 2000, 3999]], abs=1e-9)


def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(200):
        x, y = rng.lognormal(size=8), 2 * rng.lognormal(size=11)
        logs = np.sort(np.log(x)), np.sort(np.log(y))
        cut = stored_comparison._cut(8, 11, 0.025, 1.0)
        low, high = (stored_comparison._ordered_difference(*logs, k) for k in (cut, 87 - cut))
        hits += low < np.log(2) < high
    assert stats.binom.cdf(hits, 200, 0.95) > 0.001


def test_dependent_samples_count_as_fewer():
    rng = np.random.default_rng(3)
    steps = np.repeat(rng.standard_normal(30), 8)
    a = np.exp(0.05 * steps + 0.001 * rng.standard_normal(240))
    b = np.exp(0.05 * np.roll(steps, 40) + 0.001 * rng.standard_normal(240))
    result = compare_samples(a, b)
    assert max(result.effective_sizes) < 100
    shuffled = compare_samples(rng.permutation(a), rng.permutation(b))
    width, narrow = (np.log(item.interval[1] / item.interval[0]) for item in (result, shuffled))
    assert width > 1.5 * narrow


@pytest.mark.parametrize("ratio", [0.97, 1.0, 1.05])
def test_dependence_divides_the_score_of_the_rank_test_by_the_root_of_its_growth(ratio):
    a, b = alike(1, 0.9), ratio * alike(2, 0.9, count=150)
    result = compare_samples(a, b)
    growth = max(200 / result.effective_sizes[0], 150 / result.effective_sizes[1])
    assert growth > 2
    plain = stats.mannwhitneyu(b, a, method="asymptotic", use_continuity=False).pvalue
    score = stats.norm.isf(plain / 2) / np.sqrt(growth)
    assert result.p_ranks == pytest.approx(2 * stats.norm.sf(score), rel=1e-9)
    has_one = result.interval[0] < 1 < result.interval[1]
    assert has_one == (result.p_ranks > 0.05)


def test_too_few_samples_have_no_interval_by_ranks():
    assert compare_samples([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).interval == (0.0, inf)
    assert compare_samples([1.0, 2, 3, 4], [5.0, 6, 7, 8]).interval[0] > 1


def test_runs_that_never_vary_agree_or_not():
    assert compare_samples([1.0, 1.0], [1.0, 1.0]).p_means == 1.0
    assert compare_samples([1.0, 1.0], [2.0, 2.0]).p_means == 0.0


@given(st.floats(0.01, 100), st.floats(0, 10), st.integers(2, 100))
def test_an_interval_of_means_is_above_0_and_holds_the_ratio(mean, spread, count):
    low, high = ratio_of_means_interval((1.0, 0.1, 5), (mean, spread, count))
    assert 0 < low <= mean * (1 + 1e-9)
    assert high >= mean * (1 - 1e-9)


def test_means_are_compared_by_deviations_of_n_minus_one():
    a, b = [1.0, 1.2, 1.1, 0.9], [0.8, 0.9, 1.0, 0.7]
    summaries = [(mean(z), stdev(z), len(z)) for z in (a, b)]
    result = compare_samples(a, b)
    assert result.mean_interval == pytest.approx(ratio_of_means_interval(*summaries))
