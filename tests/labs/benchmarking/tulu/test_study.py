"""The human study: counts by the authors' rules, here counted a second time in plain Python."""

import csv
from importlib import resources

import numpy as np
import pytest

from perfmodel.benchmarking import cohens_kappa, length_controlled_score, raw_agreement
from perfmodel.labs.benchmarking import tulu
from perfmodel.labs.benchmarking.tulu.study import OTHERS, annotated, comparison, rated_twice


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


def test_an_unknown_system_is_refused():
    with pytest.raises(ValueError, match="other must be one of ChatGPT, Tülu 7B, human data only"):
        comparison("GPT-4")
