"""The statistics of the reference run: rates, winners, and what lifts a mean."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.measurement.stream_on_your_machine import executors, traffic
from perfmodel.labs.measurement.stream_on_your_machine.inputs import (
    ELEMENTS,
    REFERENCE,
    SAMPLES,
    STATISTICS,
    LoopTimes,
)


@pytest.mark.parametrize(
    ("loop", "executor", "statistic", "gigabytes_per_second"),
    [
        ("copy", "parallel", "min", 167.9),
        ("add", "parallel", "min", 113.1),
        ("triad", "parallel", "median", 97.8),
        ("triad", "fork_join", "median", 93.9),
    ],
)
def test_counted_rates_of_the_reference_run(loop, executor, statistic, gigabytes_per_second):
    rate = executors.reference_rate(loop, executor, statistic)
    assert rate == pytest.approx(1e9 * gigabytes_per_second, abs=0.05e9)


def test_the_reference_runs_arrays_fit_into_a_servers_cache():
    assert pytest.approx(12.44e6, abs=5e3) == 3 * traffic.WORD * ELEMENTS


def test_what_lifts_a_mean_above_its_median():
    scale = REFERENCE["scale"]["fork_join"]
    assert scale.mean / scale.median == pytest.approx(1.147, abs=5e-4)
    assert pytest.approx(3.4e-6) == 0.034 / SAMPLES
    assert executors.pauses_needed(scale, 0.034) == pytest.approx(4, abs=0.5)


def test_medians_of_triad_by_fork_join_and_parallel():
    triad = REFERENCE["triad"]
    assert triad["fork_join"].median / triad["parallel"].median == pytest.approx(1.0417, abs=5e-5)


def test_the_fastest_executor_for_copy_depends_on_the_statistic():
    winners = [executors.winner("copy", statistic) for statistic in STATISTICS]
    assert winners == ["parallel", "fork_join", "fork_join"]


def test_the_statistic_changes_the_winner_in_three_of_four_loops():
    winners = {loop: {executors.winner(loop, s) for s in STATISTICS} for loop in REFERENCE}
    assert [len(names) for names in winners.values()] == [2, 2, 1, 2]


def test_no_constant_overhead_tells_the_executors_apart():
    signs = {
        np.sign(rows["fork_join"].median - rows["parallel"].median) for rows in REFERENCE.values()
    }
    assert signs == {-1, 1}


def test_pauses_needed_undoes_adding_pauses():
    times = LoopTimes(1.0, 2.0, 2.0 + 5 * 100 / 1000)
    assert executors.pauses_needed(times, 100, 1000) == pytest.approx(5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: REFERENCE["copy"]["parallel"].of("mode"), "statistic must be one of"),
        (lambda: executors.pauses_needed(LoopTimes(1, 1, 1), 0), "pause must be above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
