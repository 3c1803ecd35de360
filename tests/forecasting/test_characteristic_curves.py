"""Curves planted and found again, weights by hand, and what copies of a level do to an ability."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from perfmodel.forecasting import (
    CharacteristicCurve,
    dominant_counts,
    fit_characteristic_curve,
    level_masses,
    mix_accuracy,
)

LEVELS = np.arange(1.0, 6.0)
NATURE = ([2, 3, 4, 5], [57, 663, 2366, 699], [56, 631, 1488, 260])
"""GPT-4o's knowledge of natural sciences: levels, questions, solved."""

counts = st.lists(st.integers(100, 5000), min_size=5, max_size=5)
curves = st.builds(CharacteristicCurve, st.floats(2.0, 4.5), st.floats(0.7, 2.5))


class TestCharacteristicCurve:
    @given(curves, st.floats(0, 5))
    def test_odds_fall_by_one_factor_from_level_to_level(self, curve, level):
        here, next_one = curve.success([level, level + 1])
        ratio = (here / (1 - here)) / (next_one / (1 - next_one))
        assert np.log(ratio) == pytest.approx(curve.slope)

    def test_half_at_the_ability(self):
        assert CharacteristicCurve(3.3, 0.7).success(3.3) == 0.5


class TestDominantCounts:
    def test_other_demands_leave_an_item_out(self):
        demands = [[2, 1], [2, 2], [2, 3], [3, 3], [4, 0]]
        found = dominant_counts(demands, [1, 0, 1, 1, 0], 0)
        assert found.levels.tolist() == [2, 3, 4]
        assert found.items.tolist() == [2, 1, 1]
        assert found.shares.tolist() == [0.5, 1.0, 0.0]

    @given(st.integers(0, 1000))
    def test_every_item_counts_for_its_highest_demand(self, seed):
        rng = np.random.default_rng(seed)
        demands, solved = rng.integers(0, 4, (40, 3)), rng.integers(0, 2, 40)
        total = sum(dominant_counts(demands, solved, d).items.sum() for d in range(3))
        ties = (demands == demands.max(axis=1, keepdims=True)).sum()
        assert total == ties


class TestLevelMasses:
    def test_by_hand(self):
        masses = level_masses([57, 663, 2366, 699])
        assert masses == pytest.approx([108.5, 2366, 2366, 2366], abs=0.05)
        assert masses.sum() == pytest.approx(7206.5, abs=0.05)

    @given(st.lists(st.integers(1, 3000), min_size=2, max_size=6).filter(lambda n: max(n) >= 100))
    def test_thin_levels_have_their_share_of_the_whole(self, items):
        masses, n = level_masses(items), np.array(items)
        thin = n < 100
        shares = masses / masses.sum()
        assert shares[thin] == pytest.approx(n[thin] / n.sum())
        assert set(masses[~thin]) == {float(n.max())}


class TestFit:
    def test_the_optimum_is_the_one_that_a_general_search_finds(self):
        levels, items, solved = (np.array(part, float) for part in NATURE)
        mass, share = level_masses(items), solved / items

        def loss(theta):
            slope, start = theta
            z = start - slope * np.append(levels, 20.0)
            weight, target = np.append(mass, mass.sum()), np.append(share, 0.0)
            each = np.logaddexp(0, z) - target * z
            return (weight @ each + slope**2 / 2) / 1e4

        slope, start = minimize(loss, [1.0, 4.0], tol=1e-12).x
        found = fit_characteristic_curve(*NATURE)
        assert found.ability == pytest.approx(start / slope, abs=1e-4)
        assert found.slope == pytest.approx(slope, abs=1e-4)

    @given(curves, counts)
    @settings(max_examples=25)
    def test_a_planted_curve_is_found_whatever_the_counts(self, curve, items):
        solved = np.array(items) * curve.success(LEVELS)
        for weighting in ("levels", "items"):
            found = fit_characteristic_curve(
                LEVELS, items, solved, weighting=weighting, anchor=None
            )
            assert found.ability == pytest.approx(curve.ability, abs=0.02)
            assert found.slope == pytest.approx(curve.slope, rel=0.05)

    @given(counts)
    @settings(max_examples=15)
    def test_with_large_levels_alone_the_mix_does_not_matter(self, items):
        share = np.array([0.95, 0.8, 0.7, 0.2, 0.3])
        first, second = (
            fit_characteristic_curve(LEVELS, n, share * n)
            for n in (np.full(5, max(items)), np.array(items))
        )
        assert second.ability == pytest.approx(first.ability, abs=1e-9)

    def test_counted_by_items_the_mix_does_matter(self):
        share, items = np.array([0.95, 0.8, 0.7, 0.2, 0.3]), np.full(5, 200.0)
        harder = items * [1, 1, 1, 1, 500]
        same, moved = (
            fit_characteristic_curve(LEVELS, n, share * n, weighting="items").ability
            for n in (items, harder)
        )
        assert abs(moved - same) > 0.1

    def test_the_anchor_pulls_an_ability_back_from_far_outside(self):
        share = np.array([0.98, 0.97, 0.96, 0.96, 0.95])
        items = np.full(5, 500.0)
        free, held = (
            fit_characteristic_curve(LEVELS, items, share * items, anchor=anchor).ability
            for anchor in (None, 20.0)
        )
        assert held < 15 < free

    def test_another_regression_can_be_given(self):
        held = LogisticRegression(C=1e-4, solver="newton-cholesky")
        flat = fit_characteristic_curve(*NATURE, regression=held)
        assert flat.slope < fit_characteristic_curve(*NATURE).slope

    @pytest.mark.parametrize("unit", [1e3, 1e6, 1e9])
    @pytest.mark.parametrize("anchor", [None, 20.0])
    def test_levels_may_be_large(self, unit, anchor):
        """Beyond a thousand the penalty counts for nothing, and the unit doesn't either."""
        levels, items, solved = NATURE
        far = None if anchor is None else unit * anchor
        found = fit_characteristic_curve(unit * np.array(levels), items, solved, anchor=far)
        assert found.ability / unit == pytest.approx(4.55555, abs=1e-5)
        assert found.slope * unit == pytest.approx(1.53419, abs=1e-5)

    def test_drawn_outcomes_give_the_ability_within_its_scatter(self):
        rng, curve = np.random.default_rng(4), CharacteristicCurve(3.4, 1.2)
        items = np.full(5, 400)
        found = [
            fit_characteristic_curve(
                LEVELS, items, rng.binomial(items, curve.success(LEVELS)), anchor=None
            ).ability
            for _ in range(40)
        ]
        assert np.mean(found) == pytest.approx(3.4, abs=4 * np.std(found) / 40**0.5 + 0.002)


@given(counts, st.integers(0, 4))
def test_an_accuracy_goes_to_the_share_of_what_is_repeated(items, which):
    share = expit(np.linspace(2, -2, 5))
    factor = np.where(np.arange(5) == which, 1e7, 1.0)
    assert mix_accuracy(np.array(items) * factor, share) == pytest.approx(share[which], abs=1e-3)
    assert share.min() <= mix_accuracy(items, share) <= share.max()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: level_masses([10, 99]), "items must reach 100 at one level or more, got at most"),
        (lambda: dominant_counts([[1, 2]], [1], 2), "dimension must be below 2, got 2"),
        (lambda: dominant_counts([1, 2], [1, 0], 0), "demands and solved must have shapes"),
        (
            lambda: fit_characteristic_curve([1, 2], [100, 100], [50, 101]),
            "solved must be at most items",
        ),
        (
            lambda: fit_characteristic_curve([1, 2], [100, 100, 5], [50, 1]),
            "must have one length, got 2, 3, 2",
        ),
        (
            lambda: fit_characteristic_curve([1, 2], [100, 100], [50, 5], weighting="no"),
            "weighting must be one of",
        ),
        (
            lambda: fit_characteristic_curve([1, 2], [100, 100], [50, 50], anchor=None),
            "solved must change with the level",
        ),
        (lambda: mix_accuracy([0, 0], [0.1, 0.2]), "items must not all be 0"),
    ],
)
def test_levels_that_determine_no_curve_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
