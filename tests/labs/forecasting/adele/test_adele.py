"""The shipped tables, all 270 abilities, mixes by hand, made-up questions, and the drawing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import roc_auc_score

from perfmodel.forecasting import RaschFit, level_masses
from perfmodel.labs.forecasting.adele import assessors, tasks
from perfmodel.labs.forecasting.adele.assessors import (
    ASSESSORS,
    BENCHMARKS,
    assessed,
    calibration_error,
    draw_battery,
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
    place = np.unravel_index(off.argmax(), off.shape)
    assert [list(MODELS)[place[0]], list(DIMENSIONS)[place[1]]] == ["babbage-002", "QLq"]


def test_without_anchor_or_weights_abilities_are_others():
    share = {w: (np.abs(ability_errors(w)) < 0.05).mean() for w in ("no anchor", "questions alike")}
    assert share == {
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
        "is easier than level 4 in 2 (with so many of level 5: b, 1 question; c, 20 questions)."
    )
    del hard["b"], hard["c"]
    assert says_difficulties(hard, {"a": 9}).endswith("Level 5 is easier than level 4 in 0.")


@pytest.mark.parametrize(("name", "rises"), [("CEe", True), ("SNs", True), ("KNn", False)])
def test_copies_raise_the_accuracy_where_the_last_level_is_easy(name, rises):
    before, after = (repeated("llama3d1-405b", name, copies).accuracy for copies in (1, 500))
    assert (after > before) == rises


@pytest.mark.parametrize("of", ["ability", "accuracy"])
def test_the_line_through_a_family_goes_too_high(of):
    found = family_forecast(of)
    errors = [np.median(np.abs(part - found.found)) for part in (found.line, found.last)]
    assert errors[0] > 3 * errors[1]


class TestAssessors:
    def test_a_battery_repeats_and_its_outcomes_follow_its_chances(self):
        battery = draw_battery.__wrapped__(7)
        assert (battery.solved == draw_battery.__wrapped__(7).solved).all()
        assert np.bincount(battery.benchmark).tolist() == [100] * BENCHMARKS
        spread = np.sqrt((battery.chances * (1 - battery.chances)).sum())
        assert abs(battery.solved.sum() - battery.chances.sum()) < 4 * spread
        assert calibration_error(battery.solved, battery.chances) < 0.05

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
        chances, solved = rng.random(50), rng.integers(0, 2, 50)
        place = np.minimum((10 * chances).astype(int), 9)
        gaps = [
            (place == b).mean() * abs(solved[place == b].mean() - chances[place == b].mean())
            for b in set(place)
        ]
        assert calibration_error(solved, chances) == pytest.approx(sum(gaps))

    def test_an_order_alone_is_not_calibrated(self):
        solved, chances = np.array([0, 0, 1, 1]), np.array([0.1, 0.2, 0.3, 0.4])
        assert roc_auc_score(solved, chances) == 1
        assert calibration_error(solved, chances) == pytest.approx(0.4)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("level", LEVELS)
def test_every_state_can_be_read(scale, level):
    scene = counting_questions(scale, level)
    assert not scene.faults()
    assert scene.values["of them solved"] <= scene.values["questions that count"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: calibration_error([1], [0.1, 0.2]), "chances must be as many as solved"),
    ],
)
def test_as_many_probabilities_as_answers(call, message):
    with pytest.raises(ValueError, match=message):
        call()
