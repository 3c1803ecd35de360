"""Averages of scores: hand values, what changes them and what doesn't."""

from __future__ import annotations

import csv
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.benchmarking import cohens_kappa, length_controlled_score, raw_agreement
from perfmodel.labs.benchmarking import tulu
from perfmodel.labs.benchmarking.tulu import tasks
from perfmodel.labs.benchmarking.tulu.answers import (
    ITEMS,
    PAIRS,
    longer_won,
    read_ratings,
    two_readers,
    verdict,
)
from perfmodel.labs.benchmarking.tulu.averages import (
    CARDS,
    TASKS,
    column_mean,
    flip_weight,
    macro_average,
    mean_of_ratios,
    ratio_of_means,
    task_means,
    weighted_on,
)
from perfmodel.labs.benchmarking.tulu.study import OTHERS, annotated, comparison, rated_twice

SCORE = st.floats(0, 100)
SCORES = st.lists(st.lists(SCORE, min_size=1, max_size=3), min_size=2, max_size=6)
ROW = st.lists(SCORE, min_size=3, max_size=6)
PYTHIA, OPT = (task_means(CARDS[name].scores) for name in ("Pythia 6.9B", "OPT 6.7B"))


@given(scores=SCORES)
def test_repeating_a_column_of_a_task_leaves_the_macro_average_alone(scores):
    doubled = [scores[0] * 2, *scores[1:]]
    assert macro_average(doubled) == pytest.approx(macro_average(scores))
    columns = sum(map(len, scores))
    shift = np.sum(scores[0]) - len(scores[0]) * column_mean(scores)
    moved = column_mean(scores) + shift / (columns + len(scores[0]))
    assert column_mean(doubled) == pytest.approx(moved)


def test_the_same_two_models_by_two_means():
    assert mean_of_ratios(PYTHIA, OPT) == pytest.approx(1.275, abs=5e-4)
    assert ratio_of_means(PYTHIA, OPT) == pytest.approx(1.082, abs=5e-4)
    assert column_mean(CARDS["Tülu 7B"].scores) == pytest.approx(31.71, abs=0.005)


def test_the_weight_that_flips_pythia_and_opt_by_hand():
    # (1 - w) 2.87 = w 5.3, from means over the other five of 21.97 and 19.10.
    assert flip_weight(PYTHIA, OPT, 5) == pytest.approx(2.87 / 8.17, rel=1e-6)


@given(first=ROW, second=ROW, index=st.integers(0, 2))
def test_at_the_flip_weight_both_systems_score_the_same(first, second, index):
    count = min(len(first), len(second))
    first, second = first[:count], second[:count]
    gaps = np.array(first) - second
    if abs(gaps[index]) < 1e-3 or gaps[index] * np.delete(gaps, index).mean() >= -1e-3:
        return
    weight = flip_weight(first, second, index)
    assert 0 < weight < 1
    tied = [weighted_on(row, index, weight) for row in (first, second)]
    assert tied[0] == pytest.approx(tied[1], abs=1e-6)
    after = [weighted_on(row, index, (1 + weight) / 2) for row in (first, second)]
    assert (after[0] > after[1]) == (gaps[index] > 0)


def test_equal_weights_are_the_macro_average():
    for card in CARDS.values():
        means = task_means(card.scores)
        assert weighted_on(means, 3, 1 / 6) == pytest.approx(macro_average(card.scores))
        assert [len(columns) for columns in card.scores] == [len(c) for c in TASKS.values()]


def test_no_weight_flips_a_ranking_where_one_system_wins_twice():
    with pytest.raises(ValueError, match="index must be a task that the other system wins"):
        flip_weight([2, 2], [1, 1], 0)


# The drawing of two readers, and what is said of the reader's own ratings.

STEPS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]


@pytest.mark.parametrize("guessing", STEPS)
def test_every_state_can_be_read_and_agreement_is_drawn(guessing):
    scene = two_readers(guessing)
    assert scene.faults() == []
    marks = sum(getattr(shape, "words", "") == "=" for shape in scene.shapes)
    assert marks == scene.values["agree on"]
    assert scene.values["kappa expected"] == pytest.approx((1 - guessing) ** 2)


def test_readers_who_see_agree_on_all():
    assert two_readers(0.0).values["agree on"] == ITEMS


def test_ratings_are_read_and_refused():
    assert read_ratings(" AbT abt abt a\n") == list("abtabtabta")
    for text in ("abt", "abtabtabtx", "a" * 11):
        with pytest.raises(ValueError, match="text must be 10 letters of a, b and t"):
            read_ratings(text)


def test_longer_answers_are_counted():
    longer = [pair.longer for pair in PAIRS]
    assert longer_won(longer) == (10, 10)
    assert longer_won(["t", *longer[1:]]) == (9, 9)
    shorter = ["b" if letter == "a" else "a" for letter in longer]
    assert longer_won(shorter) == (0, 10)
    assert 3 <= longer.count("a") <= 7


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("", "aaaaabbbbb", "Not rated yet"),
        ("aaaaabbbb", "aaaaabbbbb", "takes 10 letters"),
        ("aaaaaaaaaa", "bbbbbbbbbb", "agree on no pair"),
        ("tttttttttt", "tttttttttt", "only one letter"),
        ("abababtaba", "abababtaba", "above 0"),
        ("ababababab", "aabbaabbaa", "includes 0"),
    ],
)
def test_the_verdict_follows_the_ratings(first, second, said):
    assert said in verdict(first, second)


# The human study: counts by the authors' rules, here counted a second time in plain Python.


def plain_records():
    """Return the records that count, by the steps of the authors' script."""
    with (resources.files(tulu) / "human_study.csv").open() as file:
        rows = list(csv.DictReader(file))
    kept = {}
    for row in sorted(rows, key=lambda row: row["timestamp"]):
        kept[row["instance_index"], row["evaluator"]] = row
    return len(rows), sorted(kept.values(), key=lambda row: row["timestamp"])


def test_annotations_and_what_remains_of_them():
    read, records = plain_records()
    table = annotated()
    assert (read, len(records), len(table)) == (1150, 1141, 1141)
    assert table["evaluator"].nunique() == 16
    assert table["timestamp"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("other", "levels", "acceptable"),
    [
        ("ChatGPT", (24, 68, 110, 64, 66), (263, 299)),
        ("Tülu 7B", (80, 70, 106, 39, 37), (262, 228)),
        ("human data only", (89, 77, 99, 41, 26), (270, 240)),
    ],
)
def test_counts_of_a_comparison(other, levels, acceptable):
    study = comparison(other)
    counted = tuple(int((study.levels == level).sum()) for level in (2, 1, 0, -1, -2))
    assert counted == levels
    assert study.acceptable == acceptable
    assert study.accepted.wins - study.accepted.losses == acceptable[0] - acceptable[1]
    assert study.preferences.score() == pytest.approx(study.scores.mean())


def test_the_same_counts_in_plain_python():
    _, records = plain_records()
    for name, model in OTHERS.items():
        first = {}
        for row in records:
            if {row["model_a"], row["model_b"]} == {"tulu_65B", model}:
                first.setdefault(row["instance_id"], row)
        won = [
            row["preference"][0] == ("a" if row["model_a"] == "tulu_65B" else "b")
            for row in first.values()
            if row["preference"] != "tie"
        ]
        counts = comparison(name).preferences
        assert (counts.wins, counts.losses) == (sum(won), len(won) - sum(won))
        assert counts.pairs == len(first) == 332


def test_tests_of_the_three_comparisons():
    signs = [comparison(other).preferences.sign_test() for other in OTHERS]
    assert signs == pytest.approx([0.0128, 9.7e-7, 7e-11], rel=0.05)
    paired = [comparison(other).accepted for other in OTHERS]
    assert [(p.wins, p.losses) for p in paired] == [(15, 51), (57, 23), (54, 24)]
    assert [p.sign_test() for p in paired] == pytest.approx([1.0e-5, 1.8e-4, 9e-4], rel=0.05)


def test_agreement_of_those_rated_twice():
    first, second = rated_twice()
    assert len(first) == 121
    assert raw_agreement(first, second) == pytest.approx(0.579, abs=5e-4)
    assert raw_agreement(first, second, halfway="tie") == pytest.approx(0.715, abs=5e-4)
    assert cohens_kappa(first, second).value == pytest.approx(0.372, abs=5e-4)


def test_longer_answers_are_preferred_and_length_control_turns_towards_the_shorter():
    won, decided = np.sum([comparison(other).longer_preferred for other in OTHERS], axis=0)
    assert (won, decided) == (454, 681)
    for other in OTHERS:
        study = comparison(other)
        fit = length_controlled_score(study.scores, study.length_ratios)
        assert fit.slope_low > 0
        longer = np.log(study.length_ratios).mean() > 0
        assert (fit.score < study.scores.mean()) == longer


# What is said to a kappa whose chance is not that of two readers.


def by(chance):
    """Return a kappa with another agreement by chance, from both readers' shares."""

    def kappa(table):
        shares = table / table.sum()
        expected = chance(shares.sum(1), shares.sum(0))
        return (np.trace(shares) - expected) / (1 - expected)

    return kappa


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (lambda r, c: np.sum(((r + c) / 2) ** 2), "Scott's pi"),
        (lambda r, c: r @ r, "squared the first"),
        (lambda r, c: c @ c, "squared the second"),
    ],
)
def test_another_chance_is_named(chance, said):
    outcome = tasks.kappa.judge(by(chance))
    assert outcome.state == "wrong"
    assert said in outcome.said


def test_the_product_of_both_readers_shares_is_right():
    assert tasks.kappa.judge(by(lambda r, c: r @ c)).state == "right"
