"""Table 1's curves by hand, the wrong form's ceilings, early fits, and the small bandit."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.forecasting import SIGMOID_LAW, crossing, identifiability
from perfmodel.labs.forecasting.scalerl.bandit import train_bandits
from perfmodel.labs.forecasting.scalerl.curves import (
    RECIPES,
    STRETCHES,
    hours_at_fraction,
    hours_between,
    hours_to_reach,
    pass_rates,
    power_ceiling,
    prefix_bootstrap,
    prefix_fit,
    theta,
)
from perfmodel.labs.forecasting.scalerl.race import BUDGETS, recipe_race

recipes = st.sampled_from(list(RECIPES))


@pytest.mark.parametrize(
    ("recipe", "nine_tenths"),
    [("8B, 14k", 7_983), ("8B, 32k", 36_049), ("8B, batch 2048", 39_729), ("17Bx16", 16_066)],
)
def test_budget_for_nine_tenths_of_the_gain(recipe, nine_tenths):
    assert hours_at_fraction(recipe, 0.9) == pytest.approx(nine_tenths, rel=1e-3)


@given(recipes, st.floats(0.02, 0.98))
def test_the_inverse_is_the_inverse(recipe, share):
    result = theta(recipe)
    rate = result["R0"] + share * (result["A"] - result["R0"])
    hours = hours_to_reach(recipe, rate)
    assert hours == pytest.approx(hours_at_fraction(recipe, share))
    assert SIGMOID_LAW.value(result, hours) == pytest.approx(rate)


def test_a_power_law_sees_another_ceiling_in_each_stretch():
    assert power_ceiling(1_500, 50_000) == pytest.approx(2.03, abs=0.02)
    assert power_ceiling(5_000, 50_000) == pytest.approx(0.751, abs=1e-3)
    assert power_ceiling(30_000, 60_000) == pytest.approx(0.648, abs=1e-3)


def test_the_later_the_stretch_the_less_a_ceiling_hangs_on_the_start():
    moved = [
        power_ceiling(*stretch, start_rate=0.3) - power_ceiling(*stretch, start_rate=0.45)
        for stretch in STRETCHES
    ]
    assert moved[0] > 5 * moved[1]
    assert moved[1] > 5 * moved[2] > 0


def test_before_the_half_way_point_the_ceiling_is_open():
    assert not identifiability(prefix_fit("8B, 32k", 8_000)).known["A"]
    assert identifiability(prefix_fit("8B, 32k", 32_000)).known["A"]
    assert identifiability(prefix_fit("8B, 14k", 8_000)).known["A"]
    widths = [
        np.ptp(prefix_bootstrap("8B, 32k", until).interval("A")) for until in (8e3, 16e3, 32e3)
    ]
    assert widths[0] > 5 * widths[1]
    # What the notebook says of one and a half half-way points, and of three.
    assert 0.1 > widths[1] > 0.02 > widths[2] > 0


def test_the_two_lengths_tie_at_28_thousand_hours():
    short, long = (prefix_bootstrap(name, 50_000.0) for name in ("8B, 14k", "8B, 32k"))
    result = crossing(short, long, 2_000, 1e5)
    assert result.low < 28_072 < result.high
    assert result.crossing_fraction > 0.95


def test_the_mixture_of_experts_saves_a_factor_that_hangs_on_the_budget():
    saved = [
        hours / hours_to_reach("17Bx16", float(pass_rates("8B, batch 2048", np.array([hours]))[0]))
        for hours in (50_000, 100_000)
    ]
    assert saved == [pytest.approx(6.35, abs=0.01), pytest.approx(11.2, abs=0.05)]


@pytest.mark.parametrize("budget", BUDGETS)
def test_every_state_can_be_read(budget):
    assert not recipe_race(budget).faults()


def test_a_bandit_rises_to_its_ceiling_and_repeats():
    looks, rates = train_bandits(400, 1, unlearnable=0.3)
    assert (train_bandits(400, 1, unlearnable=0.3)[1] == rates).all()
    assert rates[0] < 0.25
    assert 0.5 < rates[-1] < 0.75
    assert looks[-1] == 400
    flat = train_bandits(100, 1, rate=1e-9)[1]
    assert np.ptp(flat) < 1e-6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theta("8B, 14k", 0.61), "start_rate must be from 0 to below the ceiling 0.61"),
        (lambda: hours_to_reach("8B, 14k", 0.7), "pass_rate must be between 0.4 and the ceiling"),
        (lambda: hours_between(5, 5), "start and end must be a range above 0"),
    ],
)
def test_rates_beyond_the_ceiling_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
