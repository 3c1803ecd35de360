"""Rates from counts, ageing from counts by age, and spares, against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import poisson

from perfmodel.scaling.survival import (
    fit_weibull_life,
    mean_time_between_failures,
    spare_nodes,
)


class TestMeanTime:
    def test_interruptions_of_54_days_in_hours(self) -> None:
        assert mean_time_between_failures(1296, 419) == pytest.approx((3.093, 2.81, 3.41), abs=5e-3)

    @given(st.integers(1, 200))
    def test_limits_are_those_of_a_poisson_mean(self, count: int) -> None:
        result = mean_time_between_failures(1.0, count, 0.9)
        assert poisson.cdf(count, 1 / result.low) == pytest.approx(0.05, rel=1e-6)
        assert poisson.sf(count - 1, 1 / result.high) == pytest.approx(0.05, rel=1e-6)

    def test_no_failure_leaves_the_mean_open(self) -> None:
        result = mean_time_between_failures(30.0, 0)
        assert result.mean == result.high == np.inf
        assert result.low == pytest.approx(30 / -np.log(0.025))


class TestSpares:
    @pytest.mark.parametrize(("rate", "days", "nodes"), [(419 / 54, 3, 35), (2, 3, 12)])
    def test_of_two_trainings(self, rate: float, days: float, nodes: int) -> None:
        assert spare_nodes(rate, days) == nodes

    def test_repairs_of_any_distribution_played(self) -> None:
        """Failures at random instants; repairs of 1 or 9 days, 3 on average."""
        rng = np.random.default_rng(5)
        came = np.sort(rng.uniform(0, 50_000, 100_000))
        back = came + np.where(rng.random(came.size) < 0.75, 1.0, 9.0)
        looks = rng.uniform(100, 49_900, 20_000)
        down = np.searchsorted(came, looks) - np.searchsorted(np.sort(back), looks)
        spares = spare_nodes(2, 3, 0.95)
        assert np.mean(down <= spares) >= 0.95 - 0.01
        assert np.mean(down <= spares - 1) < 0.95


def aged(shape: float, scale: float, parts: int, years: int, seed: int, width: float = 1.0):
    """Return classes of age, with what parts drawn from a Weibull distribution lived there."""
    lives = scale * np.random.default_rng(seed).weibull(shape, parts)
    start = np.arange(0, years, width)
    lived = np.clip(lives[:, None] - start, 0, width)
    died = (lives[:, None] >= start) & (lives[:, None] < start + width)
    return start, start + width, lived.sum(axis=0), died.sum(axis=0)


class TestWeibull:
    @pytest.mark.parametrize(("shape", "scale"), [(0.6, 8.0), (1.0, 12.0), (2.6, 7.0)])
    def test_lives_drawn_are_found_again(self, shape: float, scale: float) -> None:
        fit = fit_weibull_life(*aged(shape, scale, 20_000, 6, seed=1, width=0.05))
        assert fit.shape_low < shape < fit.shape_high
        assert fit.shape == pytest.approx(shape, rel=0.05)
        assert fit.scale == pytest.approx(scale, rel=0.06)

    def test_interval_holds_the_shape_as_often_as_it_says(self) -> None:
        inside = 0
        for seed in range(200):
            fit = fit_weibull_life(*aged(1.5, 10.0, 300, 5, seed))
            inside += fit.shape_low < 1.5 < fit.shape_high
        assert 180 <= inside <= 198

    @given(st.floats(0.01, 1000))
    def test_units_of_age_change_the_scale_alone(self, unit: float) -> None:
        start, end, lived, died = aged(2.0, 5.0, 500, 4, seed=2)
        one = fit_weibull_life(start, end, lived, died)
        other = fit_weibull_life(start * unit, end * unit, lived * unit, died)
        assert other.shape == pytest.approx(one.shape, rel=1e-6)
        assert other.scale == pytest.approx(one.scale * unit, rel=1e-6)
        assert other.gain == pytest.approx(one.gain, abs=1e-6)

    def test_rate_at_the_fit_gives_the_failures_seen(self) -> None:
        start, end, lived, died = aged(2.0, 5.0, 5000, 4, seed=2)
        fit = fit_weibull_life(start, end, lived, died)
        assert (fit.failure_rate(start, end) * lived).sum() == pytest.approx(died.sum(), rel=1e-6)

    def test_few_failures_leave_the_shape_wide(self) -> None:
        fit = fit_weibull_life([0, 1], [1, 2], [100, 100], [1, 1])
        assert fit.shape_low < 0.3
        assert fit.shape_high > 3

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"end": [1, 1]}, "end must be above start"),
            ({"failures": [1, 1.5]}, "failures must be whole numbers"),
            ({"exposure": [1, 2, 3]}, "must have one value a class"),
            ({"exposure": [0, 9]}, "and 0 where exposure is 0"),
            ({"failures": [0, 7]}, "above 0 in two classes or more to determine a shape"),
        ],
    )
    def test_classes_that_determine_nothing_are_refused(self, changes, message: str) -> None:
        given_ = {"start": [0, 1], "end": [1, 2], "exposure": [9, 9], "failures": [1, 2]}
        with pytest.raises(ValueError, match=message):
            fit_weibull_life(**(given_ | changes))
