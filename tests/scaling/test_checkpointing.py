"""Checkpoints and lives of parts: intervals against simulation, fits of planted lives."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize_scalar

from perfmodel.scaling.checkpointing import (
    checkpoint_efficiency,
    checkpoint_waste,
    daly_interval,
    optimal_interval,
    simulate_interruptions,
    young_interval,
)
from perfmodel.scaling.survival import count_by_age, fit_weibull_life, spare_nodes

MTBF = 1296 / 419 * 60
"""Minutes."""


def played(gaps, interval, save, recovery):
    """Return the seconds of work kept, by going through every event in exact arithmetic."""
    kept = Fraction(0)
    for gap in gaps:
        now, unsaved, phase = Fraction(0), Fraction(0), "recovery"
        while True:
            last = {"recovery": recovery, "work": interval, "save": save}[phase]
            now += last
            if now > gap:
                break
            if phase == "work":
                unsaved = last
            if phase == "save":
                kept += unsaved
            phase = "save" if phase == "work" else "work"
    return kept


class TestIntervals:
    @pytest.mark.parametrize(
        ("save", "young", "daly", "best"),
        [(1, 19.27, 18.605, 18.605), (5, 43.08, 39.811, 39.813)],
    )
    def test_of_a_failure_every_three_hours(self, save, young, daly, best) -> None:
        assert young_interval(save, MTBF) == pytest.approx(young, abs=0.005)
        assert daly_interval(save, MTBF) == pytest.approx(daly, abs=0.0005)
        assert optimal_interval(save, MTBF) == pytest.approx(best, abs=0.0005)

    @given(st.floats(-5, 1.5))
    def test_optimum_is_found_by_search_as_well(self, power: float) -> None:
        save = 10.0**power
        best = float(optimal_interval(save, 1.0))
        result = minimize_scalar(
            lambda x: -np.log(checkpoint_efficiency(best * np.exp(x), save, 1.0)),
            bounds=(-1, 1),
            options={"xatol": 1e-9},
        )
        assert result.x == pytest.approx(0, abs=1e-3)

    @given(st.floats(-14, 2))
    def test_optimum_solves_its_equation(self, power: float) -> None:
        """C/M = -x - log(1 - x), whose series starts x^2/2 + x^3/3."""
        ratio = 10.0**power
        x = float(optimal_interval(ratio, 1.0))
        if x < 1 - 1e-9:
            series = sum(x**n / n for n in range(2, 12)) if x < 0.05 else -x - np.log1p(-x)
            assert series == pytest.approx(ratio, rel=1e-7)

    def test_both_branches_meet(self) -> None:
        below, above = optimal_interval([1e-4 * (1 - 1e-9), 1e-4 * (1 + 1e-9)], 1.0)
        assert above == pytest.approx(below, rel=1e-8)

    def test_order_and_limits(self) -> None:
        save = np.geomspace(1e-6, 1.9, 40)
        best, young = optimal_interval(save, 1.0), young_interval(save, 1.0)
        assert (best < young).all()
        assert best[0] / young[0] == pytest.approx(1, abs=1e-3)
        assert daly_interval(3.0, 1.0) == 1.0
        assert optimal_interval(50.0, 1.0) == pytest.approx(1.0)
        assert optimal_interval(0.0, 5.0) == 0.0

    def test_daly_is_the_optimum_to_third_order(self) -> None:
        for ratio in (1e-3, 1e-2):
            off = daly_interval(ratio, 1.0) - optimal_interval(ratio, 1.0)
            assert off == pytest.approx(-((2 * ratio) ** 2) / 270, rel=0.05)


class TestEfficiency:
    @pytest.mark.parametrize(
        ("save", "interval", "exact", "first"),
        [(1, 19.266, 0.87578, 0.8692), (5, 43.080, 0.76408, 0.7409)],
    )
    def test_of_a_failure_every_three_hours(self, save, interval, exact, first) -> None:
        assert checkpoint_efficiency(interval, save, MTBF, 5) == pytest.approx(exact, abs=5e-6)
        assert 1 - checkpoint_waste(interval, save, MTBF, 5) == pytest.approx(first, abs=5e-5)

    @pytest.mark.parametrize(
        ("interval", "save", "recovery"), [(18.6, 1.0, 5.0), (40.0, 5.0, 30.0), (200.0, 20.0, 0.0)]
    )
    def test_a_long_run_has_the_exact_efficiency(self, interval, save, recovery) -> None:
        gaps = np.random.default_rng(3).exponential(MTBF, 200_000)
        run = simulate_interruptions(gaps, interval, save, recovery)
        exact = float(checkpoint_efficiency(interval, save, MTBF, recovery))
        blocks = run.work / interval
        spread = 2 / np.sqrt(gaps.size) + 1 / np.sqrt(blocks)
        assert run.efficiency == pytest.approx(exact, rel=4 * spread)
        assert spread < 0.01

    def test_first_order_is_the_limit_of_rare_failures(self) -> None:
        for mean in (1e3, 1e4, 1e5):
            interval = float(young_interval(1.0, mean))
            lost = 1 - checkpoint_efficiency(interval, 1.0, mean, 0.5)
            assert checkpoint_waste(interval, 1.0, mean, 0.5) == pytest.approx(
                float(lost), rel=2 / np.sqrt(mean)
            )

    @given(st.floats(0.01, 100), st.floats(0, 10), st.floats(0.1, 1000), st.floats(0, 100))
    def test_between_nothing_and_all_and_below_without_failures(
        self, interval, save, mean, recovery
    ) -> None:
        fraction = checkpoint_efficiency(interval, save, mean, recovery)
        assert 0 <= fraction <= interval / (interval + save) + 1e-12
        assert 1 - fraction <= checkpoint_waste(interval, save, mean, recovery) + 1e-9

    def test_hopeless_runs_have_none_of_the_time(self) -> None:
        assert checkpoint_efficiency(1e6, 0.0, 1.0) == 0.0


class TestPlay:
    @given(
        st.lists(st.integers(1, 500), min_size=1, max_size=20),
        st.integers(1, 60),
        st.integers(0, 9),
        st.integers(0, 30),
    )
    def test_event_by_event(self, gaps, interval, save, recovery) -> None:
        tenth = Fraction(1, 10)
        kept = played([g * tenth for g in gaps], interval * tenth, save * tenth, recovery * tenth)
        run = simulate_interruptions(np.array(gaps) / 10, interval / 10, save / 10, recovery / 10)
        assert run.work == pytest.approx(float(kept), abs=1e-9)
        assert sum(run) == pytest.approx(sum(gaps) / 10)
        assert min(run) >= 0


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


AGES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12), st.booleans()), min_size=1, max_size=20
)


class TestCountByAge:
    @given(AGES, st.sets(st.integers(0, 14), min_size=2))
    def test_against_one_day_after_the_other(self, rows, marks) -> None:
        """In whole days: who lived through each, and who failed at its end."""
        first, last = np.sort([row[:2] for row in rows], axis=1).T
        dead = np.array([row[2] for row in rows])
        edges = sorted(marks)
        found = count_by_age(last, dead, edges, first)
        for start, end, lived, failures in zip(*found, strict=True):
            days = np.arange(start, end)[:, None]
            assert lived == ((first <= days) & (days < last)).sum()
            from_ = start if start > edges[0] else start - 0.5
            assert failures == (dead & (last > from_) & (last <= end)).sum()

    def test_leaving_out_the_living_makes_lives_short(self) -> None:
        lives = 10 * np.random.default_rng(1).weibull(1.5, 20_000)
        seen, dead = np.minimum(lives, 4), lives < 4
        edges = np.linspace(0, 4, 41)
        fit = fit_weibull_life(*count_by_age(seen, dead, edges))
        assert fit.shape == pytest.approx(1.5, rel=0.03)
        assert fit.scale == pytest.approx(10, rel=0.04)
        only = fit_weibull_life(*count_by_age(seen[dead], dead[dead], edges))
        assert only.scale < 4

    def test_failures_at_age_0_and_at_an_edge(self) -> None:
        found = count_by_age([0, 1, 1, 2, 5], [True, True, False, True, True], [0, 1, 2])
        assert found.exposure.tolist() == [4, 2]
        assert found.failures.tolist() == [2, 1]

    def test_parts_that_joined_late_count_from_then_on(self) -> None:
        found = count_by_age([3.0, 3.0], [True, True], [0, 1, 2, 3], entered=[0.0, 2.5])
        assert found.exposure == pytest.approx([1, 1, 1.5])

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"failed": [1, 0]}, "failed must be True or False for each of 2 parts"),
            ({"failed": [True]}, "failed must be True or False for each of 2 parts"),
            ({"edges": [0, 2, 2]}, "edges must rise"),
            ({"entered": [0, 3]}, "entered must be at most age"),
        ],
    )
    def test_rows_that_cannot_be_are_refused(self, changes, message: str) -> None:
        rows = {"age": [1, 2], "failed": [True, False], "edges": [0, 1, 2]}
        with pytest.raises(ValueError, match=message):
            count_by_age(**(rows | changes))


def test_two_interruptions_at_one_instant_are_one_gap_of_nothing() -> None:
    gaps = [100.0, 50.0]
    one, other = (
        simulate_interruptions(g, 30, 5, 10) for g in (gaps, [0.0, gaps[0], 0.0, gaps[1]])
    )
    assert other == one
    with pytest.raises(ValueError, match="the sum of gaps must be above 0"):
        simulate_interruptions([0.0, 0.0], 30, 5)
