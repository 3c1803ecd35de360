"""Drawn classes say that they are drawn, and their truth is the one that the intervals hold."""

import numpy as np
import pytest

from perfcourse.study.effect import weighted
from perfcourse.study.exports import parse, table
from perfcourse.study.findings import findings
from perfcourse.study.scores import students
from perfcourse.study.simulation import FORMS, MARK, Course, course, simulated, true_fall

CLASSES = 100
FORM_PAGES = [f"{MARK}/{form}" for form in FORMS]


def test_every_answer_says_that_it_is_simulated():
    for group, answers in simulated(Course(students=4, comparison=True)).items():
        assert group.startswith(MARK)
        for one in answers:
            assert one.student.startswith(MARK)
            assert one.page.startswith(MARK)
            assert one.question.startswith(MARK)
            assert one.box.startswith(MARK.lower())


def test_a_drawn_class_can_be_written_and_read():
    (answers,) = simulated(Course(students=5, seed=2)).values()
    assert parse(table(answers), "x") == answers


def test_the_true_fall_is_the_mean_of_a_large_class():
    whole = Course(students=6000, effect=0.4, dropout=0, unanswered=0, seed=1)
    rows = students(simulated(whole))
    cells = [np.array([row.fall(0) for row in rows if row.order == x]) for x in FORM_PAGES]
    found = weighted(cells, [0.5, 0.5], resamples=10)
    assert found.standard_error < 0.007
    assert found.estimate == pytest.approx(true_fall(0.4), abs=3 * found.standard_error)


def test_nothing_learnt_is_no_fall_but_for_the_cap():
    assert true_fall(0.0, cap=1e12) == pytest.approx(0, abs=1e-6)
    assert true_fall(0.2) < true_fall(0.5)


@pytest.mark.parametrize("comparison", [False, True])
def test_intervals_hold_the_truth_about_as_often_as_they_say(comparison):
    held = np.zeros(2)
    for seed in range(CLASSES):
        drawn = Course(students=24, comparison=comparison, seed=seed)
        truth = true_fall(drawn.effect) - (true_fall(drawn.other) if comparison else 0)
        effect = findings(simulated(drawn)).line(0).effect
        held += [low <= truth <= high for low, high in (effect.interval, effect.bootstrap)]
    # An exact interval holds it 88 to 100 times in 100, but for one class of seeds in 500.
    assert held.min() >= 88


def test_settings_are_read_from_words():
    assert course(["students=12", "effect=0.5", "seed=3"]) == Course(12, 0.5, seed=3)
    assert course(["comparison=0"]).comparison is False


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["folder"], "NAME=NUMBER with students, effect"),
        (["pupils=3"], "got 'pupils=3'"),
        (["effect=large"], "effect must be a number, got 'large'"),
        (["students=3"], "students"),
        (["students=4.5"], "students"),
        (["effect=1"], "effect"),
        (["dropout=0.9"], "dropout"),
        (["comparison=2"], "comparison must be 0 or 1"),
        (["comparison=0.5"], "comparison must be 0 or 1"),
    ],
)
def test_bad_settings_are_named(words, message):
    with pytest.raises(ValueError, match=message):
        course(words)
