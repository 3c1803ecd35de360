"""Selective prediction worked by hand and by scikit-learn, and the lab's made-up records."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.forecasting.precog import trials
from perfmodel.labs.forecasting.precog.descriptions import (
    EARLIER,
    GRAMMAR,
    LATER,
    MASKS,
    NOISE,
    Term,
    chance_level,
    draw_records,
    expected_score,
    read_result,
)
from perfmodel.labs.forecasting.precog.predictors import (
    PREDICTORS,
    chance_aware,
    constant,
    neighbours,
    reader,
    ridge,
    unseen_fraction,
)
from perfmodel.labs.forecasting.precog.selective_prediction import (
    CASES,
    ORDERS,
    answered_first,
    check_dates,
    coverage_risk,
    later_split,
    stated_and_found,
)
from perfmodel.prediction import LeakError

numbers = st.lists(st.floats(0, 100), min_size=1, max_size=40)


def test_five_errors_by_hand():
    result = coverage_risk([4, 6, 10, 20, 30], [5, 4, 3, 2, 1])
    assert result.at(0.4) == 5
    assert result.at(0.41) == pytest.approx(20 / 3)
    assert result.at(1) == result.full == 14
    assert result.area == pytest.approx((4 + 5 + 20 / 3 + 10 + 14) / 5)
    assert result.gain == 1
    assert result.coverage.tolist() == [0.2, 0.4, 0.6, 0.8, 1.0]


@given(st.integers(0, 10_000), st.integers(1, 30))
def test_a_curve_is_a_loop_over_cases(seed, count):
    rng = np.random.default_rng(seed)
    errors, confidence = rng.exponential(1, count), rng.permutation(count)
    ranked = [error for _, error in sorted(zip(-confidence, errors, strict=True))]
    expected = [sum(ranked[:k]) / k for k in range(1, count + 1)]
    assert coverage_risk(errors, confidence).risk == pytest.approx(expected)


@given(numbers, st.integers(0, 1000))
def test_no_confidence_beats_the_perfect_one(errors, seed):
    confidence = np.random.default_rng(seed).random(len(errors))
    result = coverage_risk(errors, confidence)
    assert (result.risk >= result.best - 1e-9).all()
    assert result.full == pytest.approx(np.mean(errors))
    assert result.gain <= 1 + 1e-9
    assert coverage_risk(errors, 3 * confidence - 7).risk == pytest.approx(result.risk)


@given(numbers)
def test_a_confidence_that_is_the_same_everywhere_gains_nothing(errors):
    result = coverage_risk(errors, np.full(len(errors), 0.7))
    assert result.risk == pytest.approx(np.full(len(errors), np.mean(errors)))
    assert result.gain == pytest.approx(0, abs=1e-6)


def test_ties_are_the_mean_over_orders_drawn_by_lot():
    rng = np.random.default_rng(0)
    errors, confidence = rng.exponential(1, 12), np.repeat([3, 2, 1], 4)
    drawn = [coverage_risk(errors, confidence + 0.5 * rng.random(12)).risk for _ in range(20_000)]
    assert coverage_risk(errors, confidence).risk == pytest.approx(np.mean(drawn, axis=0), rel=0.02)


def test_the_wrong_order_is_worse_than_lot():
    assert coverage_risk([1, 2, 3], [1, 2, 3]).gain < 0
    assert coverage_risk([5, 5], [1, 2]).gain == 0


def test_a_calibrated_predictor_finds_what_it_states():
    rng = np.random.default_rng(1)
    stated = rng.uniform(1, 10, 40_000)
    errors = np.abs(rng.normal(0, stated * np.sqrt(np.pi / 2)))
    said, result = stated_and_found(stated, errors, 5)
    assert result == pytest.approx(said, rel=0.03)
    assert (np.diff(said) > 0).all()


def test_equal_stated_errors_share_what_was_found():
    """In whatever order the cases are given."""
    for errors in ([1, 2, 3, 4], [4, 3, 2, 1], [1, 3, 2, 4]):
        assert stated_and_found([5] * 4, errors, 2)[1].tolist() == [2.5, 2.5]
    stated, result = stated_and_found([2, 1, 2, 2], [9, 1, 3, 6], 2)
    assert stated.tolist() == [1.5, 2]
    assert result.tolist() == [3.5, 6]


def test_groups_hold_every_case_once():
    stated, errors = np.array([3.0, 1.0, 2.0]), np.array([30.0, 10.0, 20.0])
    said, result = stated_and_found(stated, errors, 2)
    assert said.tolist() == [1.5, 3.0]
    assert result.tolist() == [15.0, 30.0]


@given(st.lists(st.integers(0, 50), min_size=2, max_size=40).filter(lambda d: len(set(d)) > 1))
def test_a_split_by_date_parts_all_and_passes_its_check(dates):
    cut = sorted(set(dates))[len(set(dates)) // 2]
    earlier, later = later_split(dates, cut)
    assert sorted([*earlier, *later]) == list(range(len(dates)))
    times = np.array(dates)
    assert times[earlier].max() < cut <= times[later].min()
    check_dates(times[earlier], times[later])
    with pytest.raises(LeakError):
        check_dates(times[later], times[earlier])


def test_the_same_day_is_too_early():
    with pytest.raises(LeakError, match="tested has 2 of 3 cases dated at or before 2024"):
        check_dates([2020, 2024], [2024, 2023, 2025])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: coverage_risk([1, 2], [1]), "confidence must have 2 values as errors has, got 1"),
        (lambda: stated_and_found([1, 2], [1, 2], 3), "groups must be at most the 2 cases"),
        (lambda: stated_and_found([1, 2], [1]), "stated must have 1 values"),
        (lambda: later_split([1, 2], 1), "cut must be above the first date 1 and at most the"),
        (lambda: later_split([1, 2], 3), "cut must be above the first date 1 and at most the"),
    ],
)
def test_cases_and_dates_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


RECORDS = draw_records(3)
difficulties = st.lists(st.floats(-3, 3), min_size=1, max_size=5)


def test_a_score_by_hand():
    terms = [Term(("topics",), -0.8, 10), Term(("news",), -0.3), Term(("long",), 1.2)]
    assert expected_score(terms) == pytest.approx(10 + 90 / (1 + np.exp(-1.1)))
    assert expected_score([Term(("open",), 1.2)]) == 50


@given(difficulties, st.integers(2, 10), st.floats(0.01, 2))
def test_a_score_lies_above_chance_and_falls_with_difficulty(values, answers, more):
    terms = [Term(("a",), value, answers) for value in values]
    score = expected_score(terms)
    assert 100 / answers <= score <= 100
    harder = [*terms[:-1], replace(terms[-1], difficulty=terms[-1].difficulty + more)]
    assert expected_score(harder) < score


def test_records_are_dated_and_noisy_as_told():
    assert len(RECORDS.texts) == EARLIER + LATER
    assert (np.diff(RECORDS.months) >= 0).all()
    assert RECORDS.months[EARLIER - 1] < 24 <= RECORDS.months[EARLIER]
    assert not RECORDS.new[:EARLIER].any()
    assert 0.5 < RECORDS.new[EARLIER:].mean() < 0.7
    inner = (RECORDS.expected > 20) & (RECORDS.expected < 80)
    assert np.std((RECORDS.scores - RECORDS.expected)[inner]) == pytest.approx(NOISE, rel=0.1)
    assert ((RECORDS.scores >= 0) & (RECORDS.scores <= 100)).all()
    assert draw_records(3).texts == RECORDS.texts != draw_records(4).texts


def test_every_text_prints_its_result_and_its_chance():
    read = np.array([read_result(text) for text in RECORDS.texts])
    assert np.abs(read - RECORDS.scores).max() <= 0.5 + 1e-9
    assert np.abs(read - RECORDS.scores).mean() == pytest.approx(0.25, abs=0.02)
    levels = {term.phrases[i]: term.answers for term in GRAMMAR.kinds for i in (0, 1)}
    for text in RECORDS.texts[:EARLIER]:
        (answers,) = (count for phrase, count in levels.items() if phrase in text)
        assert chance_level(text) == (100 / answers if answers else 0)


def test_masks_leave_what_they_say():
    left = {
        mask: np.mean([read_result(text) is not None for text in RECORDS.redacted(mask)])
        for mask in MASKS
    }
    assert left["nothing"] == 1
    assert left["all digits"] == 0
    assert left["per cent"] == pytest.approx(0.4, abs=0.06)
    assert not any("Bench" in text for text in RECORDS.redacted("nothing"))


def test_constant_and_chance_aware_by_hand():
    known = ["one of two", "one of four", "free text"]
    scores = np.array([85.0, 25.0, 60.0])
    assert constant(known, scores, ["x"]).scores.tolist() == [60]
    result = chance_aware(known, scores, ["one of five", "free text"])
    assert result.scores == pytest.approx([20 + 80 * 0.6, 60])
    assert result.spread == pytest.approx([80 * 0.7 / 3, 100 * 0.7 / 3])


def test_a_learner_remembers_what_it_has_seen():
    known = ["alpha beta", "gamma delta"] * 10
    scores = np.array([20.0, 80.0] * 10)
    for predictor in (neighbours, ridge):
        result = predictor(known, scores, ["alpha beta", "gamma delta"])
        assert result.scores == pytest.approx([20, 80], abs=4)
    assert neighbours(known, scores, ["alpha beta"]).spread.tolist() == [0]


def test_ridge_is_as_sure_of_words_that_it_has_never_seen():
    texts = RECORDS.redacted()[:EARLIER]
    result = ridge(texts, RECORDS.scores[:EARLIER], ["quokka wombat", "numbat bilby"])
    assert np.ptp(result.scores) == 0
    assert result.spread.max() < ridge(texts, RECORDS.scores[:EARLIER], texts).spread.mean() * 1.5


def test_weights_that_add_up_beyond_the_scale_give_its_ends():
    """Two words that each mean the worst score, or the best, together."""
    known = [word for word in ("slow", "old", "plain", "quick", "new") for _ in range(8)]
    scores = np.repeat([0.0, 0, 50, 100, 100], 8)
    assert ridge(known, scores, ["slow old", "quick new"]).scores.tolist() == [0, 100]


def test_unseen_words_count_by_their_share():
    assert unseen_fraction(["a word"], ["word word", "new word", "all new"]).tolist() == [0, 0.5, 1]


def test_a_reader_reads_where_there_is_something():
    known, scores = ["alpha beta", "gamma delta"] * 10, np.array([20.0, 80.0] * 10)
    result = reader(known, scores, ["alpha beta, 63 %", "alpha beta"])
    assert result.scores[0] == 63
    assert result.spread[0] <= result.spread[1]
    assert result.scores[1] == pytest.approx(20, abs=5)


@pytest.mark.parametrize("split", trials.SPLITS)
def test_a_split_parts_the_records(split):
    learned, tested = trials.split_records(RECORDS, split, 1)
    assert (len(learned), len(tested)) == (EARLIER, LATER)
    assert sorted([*learned, *tested]) == list(range(EARLIER + LATER))


def test_a_forecast_hangs_on_no_other_text_that_is_asked_about():
    known, scores = RECORDS.redacted()[:200], RECORDS.scores[:200]
    asked = RECORDS.redacted()[EARLIER : EARLIER + 20]
    for predictor in PREDICTORS.values():
        alone = predictor(known, scores, asked[:1])
        together = predictor(known, scores, asked)
        assert together.scores[0] == pytest.approx(alone.scores[0], abs=1e-9)
        assert together.spread[0] == pytest.approx(alone.spread[0], abs=1e-9)


def test_what_is_tested_on_is_not_looked_at():
    """Scores of the tested records change nothing in the forecasts."""
    other = replace(RECORDS, scores=np.where(np.arange(700) < EARLIER, RECORDS.scores, 0.0))
    for name in PREDICTORS:
        ours, theirs = (trials.tried(r, name, "by date").forecasts for r in (RECORDS, other))
        assert (ours.scores == theirs.scores).all()
        assert (ours.spread == theirs.spread).all()


def test_each_predictor_beats_the_one_before_on_records_like_those_known():
    order = ("constant", "chance-aware", "neighbours", "ridge")
    errors = [trials.mean_errors(name, "at random")[0] for name in order]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] > trials.noise_error("at random")


def test_new_kinds_double_ridge_s_error_and_its_refits_dont_say_so():
    everything, known, new = trials.mean_errors("ridge", "by date")
    assert known == pytest.approx(trials.mean_errors("ridge", "at random")[0], rel=0.1)
    assert new > 2 * known > everything / 2
    for seed in trials.SEEDS:
        result = trials.trial("ridge", "by date", seed)
        spread = result.forecasts.spread
        assert spread[result.new].mean() < 1.1 * spread[~result.new].mean()
        assert result.errors.mean() > 4 * spread.mean()
    assert abs(trials.confidence_gains("ridge", "by date").mean()) < 0.1
    assert trials.confidence_gains("ridge, wary of new words", "by date").min() > 0.3


def test_known_words_hide_a_new_kind_from_whoever_counts_new_ones():
    gains = {}
    for words in (
        ("folding laundry with a robot", "picking shirts from a basket"),
        ("science problems told as stories", "sorting passages by exams"),
    ):
        grammar = replace(GRAMMAR, new_kinds=(Term(words, 2.0),))
        for name in ("chance-aware", "neighbours", "ridge, wary of new words"):
            drawn = [draw_records(seed, grammar) for seed in (50, 51)]
            result = [trials.tried(item, name, "by date").curve.gain for item in drawn]
            gains.setdefault(name, []).append(np.mean(result))
    new, told = gains["ridge, wary of new words"]
    assert told < new / 2
    assert min(*gains["chance-aware"], *gains["neighbours"]) > 0.3


def test_neighbours_state_nearly_what_is_found():
    result = trials.trial("neighbours", "by date")
    assert 0.7 < result.forecasts.spread.mean() / result.errors.mean() < 1


def test_a_leak_lowers_the_error_as_the_mixture_says():
    result = trials.leak("per cent")
    mixed = (1 - result.share) * result.honest + result.share * 0.25
    assert result.read.errors.mean() == pytest.approx(mixed, abs=0.03)
    assert result.read.curve.at(0.3) < 0.3
    clean = trials.leak("all digits")
    assert clean.read.errors.mean() == pytest.approx(clean.blind)
    assert trials.leak("nothing").read.errors.mean() == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("order", ORDERS)
def test_every_state_can_be_read(order):
    for answered in range(1, CASES + 1):
        assert not answered_first(order, answered).faults()
    assert answered_first(order, CASES).values["risk (points)"] == 12.5
    assert sorted(ORDERS[order]) == list(ORDERS["a perfect one"])
