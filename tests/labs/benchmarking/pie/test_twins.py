"""Twins timed by a clock of our own, the recorded pairs, and the drawing of pairs."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from numpy.testing import assert_allclose

from perfmodel.benchmarking import TimingRatio, noise_of_ratios, summarize_ratios
from perfmodel.labs.benchmarking.pie.ratio_bars import PAIRS, ratio_bars
from perfmodel.labs.benchmarking.pie.recorded import null_ratios, null_table
from perfmodel.labs.benchmarking.pie.twins import WAYS, time_twins


def test_a_steady_clock_finds_no_difference_in_any_way() -> None:
    ticks = count()
    times = time_twins(3, clock=lambda: float(next(ticks)))
    for way in WAYS:
        assert times.ratios(way).tolist() == [1.0] * 3


def test_a_clock_that_slows_down_hurts_only_what_is_not_interleaved() -> None:
    """Later runs take longer: by how much each way blames the new copy."""
    state = {"now": 0.0, "step": 1.0}

    def clock() -> float:
        state["step"] *= 1.002
        state["now"] += state["step"]
        return state["now"]

    times = time_twins(2, clock)
    single, best, median = (float(times.ratios(way).mean()) for way in WAYS)
    assert best < 0.985
    assert abs(single - 1) < 0.01
    assert abs(median - 1) < 0.01


def test_recorded_pairs_are_500_different_programs() -> None:
    table = null_table()
    assert len(table.groupby(["kind", "size"])) == 500
    assert (table.filter(like="_s") > 0).all().all()
    assert null_ratios("first").std() > null_ratios("mean").std()


def test_what_is_recorded_says_that_nothing_changed_only_by_the_geometric_mean() -> None:
    report = summarize_ratios(null_ratios())
    assert report.geometric_mean.covers(1.0)
    assert report.mean.low > 1
    assert report.clamped_mean.low > 1.1


def test_log_normal_law_fitted_to_the_pairs_comes_near_their_clamped_mean() -> None:
    law = TimingRatio(noise_of_ratios(null_ratios()))
    report = summarize_ratios(null_ratios())
    assert report.clamped_mean.covers(law.mean_of_clamped())
    assert_allclose(law.quantile(0.95), report.percentile_95, rtol=0.03)


def test_drawing_counts_no_pair_below_one() -> None:
    for noise in (0.0, 0.05, 0.2, 0.3):
        for pairs in range(1, PAIRS + 1):
            scene = ratio_bars(pairs, noise)
            assert scene.faults() == []
            assert scene.values["mean counted"] >= max(1.0, scene.values["mean ratio"] - 1e-12)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="pairs must be a whole number, 1 or more"):
        time_twins(0)
    with pytest.raises(ValueError, match="timing must be one of first, mean"):
        null_ratios("best")
    assert np.all(null_ratios() > 0)
