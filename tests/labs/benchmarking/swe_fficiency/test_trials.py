"""The tiny repository and its timing, on a simulated clock where time matters."""

import subprocess

import numpy as np
import pytest

from perfmodel.labs.benchmarking.swe_fficiency import trials
from perfmodel.labs.benchmarking.swe_fficiency.repository import REPOSITORY
from perfmodel.labs.benchmarking.swe_fficiency.trials import (
    Trial,
    busy_processes,
    lone_speedups,
    repository_score,
    timed_pair,
)

NAMES = [pair.name for pair in REPOSITORY]


@pytest.mark.parametrize("pair", REPOSITORY, ids=NAMES)
def test_the_expert_is_right_everywhere_and_the_agent_all_but_once(pair):
    assert pair.passes(pair.expert)
    assert pair.passes(pair.agent) == (pair.name != "polynomials")
    assert pair.scored is (pair.agent if pair.passes(pair.agent) else pair.slow)


def test_an_expert_is_faster_than_the_slow_version():
    pair = REPOSITORY[NAMES.index("common items")]
    trial = timed_pair(pair, seconds=0.1)
    assert trial.expert.verdict == "faster"
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
