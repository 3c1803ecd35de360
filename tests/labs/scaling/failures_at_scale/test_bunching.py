"""Weibull gaps: the sum over blocks against runs played, and the exponential case."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.scaling.failures_at_scale.bunching import (
    best_interval,
    bunched_efficiency,
    bunched_gaps,
)
from perfmodel.scaling import (
    checkpoint_efficiency,
    optimal_interval,
    play_interruptions,
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
    found = [bunched_efficiency(young, save, MTBF, recovery, k) for k in (1, 0.7, 0.5)]
    assert found == pytest.approx(values, abs=1e-4)


@pytest.mark.parametrize("shape", [0.5, 0.7, 1.0, 2.0])
def test_sum_is_what_runs_play_out(shape: float) -> None:
    gaps = 5 + bunched_gaps(400_000, MTBF, shape, seed=4)
    run = play_interruptions(gaps, 20.0, 1.0, 5.0)
    exact = bunched_efficiency(20.0, 1.0, MTBF, 5.0, shape)
    assert run.efficiency == pytest.approx(exact, rel=0.005)


def test_shape_of_one_is_exponential_but_for_recoveries_cut_short() -> None:
    for interval in (5.0, 20.0, 100.0):
        without = checkpoint_efficiency(interval, 1.0, MTBF)
        found = bunched_efficiency(interval, 1.0, MTBF, 5.0, 1.0)
        assert found == pytest.approx(without * MTBF / (MTBF + 5), rel=1e-12)


def test_best_interval_grows_with_bunching() -> None:
    assert best_interval(5, MTBF, 10, 1.0) == pytest.approx(
        float(optimal_interval(5, MTBF)), rel=1e-3
    )
    tried = np.arange(30, 80, 0.5)
    kept = [bunched_efficiency(interval, 5, MTBF, 10, 0.5) for interval in tried]
    assert best_interval(5, MTBF, 10, 0.5) == pytest.approx(tried[np.argmax(kept)], abs=0.5)
    assert best_interval(5, MTBF, 10, 0.5) > 49


def test_gaps_have_the_mean_asked_for() -> None:
    gaps = bunched_gaps(200_000, 7.0, 0.5, seed=1)
    assert gaps.mean() == pytest.approx(7.0, rel=4 * np.sqrt(5 / 200_000))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bunched_efficiency(0, 1, 9, 1, 1), "interval must be above 0"),
        (lambda: bunched_efficiency(1, -1, 9, 1, 1), "checkpoint_time must be 0 or more"),
        (lambda: bunched_efficiency(1, 1, 0, 1, 1), "mtbf must be above 0"),
        (lambda: bunched_efficiency(1, 1, 9, -1, 1), "recovery_time must be 0 or more"),
        (lambda: bunched_efficiency(1, 1, 9, 1, 0.1), "shape must be between 0.3 and 10"),
        (lambda: bunched_gaps(0, 9, 1), "count must be a whole number, 1 or more"),
    ],
)
def test_bad_input(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
