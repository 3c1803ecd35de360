"""Abilities by demand: curves worked out otherwise, Rasch's model, and the lab's own results."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from perfmodel.labs.forecasting.adele import assessors, tasks
from perfmodel.labs.forecasting.adele.assessors import (
    ASSESSORS,
    BENCHMARKS,
    assessed,
    calibration_error,
    draw_battery,
)
from perfmodel.labs.forecasting.adele.characteristic_curves import (
    CharacteristicCurve,
    dominant_counts,
    fit_characteristic_curve,
    level_masses,
    mix_accuracy,
)
from perfmodel.labs.forecasting.adele.curves import (
    ability_errors,
    ability_shifts,
    accuracy,
    family_forecast,
    fitted_curve,
    level_counts,
    rasch,
    repeated,
)
from perfmodel.labs.forecasting.adele.dominance import LEVELS, SCALES, counting_questions
from perfmodel.labs.forecasting.adele.inputs import DIMENSIONS, MODELS
from perfmodel.labs.forecasting.adele.item_response import RaschFit, fit_rasch, success_of_items
from perfmodel.labs.forecasting.adele.sentences import says_difficulties


def test_tables_are_whole():
    counts = [level_counts(model, name) for model in MODELS for name in DIMENSIONS]
    assert len(counts) == 270
    assert sum(c.levels.size for c in counts) == 1290
    assert all((c.solved <= c.items).all() and (c.items >= 1).all() for c in counts)
    assert all((np.diff(c.levels) == 1).all() for c in counts)


@given(st.lists(st.integers(0, 3000), max_size=4), st.integers(100, 3000))
def test_the_way_shown_for_the_masses_gives_those_of_the_model(others, large):
    items = [*others, large]
    assert tasks.masses.reference(items) == pytest.approx(level_masses(items))


def test_all_abilities_as_published():
    off = np.abs(ability_errors())
    assert off.max() < 0.0007
    assert np.median(off) < 0.0003


def test_at_the_optimum_flat_curves_differ_from_print():
    off = np.abs(ability_errors("to the optimum"))
    assert np.median(off) < 0.0005
    assert off.max() == pytest.approx(0.274, abs=0.001)
    index = np.unravel_index(off.argmax(), off.shape)
    assert [list(MODELS)[index[0]], list(DIMENSIONS)[index[1]]] == ["babbage-002", "QLq"]


def test_without_anchor_or_weights_abilities_are_others():
    fraction = {
        w: (np.abs(ability_errors(w)) < 0.05).mean() for w in ("no anchor", "questions alike")
    }
    assert fraction == {
        "no anchor": pytest.approx(0.79, abs=0.01),
        "questions alike": pytest.approx(0.49, abs=0.01),
    }


def test_500_copies_by_hand():
    mix = repeated("llama3d1-405b", "KNn", 500)
    assert mix.items.sum() == 57 + 663 + 2366 + 699 * 500
    assert mix.accuracy == pytest.approx(0.322, abs=0.001)
    assert accuracy("llama3d1-405b", "KNn") == pytest.approx(0.6151, abs=1e-4)
    assert mix.curve.ability == pytest.approx(
        fitted_curve("llama3d1-405b", "KNn").ability, abs=1e-3
    )


def test_copies_move_most_where_the_highest_level_was_thin():
    shifts = np.abs(ability_shifts(500.0))
    large = np.array([[level_counts(m, d).items[-1] >= 100 for d in DIMENSIONS] for m in MODELS])
    assert np.median(shifts[large]) < 0.05 < np.median(shifts[~large])
    assert (shifts < 0.05).sum() == 135


def test_one_copy_changes_nothing():
    before, after = fitted_curve("gpt4o", "SNs", "to the optimum"), repeated("gpt4o", "SNs", 1)
    assert after.curve == before


def test_difficulties_rise_to_level_4_on_all_scales_but_one():
    turned, falling = [], []
    for name in DIMENSIONS:
        levels, fit = rasch(name)
        steps = np.diff(fit.difficulties)
        assert levels[-2:].tolist() == [4, 5]
        falling += [(name, *levels[:-2][steps[:-1] <= 0])] * bool((steps[:-1] <= 0).any())
        turned += [name] * bool(steps[-1] < 0)
    assert falling == [("KNf", 1)]
    assert turned == ["AS", "CEe", "CL", "SNs", "VO"]
    last = [[level_counts(model, name).items[-1] for name in turned] for model in MODELS]
    assert np.unique(last, axis=0).tolist() == [[19, 1, 129, 230, 48]]


def test_no_curve_has_a_point_at_level_0():
    assert min(level_counts("gpt4o", name).levels.min() for name in DIMENSIONS) == 1


def test_difficulties_are_told_from_the_fits():
    up, down = np.array([0.0, 1, 2]), np.array([1.0, 0, -1])
    levels = np.array([3.0, 4, 5])
    fits = {"a": up, "b": down, "c": np.array([0.0, 2, 1])}
    hard = {
        name: (levels, RaschFit(np.zeros(1), fit, np.ones(1), np.ones(len(fit))))
        for name, fit in fits.items()
    }
    assert says_difficulties(hard, {"a": 9, "b": 1, "c": 20}) == (
        "Up to level 4 difficulty rises from level to level in 2 of 3 scales (not in b). Level 5 "
        "is easier than level 4 in 2 (with that many of level 5: b, 1 question; c, 20 questions)."
    )
    del hard["b"], hard["c"]
    assert says_difficulties(hard, {"a": 9}).endswith("Level 5 is easier than level 4 in 0.")


@pytest.mark.parametrize(("name", "rises"), [("CEe", True), ("SNs", True), ("KNn", False)])
def test_copies_raise_the_accuracy_where_the_last_level_is_easy(name, rises):
    before, after = (repeated("llama3d1-405b", name, copies).accuracy for copies in (1, 500))
    assert (after > before) == rises


@pytest.mark.parametrize("of", ["ability", "accuracy"])
def test_the_line_through_a_family_goes_too_high(of):
    result = family_forecast(of)
    errors = [np.median(np.abs(part - result.found)) for part in (result.line, result.last)]
    assert errors[0] > 3 * errors[1]


class TestAssessors:
    def test_a_battery_repeats_and_its_outcomes_follow_its_chances(self):
        battery = draw_battery.__wrapped__(7)
        assert (battery.solved == draw_battery.__wrapped__(7).solved).all()
        assert np.bincount(battery.benchmark).tolist() == [100] * BENCHMARKS
        spread = np.sqrt((battery.probabilities * (1 - battery.probabilities)).sum())
        assert abs(battery.solved.sum() - battery.probabilities.sum()) < 4 * spread
        assert calibration_error(battery.solved, battery.probabilities) < 0.05

    def test_on_new_benchmarks_an_accuracy_is_guessing(self):
        assert assessed(0, "accuracy only", True).auroc == 0.5
        assert assessed(0, "accuracy only", False).auroc > 0.6

    def test_nobody_beats_the_chances_themselves(self):
        for new in (False, True):
            best = assessed(0, "the chances themselves", new).auroc
            assert all(assessed(0, name, new).auroc <= best for name in ASSESSORS)

    def test_who_fails_everywhere_cannot_be_forecast(self, monkeypatch):
        lost = replace(draw_battery(0), solved=np.zeros(2000))
        monkeypatch.setattr(assessors, "draw_battery", lambda seed, model: lost)
        with pytest.raises(ValueError, match="model must solve some questions and not others"):
            assessed.__wrapped__(0, "accuracy only", True)

    def test_a_forest_is_worse_on_what_is_new(self):
        seen, new = (assessed(0, "random forest", held).auroc for held in (False, True))
        assert 0.5 < new < seen

    @given(st.integers(0, 500))
    def test_calibration_error_by_bins_one_after_another(self, seed):
        rng = np.random.default_rng(seed)
        probabilities, solved = rng.random(50), rng.integers(0, 2, 50)
        index = np.minimum((10 * probabilities).astype(int), 9)
        gaps = [
            (index == b).mean() * abs(solved[index == b].mean() - probabilities[index == b].mean())
            for b in set(index)
        ]
        assert calibration_error(solved, probabilities) == pytest.approx(sum(gaps))

    def test_an_order_alone_is_not_calibrated(self):
        solved, probabilities = np.array([0, 0, 1, 1]), np.array([0.1, 0.2, 0.3, 0.4])
        assert roc_auc_score(solved, probabilities) == 1
        assert calibration_error(solved, probabilities) == pytest.approx(0.4)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("level", LEVELS)
def test_every_state_can_be_read(scale, level):
    scene = counting_questions(scale, level)
    assert not scene.faults()
    assert scene.values["of them solved"] <= scene.values["questions that count"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: calibration_error([1], [0.1, 0.2]), "probabilities must be as many as solved"),
    ],
)
def test_as_many_probabilities_as_answers(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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
        result = dominant_counts(demands, [1, 0, 1, 1, 0], 0)
        assert result.levels.tolist() == [2, 3, 4]
        assert result.items.tolist() == [2, 1, 1]
        assert result.success_rates.tolist() == [0.5, 1.0, 0.0]

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
        fractions = masses / masses.sum()
        assert fractions[thin] == pytest.approx(n[thin] / n.sum())
        assert set(masses[~thin]) == {float(n.max())}


class TestFit:
    def test_the_optimum_is_the_one_that_a_general_search_finds(self):
        levels, items, solved = (np.array(part, float) for part in NATURE)
        mass, fraction = level_masses(items), solved / items

        def loss(theta):
            slope, start = theta
            z = start - slope * np.append(levels, 20.0)
            weight, target = np.append(mass, mass.sum()), np.append(fraction, 0.0)
            each = np.logaddexp(0, z) - target * z
            return (weight @ each + slope**2 / 2) / 1e4

        slope, start = minimize(loss, [1.0, 4.0], tol=1e-12).x
        fit = fit_characteristic_curve(*NATURE)
        assert fit.ability == pytest.approx(start / slope, abs=1e-4)
        assert fit.slope == pytest.approx(slope, abs=1e-4)

    @given(curves, counts)
    @settings(max_examples=25)
    def test_a_planted_curve_is_found_whatever_the_counts(self, curve, items):
        solved = np.array(items) * curve.success(LEVELS)
        for weighting in ("levels", "items"):
            fit = fit_characteristic_curve(LEVELS, items, solved, weighting=weighting, anchor=None)
            assert fit.ability == pytest.approx(curve.ability, abs=0.02)
            assert fit.slope == pytest.approx(curve.slope, rel=0.05)

    @given(counts)
    @settings(max_examples=15)
    def test_with_large_levels_alone_the_mix_does_not_matter(self, items):
        fraction = np.array([0.95, 0.8, 0.7, 0.2, 0.3])
        first, second = (
            fit_characteristic_curve(LEVELS, n, fraction * n)
            for n in (np.full(5, max(items)), np.array(items))
        )
        assert second.ability == pytest.approx(first.ability, abs=1e-9)

    def test_counted_by_items_the_mix_does_matter(self):
        fraction, items = np.array([0.95, 0.8, 0.7, 0.2, 0.3]), np.full(5, 200.0)
        harder = items * [1, 1, 1, 1, 500]
        same, moved = (
            fit_characteristic_curve(LEVELS, n, fraction * n, weighting="items").ability
            for n in (items, harder)
        )
        assert abs(moved - same) > 0.1

    def test_the_anchor_pulls_an_ability_back_from_far_outside(self):
        fraction = np.array([0.98, 0.97, 0.96, 0.96, 0.95])
        items = np.full(5, 500.0)
        free, held = (
            fit_characteristic_curve(LEVELS, items, fraction * items, anchor=anchor).ability
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
        fit = fit_characteristic_curve(unit * np.array(levels), items, solved, anchor=far)
        assert fit.ability / unit == pytest.approx(4.55555, abs=1e-5)
        assert fit.slope * unit == pytest.approx(1.53419, abs=1e-5)

    def test_drawn_outcomes_give_the_ability_within_its_scatter(self):
        rng, curve = np.random.default_rng(4), CharacteristicCurve(3.4, 1.2)
        items = np.full(5, 400)
        result = [
            fit_characteristic_curve(
                LEVELS, items, rng.binomial(items, curve.success(LEVELS)), anchor=None
            ).ability
            for _ in range(40)
        ]
        assert np.mean(result) == pytest.approx(3.4, abs=4 * np.std(result) / 40**0.5 + 0.002)


@given(counts, st.integers(0, 4))
def test_an_accuracy_goes_to_the_share_of_what_is_repeated(items, which):
    fraction = expit(np.linspace(2, -2, 5))
    factor = np.where(np.arange(5) == which, 1e7, 1.0)
    assert mix_accuracy(np.array(items) * factor, fraction) == pytest.approx(
        fraction[which], abs=1e-3
    )
    assert fraction.min() <= mix_accuracy(items, fraction) <= fraction.max()


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


ITEMS = np.full((2, 2), 1e6)


def test_two_by_two_by_hand():
    odds = np.array([[9.0, 1.0], [1.0, 1 / 9]])
    fit = fit_rasch(ITEMS, ITEMS * odds / (1 + odds))
    assert fit.difficulties == pytest.approx([-np.log(9) / 2, np.log(9) / 2], abs=1e-5)
    assert fit.abilities == pytest.approx([np.log(9) / 2, -np.log(9) / 2], abs=1e-5)


@given(
    st.lists(st.floats(-2, 2), min_size=3, max_size=6),
    st.lists(st.floats(-2, 2), min_size=2, max_size=5),
)
def test_planted_places_are_found_again(abilities, difficulties):
    able, hard = np.array(abilities), np.array(difficulties)
    items = np.full((able.size, hard.size), 1e6)
    fit = fit_rasch(items, items * expit(able[:, None] - hard))
    assert fit.difficulties == pytest.approx(hard - hard.mean(), abs=1e-3)
    assert fit.abilities == pytest.approx(able - hard.mean(), abs=1e-3)


def test_who_solves_all_stays_finite():
    fit = fit_rasch([[50, 50], [50, 50]], [[50, 50], [30, 20]])
    assert np.isfinite(fit.abilities).all()
    assert fit.abilities[0] > 5


@pytest.mark.parametrize("penalty", [0.2, 3.0])
def test_the_slope_of_the_penalized_likelihood_is_0(penalty):
    """What was solved beyond what is expected is the penalty times the place, for all that pay."""
    items, solved = np.array([[30, 20, 10], [15, 25, 40]]), np.array([[28, 11, 2], [9, 10, 22]])
    fit = fit_rasch(items, solved, penalty)
    expected = items * expit(fit.abilities[:, None] - fit.difficulties)
    beyond = solved - expected
    assert fit.difficulties.sum() == pytest.approx(0, abs=1e-9)
    assert beyond.sum(axis=1) == pytest.approx(penalty * fit.abilities, abs=1e-4)
    easier = beyond[:, -1].sum() - beyond[:, :-1].sum(axis=0)
    assert easier == pytest.approx(penalty * fit.difficulties[:-1], abs=1e-4)


def test_rules_by_hand():
    asked = [[3, 4], [1, 4], [5, 0]]
    one = 1 / (1 + np.exp(4))
    assert success_of_items([3, 4], [2, 2], asked) == pytest.approx([0.5, 0.5, one])
    assert success_of_items([3, 4], [2, 2], asked, "product") == pytest.approx(
        [0.25, 0.5 * (1 - one), one / (1 + np.exp(-8))]
    )


@given(st.integers(0, 1000))
def test_the_weakest_is_never_less_than_all_together(seed):
    rng = np.random.default_rng(seed)
    able, steep, asked = rng.normal(3, 1, 4), rng.uniform(0.5, 2, 4), rng.integers(0, 6, (7, 4))
    weakest = success_of_items(able, steep, asked)
    assert (success_of_items(able, steep, asked, "product") <= weakest).all()
    one = success_of_items(able[:1], steep[:1], asked[:, :1])
    assert one == pytest.approx(expit(steep[0] * (able[0] - asked[:, 0])))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_rasch([[1, 1]], [[1, 0]]), "must both have one shape"),
        (lambda: fit_rasch(np.ones((2, 2)), 2 * np.ones((2, 2))), "solved must be at most items"),
        (lambda: success_of_items([1], [1, 2], [[1]]), "abilities, slopes and demands must have"),
    ],
)
def test_counts_and_items_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
