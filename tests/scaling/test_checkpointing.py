"""Intervals and efficiency of saving, against a run played event by event and the limits."""

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
    play_interruptions,
    young_interval,
)

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
        run = play_interruptions(gaps, interval, save, recovery)
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
        run = play_interruptions(np.array(gaps) / 10, interval / 10, save / 10, recovery / 10)
        assert run.work == pytest.approx(float(kept), abs=1e-9)
        assert sum(run) == pytest.approx(sum(gaps) / 10)
        assert min(run) >= 0
