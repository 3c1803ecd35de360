"""Watts, joules and the power of a test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfmodel.labs.measurement.mixed_precision_energy import savings, savings as mpe, tasks
from perfmodel.labs.measurement.mixed_precision_energy.savings import energy_areas
from perfmodel.live.drawing import Box
from perfmodel.measurement.energy import GridIntensity
from perfmodel.measurement.statistics.hypothesis_tests import (
    paired,
    power_of_test,
    samples_needed,
    welch,
)

ANY = st.floats(0.1, 1e4)
YEAR = 8760 * 3600.0


@pytest.mark.parametrize(
    ("watts", "kilowatt_hours", "kilograms"), [(7, 61.3, 24.5), (11, 96.4, 38.5)]
)
def test_the_saving_in_a_year_by_hand(watts, kilowatt_hours, kilograms):
    year = mpe.MeteredRun(watts, YEAR)
    assert year.watt_hours / 1e3 == pytest.approx(kilowatt_hours, abs=0.05)
    assert year.grams(GridIntensity(400, "test")) / 1e3 == pytest.approx(kilograms, abs=0.05)


@pytest.mark.parametrize(
    ("watts", "seconds", "watt_hours"), [(121, 1000, 33.6), (112, 700, 21.8), (130, 600, 21.7)]
)
def test_energy_of_a_run_by_hand(watts, seconds, watt_hours):
    assert mpe.MeteredRun(watts, seconds).watt_hours == pytest.approx(watt_hours, abs=0.05)


@pytest.mark.parametrize(
    ("effect", "spread", "runs"),
    [(9, 5, 6), (9, 10, 21), (9, 20, 79), (9, 40, 312), (7, 10, 34), (11, 20, 53)],
)
def test_runs_needed_are_those_of_tables_of_the_noncentral_t(effect, spread, runs):
    assert samples_needed(effect, spread) == runs


@pytest.mark.parametrize(("runs", "chance"), [(3, 0.138), (5, 0.241)])
def test_few_runs_seldom_find_a_saving_that_is_there(runs, chance):
    assert power_of_test(9, 10, runs) == pytest.approx(chance, abs=5e-4)


def test_t_of_groups_and_of_pairs_by_hand():
    assert mpe.significance_of(9, 15, 6)[0] == pytest.approx(1.039, abs=5e-4)
    assert mpe.paired_significance_of(9, 15, 6, 0.9)[0] == pytest.approx(3.286, abs=5e-4)


@given(watts=ANY, seconds=ANY, factor=st.floats(0.1, 10), grams=st.floats(1, 1000))
def test_carbon_is_linear_in_power_time_and_intensity(watts, seconds, factor, grams):
    grid, more = GridIntensity(grams, "test"), GridIntensity(grams * factor, "test")
    base = mpe.MeteredRun(watts, seconds).grams(grid)
    for other in (mpe.MeteredRun(watts * factor, seconds), mpe.MeteredRun(watts, seconds * factor)):
        assert other.grams(grid) == pytest.approx(base * factor)
    assert mpe.MeteredRun(watts, seconds).grams(more) == pytest.approx(base * factor)


def test_a_kilowatt_for_an_hour_emits_the_grids_figure():
    assert mpe.MeteredRun(1000, 3600).grams(GridIntensity(400, "test")) == pytest.approx(400)


@given(static=ANY, dynamic=ANY, seconds=ANY)
def test_static_and_dynamic_energy_add_up(static, dynamic, seconds):
    assert mpe.metered_run(static, dynamic, seconds).joules == pytest.approx(
        static * seconds + dynamic
    )


@given(effect=st.floats(1, 20), spread=st.floats(1, 20))
def test_normal_formula_is_just_below_the_exact_number(effect, spread):
    formula, exact = mpe.runs_by_normal_formula(effect, spread), samples_needed(effect, spread)
    assert formula - 1 <= exact <= formula + 4


def test_significance_is_what_a_test_of_such_samples_says():
    shape = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    shape /= shape.std(ddof=1)
    t, p = mpe.significance_of(9, 15, 6)
    found = welch(112 + 15 * shape, 121 + 15 * shape)
    assert (found.statistic, found.p_value) == pytest.approx((t, p))


def test_pairs_without_correlation_have_the_standard_error_of_groups():
    assert mpe.paired_significance_of(9, 15, 6, 0)[0] == pytest.approx(
        mpe.significance_of(9, 15, 6)[0]
    )


def test_made_runs_have_the_effect_spread_and_correlation_asked_for():
    full, mixed = mpe.synthetic_powers(40_000, 9, 10, 0.8)
    assert full.mean() - mixed.mean() == pytest.approx(9, abs=0.1)
    assert full.std() == pytest.approx(10, rel=0.02)
    assert np.corrcoef(full, mixed)[0, 1] == pytest.approx(0.8, abs=0.01)


def test_without_an_effect_p_values_are_uniform():
    pairs = [mpe.synthetic_powers(6, 0, 10, seed=s) for s in range(400)]
    p = [stats.ttest_ind(*pair).pvalue for pair in pairs]
    assert stats.kstest(p, "uniform").pvalue > 0.01


# The tasks agree with the lab's models; the drawing can be read and adds up.

SCENES = [energy_areas(faster) for faster in (1, 1.25, 1.6, 2, 2.5)]


def test_energy_left_is_that_of_two_runs():
    full, mixed = savings.metered_run(60, 40e3, 1000), savings.metered_run(60, 28e3, 625)
    left = tasks.energy_left.reference(60, 40e3, 1000, 1.6, 0.7)
    assert left == pytest.approx(mixed.joules / full.joules)


@pytest.mark.parametrize("runs", [8, 30, 200])
def test_the_saving_found_needs_as_many_runs(runs):
    found = tasks.found_saving.reference(runs, 10.0)
    assert savings.runs_by_normal_formula(found, 10.0) == pytest.approx(runs, rel=0.01)


def test_the_mean_over_the_paired_error_is_t():
    full, mixed = savings.synthetic_powers(6, 9, 15, 0.9, seed=2)
    t = (full - mixed).mean() / tasks.pair_error.reference(full, mixed)
    p = 2 * stats.t.sf(t, 5)
    assert p == pytest.approx(paired(mixed, full).p_value)


def test_areas_are_energies_in_every_state():
    for scene in SCENES:
        assert scene.faults() == []
        assert scene.height == SCENES[0].height
        boxes = [shape for shape in scene.shapes if isinstance(shape, Box)]
        slow, quick = (sum(box.width * box.height for box in boxes[k : k + 2]) for k in (0, 2))
        energy = scene.values["energy, faster run (kJ)"]
        assert quick / slow == pytest.approx(energy / 100, rel=1e-6)
        assert math.isclose(boxes[1].width * boxes[1].height, boxes[3].width * boxes[3].height)
