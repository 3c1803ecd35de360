"""The published table, and what was worked out of it apart from this project."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from perfmodel.benchmarking import (
    arithmetic_mean,
    geometric_mean,
    harmonic_mean,
    harmonic_weights,
    rank_stability,
    stratified_bootstrap,
    total_time_ratio,
)
from perfmodel.labs.benchmarking.swe_fficiency import trials
from perfmodel.labs.benchmarking.swe_fficiency.claims import by_class
from perfmodel.labs.benchmarking.swe_fficiency.results import (
    EXPERT,
    FAILED,
    FASTER,
    OPENHANDS,
    SLOWER,
    SWE_AGENT,
    expert_speedups,
    leaderboard_ratios,
    outcomes,
    speedup_ratios,
    tasks_table,
)
from perfmodel.labs.benchmarking.swe_fficiency.scores import (
    RULES,
    clamped_score,
    slowness_bars,
    trimmed_ratios,
)
from perfmodel.labs.benchmarking.swe_fficiency.trials import (
    REPOSITORY,
    Trial,
    busy_processes,
    lone_speedups,
    repository_score,
    timed_pair,
)

CLAUDE = speedup_ratios("oh_claude37")


def test_the_table_is_whole():
    table = tasks_table()
    assert table.index.is_unique
    assert not table.isna().any().any()
    assert table["repo"].value_counts().to_dict() == {
        "pandas": 279,
        "scipy": 45,
        "sympy": 39,
        "astropy": 35,
        "scikit-learn": 27,
        "numpy": 23,
        "matplotlib": 20,
        "dask": 19,
        "xarray": 11,
    }


@pytest.mark.parametrize("run", [*OPENHANDS.values(), *SWE_AGENT.values()])
def test_a_ratio_is_the_agents_speedup_over_the_experts(run):
    speedup = tasks_table()[f"{run}_speedup"].to_numpy()
    assert speedup_ratios(run) == pytest.approx(speedup / expert_speedups(), rel=2e-4)
    failed = tasks_table()[f"{run}_correct"] < 1
    assert (speedup[failed] == 1).all()
    assert sum(outcomes(run).values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("harmonic mean", [0.00986, 0.00563, 0.00169, 0.00157]),
        ("harmonic, clamp 0.001", [0.0287, 0.0209, 0.0206, 0.0231]),
        ("geometric mean", [0.452, 0.294, 0.287, 0.330]),
        ("median", [0.595, 0.486, 0.463, 0.509]),
        ("arithmetic mean", [339, 190, 351, 182]),
        ("share at parity", [0.211, 0.137, 0.112, 0.179]),
    ],
)
def test_four_agents_under_six_rules(rule, expected):
    assert RULES[rule](leaderboard_ratios()) == pytest.approx(expected, rel=0.01)


def test_the_other_harness():
    scores = [float(harmonic_mean(speedup_ratios(run))) for run in SWE_AGENT.values()]
    assert scores == pytest.approx([0.0073, 0.0032, 0.0014], rel=0.03)


def test_how_claudes_patches_ended():
    assert outcomes("oh_claude37") == pytest.approx(
        {FAILED: 0.363, SLOWER: 0.131, FASTER: 0.295, EXPERT: 0.211}, abs=6e-4
    )


def test_experts_spread_over_five_decades():
    found = np.quantile(expert_speedups(), [0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1])
    assert found == pytest.approx(
        [1.0125, 1.122, 1.612, 2.848, 12.70, 98.99, 688.8, 13_773, 228_883], rel=1e-3
    )
    means = [float(mean(expert_speedups())) for mean in (harmonic_mean, geometric_mean)]
    assert means == pytest.approx([2.650, 6.497], rel=1e-3)


def test_an_agent_that_changes_nothing_scores_one_over_the_experts_mean():
    nothing = 1 / expert_speedups()
    assert harmonic_mean(nothing) == pytest.approx(1 / arithmetic_mean(expert_speedups()))
    assert harmonic_mean(nothing) == pytest.approx(0.001056, rel=1e-3)


def test_ten_tasks_hold_most_of_claudes_score():
    largest = np.sort(harmonic_weights(CLAUDE))[::-1].cumsum()
    assert largest[[0, 1, 2, 3, 9]] == pytest.approx([0.309, 0.448, 0.529, 0.597, 0.854], abs=1e-3)


@pytest.mark.parametrize(
    ("dropped", "score"),
    [(0, 0.0099), (1, 0.0142), (2, 0.0178), (5, 0.0283), (10, 0.0662), (50, 0.323)],
)
def test_dropping_the_worst_lifts_the_score(dropped, score):
    assert harmonic_mean(trimmed_ratios(CLAUDE, 0, dropped)) == pytest.approx(score, rel=0.01)


def test_intervals_over_tasks():
    ratios = leaderboard_ratios()[..., None]
    found = stratified_bootstrap(ratios, lambda x: harmonic_mean(x[..., 0]), resamples=4000)
    low, high = found.interval()
    assert (low[0], high[0]) == pytest.approx((0.0054, 0.0245), rel=0.1)
    assert (low[3], high[3]) == pytest.approx((0.0006, 0.0120), rel=0.15)
    middle = stratified_bootstrap(ratios[0], lambda x: geometric_mean(x[..., 0]), resamples=4000)
    assert middle.interval() == pytest.approx((0.368, 0.560), rel=0.03)


def test_the_first_place_is_surer_under_the_geometric_mean():
    ratios = leaderboard_ratios()[..., None]
    first = [
        rank_stability(ratios, lambda x, m=mean: m(x[..., 0]), resamples=1000).rank_fractions[0, 0]
        for mean in (harmonic_mean, geometric_mean)
    ]
    assert first[0] < 0.9 < first[1]


def test_times_of_workloads_weigh_the_long_tasks():
    before = tasks_table()["t_pre_s"].to_numpy()
    after = before / tasks_table()["oh_claude37_speedup"].to_numpy()
    assert total_time_ratio(before, after) == pytest.approx(1.137, rel=1e-3)
    assert total_time_ratio(before, before / expert_speedups()) == pytest.approx(2.865, rel=1e-3)


def test_nine_equal_repositories_are_kinder_than_498_equal_tasks():
    groups = tasks_table()["repo"].to_numpy()
    sizes = np.array([(groups == name).sum() for name in groups])
    assert geometric_mean(CLAUDE, 1 / sizes) == pytest.approx(0.612, rel=1e-2)


def test_classes_by_ratio():
    assert by_class("oh_claude37", "t_pre_s") == pytest.approx(
        [0.405, 0.113, 0.061, 0.087], rel=0.01
    )


def test_a_clamp_by_hand():
    ratios = [0.2] * 497 + [0.0005]
    assert [clamped_score(ratios, c).round(4) for c in (0, 0.001, 0.01)] == [0.111, 0.1429, 0.1926]


def test_too_many_tasks_to_drop_are_refused():
    with pytest.raises(ValueError, match="dropped must be below the 2 tasks, got 2"):
        trimmed_ratios([1.0, 2.0], 0, 2)


@pytest.mark.parametrize("worst", [0.5, 0.3, 0.2, 0.1, 0.07, 0.05])
@pytest.mark.parametrize("clamp", [0.05, 0.2])
def test_every_state_can_be_read(worst, clamp):
    scene = slowness_bars(worst, clamp)
    assert scene.faults() == []
    assert len(scene.says) <= 160


def test_the_average_bar_is_one_over_the_harmonic_mean():
    bars = 1 / 1.25 + 1 / 1.0 + 1 / 0.5 + 1 / 0.4 + 1 / 0.1
    assert slowness_bars(0.1).values["harmonic mean"] == pytest.approx(5 / bars)
    assert slowness_bars(0.1, 0.2).values == slowness_bars(0.2).values


# The tiny repository and its timing, on a simulated clock where time matters.

NAMES = [pair.name for pair in REPOSITORY]


@pytest.mark.parametrize("pair", REPOSITORY, ids=NAMES)
def test_the_expert_is_right_everywhere_and_the_agent_all_but_once(pair):
    assert pair.passes(pair.expert)
    assert pair.passes(pair.agent) == (pair.name != "polynomials")
    assert pair.scored is (pair.agent if pair.passes(pair.agent) else pair.slow)


def test_an_expert_is_faster_than_the_slow_version():
    pair = REPOSITORY[NAMES.index("common items")]
    trial = timed_pair(pair, seconds=0.1)
    assert trial.expert.conclusion == "faster"
    assert trial.ratio < 0.5
    low, high = trial.ratio_range
    assert low <= trial.ratio <= high


def test_the_score_is_the_harmonic_mean_of_the_ratios():
    class Compared:
        def __init__(self, ratio):
            self.ratio = ratio

    rows = [Trial("a", Compared(0.5), Compared(1.0), True)]
    rows.append(Trial("b", Compared(0.1), Compared(0.2), True))
    assert [row.ratio for row in rows] == [0.5, 0.5]
    assert repository_score(rows) == pytest.approx(0.5)


def test_lone_runs_of_one_program_are_one_on_a_steady_clock(monkeypatch):
    steady = iter(np.arange(0.0, 100.0))
    monkeypatch.setattr(trials, "perf_counter", lambda: next(steady))
    assert lone_speedups(REPOSITORY[4], 3).tolist() == [1, 1, 1]


def test_busy_processes_end_with_the_block(monkeypatch):
    started = []
    start = subprocess.Popen

    def watched(*arguments):
        started.append(start(*arguments))
        return started[-1]

    monkeypatch.setattr(trials.subprocess, "Popen", watched)
    with busy_processes(2):
        assert [process.poll() for process in started] == [None, None]
    assert len(started) == 2
    assert all(process.poll() is not None for process in started)
